import type { RequestContext } from './audit/events.js'
import type { SignInRefusal } from './audit/refusals.js'
import { AuthError } from './errors.js'
import { type Soon, soon } from './lib/async.js'
import { objectionIn } from './lib/mistakes.js'
import { type ApprovedSignIn, approve } from './sessions/approved-sign-in.js'
import {
  type DecidingKit,
  type FactorAttempt,
  type FactorProof,
  proveFactor,
} from './sign-in-factor.js'
import type { StoredMethod } from './stores/contract.js'
import type { SecondFactorRecord } from './stores/second-factor-contract.js'
import type { SentPasskey } from './two-factor/passkey-factor.js'
import type { UserFactors } from './two-factor/second-factor.js'
import type { AuthUser } from './users/contract.js'

/**
 * The flow that asks for a sign-in; `host` is `auth.sessions.open()`, `named-token` makes a named
 * token, `reauthenticate` proves a signed-in user again, `email-code` is a mailed code in the place
 * of a password and `phone-code` one by text message, `registration` signs a new user in,
 * `provider` is a sign-in somewhere else, `device` signs in an app on another device, `device-link`
 * a device of the user whose picture a signed-in one has scanned: both are asked when the user
 * approves, and when the device collects.
 * `service` is a program with credentials of its own, asked with each of its tokens: there is no
 * person, so no second factor is asked for. Nor is it at `acting`, where a member of the host's
 * staff acts for the user.
 */
export type SignInDoor =
  | 'login'
  | 'host'
  | 'authorization-code'
  | 'code-exchange'
  | 'refresh'
  | 'named-token'
  | 'passkey'
  | 'reauthenticate'
  | 'email-code'
  | 'phone-code'
  | 'registration'
  | 'provider'
  | 'device'
  | 'device-link'
  | 'service'
  | 'acting'

/** The argument of the host's `beforeLogin`. */
export interface LoginAttempt {
  readonly door: SignInDoor
  /** The object that the host's user store returned. */
  readonly user: AuthUser
  /** All methods proven so far. */
  readonly methods: readonly StoredMethod[]
  readonly ip: string | null
  readonly userAgent: string | null
}

/**
 * The host's veto. Return nothing to allow the sign-in, or a text to refuse it; the client sees the
 * text.
 */
export type BeforeLogin = (
  attempt: LoginAttempt,
) => string | undefined | Promise<string | undefined>

/** The input of the decision. */
export interface SignInAttempt {
  readonly door: SignInDoor
  readonly user: AuthUser | null
  /** The methods proven before. */
  readonly methods: readonly StoredMethod[]
  /**
   * A second-factor code; null if none was sent, undefined if this flow accepts none. In an
   * undefined case no code is sent to the user either.
   */
  readonly code: string | null | undefined
  /** A passkey instead of a code; null if none was sent, left out if this flow accepts none. */
  readonly passkey?: SentPasskey | null
  /** The token of a remembered browser; null if none was sent, left out if none is accepted. */
  readonly rememberToken?: string | null | undefined
  /** When `methods` were shown, if that was some time ago. */
  readonly shownAt?: Date
  /** The user's TOTP, if it was read already. */
  readonly totp?: SecondFactorRecord | null | undefined
  readonly context: RequestContext
}

/** The decision, with its reason or its proof. */
export type SignInDecision =
  | { readonly allowed: true; readonly approved: ApprovedSignIn }
  | { readonly allowed: false; readonly reason: SignInRefusal; readonly error: AuthError }

/** Receives each decision; `refusal` is null if the sign-in is allowed. */
export type OnDecision = (attempt: SignInAttempt, refusal: SignInRefusal | null) => void

/** Decides whether this user may have a session now. */
export type DecideSignIn = (attempt: SignInAttempt) => Soon<SignInDecision>

/** Whether the user may still come in by the directory that has the password. Rejects with 503. */
export type StandsInDirectory = (
  user: AuthUser,
  asked: Pick<SignInAttempt, 'door' | 'methods'>,
) => Promise<boolean>

interface SignInDecisionKit extends DecidingKit {
  /** Undefined without the option `directories`. */
  readonly standsInDirectory: StandsInDirectory | undefined
}

/**
 * The one decision behind every sign-in: login, code issue, exchange and refresh all call it, so a
 * rule added here applies to all of them. In this order: the user exists and is not disabled, nor
 * gone from the directory; the second factor is satisfied; the host does not object.
 */
