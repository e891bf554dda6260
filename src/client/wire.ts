// Answers of the router; docs/http-api.md describes them. Unknown members are passed on unchanged:
// within /api/v1 the server only adds members.

/** The user as the client sees it, with members that the host adds. */
export interface Me {
  readonly _id: string
  readonly name: string
  readonly username: string
  readonly status: 'online' | 'away' | 'busy' | 'offline'
  readonly [added: string]: unknown
}

/** A session of the user. */
export interface SessionSummary {
  readonly id: string
  /** Whether it is the session of this client. */
  readonly current: boolean
  readonly kind: 'login' | 'pkce' | 'browser' | 'token' | 'oauth' | 'service' | 'acting'
  /** ISO 8601, UTC, like all times here. */
  readonly createdAt: string
  readonly lastSeenAt: string
  readonly expiresAt: string
  readonly ip: string | null
  readonly userAgent: string | null
  /** For people, such as `Firefox on Linux`. */
  readonly name: string | null
  readonly liveSockets: number
  /**
   * The id of the session that opened this one, such as the session of the browser in which the
   * user signed in to an app. A session of kind `pkce` may be on another device.
   */
  readonly openedBy: string | null
  /** The member of the server's staff who acts in it for the user; null: nobody. */
  readonly actor: { readonly id: string } | null
}

/** A browser in which the user is not asked for the second factor. */
export interface RememberedBrowser {
  readonly id: string
  /** For people, such as `Firefox on Linux`. */
  readonly name: string | null
  /** When the second factor was shown there. */
  readonly since: string
  readonly expiresAt: string
}

/** A named token of the user, without its secret. */
export interface NamedToken {
  readonly id: string
  readonly name: string
  readonly scope: readonly string[]
  readonly createdAt: string
  readonly lastSeenAt: string
  readonly expiresAt: string
  readonly ip: string | null
}

/** The request for a named token. */
export interface NewNamedToken {
  readonly name: string
  /** Default: `*`, everything. */
  readonly scope?: string | readonly string[]
  /** Seconds, 60 to 31,536,000; default 7,776,000, which is 90 days. */
  readonly expiresIn?: number
  /** Required if the sign-in is older than ten minutes. */
  readonly password?: string
}

/** A new named token with its secret, which the server never shows again. */
export interface MadeNamedToken {
  readonly id: string
  readonly token: string
  readonly expiresAt: string
}

/** The state of the second factor. */
export interface TotpStatus {
  readonly enabled: boolean
  readonly recoveryCodesLeft: number
}

/** An enrolment that waits for confirmation. */
export interface TotpEnrolment {
  /** Base32, for typing. */
  readonly secret: string
  /** The content of the QR code. */
  readonly otpauthUri: string
  /** Seconds. */
  readonly expiresIn: number
}

/** The permission of an app at another API. */
export interface ConsentAtResource {
  /** A URI. */
  readonly resource: string
  readonly scopes: readonly string[]
}

/** The permission that the user has given an app. */
export interface Consent {
  readonly clientId: string
  readonly name: string | null
  /** At the server's own API. */
  readonly scopes: readonly string[]
  /** At other APIs, RFC 8707. */
  readonly resources: readonly ConsentAtResource[]
  readonly grantedAt: string
  readonly updatedAt: string
}

/** A code for another device of the user, RFC 7636. */
export interface DeviceCode {
  readonly authorizationCode: string
  /** Seconds. */
  readonly expiresIn: number
}

/** A ticket that opens one WebSocket. */
export interface SocketTicket {
  readonly ticket: string
  /** Seconds. */
  readonly expiresIn: number
}

/** The public keys that verify access tokens, RFC 7517. */
export interface PublicKeys {
  readonly keys: readonly Readonly<Record<string, unknown>>[]
}

/** The token pair of an exchange or a refresh, RFC 6749 §5.1. */
export interface TokenAnswer {
  readonly access_token: string
  readonly refresh_token: string
  /** Seconds. */
  readonly expires_in: number
}

