import type { RequestContext } from '../audit/events.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { PasswordVerdict, SignInKit } from '../kits/sign-in-kit.js'
import type { Soon } from '../lib/async.js'
import type { IdentifierDigests } from '../throttle/counter-keys.js'
import type { PasswordSlot } from '../throttle/password-limits.js'
import type { AssertionResponse } from '../two-factor/passkey-response.js'
import { type AskedRemember, notRemembered } from '../two-factor/remembered-browser.js'
import type { AuthUser } from '../users/contract.js'
import type { AuthenticateLocally } from './local-strategy.js'
import type { LoginRequest } from './login-request.js'
import type { Rehash, Rehashed } from './verify-password.js'

/**
 * The second step of a login: a code, after a right password a moment ago. The caller must have
 * protected the step against forgery and against use in another browser.
 */
export interface SecondStep {
  /** The user whose password was right. */
  readonly userId: string
  /** The counter keys of the first step. */
  readonly digests: IdentifierDigests
  /** Null if none was typed: then one is sent, if the user's factor works that way. */
  readonly code: string | null
  /** A passkey instead of a code. */
  readonly passkey: AssertionResponse | null
  /** Whether the user wants the browser to be remembered. */
  readonly remember: boolean
  /** Whether that password is still this user's. */
  readonly fits: (user: AuthUser) => boolean
  /** Uses the step up when everything is right; false if it was used before. Rejects with 503. */
  readonly claim: () => Promise<boolean>
}

/** The proof of a login: a password, or an earlier right password. */
export interface LoginProof {
  /** The counter keys of this attempt. */
  readonly digests: IdentifierDigests
  readonly code: string | null
  readonly passkey: AssertionResponse | null
  readonly browser: AskedRemember
  /** Whether a wrong one is a guess at the password. */
  readonly mayBeGuess: boolean
  /** Rejects with 503. */
  findUserId(): Promise<string | null>
  /** Counts the attempt for the account, and judges it. Rejects with 503. */
  judge(takeAccount: PasswordSlot['takeAccount'], from: Requester): Promise<PasswordVerdict>
  /** Uses it up; false if it was used before. Rejects with 503. */
  claim(): Soon<boolean>
  /** Rehashes the password, if possible and needed. */
  rehash(user: AuthUser, context: RequestContext): Soon<Rehashed>
  /** Whether it is also right for a hash that another login has stored meanwhile. */
  isRightFor(user: AuthUser, context: RequestContext): Promise<boolean>
}

/** The request that a login comes from. */
export type Requester = Pick<EndpointRequest, 'context' | 'aborted'>

/** The parts that a login by password needs. */
export interface LoginKit extends SignInKit {
  readonly authenticateLocally: AuthenticateLocally
  readonly rehash: Rehash
}

/** The proof of a name and a password. Rejects with 400 or 503. */
export async function passwordProof(kit: LoginKit, request: LoginRequest): Promise<LoginProof> {
  const { identifier: typed, password, code, passkey, browser } = request
  const { authenticateLocally, noticeSpelling, verifyPassword } = kit
  const finding = kit.canonical(typed)
  const identifier = finding instanceof Promise ? await finding : finding
  let isElsewhere = false
  return {
    digests: kit.digestIdentifier(identifier),
    code,
    passkey,
    browser,
    mayBeGuess: true,
    findUserId: async () => (await kit.users.findByIdentifier(identifier))?.id ?? null,
    async judge(takeAccount, { context, aborted }) {
      // If the client disconnects before its turn, nothing is hashed.
      const signal = aborted()
      const attempt = { identifier, password, context, signal, takeAccount }
      const verdict = await authenticateLocally(attempt)
      isElsewhere = verdict.right && verdict.upstream !== null
      if (isElsewhere) return verdict
      if (verdict.right) kit.noticePassword(verdict.user, password)
      else if (verdict.userId === null) noticeSpelling(typed, identifier, signal)
      return verdict
    },
    claim: () => true,
    // The password of a directory is not written into the host's table.
    rehash: (user, context) => (isElsewhere ? asStored(user) : kit.rehash(user, password, context)),
    isRightFor: async (user, context) => (await verifyPassword(user, password, context)).right,
  }
}

/** The proof of a second step. */
export function secondStepProof(
  { users, passwordElsewhere }: LoginKit,
  { userId, digests, code, passkey, remember, fits, claim }: SecondStep,
): LoginProof {
  return {
    digests,
    code,
    passkey,
    browser: { ...notRemembered, remember },
    mayBeGuess: false,
    findUserId: async () => (await users.findById(userId))?.id ?? null,
    // As for a password: an account over its limit for all networks is refused.
    async judge(takeAccount) {
      const user = await users.findById(userId)
      const mayPass = await takeAccount(user?.id ?? null)
      if (user === null) return { right: false, reason: 'unknown-user', userId: null }
      if (!fits(user)) return { right: false, reason: 'wrong-password', userId }
      const passing = mayPass()
      if (passing !== true && !(await passing))
        return { right: false, reason: 'account-limit', userId, limit: null }
      const elsewhere = await passwordElsewhere?.(userId)
      return { right: true, user, upstream: elsewhere?.upstream ?? null }
    },
    claim,
    // The password is no longer known.
    rehash: asStored,
    isRightFor: async () => false,
  }
}

function asStored({ passwordHash }: AuthUser): Rehashed {
  return { passwordHash, replacement: null }
}