export function createSignInDecision(
  kit: SignInDecisionKit,
  beforeLogin: BeforeLogin | undefined,
  onDecision: OnDecision,
): DecideSignIn {
  const { secondFactors, throttle, standsInDirectory } = kit

  return function decideSignIn(attempt) {
    const { user, door } = attempt
    if (user === null) return refuse(attempt, 'unknown-user', new AuthError('Unauthorized'))
    if (user.disabled === true) return refuse(attempt, 'disabled', new AuthError('Unauthorized'))
    if (door === 'service') return conclude(attempt, user, noPerson)
    const standing = standsInDirectory?.(user, attempt) ?? true
    return soon(standing, (stands) => {
      if (!stands) return refuse(attempt, 'directory-refused', new AuthError('Unauthorized'))
      return door === 'acting' ? conclude(attempt, user, noPerson) : askFactor(attempt, user)
    })
  }

  function askFactor(attempt: SignInAttempt, user: AuthUser): Soon<SignInDecision> {
    const { door, methods } = attempt
    // Sessions end when the factor changes, so a refresh that has shown it need not ask again.
    if (door === 'refresh' && secondFactors.mayGoOn(methods))
      return conclude(attempt, user, nothingProven)
    const totp = totpIn(attempt)
    return soon(totp === undefined ? secondFactors.totpOf(user.id) : totp, (read) =>
      soon(proveFactor(kit, factorAttemptOf(attempt), user, read), (proof) =>
        conclude(attempt, user, proof),
      ),
    )
  }

  function conclude(
    attempt: SignInAttempt,
    user: AuthUser,
    factor: FactorProof | AuthError,
  ): Soon<SignInDecision> {
    if (factor instanceof AuthError) return refuse(attempt, factorRefusal(factor), factor)
    const methods = Object.freeze([...attempt.methods, ...factor.proven])
    // A login clears wrong codes together with its other counters, in one round trip.
    const isToClear = factor.proven.length > 0 && attempt.door !== 'login'
    const proven = { methods, factor }
    if (beforeLogin === undefined && !isToClear) return allow(attempt, user, proven)
    return askAndClear(attempt, user, { ...proven, isToClear })
  }

  async function askAndClear(
    attempt: SignInAttempt,
    user: AuthUser,
    { isToClear, ...proven }: Proven & { readonly isToClear: boolean },
  ): Promise<SignInDecision> {
    const objection = beforeLogin && (await objectionOf(kit, beforeLogin, attempt, user, proven))
    if (objection !== undefined)
      return refuse(attempt, 'vetoed', new AuthError('forbidden', { clientMessage: objection }))
    if (isToClear) await throttle.clearSecondFactor(user.id)
    return allow(attempt, user, proven)
  }

  function allow(attempt: SignInAttempt, user: AuthUser, { methods, factor }: Proven) {
    onDecision(attempt, null)
    return { allowed: true, approved: approve(user, methods, factor) } as const
  }

  function refuse(attempt: SignInAttempt, reason: SignInRefusal, error: AuthError) {
    onDecision(attempt, reason)
    return { allowed: false, reason, error } as const
  }
}

// Its own: a polluted prototype must not answer that there is none.
function totpIn(attempt: SignInAttempt): SignInAttempt['totp'] {
  return Object.hasOwn(attempt, 'totp') ? attempt.totp : undefined
}

interface Proven {
  readonly methods: readonly StoredMethod[]
  readonly factor: FactorProof
}

/**
 * Checks, after the session is stored, that the factor has not changed since the decision. A factor
 * change ends all sessions stored by then, so one of the two sees the other.
 */
export function createFactorStands({
  secondFactors,
  passkeyFactor,
}: DecidingKit): (approved: ApprovedSignIn) => Promise<boolean> {
  return function factorStands(approved) {
    const { user } = approved
    return secondFactors.totpOf(user.id).then((totp) => {
      const factors = secondFactors.among(user, totp)
      return soon(factors, (found) => standsWith(approved, found))
    })
  }

  function standsWith(
    { user, methods, totpSince, passkeyShown }: ApprovedSignIn,
    factors: UserFactors | null,
  ): Soon<boolean> {
    const now = factors?.totp?.createdAt ?? null
    if (now?.getTime() !== totpSince?.getTime()) return false
    if (factors !== null && !secondFactors.mayGoOn(methods)) return false
    if (passkeyShown === null || passkeyFactor === undefined) return true
    return passkeyFactor.stands(user, passkeyShown)
  }
}

/** Doors that go on with a session, in the same browser or app. */
const goingOn: readonly SignInDoor[] = ['refresh', 'authorization-code', 'code-exchange']

function factorAttemptOf(attempt: SignInAttempt): FactorAttempt {
  const { door, methods, code, passkey, rememberToken, shownAt, context } = attempt
  return {
    isRefresh: door === 'refresh',
    goesOn: goingOn.includes(door),
    methods,
    code,
    passkey,
    rememberToken,
    shownAt,
    context,
  }
}

const nothingProven: FactorProof = {
  proven: [],
  totpSince: null,
  passkeyShown: null,
  remembered: null,
}
// The user is not there to show a factor.
const noPerson = nothingProven

function factorRefusal({ code }: AuthError): SignInRefusal {
  return code === 'totp-invalid' ? 'second-factor-invalid' : 'second-factor-required'
}

// A right code is not a guess, whatever the host answers, and even if the host fails.
async function objectionOf(
  kit: DecidingKit,
  beforeLogin: BeforeLogin,
  { door, context }: SignInAttempt,
  user: AuthUser,
  { methods, factor }: Proven,
): Promise<string | undefined> {
  const { ip, userAgent } = context
  const giveBackCode = async () => {
    if (factor.proven.includes('otp'))
      await kit.throttle.refundSecondFactor({ userId: user.id, place: 'login' })
  }
  try {
    const asked = { door, user, methods, ip, userAgent }
    const answer = await kit.call('beforeLogin', () => beforeLogin(asked))
    const objection = objectionIn(answer, 'This sign-in is not allowed.')
    if (objection !== undefined) await giveBackCode()
    return objection
  } catch (error) {
    await giveBackCode()
    throw error
  }
}
