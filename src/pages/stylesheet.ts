import { sha256 } from '../lib/digest.js'
import { pageCss, surfaces } from './assets/page-css.js'
import { contrastOf, legibleOn, textOn } from './contrast.js'

/** The style sheet of all pages, and what tells it from another, for its URL. */
export interface Stylesheet {
  readonly css: string
  readonly version: string
}

/** Where the host has chosen none. */
const defaultAccent = '#0b57d0'

/** What WCAG 2.2 asks of the edge of what can be pressed, 1.4.11. */
const visible = 3

/**
 * The style sheet with the host's accent, and what the host adds at its end. What is written in the
 * accent gets as much black or white as makes it legible; the text on it is black or white.
 */
export function createStylesheet(accent: string = defaultAccent, added = ''): Stylesheet {
  const onAccent = textOn(accent)
  // White text is read more easily on what is darker, and black text on what is lighter.
  const shade = onAccent === '#ffffff' ? 'rgb(0 0 0/.14)' : 'rgb(255 255 255/.22)'
  const chosen =
    `:root{--accent:${accent};--on-accent:${onAccent};--shade:${shade};` +
    `${edgeAndLink(accent, surfaces.light.page, surfaces.light.card)}}\n` +
    `@media (prefers-color-scheme:dark){:root{` +
    `${edgeAndLink(accent, surfaces.dark.card, surfaces.dark.card)}}}`
  const css = `${chosen}${pageCss}\n${added}`
  return { css, version: sha256(css).slice(0, 16) }
}

// An accent that is nearly the card's colour would leave a button without an edge.
function edgeAndLink(accent: string, hardest: string, card: string): string {
  const link = legibleOn(hardest, accent)
  const edge = contrastOf(accent, card) < visible ? link : accent
  return `--link:${link};--edge:${edge}`
}
