/** An answer to a client: a code, or an error with a description. */
export type AuthorizationResponse = {
  /** The `state` of the request; null without one. */
  readonly state: string | null
  /**
   * The issuer, so that a client of several servers cannot be misled by another: [RFC
   * 9207](https://www.rfc-editor.org/rfc/rfc9207).
   */
  readonly iss: string
} & ({ readonly code: string } | { readonly error: string; readonly error_description: string })

const names = ['code', 'error', 'error_description', 'state', 'iss'] as const

/**
 * The address that an answer is sent to: the redirect URI as the client wrote it, with the
 * parameters appended. It is never parsed and reassembled: a URL parser changes the text of some
 * addresses, and the client's server may accept only the registered text.
 *
 * @param redirectUri - verified to be the client's
 */
export function redirectLocation(redirectUri: string, response: AuthorizationResponse): string {
  return appended(redirectUri, answerFields(response))
}

/** The parameters of an answer, in the order in which they are sent. */
export function answerFields(response: AuthorizationResponse): Readonly<Record<string, string>> {
  const given: Readonly<Partial<Record<(typeof names)[number], string | null>>> = response
  const added = names.flatMap((name) => {
    const value = Object.hasOwn(given, name) ? (given[name] ?? null) : null
    return value === null ? [] : [[name, value] as const]
  })
  return Object.fromEntries(added)
}

/** An address with parameters appended, in this order. */
export function appended(address: string, parameters: Readonly<Record<string, string>>): string {
  return `${address}${separatorOf(address)}${queryOf(parameters)}`
}

/** Parameters as a query without the `?`, in this order. */
export function queryOf(parameters: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}=${formEncoded(value)}`)
  return pairs.join('&')
}

function separatorOf(redirectUri: string): '?' | '&' | '' {
  if (!redirectUri.includes('?')) return '?'
  return redirectUri.endsWith('?') || redirectUri.endsWith('&') ? '' : '&'
}

// A blank as %20, which parsers of forms and of URIs both accept, and all characters that RFC 3986
// reserves, so that no browser rewrites them.
function formEncoded(value: string): string {
  return encodeURIComponent(value).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
