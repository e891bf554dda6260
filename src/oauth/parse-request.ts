/** A request to the authorization endpoint, as text by name. */
export interface ParsedRequest {
  readonly at: 'parsed'
  /** The query as it came, for the pages on the way: nothing is lost and no order changed. */
  readonly raw: string
  /** Who asks; null where nobody is named. */
  readonly clientId: string | null
  /** Everything but `resource`. What has no value is not there. */
  readonly values: ReadonlyMap<string, string>
  readonly resources: readonly string[]
}

/** Why a request is answered by a page: nobody knows yet where it may be sent. */
export type PageProblem =
  | 'too-long'
  | 'malformed'
  | 'repeated-parameter'
  | 'unknown-client'
  | 'redirect-mismatch'

/** A request whose sender is not proven. It is answered by a page, and never by a redirect. */
export interface ForPage {
  readonly at: 'page'
  readonly problem: PageProblem
}

/** Characters of a query. */
export const maxQueryChars = 4096

/**
 * Reads the query of a request to the authorization endpoint, without the `?`: form encoding of
 * [RFC 6749 App. B](https://www.rfc-editor.org/rfc/rfc6749#appendix-B), strictly in UTF-8. A
 * parameter without a value counts as left out, and one that is there twice is a fault, whichever
 * it is ([§3.1](https://www.rfc-editor.org/rfc/rfc6749#section-3.1)): two readers could take it for
 * two requests. Only `resource` may be repeated
 * ([RFC 8707 §2](https://www.rfc-editor.org/rfc/rfc8707#section-2)).
 */
export function parseAuthorizationRequest(query: string): ParsedRequest | ForPage {
  if (query.length > maxQueryChars) return { at: 'page', problem: 'too-long' }
  // Written into the address of a page, `#` would cut off what follows it.
  if (!/^[!"$-~]*$/.test(query)) return { at: 'page', problem: 'malformed' }
  const pairs = pairsOf(query)
  if (pairs === null) return { at: 'page', problem: 'malformed' }
  const singles = pairs.filter(([name]) => name !== 'resource')
  // Also where one of the two is empty.
  if (new Set(singles.map(([name]) => name)).size < singles.length)
    return { at: 'page', problem: 'repeated-parameter' }
  const values = new Map(singles.filter(([, value]) => value !== ''))
  return {
    at: 'parsed',
    raw: query,
    clientId: values.get('client_id') ?? null,
    values,
    resources: pairs.flatMap(([name, value]) =>
      name === 'resource' && value !== '' ? [value] : [],
    ),
  }
}

function pairsOf(query: string): readonly (readonly [name: string, value: string])[] | null {
  const pairs: [string, string][] = []
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=')
    const name = formText(equals < 0 ? pair : pair.slice(0, equals))
    const value = formText(equals < 0 ? '' : pair.slice(equals + 1))
    if (name === null || value === null) return null
    if (pair !== '') pairs.push([name, value])
  }
  return pairs
}

// Not URLSearchParams: of bytes that are no UTF-8 it makes U+FFFD, and so one text of two.
function formText(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '))
  } catch {
    return null
  }
}
