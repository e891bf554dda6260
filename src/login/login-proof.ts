import type { RequestContext } from '../audit/events.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { IdentifierDigests } from '../throttle/counter-keys.js'
import type { PasswordSlot } from '../throttle/password-limits.js'
import type { AssertionResponse } from '../two-factor/passkey-response.js'
import type { AuthUser, LoginIdentifier, UserStore } from '../users/contract.js'
import type { DigestIdentifier } from './identifier.js'
import type { AuthenticateLocally } from './local-strategy.js'
import type { LoginRequest } from './login-request.js'
import type { Rehash, Rehashed } from './rehash.js'
import type { NoticeSpelling } from './spelling-watch.js'
import type { PasswordVerdict, VerifyPassword } from './verify-password.js'

/**
 * The second step of a login: a code, for a password that was right a moment ago. Whoever makes one
 * must have kept it from being forged, and from being used in another browser.
 */
export interface SecondStep {
  /** Whose password was right. */
  readonly userId: string
  /** As what the first step was counted. */
  readonly digests: IdentifierDigests
  /** Null: none was typed, so one is sent where the user's factor works that way. */
  readonly code: string | null
  /** A passkey in its place. */
  readonly passkey: AssertionResponse | null
  /** Whether the password that was right is still this user's. */
  readonly fits: (user: AuthUser) => boolean
  /** Uses the step up, once all is right; false where that was done before. Rejects with 503. */
  readonly claim: () => Promise<boolean>
}

/** What a login shows: a password, or that one was right. */
export interface LoginProof {
  /** As what it is counted. */
  readonly digests: IdentifierDigests
  readonly code: string | null
  readonly passkey: AssertionResponse | null
  /** Whether it is a guess at the password where it is wrong. */
  readonly mayBeGuess: boolean
  /** Rejects with 503. */
  findUserId(): Promise<string | null>
  /** Counts it for the account, and judges it. Rejects with 503. */
  judge(takeAccount: PasswordSlot['takeAccount'], from: Requester): Promise<PasswordVerdict>
  /** False where it was used before. Rejects with 503. */
  claim(): Promise<boolean>
  /** Brings the user's hash up to date, where that can be done. */
  rehash(user: AuthUser, context: RequestContext): Promise<Rehashed>
  /** Whether it is right for a hash that another login has stored meanwhile. */
  isRightFor(user: AuthUser, context: RequestContext): Promise<boolean>
}

/** Where a login comes from. */
export type Requester = Pick<EndpointRequest, 'context' | 'aborted'>

export interface PasswordProofDeps {
  /** The identifier as it is looked up. */
  readonly canonical: (identifier: LoginIdentifier) => Promise<LoginIdentifier>
  /**
   * A keyed digest of an identifier, for counters and events: an unknown identifier is often a
   * mistyped password.
   */
  readonly digestIdentifier: DigestIdentifier
  readonly noticeSpelling: NoticeSpelling
  readonly authenticateLocally: AuthenticateLocally
  readonly verifyPassword: VerifyPassword
  readonly rehash: Rehash
  readonly users: Pick<UserStore, 'findByIdentifier'>
}

/** The proof of a name and a password. Rejects with 400 or 503. */
export async function passwordProof(
  deps: PasswordProofDeps,
  { identifier: typed, password, code, passkey }: LoginRequest,
): Promise<LoginProof> {
  const { authenticateLocally, noticeSpelling, verifyPassword } = deps
  const identifier = await deps.canonical(typed)
  return {
    digests: deps.digestIdentifier(identifier),
    code,
    passkey,
    mayBeGuess: true,
    findUserId: async () => (await deps.users.findByIdentifier(identifier))?.id ?? null,
    async judge(takeAccount, { context, aborted }) {
      // A client that hangs up before its turn costs no hash.
      const gone = aborted()
      const verdict = await authenticateLocally(identifier, password, context, gone, takeAccount)
      if (!verdict.right && verdict.userId === null) noticeSpelling(typed, identifier, gone)
      return verdict
    },
    claim: async () => true,
    rehash: (user, context) => deps.rehash(user, password, context),
    isRightFor: async (user, context) => (await verifyPassword(user, password, context)).right,
  }
}

/** The proof of a second step. */
export function secondStepProof(
  users: Pick<UserStore, 'findById'>,
  { userId, digests, code, passkey, fits, claim }: SecondStep,
): LoginProof {
  return {
    digests,
    code,
    passkey,
    mayBeGuess: false,
    findUserId: async () => (await users.findById(userId))?.id ?? null,
    // As for a password: an account that is over its limit over all networks lets nobody in.
    async judge(takeAccount) {
      const user = await users.findById(userId)
      const mayPass = await takeAccount(user?.id ?? null)
      if (user === null) return { right: false, reason: 'unknown-user', userId: null }
      if (!fits(user)) return { right: false, reason: 'wrong-password', userId }
      if (await mayPass()) return { right: true, user }
      return { right: false, reason: 'account-limit', userId }
    },
    claim,
    // Nobody has the password any more.
    rehash: async ({ passwordHash }) => ({ passwordHash, replacement: null }),
    isRightFor: async () => false,
  }
}
