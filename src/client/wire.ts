// What the router answers, as docs/http-api.md has it. Members that are not named here are passed
// on as they are: within /api/v1 there are only additions.

/** What a client sees of its user; with whatever the host adds. */
export interface Me {
  readonly _id: string
  readonly name: string
  readonly username: string
  readonly status: 'online' | 'away' | 'busy' | 'offline'
  readonly [added: string]: unknown
}

/** A device on which the user is signed in. */
export interface SessionSummary {
  readonly id: string
  /** Whether it is this one. */
  readonly current: boolean
  readonly kind: 'login' | 'pkce' | 'browser' | 'token' | 'oauth'
  /** ISO 8601, UTC, as all times here. */
  readonly createdAt: string
  readonly lastSeenAt: string
  readonly expiresAt: string
  readonly ip: string | null
  readonly userAgent: string | null
  /** In words, such as `Firefox on Linux`. */
  readonly name: string | null
  readonly liveSockets: number
  /**
   * The id of the session in the same list that it was opened from, such as the browser in which
   * the user signed in to an app. One of the kind `pkce` may be on another device than that one.
   */
  readonly openedBy: string | null
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

/** What a named token is to be. */
export interface NewNamedToken {
  readonly name: string
  /** Default: `*`, everything. */
  readonly scope?: string | readonly string[]
  /** Seconds, 60 to 31,536,000; default 7,776,000, which is 90 days. */
  readonly expiresIn?: number
  /** Needed where the sign-in is older than ten minutes. */
  readonly password?: string
}

/** A named token that was made, with its secret, which is shown this once. */
export interface MadeNamedToken {
  readonly id: string
  readonly token: string
  readonly expiresAt: string
}

/** How it stands with the second factor. */
export interface TotpStatus {
  readonly enabled: boolean
  readonly recoveryCodesLeft: number
}

/** An enrolment that waits for its first code. */
export interface TotpEnrolment {
  /** Base32, for typing. */
  readonly secret: string
  /** What the QR code holds. */
  readonly otpauthUri: string
  /** Seconds. */
  readonly expiresIn: number
}

/** What an app may do at an API that is not the server's own. */
export interface ConsentAtResource {
  /** A URI. */
  readonly resource: string
  readonly scopes: readonly string[]
}

/** What the user has allowed an app. */
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

/** The public keys with which others check access tokens, RFC 7517. */
export interface PublicKeys {
  readonly keys: readonly Readonly<Record<string, unknown>>[]
}

/** A pair of tokens, as an exchange or a refresh answers it, RFC 6749 §5.1. */
export interface TokenAnswer {
  readonly access_token: string
  readonly refresh_token: string
  /** Seconds. */
  readonly expires_in: number
}

/** What a login answers. */
export interface LoginAnswer {
  readonly userId: string
  readonly authToken: string
  readonly me: Me
  readonly refreshToken?: string
  /** Seconds. */
  readonly expiresIn?: number
  readonly enrolmentRequired?: true
  /** Where somebody has signed in by one. */
  readonly passkeys?: KnownPasskeys
}

/** All passkeys that a user has, for the signal API of browsers. */
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

/** Who one is, shown anew: a password, with a code where there is a second factor; or a passkey. */
export type Proof =
  | { readonly password: string; readonly code?: string }
  | { readonly passkey: object }

/** What the session has shown by now. */
export interface Reauthenticated {
  readonly authenticatedAt: string
  readonly methods: readonly string[]
}
