import type { AuthUser } from '../users/contract.js'

/**
 * A second factor of the host, such as codes by e-mail. It is asked only after a right password,
 * and every code is counted before it is verified: ten wrong codes an hour, per user, over all
 * factors together.
 */
export interface OtherFactor {
  /**
   * The name for clients (`availableMethods`) and the audit stream, such as `email` or `sms`.
   * Lower-case letters, digits and `-`.
   */
  readonly name: string
  /**
   * Whether this user has the factor. Reject if that cannot be determined: `false` would let the
   * user in without it.
   */
  isEnabled(user: AuthUser): Promise<boolean>
  /**
   * Sends the user a code, if the factor works that way. Called if a right password came without a
   * code and this is the user's first factor. Leave it out if users generate codes themselves.
   */
  sendCode?(user: AuthUser): Promise<void>
  /**
   * Verifies a code and uses it up, in one conditional write: `accepted` for exactly one caller.
   * Codes must expire within minutes. Answer `refused` for anything that is not a code of this
   * factor.
   */
  verify(user: AuthUser, code: string): Promise<{ readonly outcome: 'accepted' | 'refused' }>
}

/**
 * Whether a user must have a second factor. A user who must and has none may sign in only to enrol.
 * `every-time`: must have one, and is asked for it in remembered browsers too.
 */
export type SecondFactorPolicy = (user: AuthUser) => 'required' | 'optional' | 'every-time'

/** For how long a browser is not asked for the second factor again. */
export interface RememberRules {
  /**
   * Whole days, 1 to 90, counted from the second factor. A shorter time counts for browsers that
   * are remembered already.
   */
  readonly days: number
}

/** The rules of hosts about second factors: `secondFactor` of the options. */
export interface SecondFactorRules {
  /** Default: optional for everybody. */
  readonly policy?: SecondFactorPolicy
  /**
   * Whether `methods: ['mfa']` of `auth.sessions.open()` counts as a second factor, so that users
   * whose identity provider has asked for one are not asked again. Set it only if the provider
   * asserts it in each sign-in, by `amr` or `acr`: the router cannot check it. Default false.
   */
  readonly acceptHostMfa?: boolean
  /**
   * Lets users choose, with a second factor, that this browser is not asked for it again for some
   * days. Needs `proofStore`. Off by default: whoever has the browser and the password signs in.
   */
  readonly remember?: RememberRules
}
