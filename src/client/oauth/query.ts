// Without `URL`, which some runtimes with `fetch` implement only in part.

/** Appends parameters to an address. */
export function withQuery(
  address: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const query = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  )
  return `${address}${address.includes('?') ? '&' : '?'}${query.join('&')}`
}

/**
 * The parameters of an address, without those given twice: RFC 6749 §3.1 forbids repetition, and
 * parsers disagree on which one counts.
 */
export function queryOf(address: string): ReadonlyMap<string, string> {
  const [, query = ''] = /^[^?#]*\?([^#]*)/.exec(address) ?? []
  const found = new Map<string, string>()
  const twice = new Set<string>()
  for (const pair of query.split('&').filter(Boolean)) {
    const [name = '', ...rest] = pair.split('=')
    const key = decode(name)
    if (found.has(key)) twice.add(key)
    found.set(key, decode(rest.join('=')))
  }
  for (const name of twice) found.delete(name)
  return found
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return ''
  }
}

/** Errors at the redirect URI: RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6. */
const told = [
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'invalid_request',
  'invalid_scope',
  'invalid_target',
  'login_required',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unmet_authentication_requirements',
  'unsupported_response_type',
] as const

/**
 * Why a sign-in by the pages of the server, or at a provider, failed: an error code of the server,
 * or
 * - `provider_refused`: the provider, or the server, has refused the account;
 * - `not-begun`: this browser has not begun the sign-in, or has finished it before;
 * - `wrong-issuer`: another server has answered (RFC 9207);
 * - `wrong-id-token`: the ID token does not match the request;
 * - `not-supported`: no `crypto.subtle`, which browsers have on HTTPS and on `localhost`;
 * - `no-answer`: the user did not come back in time;
 * - `popup-blocked`: the browser opens windows only during a click or key press;
 * - `popup-closed`: the user has closed the window;
 * - `unknown`: an error code that this version does not know.
 */
export type OAuthErrorCode =
  | (typeof told)[number]
  | 'provider_refused'
  | 'not-begun'
  | 'wrong-issuer'
  | 'wrong-id-token'
  | 'not-supported'
  | 'no-answer'
  | 'popup-blocked'
  | 'popup-closed'
  | 'unknown'

/**
 * A sign-in by the pages of the server, or at a provider, failed. It changed nothing for the
 * signed-in user.
 */
export class OAuthError extends Error {
  override readonly name: string = 'OAuthError'
  /** The stable name. Compare this, never `message`. */
  readonly code: OAuthErrorCode

  constructor(code: OAuthErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** The error that the server reports. */
export function toldError(error: string, description: string | undefined): OAuthError {
  const code = told.find((known) => known === error) ?? 'unknown'
  return new OAuthError(code, description ?? 'The server did not sign anybody in.')
}
