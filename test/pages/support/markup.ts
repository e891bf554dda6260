// Reads the markup of our own pages, which is simpler than HTML may be.

import { markupOf } from '../../../src/pages/html.js'
import { layout, type PageShell } from '../../../src/pages/layout.js'
import { shellIn, states } from './states.js'
import { contentOf, type View } from './views.js'

/** A start tag with its attributes, each with the text that its value stands for. */
export interface Tag {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
}

/** A page as it goes out. */
export function pageOf(view: View, tag = 'en', given: Partial<PageShell> = {}): string {
  const shell = shellIn(tag, given)
  return markupOf(layout(shell, contentOf(view, shell)))
}

/** The page of a state. */
export function stateOf(name: string, tag = 'en'): string {
  const view = states[name]
  if (view === undefined) throw new Error(`no state ${name}`)
  return pageOf(view, tag)
}

/** All start tags in order. */
export function tagsOf(markup: string): Tag[] {
  return [...markup.matchAll(/<([a-z][a-z0-9]*)((?:\s+[a-zA-Z-]+(?:="[^"]*")?)*)\s*\/?>/g)].map(
    ([, name = '', rest = '']) => ({ name, attributes: attributesOf(rest) }),
  )
}

/** The markup without what texts and values say. */
export function skeletonOf(markup: string): string {
  return markup.replaceAll(/="[^"]*"/g, '=""').replaceAll(/>[^<]*</g, '><')
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

function attributesOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([a-zA-Z-]+)(?:="([^"]*)")?/g)]
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, unescaped(value)]))
}
