/** What an answer to a client carries: a code, or an error with a description. */
export type AuthorizationResponse = {
  /** Of the request; null where there was none. */
  readonly state: string | null
  /**
   * Who answers, so that a client with several servers is not mixed up:
   * [RFC 9207](https://www.rfc-editor.org/rfc/rfc9207).
   */
  readonly iss: string
} & ({ readonly code: string } | { readonly error: string; readonly error_description: string })

const names = ['code', 'error', 'error_description', 'state', 'iss'] as const

/**
 * The address that an answer is sent to: the redirect URI as the client wrote it, with the
 * parameters behind it. It is never taken apart and put together again: a URL parser changes the
 * text of some addresses, and the client's server may know that of its registration alone.
 *
 * @param redirectUri - one that was found to be the client's
 */
export function redirectLocation(redirectUri: string, response: AuthorizationResponse): string {
  const given: Readonly<Partial<Record<(typeof names)[number], string | null>>> = response
  const added = names.flatMap((name) => {
    const value = Object.hasOwn(given, name) ? (given[name] ?? null) : null
    return value === null ? [] : [`${name}=${formEncoded(value)}`]
  })
  return `${redirectUri}${separatorOf(redirectUri)}${added.join('&')}`
}

function separatorOf(redirectUri: string): '?' | '&' | '' {
  if (!redirectUri.includes('?')) return '?'
  return redirectUri.endsWith('?') || redirectUri.endsWith('&') ? '' : '&'
}

// A blank as %20, which readers of forms and of URIs both take for one, and all that RFC 3986
// reserves, so that no browser writes it otherwise.
function formEncoded(value: string): string {
  return encodeURIComponent(value).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
