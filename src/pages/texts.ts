import { AuthConfigError } from '../errors.js'
import { doAll, nearest } from '../lib/mistakes.js'
import { isWellFormed } from '../lib/texts.js'
import { type HtmlValue, html, isSafeHtml, type SafeHtml } from './html.js'
import { de } from './texts/de.js'
import { en, type TextKey, type Texts } from './texts/en.js'
import { mailDe } from './texts/mail-de.js'
import { mailEn } from './texts/mail-en.js'

/** Values of the placeholders in braces. */
export type TextValues = Readonly<Record<string, SafeHtml | string>>

/** The texts of the pages and mails in one language. */
export interface PageTexts {
  /** As in `lang`, [RFC 5646](https://www.rfc-editor.org/rfc/rfc5646). */
  readonly tag: string
  readonly direction: 'ltr' | 'rtl'
  /** With every value in a `<bdi>`, so that a name cannot reorder the words around it. */
  html(key: TextKey, values?: TextValues): SafeHtml
  /** For titles and attributes, without markup. Only for values of ours or the host. */
  plain(key: TextKey, values?: Readonly<Record<string, string>>): string
  /** A time to wait, such as `5 minutes`. */
  wait(seconds: number): string
  /** A moment such as `25 Nov 2026, 03:05 UTC`: the server does not know the reader's clock. */
  moment(date: Date): string
}

/** The host's texts by language tag: changes of a shipped language, or a new one. */
export type TextOptions = Readonly<Record<string, Partial<Texts>>>

const english: Texts = { ...en, ...mailEn }

const shipped: Readonly<Record<string, Texts>> = { en: english, de: { ...de, ...mailDe } }

const option = 'pages.texts'

const tagPattern = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/

const maxTextChars = 600

const placeholder = /\{([a-z]+)\}/

/** Languages written from right to left. */
const rightToLeft = /^(?:ar|ckb|dv|fa|he|ps|sd|ug|ur|yi)(?:-|$)/

/**
 * All languages by tag: shipped ones and the host's. Missing texts of the host's are English.
 *
 * @throws AuthConfigError for an invalid language tag, an unknown text key, or a placeholder that
 * the page does not supply
 */
export function createTexts(
  given: TextOptions | undefined,
  service: string,
): ReadonlyMap<string, PageTexts> {
  checkTexts(given ?? {})
  const ofHost = Object.entries(given ?? {})
  const tags = new Set([...Object.keys(shipped), ...ofHost.map(([tag]) => tag)])
  return new Map([...tags].map((tag) => [tag, pageTexts(tag, wholeOf(tag, ofHost), service)]))
}

/**
 * Checks the texts of the host.
 *
 * @throws AuthConfigError as {@link createTexts}
 */
export function checkTexts(given: object): void {
  doAll(
    ...Object.entries(given).map(
      ([tag, texts]) =>
        () =>
          checkLanguage(tag, texts),
    ),
  )
}

function wholeOf(tag: string, ofHost: readonly (readonly [string, Partial<Texts>])[]): Texts {
  const own = ofHost.find(([name]) => name === tag)?.[1]
  const ours = Object.hasOwn(shipped, tag) ? shipped[tag] : undefined
  return { ...english, ...ours, ...own }
}

function checkLanguage(tag: string, texts: unknown): void {
  const name = `${option}.${tag}`
  const refusal = (member: string, problem: string, remedy: string) =>
    new AuthConfigError(`${name}${member}`, problem, remedy)
  if (!isLanguageTag(tag))
    throw refusal('', 'is no language tag.', "write one such as 'fr' or 'pt-BR'.")
  if (typeof texts !== 'object' || texts === null)
    throw refusal('', 'is no object of texts.', "pass { 'sign-in.title': '…' }.")
  if (!Object.hasOwn(shipped, tag) && !Object.hasOwn(texts, 'language.name'))
    throw refusal('', 'has no language.name.', 'add it: what the language calls itself.')
  const checkText = (key: string, text: unknown) => {
    const problem = problemOf(key, text)
    if (problem !== null) throw refusal(`.${key}`, problem, remedyFor(key))
  }
  doAll(
    ...Object.entries(texts).map(
      ([key, text]) =>
        () =>
          checkText(key, text),
    ),
  )
}

