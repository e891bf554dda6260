import { hasAppScheme } from '../lib/addresses.js'

/** The brand of {@link SafeHtml}, known only in this file. */
const markup: unique symbol = Symbol('markup')

/** Markup whose texts are escaped. Only `html` and `attributes` make it. */
export interface SafeHtml {
  readonly [markup]: string
}

/** A value in a template. Null writes nothing; arrays are joined. */
export type HtmlValue = SafeHtml | string | number | null | readonly HtmlValue[]

/** The place of a value: between tags, among a tag's attributes, or in a named attribute. */
type Place =
  | { readonly within: 'text' }
  | { readonly within: 'tag' }
  | { readonly within: 'attribute'; readonly name: string }

/**
 * Markup from a template; escapes each value for its place. Everything except `SafeHtml` is text.
 *
 * @throws TypeError for a template in which escaping would not help: an attribute without double
 * quotes, an inline script or style, an unclosed tag, a `javascript:` link
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): SafeHtml {
  const places = placesOf(strings)
  let made = strings[0] ?? ''
  for (const [index, value] of values.entries())
    made += written(value, places[index] ?? text) + (strings[index + 1] ?? '')
  return safe(made)
}

/**
 * Attributes with quotes, each after a blank. False and null write nothing; true writes the name.
 */
export function attributes(
  given: Readonly<Record<string, string | number | boolean | null>>,
): SafeHtml {
  const pairs = Object.entries(given).map(([name, value]) => {
    if (!/^[a-z][a-z-]*$/.test(name) || isInline(name)) throw new TypeError(`attribute ${name}`)
    if (value === false || value === null) return ''
    return value === true ? ` ${name}` : ` ${name}="${inAttribute(value, name)}"`
  })
  return safe(pairs.join(''))
}

/** Whether a value is {@link SafeHtml}. */
export function isSafeHtml(value: unknown): value is SafeHtml {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, markup)
}

/** The text of the markup. */
export function markupOf(page: SafeHtml): string {
  return page[markup]
}

/**
 * Whether following this URL navigates and runs no script.
 *
 * @internal
 */
export function isLink(url: string): boolean {
  return /^(?:[/?#]|https?:|mailto:|otpauth:)/.test(url) || hasAppScheme(url)
}

/**
 * Attributes with URLs that a browser follows or loads. SVG animations have some, too, and can
 * change a link.
 */
const addressAttributes: ReadonlySet<string> = new Set(
  (
    'href xlink:href src action formaction data poster cite background manifest ping srcset ' +
    'imagesrcset longdesc codebase classid archive usemap values from to by'
  ).split(' '),
)

function safe(made: string): SafeHtml {
  return Object.freeze({ [markup]: made })
}

function written(value: HtmlValue, place: Place): string {
  if (place.within === 'attribute') return inAttribute(value, place.name)
  if (value === null) return ''
  if (isSafeHtml(value)) return value[markup]
  if (place.within === 'tag') throw new TypeError('text among attributes: use attributes()')
  return Array.isArray(value) ? value.map((one) => written(one, place)).join('') : escaped(value)
}

// Only text: quotes in markup would end the attribute.
function inAttribute(value: HtmlValue, name: string): string {
  if (addressAttributes.has(name) && !areLinks(String(value), name))
    throw new TypeError(`the attribute ${name} leads nowhere`)
  return escaped(value)
}

// Some attributes have several URLs.
function areLinks(value: string, name: string): boolean {
  const between = { values: /;\s*/, srcset: /,\s*/, imagesrcset: /,\s*/, ping: /\s+/ }[name]
  return (between === undefined ? [value] : value.split(between)).every(isLink)
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * Special characters of HTML, control characters, and bidirectional controls. A stray one of the
 * latter would end the `<bdi>` around a name and change how the following text reads (UAX #9, X6a).
 * The marks LRM and RLM are harmless, and occur in names.
 */
const unsafe = /[&<>"'\p{Surrogate}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]|(?![\t\n\r])\p{Cc}/gu

function escaped(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new TypeError('a template takes text, numbers, markup and lists of them')
  return String(value).replace(unsafe, (character) => entities[character] ?? '\uFFFD')
}

const text: Place = { within: 'text' }
const wholeTag = /<[a-z/!][^<>"']*(?:"[^"]*"[^<>"']*)*>/gi
const known = new WeakMap<TemplateStringsArray, readonly Place[]>()

// The texts of a template never change, so they are checked once.
function placesOf(strings: TemplateStringsArray): readonly Place[] {
  const before = known.get(strings)
  if (before !== undefined) return before
  requireNothingInline(strings.join(''))
  const prefixes = strings.map((_, index) => strings.slice(0, index + 1).join('\0'))
  const places = prefixes.map(placeAfter)
  if (places.pop()?.within !== 'text') throw new TypeError('a template ends within a tag')
  known.set(strings, places)
  return places
}

function placeAfter(prefix: string): Place {
  const open = prefix.replace(wholeTag, '')
  const start = open.indexOf('<')
  if (start === -1) return text
  const tag = open.slice(start)
  // The next attribute may follow a closing quote without a blank.
  const inside = tag.replace(/="[^"]*"/g, ' ')
  const attribute = /\s([a-z][a-z0-9:-]*)="[^"]*$/i.exec(inside)?.[1]?.toLowerCase()
  if (attribute !== undefined && !isInline(attribute))
    return { within: 'attribute', name: attribute }
  if (/^<[a-z]+[1-6]?(?:\s[^"'=<>]*)?$/.test(inside)) return { within: 'tag' }
  throw new TypeError('a template has a value in a tag, outside of double quotes')
}

// Compared exactly first: SVG attributes have capitals, and `formAction` means the one of HTML.
const capitals = new Set(
  (
    'attributeName attributeType baseFrequency calcMode clipPathUnits edgeMode filterUnits ' +
    'gradientTransform gradientUnits keyPoints keySplines keyTimes lengthAdjust markerHeight ' +
    'markerUnits markerWidth maskContentUnits maskUnits numOctaves pathLength ' +
    'patternContentUnits patternTransform patternUnits preserveAspectRatio primitiveUnits refX ' +
    'refY repeatCount repeatDur spreadMethod startOffset stdDeviation textLength viewBox'
  ).split(' '),
)

function isInline(attribute: string): boolean {
  return attribute === 'style' || attribute === 'srcdoc' || attribute.startsWith('on')
}

// These elements end at their own closing tag, such as `</style>`, which escaping cannot hide.
function requireNothingInline(template: string): void {
  const isInPage = /<(?:style|script(?! src=")|textarea|title|xmp|iframe|noscript|plaintext)\b/i
  const without = template.replaceAll(/<title>[^<]*<\/title>/g, '')
  const names = (template.match(wholeTag) ?? []).flatMap(namesIn)
  if (isInPage.test(without) || names.some((name) => isInline(name.toLowerCase())))
    throw new TypeError('a template holds a script, a style or text that is not escaped')
  const spelt = names.find((name) => /[A-Z]/.test(name) && !capitals.has(name))
  if (spelt !== undefined) throw new TypeError(`write ${spelt.toLowerCase()}, not ${spelt}`)
}

// A value without quotes may look like a name, except for the sign after it.
function namesIn(tag: string): string[] {
  const found = tag.replaceAll(/"[^"]*"/g, '" ').matchAll(/[\s/]([a-z][a-z0-9:-]*)\s*=/gi)
  return [...found].map(([, name = '']) => name)
}