/** The answer of a login. */
export interface LoginAnswer {
  readonly userId: string
  readonly authToken: string
  readonly me: Me
  readonly refreshToken?: string
  /** Seconds. */
  readonly expiresIn?: number
  readonly enrolmentRequired?: true
  readonly required?: readonly RequiredAction[]
  /** For the next sign-in in this browser, if the server remembers it. */
  readonly rememberToken?: string
  /** After a sign-in with a passkey. */
  readonly passkeys?: KnownPasskeys
}

/**
 * What the user must do before the server allows anything else, with the methods that do it:
 * - `change-password`: `password.change`;
 * - `verify-address`: `email.verify` or `email.change`, then `email.confirm`;
 * - `enrol`: `totp.begin`, then `totp.confirm`, or a passkey;
 * - `accept`: `acceptance.accept`.
 */
export type RequiredAction = 'change-password' | 'verify-address' | 'enrol' | 'accept'

/** A document that the user has not accepted yet. */
export interface AcceptanceDocument {
  readonly id: string
  readonly version: string
  /** For people. */
  readonly name: string
  /** Where it can be read. */
  readonly url: string
}

/** All passkeys of a user, for the signal API of browsers. */
export interface KnownPasskeys {
  readonly rpId: string
  readonly userHandle: string
  readonly credentialIds: readonly string[]
}

/** For `PublicKeyCredential.parseRequestOptionsFromJSON`, WebAuthn Level 3 §5.1.10. */
export interface PasskeyRequestOptions {
  readonly challenge: string
  readonly rpId: string
  readonly [member: string]: unknown
}

/** For reauthentication: a password, with a code if the user has a second factor; or a passkey. */
export type Proof =
  | { readonly password: string; readonly code?: string }
  | { readonly passkey: object }

/** One name of a user. */
export type UserName =
  | { readonly email: string }
  | { readonly username: string }
  | { readonly user: string }

/** The address of a user. */
export interface Email {
  readonly email: string | null
  /** Whether the user has proven it. */
  readonly verified: boolean
  /** Whether codes by mail are a second factor. Only if the server offers that. */
  readonly secondFactor?: boolean
}

/** The mobile number of a user. */
export interface Phone extends Omit<Email, 'email'> {
  /** In the form E.164. */
  readonly phone: string | null
}

/** A code is on its way. */
export interface CodeSent {
  /** For `confirm`, together with the code. */
  readonly requestId: string
  /** Seconds. */
  readonly expiresIn: number
}

/** A new user who registers. */
export interface NewUser {
  readonly email: string
  readonly username: string
  /** The name that others see. */
  readonly name: string
  /** The language of the user, such as `de`. */
  readonly locale?: string
  /** The token of an invitation. */
  readonly invitation?: string
}

/** The rules that a form for new users must know. */
export interface RegistrationRules {
  /** Anybody may register. */
  readonly open: boolean
  /** An invitation is required. */
  readonly invited: boolean
  readonly passwordRules: { readonly minLength: number; readonly maxLength: number }
}

/** An invitation that can be used. */
export interface InvitationOnWire {
  /** The only address that it registers. */
  readonly email?: string
  readonly note?: string
  readonly expiresAt: string
}

/** The session after a reauthentication. */
export interface Reauthenticated {
  readonly authenticatedAt: string
  readonly methods: readonly string[]
}

/** A provider at which users of the server may sign in. */
export interface SignInProvider {
  /** For `start`. */
  readonly id: string
  /** For the button. */
  readonly name: string
}

/** An account at a provider that the user is connected with. */
export interface ConnectedIdentity {
  readonly id: string
  /** The id of the provider. */
  readonly provider: string
  /** The label that its owner knows it by, such as an address. */
  readonly label: string | null
  readonly createdAt: string
  readonly lastUsedAt: string | null
}
