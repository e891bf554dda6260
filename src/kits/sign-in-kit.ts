import type { NoticeSpelling } from '../audit/audit.js'
import type { RequestContext } from '../audit/events.js'
import type { SignInRefusal } from '../audit/refusals.js'
import type { AuthError } from '../errors.js'
import type { GuardKit } from '../guard/guard-kit.js'
import type { SocketRegistry } from '../guard/socket-closing.js'
import type { Soon } from '../lib/async.js'
import type { ShownPassword } from '../passwords/contract.js'
import type { ProvePassword } from '../principal/principal.js'
import type { Acceptance } from '../principal/required-actions.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { DecideSignIn } from '../sign-in.js'
import type { MustSignInForDevice, ProveAgain, RequireFresh } from '../sign-in-again.js'
import type { AuthUser, LoginIdentifier } from '../users/contract.js'
import type { Me } from '../users/me.js'

/**
 * Whether a password was right, and if not, why. Only the audit stream learns the reason.
 * `upstream`: a directory has said so, and the session belongs to its entry. `limit`: the answer in
 * the place of 401, since too many passwords have reached a directory; it counts like a wrong one.
 */
export type PasswordVerdict =
  | { readonly right: true; readonly user: AuthUser; readonly upstream: string | null }
  | {
      readonly right: false
      readonly reason: PasswordRefusal
      readonly userId: string | null
    }
  | {
      readonly right: false
      readonly reason: 'account-limit'
      readonly userId: string | null
      readonly limit: AuthError | null
    }

/** Why a password was wrong, or did not count. */
export type PasswordRefusal = Exclude<SignInRefusal, 'account-limit'>

/**
 * Checks a password for a user, or for no user; at a sign-in with the name that was typed. Rejects
 * without checking if `signal` is aborted before its turn.
 */
export type VerifyPassword = (
  user: AuthUser | null,
  password: ShownPassword,
  context: RequestContext,
  signal?: AbortSignal,
  typed?: LoginIdentifier,
) => Promise<PasswordVerdict>

/** The directory that has the password of a user. */
export interface PasswordElsewhere {
  /** For people. */
  readonly name: string
  /** Where the password is changed; null if the host has not said it. */
  readonly url: string | null
  /** The member `upstream` of the sessions that it opens. */
  readonly upstream: string
}

/** Sees the right password of a login. Returns at once and never throws. */
export type NoticePassword = (user: AuthUser, password: ShownPassword) => void

/** The sign-in decision, and all that every way to sign in needs. */
export interface SignInKit extends GuardKit {
  readonly decideSignIn: DecideSignIn
  /** Whether the second factor is unchanged since a decision. */
  readonly factorStands: (approved: ApprovedSignIn) => Promise<boolean>
  /** Shared: the first password of a process takes longer, for every user alike. */
  readonly verifyPassword: VerifyPassword
  readonly provePassword: ProvePassword
  readonly proveAgain: ProveAgain
  readonly requireFresh: RequireFresh
  readonly mustSignInForDevice: MustSignInForDevice
  /** Whether the user has a second factor, or must have one. */
  readonly hasSecondFactor: (user: AuthUser) => Promise<boolean>
  /** Whether the user has something to show besides a password: a second factor, a passkey. */
  readonly hasMoreToShow: (user: AuthUser) => Promise<boolean>
  /** Whether somebody with the user's session alone is asked for the password as well. */
  readonly owesPassword: (user: AuthUser) => Promise<boolean>
  /** Whether a user gets a mail when somebody of the host's staff acts for them. */
  readonly mailsActing: boolean
  /** False if nobody signs in by password. */
  readonly takesPasswords: boolean
  /** Undefined without the option `acceptance`. */
  readonly acceptance: Acceptance | undefined
  /** Whether a user may sign in by password; undefined: everybody may. */
  readonly mayUsePassword: ((user: AuthUser) => Promise<boolean>) | undefined
  /**
   * Who has the user's password, if it is not in the host's table; undefined without the option
   * `directories`. Rejects with 503.
   */
  readonly passwordElsewhere: ((userId: string) => Promise<PasswordElsewhere | null>) | undefined
  readonly noticePassword: NoticePassword
  readonly noticeSpelling: NoticeSpelling

  readonly describeMe: (user: AuthUser) => Soon<Me>
  /** A name for a user agent; null if it tells nothing. */
  readonly nameDevice: (userAgent: string | null) => Promise<string | null>
  readonly countSockets: SocketRegistry['count']

  /** The address of the sign-in pages; undefined without the option `oauth`. */
  readonly pagesUrl: URL | undefined
  readonly hasAccountPage: boolean
  /** Whether everybody can make an account. */
  readonly isRegistrationOpen: boolean

  /** Seconds. */
  readonly codeLifetime: number
  /** Seconds. */
  readonly refreshGrace: number
  /** Maximum age of the sign-in that opens another session, in seconds; false: unlimited. */
  readonly maxSignInAge: number | false
  /** Whether the session that a code opens ends with the one that has issued the code. */
  readonly endWithIssuer: boolean
  readonly usersMakeNamedTokens: boolean
  readonly namedSurvivePassword: boolean
}
