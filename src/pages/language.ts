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
