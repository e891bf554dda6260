import type { RequestContext } from './audit/events.js'
import type { SignInRefusal } from './audit/refusals.js'
import { AuthError } from './errors.js'
import { objectionIn } from './lib/mistakes.js'
import { type ApprovedSignIn, approve } from './sessions/approved-sign-in.js'
import { type DecidingKit, type FactorProof, proveFactor } from './sign-in-factor.js'
import type { StoredMethod } from './stores/contract.js'
import type { SecondFactorRecord } from './stores/second-factor-contract.js'
import type { SentPasskey } from './two-factor/passkey-factor.js'
import type { AuthUser } from './users/contract.js'

/**
 * The flow that asks for a sign-in; `host` is `auth.sessions.open()`, `named-token` makes a named
 * token, `reauthenticate` proves a signed-in user again, `email-code` is a mailed code in the place
 * of a password, `registration` signs a new user in, `provider` is a sign-in somewhere else,
 * `device` signs in an app on another device, `device-link` a device of the user whose picture a
 * signed-in one has scanned: both are asked when the user approves, and when the device collects.
 * `service` is a program with credentials of its own, asked with each of its tokens: there is no
 * person, so no second factor is asked for.
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
  | 'registration'
  | 'provider'
  | 'device'
  | 'device-link'
  | 'service'

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
  /** When `methods` were shown, if that was some time ago. */
  readonly shownAt?: Date
  /** The user's TOTP, if it is being read already. */
  readonly totp?: Promise<SecondFactorRecord | null> | undefined
  readonly context: RequestContext
}

/** The decision, with its reason or its proof. */
export type SignInDecision =
  | { readonly allowed: true; readonly approved: ApprovedSignIn }
  | { readonly allowed: false; readonly reason: SignInRefusal; readonly error: AuthError }

/** Decides whether this user may have a session now. */
export type DecideSignIn = (attempt: SignInAttempt) => Promise<SignInDecision>

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
): DecideSignIn {
  return async function decideSignIn(attempt) {
    const { user } = attempt
    if (user === null) return refused('unknown-user', new AuthError('Unauthorized'))
    if (user.disabled === true) return refused('disabled', new AuthError('Unauthorized'))

    const factor = await standingAndFactor(kit, attempt, user)
    if (factor instanceof AuthError) return refused(factorRefusal(factor), factor)
    const methods = Object.freeze([...attempt.methods, ...factor.proven])

    const giveBackCode = async () => {
      if (factor.proven.includes('otp'))
        await kit.throttle.refundSecondFactor({ userId: user.id, place: 'login' })
    }
    // A right code is not a guess, whatever the host answers, and even if the host fails.
    const objection =
      beforeLogin &&
      (await askHost(kit, beforeLogin, { attempt, user, methods }).catch(async (error: unknown) => {
        await giveBackCode()
        throw error
      }))
    if (objection !== undefined) {
      await giveBackCode()
      return refused('vetoed', new AuthError('forbidden', { clientMessage: objection }))
    }

    // A login clears wrong codes together with its other counters, in one round trip.
    if (factor.proven.length > 0 && attempt.door !== 'login')
      await kit.throttle.clearSecondFactor(user.id)
    return { allowed: true, approved: approve(user, methods, factor) }
  }
}

/**
 * Checks, after the session is stored, that the factor has not changed since the decision. A factor
 * change ends all sessions stored by then, so one of the two sees the other.
 */
export function createFactorStands({
  secondFactors,
  passkeyFactor,
}: DecidingKit): (approved: ApprovedSignIn) => Promise<boolean> {
  return async function factorStands({ user, methods, totpSince, passkeyShown }) {
    const factors = await secondFactors.of(user)
    const now = factors?.totp?.createdAt ?? null
    if (now?.getTime() !== totpSince?.getTime()) return false
    if (factors !== null && !secondFactors.meetsFactorPolicy(methods)) return false
    if (passkeyShown === null || passkeyFactor === undefined) return true
    return passkeyFactor.stands(user, passkeyShown)
  }
}

const noPerson: FactorProof = { proven: [], totpSince: null, passkeyShown: null }

function standingAndFactor(
  kit: SignInDecisionKit,
  attempt: SignInAttempt,
  user: AuthUser,
): Promise<FactorProof | AuthError> | FactorProof {
  const { standsInDirectory } = kit
  if (standsInDirectory === undefined) return factorOf(kit, attempt, user)
  return standsInDirectory(user, attempt).then((stands) =>
    stands
      ? factorOf(kit, attempt, user)
      : new AuthError('Unauthorized', { message: 'gone from the directory' }),
  )
}

function factorOf(
  kit: DecidingKit,
  { door, methods, code, passkey, shownAt, totp, context }: SignInAttempt,
  user: AuthUser,
): Promise<FactorProof | AuthError> | FactorProof {
  if (door === 'service') return noPerson
  const attempt = { isRefresh: door === 'refresh', methods, code, passkey, shownAt, totp, context }
  return proveFactor(kit, attempt, user)
}

function factorRefusal({ code }: AuthError): SignInRefusal {
  if (code === 'Unauthorized') return 'directory-refused'
  return code === 'totp-invalid' ? 'second-factor-invalid' : 'second-factor-required'
}

async function askHost(
  { call }: DecidingKit,
  beforeLogin: BeforeLogin,
  {
    attempt,
    user,
    methods,
  }: {
    readonly attempt: SignInAttempt
    readonly user: AuthUser
    readonly methods: readonly StoredMethod[]
  },
): Promise<string | undefined> {
  const { door, context } = attempt
  const { ip, userAgent } = context
  const answer = await call('beforeLogin', () =>
    beforeLogin({ door, user, methods, ip, userAgent }),
  )
  return objectionIn(answer, 'This sign-in is not allowed.')
}

function refused(reason: SignInRefusal, error: AuthError): SignInDecision {
  return { allowed: false, reason, error }
}
