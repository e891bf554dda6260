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
  | SignInRefusal

/** Why a refresh token was not exchanged. */
export type RefreshRefusal = 'unknown-or-ended' | 'reused' | SignInRefusal

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