// Some tags of the right form, such as `fr-ab-cd`, name no language: numbers and times cannot be
// written in it.
function isLanguageTag(tag: string): boolean {
  if (!tagPattern.test(tag)) return false
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

function remedyFor(key: string): string {
  const means = Object.hasOwn(english, key) ? undefined : nearest(key, Object.keys(english))
  if (means !== undefined) return `did you mean ${means}? Correct it, or leave it out.`
  return 'compare it with the English one, or leave it out for that.'
}

function problemOf(key: string, text: unknown): string | null {
  if (!Object.hasOwn(english, key)) return 'is none of the texts.'
  if (typeof text !== 'string' || text.trim() === '') return 'is not a non-empty string.'
  if (text.length > maxTextChars) return `is longer than ${maxTextChars} characters.`
  if (!isWellFormed(text) || /\p{Cc}/u.test(text)) return 'has a control character.'
  const supplied = [...namesIn(english[key as TextKey]), 'service']
  const unknown = namesIn(text).find((name) => !supplied.includes(name))
  return unknown === undefined ? null : `has {${unknown}}, which the page does not supply.`
}

function namesIn(text: string): string[] {
  return text.split(placeholder).filter((_, index) => index % 2 === 1)
}

function pageTexts(tag: string, texts: Texts, service: string): PageTexts {
  const fill = <Value>(key: TextKey, put: (name: string) => Value): (Value | string)[] =>
    texts[key].split(placeholder).map((part, index) => (index % 2 === 1 ? put(part) : part))
  return Object.freeze<PageTexts>({
    tag,
    direction: rightToLeft.test(tag) ? 'rtl' : 'ltr',
    html(key, values = {}) {
      const given: TextValues = { service, ...values }
      return html`${fill<HtmlValue>(key, (name) => isolated(given[name]))}`
    },
    plain(key, values = {}) {
      const given: Readonly<Record<string, string>> = { service, ...values }
      return fill(key, (name) => given[name] ?? '').join('')
    },
    wait: (seconds) => waitIn(tag, seconds),
    moment: (date) => momentIn(tag, date),
  })
}

function isolated(value: SafeHtml | string | undefined): HtmlValue {
  if (value === undefined) return null
  return isSafeHtml(value) ? value : html`<bdi>${value}</bdi>`
}

function momentIn(tag: string, date: Date): string {
  const time = { timeStyle: 'short', hourCycle: 'h23', timeZone: 'UTC' } as const
  const shown = { dateStyle: 'medium', ...time } as const
  return `${new Intl.DateTimeFormat(tag, shown).format(date)} UTC`
}

// Rounded up: a user who comes back too early is refused again.
function waitIn(tag: string, seconds: number): string {
  const [count, unit] =
    seconds <= 90
      ? [Math.max(1, Math.ceil(seconds)), 'second']
      : seconds <= 5400
        ? [Math.ceil(seconds / 60), 'minute']
        : [Math.ceil(seconds / 3600), 'hour']
  return new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
}

/** The requested languages, in order of priority. */
export interface AskedLanguages {
  /** The choice on a page, and `ui_locales` of the authorization request. */
  readonly uiLocales: readonly string[]
  /** The user's language at the host; values other than text are ignored. */
  readonly userLocale: unknown
  /** The header; undefined without. */
  readonly acceptLanguage: string | undefined
}

/** Characters of `Accept-Language` that are read. */
const maxHeaderChars = 300

const maxRanges = 20

const range =
  /^([A-Za-z0-9]{1,8}(?:-[A-Za-z0-9]{1,8}){0,4})(?:;q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?$/

/** The language of a page: the first requested one that exists, else the host's default. */
export function chooseLanguage(
  { uiLocales, userLocale, acceptLanguage }: AskedLanguages,
  available: Iterable<string>,
  fallback: string,
): string {
  const tags = new Map([...available].map((tag) => [tag.toLowerCase(), tag]))
  const asked = [
    ...uiLocales.slice(0, maxRanges),
    // Hosts also store `de_AT`.
    ...(typeof userLocale === 'string' ? [userLocale.slice(0, 45).replaceAll('_', '-')] : []),
    ...acceptedLanguages(acceptLanguage),
  ]
  for (const one of asked) {
    const found = lookUp(one, tags)
    if (found !== undefined) return found
  }
  return fallback
}

/**
 * The languages of an `Accept-Language` header by weight
 * ([RFC 9110 §12.5.4](https://www.rfc-editor.org/rfc/rfc9110#section-12.5.4)). Reads only the
 * beginning, since clients may send any length.
 *
 * @internal
 */
export function acceptedLanguages(header: string | undefined): readonly string[] {
  const parts = (header ?? '').slice(0, maxHeaderChars).split(',').slice(0, maxRanges)
  return parts
    .map((part) => range.exec(part.replaceAll(/[ \t]/g, '')))
    .map((match) => ({ tag: match?.[1] ?? '', quality: Number(match?.[2] ?? 1) }))
    .filter(({ tag, quality }) => tag !== '' && quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag)
}

/** `de-AT` finds `de`: [RFC 4647 §3.4](https://www.rfc-editor.org/rfc/rfc4647#section-3.4). */
function lookUp(asked: string, tags: ReadonlyMap<string, string>): string | undefined {
  const subtags = asked.slice(0, 45).toLowerCase().split('-')
  for (let count = subtags.length; count > 0; count -= 1) {
    const found = tags.get(subtags.slice(0, count).join('-'))
    if (found !== undefined) return found
  }
  return undefined
}
