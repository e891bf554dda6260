import { addressAttributes, html, markupOf } from '../../pages/html.js'
import { packed, tagsOf, textOf } from './markup.js'
import { check, marker, passkeyOfView, type RenderedPage } from './rendered.js'

/** A promise about each page, and how it is tried. */
export type PromisedOfPage = readonly [name: string, run: (page: RenderedPage) => void]

function isDocument(page: RenderedPage): void {
  const { markup, shell, tags } = page
  const [root] = tags
  check(/^\s*<!doctype html>/i.test(markup), page, 'does not begin with <!doctype html>.')
  check(root?.name === 'html', page, 'has no <html>, in which its language would stand.')
  const { lang, dir = 'ltr' } = root.attributes
  check(lang === shell.texts.tag, page, 'is in another language than <html lang> says: texts.tag.')
  check(dir === shell.texts.direction, page, 'has another <html dir> than texts.direction.')
  const title = tags.find(({ name }) => name === 'title')?.content ?? ''
  check(textOf(title) !== '', page, 'has no <title>.')
  const named = tags.some(({ attributes }) => attributes['name'] === 'viewport')
  check(named, page, 'has no <meta name="viewport">: it is tiny on a phone.')
}

function hasOneHeading(page: RenderedPage): void {
  const headings = page.tags.filter(({ name }) => name === 'h1')
  check(headings.length === 1, page, `has ${headings.length} <h1>, instead of one.`)
  check(textOf(headings[0]?.content ?? '') !== '', page, 'has an <h1> that says nothing.')
}

function hasEachIdOnce(page: RenderedPage): void {
  const ids = page.tags.flatMap(({ attributes }) => attributes['id'] ?? [])
  const twice = ids.find((id, at) => ids.indexOf(id) !== at)
  check(twice === undefined, page, `has the id "${twice}" twice.`)
}

const forbidden = ['script', 'style', 'iframe', 'frame', 'object', 'embed', 'base', 'template']

// All of it would be stopped by the policy that the page is sent with, in front of the user.
function runsNothing(page: RenderedPage): void {
  const ofPasskeys = tagsOf(markupOf(passkeyOfView(page.view) ?? html``)).flatMap(
    ({ name, attributes }) => (name === 'script' ? (attributes['src'] ?? []) : []),
  )
  // So that a password that is typed can be shown.
  const isTyped = page.tags.some(({ attributes }) => attributes['type'] === 'password')
  const scripts = [
    ...ofPasskeys,
    ...(isTyped ? [page.shell.passwordScript] : []),
    ...('linkScript' in page.view ? [page.view.linkScript] : []),
  ]
  for (const { name, attributes } of page.tags) {
    const isOurs = name === 'script' && scripts.includes(attributes['src'] ?? '')
    check(isOurs || !forbidden.includes(name), page, `has a <${name}>, which its policy stops.`)
    const inline = Object.keys(attributes).find((key) => key === 'style' || key.startsWith('on'))
    const remedy = 'Write it into the option css, by a class.'
    check(inline === undefined, page, `has the attribute ${inline} in it. ${remedy}`)
    const script = Object.keys(attributes).find(
      (key) => addressAttributes.has(key) && isScript(attributes[key] ?? ''),
    )
    check(script === undefined, page, `has a script in the ${script} of <${name}>: it is stopped.`)
  }
}

// Browsers leave out blanks and control characters before and within the scheme.
function isScript(address: string): boolean {
  return /^(?:javascript|vbscript|data:text\/html)\b/i.test(address.replaceAll(/[\p{Cc} ]/gu, ''))
}

function loadsOwnFiles(page: RenderedPage): void {
  const { origin } = new URL(page.shell.stylesheet)
  for (const { name, attributes } of page.tags) {
    const loaded = name === 'link' ? attributes['href'] : attributes['src']
    if (loaded === undefined) continue
    const isOwn = URL.canParse(loaded, origin) && new URL(loaded, origin).origin === origin
    check(isOwn, page, `loads ${loaded}, which its policy stops: files come from its own origin.`)
    check(!('srcset' in attributes), page, 'has a srcset: one src will do.')
  }
}

const addresses = [...addressAttributes, 'content']

function linksWhereToldTo(page: RenderedPage): void {
  if (!page.isHostile) return
  for (const { name, attributes } of page.tags)
    for (const key of addresses.filter((one) => one in attributes)) {
      const address = packed(attributes[key] ?? '').toLowerCase()
      const broken = `makes the ${key} of <${name}> out of what an app or a user calls itself.`
      check(!address.includes(marker), page, `${broken} Link to what the view has as a link.`)
    }
}

/** What holds for every page. */
export const documentTests: readonly PromisedOfPage[] = [
  ['a page is a document in its language, with a title', isDocument],
  ['a page has one heading', hasOneHeading],
  ['a page has no id twice', hasEachIdOnce],
  ['a page runs and styles nothing inline', runsNothing],
  ['a page loads nothing from elsewhere', loadsOwnFiles],
  ['no name becomes a link', linksWhereToldTo],
]
