// Names that clients and users choose: on no page do they become markup, or turn it round.
import { describe, expect, it } from 'vitest'
import { pageOf, skeletonOf } from './support/markup.js'
import { states } from './support/states.js'
import type { View } from './support/views.js'

/** Members that hold what somebody has typed or called himself. */
const chosen = new Set([
  ...['name', 'username', 'message', 'clientName', 'reference', 'parameter', 'host', 'label'],
])
const lists = new Set(['scopes', 'apis', 'codes'])
const kept = new Set(['action', 'hidden', 'qr', 'passkey'])

/** A view in which everything that others choose is this text. */
function withNames(view: View, text: string): View {
  const replaced = (value: unknown, key: string): unknown => {
    if (typeof value === 'string' && chosen.has(key)) return text
    if (lists.has(key)) return [text]
    return kept.has(key) ? value : mapped(value, replaced)
  }
  return replaced(view, '') as View
}

function mapped(value: unknown, change: (one: unknown, key: string) => unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (Array.isArray(value)) return value.map((one) => change(one, ''))
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, change(one, key)]))
}

const everyState = Object.entries(states)
const bad = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'><b>",
  '</title></style></textarea><script>',
  '</bdi><h1>Example Chat',
  '<!-- ',
  '&#60;script&#62;',
  '{service}{client}',
  '\u202Enettirw\u2066\u2069',
  '\0\u001B[31m',
]

describe('A name', () => {
  it.each(everyState)('changes no tag of the page: %s', (_, view) => {
    const harmless = skeletonOf(pageOf(withNames(view, 'x')))
    for (const text of bad) expect(skeletonOf(pageOf(withNames(view, text)))).toBe(harmless)
  })

  it.each(everyState)('turns no text round that is not its own: %s', (_, view) => {
    const markup = pageOf(withNames(view, 'a\u202E\u2066b\u2069\u202Cc'))
    expect(markup).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/)
    // In attributes no text is beside it.
    const shown = markup.replaceAll(/="[^"]*"/g, '')
    const alone = /<(?:bdi|b class dir|code(?: dir)?)>(?:<b>|<bdi>)?a\uFFFD\uFFFDb\uFFFD\uFFFDc<\//g
    expect(shown.replaceAll(alone, '')).not.toContain('\uFFFD')
  })

  it('is not read as a text of ours', () => {
    const count = (markup: string, text: string) => markup.split(text).length
    for (const [, view] of everyState) {
      const expected = count(pageOf(withNames(view, 'NAME')), 'NAME')
      for (const text of ['{wait}', '{service}', '{client}'])
        expect(count(pageOf(withNames(view, text)), text)).toBe(expected)
    }
  })

  it('stands in no title', () => {
    for (const [, view] of everyState) {
      const title = /<title>[^<]*<\/title>/.exec(pageOf(withNames(view, 'NAME')))?.[0]
      expect(title).not.toContain('NAME')
    }
  })
})
