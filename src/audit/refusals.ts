import type { DirectoryRefusal } from '../directories/contract.js'
import type { AssertionProblem } from '../signers/client-assertion.js'

/** Which limit was reached. */
export type ThrottleScope =
  | 'identifier'
  | 'account'
  | 'network'
  | 'unknown-networks'
  | 'known-network'
  | 'second-factor'
  | 'enrolment'
  | 'endpoint'
  | 'issuing'
  | 'mail'
  | 'mail-network'
  | 'provider-flow'
  | 'mailed-code'
  | 'device-code'
  | 'device-link'
  | 'user-code'
  | 'user-code-network'
  | 'directory'
  | 'client-registration'
  | 'text'
  | 'text-network'
  | 'text-budget'

/**
 * Why a sign-in was refused. Clients learn less. `directory-refused`: by the user's directory, or
 * by your rule for it; the event `directory.refused` has more. `actor`: whoever should act for the
 * user is disabled, or signed out. `password-expired`: a temporary password, after its time.
 */
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
  | 'directory-refused'
  | 'actor'
  | 'password-expired'

/** Why a code was not exchanged. `action-required`: not yet; the code is not spent. */
export type CodeRefusal =
  | 'unknown'
  | 'replayed'
  | 'wrong-verifier'
  | 'wrong-client'
  | 'wrong-redirect-uri'
  | 'issuing-session-ended'
  | 'consent-revoked'
  | 'client-disabled'
  | 'action-required'
  | SignInRefusal

/**
 * Why a user could not approve a device. `unknown-code`: nobody's, expired, decided, or opened by
 * another user. `client`: it is gone, disabled, or may not use the device grant any more.
 */
export type DeviceRefusal =
  | 'unknown-code'
  | 'client'
  | 'other-network'
  | 'too-many-consents'
  | 'decided-meanwhile'
  | SignInRefusal

/**
 * Why a link between devices was not opened or approved. `unknown`: invented, expired, decided, or
 * opened by somebody else. `void`: decided or tried too often meanwhile.
 */
export type DeviceLinkRefusal = 'unknown' | 'void' | 'wrong-check-code' | SignInRefusal

/** Why a refresh token was not exchanged. `action-required`: not yet; the token is not spent. */
export type RefreshRefusal =
  | 'unknown-or-ended'
  | 'reused'
  | 'consent-revoked'
  | 'action-required'
  | SignInRefusal

/** Why client authentication failed. */
export type ClientRefusal =
  | 'unknown-client'
  | 'disabled'
  | 'wrong-secret'
  | 'no-credentials'
  | 'credentials-of-another-kind'
  | 'assertion-replayed'
  | 'may-not-introspect'
  /** A service whose user may not sign in. */
  | 'service-user'
  | AssertionProblem

/** Why a page shows an error. The list is closed. */
export type PageRefusal =
  | 'unknown-client'
  /** No app has sent the browser here: the address was typed or bookmarked. */
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
  /** A sign-in at a provider came back too late, or to another browser. */
  | 'stale-sign-in'
  /** A provider or your `allowed` has refused. */
  | 'provider-refused'
  /** No user is connected with the account at the provider. */
  | 'not-connected'
  /** Another user is connected with it. */
  | 'identity-in-use'

/** Why an app's wishes for after signing out were ignored. */
export type LogoutRefusal =
  /** Unreadable, too long, or with a parameter twice. */
  | 'malformed'
  /** No client is named, or there is no such client, or it is disabled. */
  | 'unknown-client'
  /** The `id_token_hint` is no ID token of ours for the client. */
  | 'foreign-hint'
  /** The client has registered no such address. */
  | 'redirect-mismatch'

/** The change of a client. */
export type ClientChange =
  | 'created'
  | 'updated'
  | 'secret-rotated'
  | 'secret-removed'
  | 'disabled'
  | 'enabled'

/** Why the response of a passkey was refused. Clients learn less. */
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

/** Why the use of a passkey failed. */
export type PasskeyRefusal = PasskeyFault | SignInRefusal

/** The purpose of a passkey's response. */
export type PasskeyPurpose = 'register' | 'sign-in' | 'second-factor' | 'reauthenticate'

/**
 * Why nobody was registered. `address-taken`: the client was told nothing, and the owner of the
 * address was mailed. `vetoed`: by `beforeRegister`.
 */
export type RegisterRefusal =
  | 'closed'
  | 'invitation'
  | 'username-taken'
  | 'address-taken'
  | 'password'
  | 'vetoed'

/**
 * Why a mailed code or link was refused. `void`: used, expired or tried too often meanwhile.
 * `overtaken`: the password or the address has changed since the mail. `unreadable`: encrypted with
 * a key that is gone.
 */
export type ProofRefusal =
  | 'unknown'
  | 'used'
  | 'expired'
  | 'void'
  | 'wrong-code'
  | 'wrong-session'
  | 'no-user'
  | 'overtaken'
  | 'taken'
  | 'unreadable'

/**
 * Why nobody was signed in by a provider. `not-connected`: no user has this identity. `no-user`:
 * the user is gone. `wrong-issuer`: the identity is stored with another issuer. `address-taken`: a
 * stranger did not become a user. `stale`: the answer came too late, twice, or to another browser.
 * `not-allowed`: your `allowed` has refused.
 */
export type ProviderRefusal =
  | 'not-connected'
  | 'no-user'
  | 'wrong-issuer'
  | 'address-taken'
  | 'stale'
  | 'not-allowed'

/**
 * Why nobody was signed in by a directory. `gone`: the entry of a connected user is not found any
 * more. `must-change`: the password was right, and must be changed first. `not-allowed`: your
 * `allowed` has refused. `not-connected`: the password was right, and nobody is connected with the
 * entry. `unfit-name`: a new user cannot have such a name.
 */
export type DirectoryEntryRefusal =
  | Exclude<DirectoryRefusal, 'wrong-password'>
  | 'gone'
  | 'must-change'
  | 'not-allowed'
  | 'not-connected'
  | 'unfit-name'

/** Why somebody counts as gone from a directory. */
export type DirectoryLeaving = 'gone' | 'disabled' | 'not-allowed' | 'outage'

/**
 * Why an app was not told that a session has ended. `address`: it is not one of the public
 * internet. `rejected`: the app answered another status than 2xx, redirected, or sent too much.
 * `timeout`: it gave no whole answer within five seconds. `unreachable`: there was no connection.
 * `overflow`: too many messages were waiting. `closed`: the router was closed. `signer`, `store`:
 * that part of the host failed; `host.failed` has more.
 */
export type RpLogoutFault =
  | 'address'
  | 'rejected'
  | 'timeout'
  | 'unreachable'
  | 'overflow'
  | 'closed'
  | 'signer'
  | 'store'
