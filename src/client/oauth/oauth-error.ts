/** What the server says at the redirect URI: RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6. */
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
 * Why a sign-in by the pages of the server came to nothing: a word of the server, or
 * - `not-begun`: this browser has not begun it, or it was finished before;
 * - `wrong-issuer`: somebody else has answered (RFC 9207);
 * - `wrong-id-token`: the ID token is not the answer to what was asked;
 * - `not-supported`: no `crypto.subtle`, which browsers have on HTTPS and on `localhost`;
 * - `no-answer`: nobody has come back in time;
 * - `popup-blocked`: the browser opens windows only while the user presses something;
 * - `popup-closed`: the user has closed the window;
 * - `unknown`: a word that this version does not know.
 */
export type OAuthErrorCode =
  | (typeof told)[number]
  | 'not-begun'
  | 'wrong-issuer'
  | 'wrong-id-token'
  | 'not-supported'
  | 'no-answer'
  | 'popup-blocked'
  | 'popup-closed'
  | 'unknown'

/** A sign-in by the pages of the server came to nothing; nobody was signed in or out by it. */
export class OAuthError extends Error {
  override readonly name: string = 'OAuthError'
  /** The stable name. Compare this, never `message`. */
  readonly code: OAuthErrorCode

  constructor(code: OAuthErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** What the server has said. */
export function toldError(error: string, description: string | undefined): OAuthError {
  const code = told.find((known) => known === error) ?? 'unknown'
  return new OAuthError(code, description ?? 'The server did not sign anybody in.')
}
