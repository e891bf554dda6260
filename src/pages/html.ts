/** The only key to {@link SafeHtml}: it never leaves this file. */
const markup: unique symbol = Symbol('markup')

/**
 * Markup in which every text has been escaped. Only `html` and `attributes` make it.
 */
export interface SafeHtml {
  readonly [markup]: string
}

/** What may stand in a template. Nothing is written for null, and arrays are joined. */
export type HtmlValue = SafeHtml | string | number | null | readonly HtmlValue[]

/** Where a value stands: between tags, among a tag's attributes, or within one, by its name. */
type Place =
  | { readonly within: 'text' }
  | { readonly within: 'tag' }
  | { readonly within: 'attribute'; readonly name: string }

/**
 * Markup out of a template whose values are escaped, each by the place where it stands. Whatever is
 * no `SafeHtml` is text.
 *
 * @throws TypeError for a template in which escaping would not help: an attribute without double
 * quotes, a script or style in the page, a tag that is not closed, a link to a script
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): SafeHtml {
  const places = placesOf(strings)
  let made = strings[0] ?? ''
  for (const [index, value] of values.entries())
    made += written(value, places[index] ?? text) + (strings[index + 1] ?? '')
  return safe(made)
}

/**
 * Attributes with quotes, a blank before each. False and null write none, true one without a value.
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

/** Whether a value is markup that was made here. */
export function isSafeHtml(value: unknown): value is SafeHtml {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, markup)
}

/** The markup as text, for the answer. */
export function markupOf(page: SafeHtml): string {
  return page[markup]
}

/**
 * Whether a browser that follows this goes somewhere, and runs nothing.
 *
 * @internal
 */
export function isLink(url: string): boolean {
  return /^(?:[/?#]|https?:|mailto:|otpauth:|[a-z][a-z0-9+-]*\.[a-z0-9.+-]+:)/.test(url)
}

/**
 * Attributes whose value a browser follows, loads, or may come to follow: those of SVG's animations
 * put another address into a link.
 *
 * @internal
 */
export const addressAttributes: ReadonlySet<string> = new Set(
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

// Only text: markup has quotes of its own, which would end the attribute.
function inAttribute(value: HtmlValue, name: string): string {
  if (addressAttributes.has(name) && !areLinks(String(value), name))
    throw new TypeError(`the attribute ${name} leads nowhere`)
  return escaped(value)
}

// Some of them hold several.
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
 * Besides what HTML means something by: control characters, and those that turn the direction of a
 * text round. A stray one of these would end the `<bdi>` around a name, so that what follows could
 * be read as something else (UAX #9, X6a). The marks LRM and RLM end nothing, and belong to names.
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

// A template's own text never changes, so it is judged once.
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
  // After the closing quote of one attribute the next begins, with a blank or without.
  const inside = tag.replace(/="[^"]*"/g, ' ')
  const attribute = /\s([a-z][a-z0-9:-]*)="[^"]*$/i.exec(inside)?.[1]?.toLowerCase()
  if (attribute !== undefined && !isInline(attribute))
    return { within: 'attribute', name: attribute }
  if (/^<[a-z]+[1-6]?(?:\s[^"'=<>]*)?$/.test(inside)) return { within: 'tag' }
  throw new TypeError('a template has a value in a tag, outside of double quotes')
}

// As text: those who write `formAction` mean an attribute of HTML, and those of SVG have capitals.
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

// Text in these has an end of its own, such as `</style>`, which no escaping hides.
function requireNothingInline(template: string): void {
  const isInPage = /<(?:style|script(?! src=")|textarea|title|xmp|iframe|noscript|plaintext)\b/i
  const without = template.replaceAll(/<title>[^<]*<\/title>/g, '')
  const names = (template.match(wholeTag) ?? []).flatMap(namesIn)
  if (isInPage.test(without) || names.some((name) => isInline(name.toLowerCase())))
    throw new TypeError('a template holds a script, a style or text that is not escaped')
  const spelt = names.find((name) => /[A-Z]/.test(name) && !capitals.has(name))
  if (spelt !== undefined) throw new TypeError(`write ${spelt.toLowerCase()}, not ${spelt}`)
}

// A value without quotes may hold what looks like a name, but for the sign after it.
function namesIn(tag: string): string[] {
  const found = tag.replaceAll(/"[^"]*"/g, '" ').matchAll(/[\s/]([a-z][a-z0-9:-]*)\s*=/gi)
  return [...found].map(([, name = '']) => name)
}
