import type { RequestContext } from './audit/events.js'
import type { SignInRefusal } from './audit/refusals.js'
import { AuthError } from './errors.js'
import type { HostCall } from './lib/host-call.js'
import { type ApprovedSignIn, approve } from './sessions/approved-sign-in.js'
import { type FactorProof, type ProveFactorDeps, proveFactor } from './sign-in-factor.js'
import type { StoredMethod } from './stores/contract.js'
import type { Throttle } from './throttle/throttle.js'
import type { PasskeyFactor, SentPasskey } from './two-factor/passkey-factor.js'
import type { SecondFactors } from './two-factor/second-factor.js'
import type { AuthUser } from './users/contract.js'

/**
 * By which flow a sign-in comes; `host` is `auth.sessions.open()`, `named-token` the making of one,
 * `reauthenticate` of somebody who has signed in and proves it anew.
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

/** What the host's `beforeLogin` gets. */
export interface LoginAttempt {
  readonly door: SignInDoor
  /** The host's own object, as its store answered it. */
  readonly user: AuthUser
  /** What has been proven so far, all of it. */
  readonly methods: readonly StoredMethod[]
  readonly ip: string | null
  readonly userAgent: string | null
}

/** The host's veto: nothing lets the sign-in pass, a text refuses it and is shown to the client. */
export type BeforeLogin = (
  attempt: LoginAttempt,
) => string | undefined | Promise<string | undefined>

/** A request for the decision. */
export interface SignInAttempt {
  readonly door: SignInDoor
  readonly user: AuthUser | null
  /** What has been proven before. */
  readonly methods: readonly StoredMethod[]
  /**
   * A second-factor code; null where none was sent, undefined where this flow takes none, so that
   * none is sent to the user either.
   */
  readonly code: string | null | undefined
  /** A passkey in its place; null where none was sent, left out where this flow takes none. */
  readonly passkey?: SentPasskey | null
  /** When what `methods` names was shown, where that was some time ago. */
  readonly shownAt?: Date
  readonly context: RequestContext
}

/** The decision, with its reason or its proof. */
export type SignInDecision =
  | { readonly allowed: true; readonly approved: ApprovedSignIn }
  | { readonly allowed: false; readonly reason: SignInRefusal; readonly error: AuthError }

/** Decides whether this user may have a session now. */
export type DecideSignIn = (attempt: SignInAttempt) => Promise<SignInDecision>

export interface SignInDeps extends Pick<ProveFactorDeps, 'secondFactors' | 'passkeyFactor'> {
  readonly throttle: Pick<
    Throttle,
    'refundSecondFactor' | 'clearSecondFactor' | 'withSecondFactorSlot'
  >
  readonly beforeLogin: BeforeLogin | undefined
  readonly call: HostCall
}

/**
 * The one decision behind every way in: login, code issue, exchange and refresh all ask it, so that
 * a rule added here holds for each of them. In this order: does the user exist and is not disabled;
 * is the second factor satisfied; has the host no objection.
 */
export function createSignInDecision(deps: SignInDeps): DecideSignIn {
  return async function decideSignIn(attempt) {
    const { user } = attempt
    if (user === null) return refused('unknown-user', new AuthError('Unauthorized'))
    if (user.disabled === true) return refused('disabled', new AuthError('Unauthorized'))

    const factor = await factorOf(deps, attempt, user)
    if (factor instanceof AuthError) return refused(factorRefusal(factor), factor)
    const methods = Object.freeze([...attempt.methods, ...factor.proven])

    const giveBackCode = async () => {
      if (factor.proven.includes('otp'))
        await deps.throttle.refundSecondFactor({ userId: user.id, place: 'login' })
    }
    // A right code is no guess, whatever the host answers, and even if it fails.
    const objection = await askHost(deps, attempt, user, methods).catch(async (error: unknown) => {
      await giveBackCode()
      throw error
    })
    if (objection !== undefined) {
      await giveBackCode()
      return refused('vetoed', new AuthError('forbidden', { clientMessage: objection }))
    }

    // A login forgets wrong codes together with its other counters, in one round trip.
    if (factor.proven.length > 0 && attempt.door !== 'login')
      await deps.throttle.clearSecondFactor(user.id)
    return { allowed: true, approved: approve(user, methods, factor) }
  }
}

/**
 * Checks, after the session is stored, that the factor has not changed since the decision. A change
 * ends the sessions that are stored by then, so one of the two sees the other.
 */
export function createFactorStands(
  secondFactors: Pick<SecondFactors, 'of'>,
  passkeyFactor: Pick<PasskeyFactor, 'stands'> | undefined,
): (approved: ApprovedSignIn) => Promise<boolean> {
  return async function factorStands({ user, totpSince, passkeyShown }) {
    const now = (await secondFactors.of(user))?.totp?.createdAt ?? null
    if (now?.getTime() !== totpSince?.getTime()) return false
    if (passkeyShown === null || passkeyFactor === undefined) return true
    return passkeyFactor.stands(user, passkeyShown)
  }
}

function factorOf(
  deps: SignInDeps,
  { door, methods, code, passkey, shownAt, context }: SignInAttempt,
  user: AuthUser,
): Promise<FactorProof | AuthError> {
  const attempt = { isRefresh: door === 'refresh', methods, code, passkey, shownAt, context }
  return proveFactor(deps, attempt, user)
}

function factorRefusal({ code }: AuthError): SignInRefusal {
  return code === 'totp-required' ? 'second-factor-required' : 'second-factor-invalid'
}

async function askHost(
  { beforeLogin, call }: SignInDeps,
  { door, context: { ip, userAgent } }: SignInAttempt,
  user: AuthUser,
  methods: readonly StoredMethod[],
): Promise<string | undefined> {
  if (beforeLogin === undefined) return undefined
  // Anything but nothing at all is an objection: a hook that answers `false` meant to say no.
  const objection: unknown =
    (await call('beforeLogin', () => beforeLogin({ door, user, methods, ip, userAgent }))) ??
    undefined
  if (objection === undefined) return undefined
  return typeof objection === 'string' && objection !== ''
    ? objection
    : 'This sign-in is not allowed.'
}

function refused(reason: SignInRefusal, error: AuthError): SignInDecision {
  return { allowed: false, reason, error }
}
