// Somebody else's page sends a form of ours, or one is sent again where it was not shown.
import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createCsrf, type FormBinding } from '../../src/pages/csrf.js'
import { manualClock } from '../../src/testing/manual-clock.js'
import { binding, key, otherKey, request } from './flow-parts.js'

const origin = 'https://chat.example.com'
const form: FormBinding = { ...binding, page: 'sign-in' }
const own = { 'sec-fetch-site': 'same-origin', origin }

function sent(headers: Record<string, string>): IncomingMessage {
  const rawHeaders = Object.entries(headers).flat()
  return { method: 'POST', headers, rawHeaders } as unknown as IncomingMessage
}

function csrfParts(encryptionKeys: readonly Buffer[] = [key], now = '2030-01-01T12:00:00Z') {
  const clock = manualClock(new Date(now))
  const csrf = createCsrf({ encryptionKeys, origin, clock })
  return { clock, csrf, token: csrf.tokenFor(form) as string }
}

describe('a form of ours', () => {
  it.each<[string, Record<string, string>]>([
    ['with Fetch Metadata', own],
    ['with Fetch Metadata alone', { 'sec-fetch-site': 'same-origin' }],
    ['of a browser that names its origin', { origin }],
    ['of one that names the page', { referer: `${origin}/api/v1/oauth/sign-in?${request}` }],
  ])('is taken: %s', (_name, headers) => {
    const { csrf, token } = csrfParts()
    expect(csrf.accepts(sent(headers), token, form)).toBe(true)
  })

  it.each<[string, Record<string, string>]>([
    ['of another site', { ...own, 'sec-fetch-site': 'cross-site' }],
    ['of a neighbour', { ...own, 'sec-fetch-site': 'same-site' }],
    ['of nobody’s page', { ...own, 'sec-fetch-site': 'none' }],
    ['of another origin', { origin: 'https://evil.example' }],
    ['of another port', { origin: `${origin}:8443` }],
    ['in the clear', { origin: 'http://chat.example.com' }],
    ['of a page without an origin', { origin: 'null' }],
    ['of a page that says nothing', {}],
    ['with the token, of a page elsewhere', { referer: 'https://evil.example/' }],
  ])('is refused: %s', (_name, headers) => {
    const { csrf, token } = csrfParts()
    expect(csrf.accepts(sent(headers), token, form)).toBe(false)
  })

  it.each<[string, Partial<FormBinding>]>([
    ['in another browser', { browser: 'another' }],
    ['in one without a cookie', { browser: null }],
    ['on another page', { page: 'consent' }],
    ['for another request', { request: `${request}&scope=*` }],
    ['with what stands in one part put into another', { page: `sign-in${request}`, request: '' }],
  ])('is refused where it was not shown: %s', (_name, other) => {
    const { csrf, token } = csrfParts()
    expect(csrf.accepts(sent(own), token, { ...form, ...other })).toBe(false)
  })

  it('has no token in a browser without a cookie, where everybody’s would be the same', () => {
    const { csrf } = csrfParts()
    expect(csrf.tokenFor({ ...form, browser: null })).toBeNull()
    expect(csrf.accepts(sent(own), null, form)).toBe(false)
  })

  it.each(['', 'A', 'A'.repeat(43), 'A'.repeat(1_000_000), '\u0141'.repeat(43)])(
    'is refused with a token that is none, and no error',
    (wrong) => {
      const { csrf, token } = csrfParts()
      expect(csrf.accepts(sent(own), wrong, form)).toBe(false)
      expect(csrf.accepts(sent(own), `${token}A`, form)).toBe(false)
      expect(csrf.accepts(sent(own), token.slice(0, 42), form)).toBe(false)
    },
  )

  it('is refused with each of its characters changed', () => {
    const { csrf, token } = csrfParts()
    for (let at = 0; at < token.length; at += 1) {
      const other = token[at] === 'A' ? 'B' : 'A'
      const changed = token.slice(0, at) + other + token.slice(at + 1)
      expect(csrf.accepts(sent(own), changed, form), `${at}`).toBe(false)
    }
  })

  it('is taken for half an hour at least, and an hour at most', () => {
    // Shown in the first and in the last second of a half hour.
    for (const [shown, goodFor] of [
      ['2030-01-01T12:00:00Z', 60 * 60],
      ['2030-01-01T12:29:59Z', 30 * 60 + 1],
    ] as const) {
      const { csrf, clock, token } = csrfParts([key], shown)
      clock.advance(goodFor - 1)
      expect(csrf.accepts(sent(own), token, form)).toBe(true)
      clock.advance(1)
      expect(csrf.accepts(sent(own), token, form)).toBe(false)
    }
  })

  it('is taken under every key that there is, and shown under the first', () => {
    const { csrf, token } = csrfParts([key])
    const rotated = csrfParts([otherKey, key])
    expect(rotated.csrf.accepts(sent(own), token, form)).toBe(true)
    expect(csrfParts([otherKey]).csrf.accepts(sent(own), rotated.token, form)).toBe(true)
    expect(csrf.accepts(sent(own), rotated.token, form)).toBe(false)
  })
})
