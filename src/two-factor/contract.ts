import type { AuthUser } from '../users/contract.js'

/**
 * A second factor of the host's own, such as codes by e-mail. It is asked only after a right
 * password, and every code is counted before it is judged: ten wrong ones an hour, per user, over
 * all factors together.
 */
export interface OtherFactor {
  /**
   * Tells clients, in `availableMethods`, and the audit stream: `email`, `sms`. Lower-case letters,
   * digits and `-`.
   */
  readonly name: string
  /**
   * Whether this user has it. Rejects when that cannot be found out; answering `false` then would
   * let the user in without it.
   */
  isEnabled(user: AuthUser): Promise<boolean>
  /**
   * Sends the user a code, where the factor works that way. Called when a right password came
   * without a code and this is the user's first factor. Leave it out where users make their codes
   * themselves.
   */
  sendCode?(user: AuthUser): Promise<void>
  /**
   * Judges a code and uses it up, in one conditional write: `accepted` for exactly one caller.
   * Codes must end by themselves within minutes. What is no code of this factor is `refused`.
   */
  verify(user: AuthUser, code: string): Promise<{ readonly outcome: 'accepted' | 'refused' }>
}

/**
 * Whether a user must have a second factor. One who must and has none may sign in to enrol, and to
 * nothing else.
 */
export type SecondFactorPolicy = (user: AuthUser) => 'required' | 'optional'

/** What hosts decide about second factors, as `secondFactor` of the options. */
export interface SecondFactorRules {
  /** Default: nobody must have one. */
  readonly policy?: SecondFactorPolicy
  /**
   * Whether `methods: ['mfa']` of `auth.sessions.open()` counts as a second factor, so that users
   * whom your identity provider has asked for one are not asked again. True only if that provider
   * says so in each sign-in, by `amr` or `acr`: the router cannot check it. Default false.
   */
  readonly acceptHostMfa?: boolean
}
