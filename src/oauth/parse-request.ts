/** The parameters of a request that a client sends with a browser. */
export interface ParsedRequest {
  readonly at: 'parsed'
  /** The query as sent, for the pages that follow: nothing is lost or reordered. */
  readonly raw: string
  /** Null if the request names no client. */
  readonly clientId: string | null
  /** All parameters except `resource` and empty ones. */
  readonly values: ReadonlyMap<string, string>
  readonly resources: readonly string[]
}

/** Why a request is answered by a page: its redirect URI is not verified. */
export type PageProblem =
  | 'too-long'
  | 'malformed'
  | 'repeated-parameter'
  | 'unknown-client'
  | 'redirect-mismatch'

/** A request of an unverified client. The answer is a page, never a redirect. */
export interface ForPage {
  readonly at: 'page'
  readonly problem: PageProblem
}

/** The longest query, in characters. */
export const maxQueryChars = 4096

/**
 * Parses the query of a request to the authorization endpoint, without the `?`: form encoding of
 * [RFC 6749 App. B](https://www.rfc-editor.org/rfc/rfc6749#appendix-B), strictly in UTF-8. An empty
 * parameter counts as absent, and a repeated one is a fault, whichever it is
 * ([§3.1](https://www.rfc-editor.org/rfc/rfc6749#section-3.1)): two parsers could read two
 * different requests. Only `resource` may be repeated ([RFC 8707
 * §2](https://www.rfc-editor.org/rfc/rfc8707#section-2)).
 */
export function parseAuthorizationRequest(query: string): ParsedRequest | ForPage {
  return parseBrowserRequest(query, maxQueryChars)
}

/** The same for another endpoint that browsers are sent to by clients. */
export function parseBrowserRequest(query: string, maxChars: number): ParsedRequest | ForPage {
  if (query.length > maxChars) return { at: 'page', problem: 'too-long' }
  // In the address of a page, `#` would cut off what follows.
  if (!/^[!"$-~]*$/.test(query)) return { at: 'page', problem: 'malformed' }
  const pairs = pairsOf(query)
  if (pairs === null) return { at: 'page', problem: 'malformed' }
  const singles = pairs.filter(([name]) => name !== 'resource')
  // Even if one of the two is empty.
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

/**
 * Decodes a name or a value of a form-encoded query; null for anything but UTF-8. Not
 * URLSearchParams: it replaces invalid UTF-8 by U+FFFD, so two different texts become equal.
 */
export function formText(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '))
  } catch {
    return null
  }
}
