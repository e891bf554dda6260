import type { AssertionProblem } from '../signers/client-assertion.js'

/** Why a sign-in was refused. Clients are told less. */
export type SignInRefusal =
  | 'unknown-user'
  | 'wrong-password'
  | 'password-over-72-bytes'
  | 'no-password'
  | 'unreadable-hash'
  | 'disabled'
  | 'account-limit'
  | 'second-factor-required'
  | 'second-factor-invalid'
  | 'vetoed'

/** Why a code was not exchanged. */
export type CodeRefusal =
  | 'unknown'
  | 'replayed'
  | 'wrong-verifier'
  | 'wrong-client'
  | 'wrong-redirect-uri'
  | 'issuing-session-ended'
  | 'consent-revoked'
  | 'client-disabled'
  | SignInRefusal

/** Why a refresh token was not exchanged. */
export type RefreshRefusal = 'unknown-or-ended' | 'reused' | 'consent-revoked' | SignInRefusal

/** Why a client was not authenticated. */
export type ClientRefusal =
  | 'unknown-client'
  | 'disabled'
  | 'wrong-secret'
  | 'no-credentials'
  | 'credentials-of-another-kind'
  | 'assertion-replayed'
  | 'may-not-introspect'
  | AssertionProblem

/** Why a page says that a request gets nowhere. The list is closed. */
export type PageRefusal =
  | 'unknown-client'
  /** Nobody has sent the browser here: the address was typed, or kept without its request. */
  | 'no-app'
  | 'redirect-mismatch'
  | 'malformed'
  | 'repeated-parameter'
  | 'too-long'
  | 'clock'
  | 'refused'
  | 'not-found'
  | 'throttled'
  | 'busy'

/** What was done to a client. */
export type ClientChange =
  | 'created'
  | 'updated'
  | 'secret-rotated'
  | 'secret-removed'
  | 'disabled'
  | 'enabled'

/** Why what a browser has sent of a passkey was refused. Clients are told less. */
export type PasskeyFault =
  | 'malformed'
  | 'unknown-challenge'
  | 'used-challenge'
  | 'unknown-credential'
  | 'credential-of-another-user'
  | 'wrong-type'
  | 'wrong-origin'
  | 'cross-origin'
  | 'wrong-rp-id'
  | 'wrong-user-handle'
  | 'user-not-present'
  | 'user-not-verified'
  | 'impossible-backup-state'
  | 'changed-backup-eligibility'
  | 'not-verified'
  | 'suspected-clone'
  | 'overtaken'

/** Why a passkey did not do what it was shown for. */
export type PasskeyRefusal = PasskeyFault | SignInRefusal

/** What a passkey is shown for. */
export type PasskeyPurpose = 'register' | 'sign-in' | 'second-factor' | 'reauthenticate'
