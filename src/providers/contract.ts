/**
 * Somebody as a provider knows them. It is their `subject` at this provider: addresses and names
 * are given away, and prove nothing.
 */
export interface Identity {
  /**
   * The issuer of the identity: an address such as `https://accounts.google.com`, up to 255 bytes.
   * It must be equal at each sign-in. It does not turn an account into one of another provider.
   */
  readonly issuer: string
  /** Never changes, and never belongs to somebody else; up to 255 bytes. */
  readonly subject: string
  readonly email?: string
  /** True only if the provider has proven the address. Default false. */
  readonly emailVerified?: boolean
  /** The name that others see. */
  readonly name?: string
  readonly username?: string
  /** As in `lang`: `de`, `pt-BR`. */
  readonly locale?: string
  /** How they have signed in there, as in [RFC 8176](https://www.rfc-editor.org/rfc/rfc8176). */
  readonly amr?: readonly string[]
  readonly acr?: string
  /** When the user has signed in there. Left out if the provider does not say it. */
  readonly authenticatedAt?: Date
  /** The session there, for its logout. */
  readonly sid?: string
}

/** The flow that a provider is asked to begin. */
export interface FlowToStart {
  /** 256 random bits. The provider must send it back, as `state` or as its protocol calls it. */
  readonly state: string
  /** The address to which the provider sends the browser back. */
  readonly callbackUrl: string
  /** The name or address that the user has typed, for the provider's form. */
  readonly loginHint?: string | undefined
  /** `login`: the user must sign in there again. */
  readonly prompt?: 'login' | undefined
  /** Maximum age of the sign-in there, in seconds. */
  readonly maxAge?: number | undefined
}

/** The address that the browser goes to, and the values needed when it comes back. */
export interface StartedFlow {
  /** Over https, or over http on the machine itself. */
  readonly url: string
  /**
   * JSON of up to 3,000 bytes, such as a nonce and a verifier. It is stored encrypted, and handed
   * to `finish` once.
   */
  readonly keep: object
}

/** The answer that a browser has brought back. */
export interface FlowToFinish {
  readonly state: string
  readonly callbackUrl: string
  readonly method: 'GET' | 'POST'
  /** The query of a GET, the form of a POST; each name once. */
  readonly parameters: Readonly<Record<string, string>>
  /** The headers of the request, without its cookies. */
  readonly headers: Readonly<Record<string, string>>
  /** As `start` has returned it. */
  readonly keep: object
}

/** The result of a flow. `reason` is for the log. */
export type FinishedFlow =
  | { readonly outcome: 'identified'; readonly identity: Identity }
  | { readonly outcome: 'refused'; readonly reason: string }

/** The sessions that a provider has ended: all of a subject, or one session of it. */
export interface ProviderLogout {
  readonly issuer: string
  readonly subject?: string | undefined
  readonly sid?: string | undefined
  /** The id of the token, for one-time use, and until when it is good. */
  readonly jti: string
  readonly expiresAt: Date
}

/** A picture for the button of a provider. */
export interface ProviderLogo {
  readonly type: 'image/svg+xml' | 'image/png' | 'image/webp'
  readonly body: string | Uint8Array
}

/**
 * Somebody else who signs users in. Shipped in `messaging-auth-router/providers`:
 * `openIdProvider`, `googleProvider`, `gitHubProvider`, and `passportProvider` for strategies of
 * passport.
 *
 * `start` and `finish` reject for an outage, which is answered with 503; a sign-in that the
 * provider or its answer does not allow is `refused`.
 */
export interface Provider {
  /** Lower-case letters, digits and `-`, up to 32; stored with identities: never change it. */
  readonly id: string
  /** Shown to users, up to 40 characters. */
  readonly name: string
  readonly logo?: ProviderLogo | undefined
  /** How its answer arrives. `form_post` is a POST from its page. Default `query`. */
  readonly responseMode?: 'query' | 'form_post' | undefined
  /**
   * The id of another provider in the list, which has the same accounts with the same issuer: a
   * user who is connected with one of the two signs in with both. Default: the accounts are its
   * own.
   */
  readonly sameAccountsAs?: string | undefined
  /**
   * True takes its word for an address: an identity with a proven address is connected with the
   * user who has the same proven address, and a new user has it. Default false.
   */
  readonly trustEmail?: boolean | undefined
  /**
   * True if it says when the user has signed in there. A sign-in that is said to be old, or of
   * which it says nothing then, is not fresh. Default false: a sign-in counts as one of now, unless
   * it says otherwise.
   */
  readonly provesAge?: boolean | undefined
  /**
   * True accepts its second factor: `amr` holds `mfa`, or `acr` is one of `mfaAcr`. Default false.
   */
  readonly acceptMfa?: boolean | undefined
  readonly mfaAcr?: readonly string[] | undefined
  /** Your rule on who may come in, such as a domain. A text is the reason that the user sees. */
  readonly allowed?:
    | ((identity: Identity) => boolean | string | Promise<boolean | string>)
    | undefined
  start(flow: FlowToStart): Promise<StartedFlow>
  finish(flow: FlowToFinish): Promise<FinishedFlow>
  /**
   * Optional. The content of a logout token, checked as in [OpenID Connect Back-Channel Logout 1.0
   * §2.6](https://openid.net/specs/openid-connect-backchannel-1_0.html#Validation) except for its
   * one-time use; null for anything else.
   */
  readLogoutToken?(token: string): Promise<ProviderLogout | null>
}
