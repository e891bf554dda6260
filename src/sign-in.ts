import { AuthError, type AuthErrorCode } from './errors.js'
import type { RequestContext, SignInRefusal } from './events.js'
import type { HostCall } from './lib/host-call.js'
import { type ApprovedSignIn, approve } from './sessions/approved-sign-in.js'
import type { AuthenticationMethod } from './stores/contract.js'
import type { Throttle } from './throttle/throttle.js'
import { hasShownFactor, type SecondFactors, type UserFactors } from './two-factor/second-factor.js'
import type { AuthUser } from './users/contract.js'

/** Which door a sign-in comes through. */
export type SignInDoor = 'login' | 'authorization-code' | 'code-exchange' | 'refresh'

/** What the host's `beforeLogin` is told. */
export interface LoginAttempt {
  readonly door: SignInDoor
  /** The host's own object, as its store answered it. */
  readonly user: AuthUser
  /** What has been proven so far, all of it. */
  readonly methods: readonly AuthenticationMethod[]
  readonly ip: string | null
  readonly userAgent: string | null
}

/** The host's veto: nothing lets the sign-in pass, a text refuses it and is shown to the client. */
export type BeforeLogin = (attempt: LoginAttempt) => string | undefined | Promise<string | undefined>

/** A request for the decision. */
export interface SignInAttempt {
  readonly door: SignInDoor
  readonly user: AuthUser | null
  /** What has been proven before. */
  readonly methods: readonly AuthenticationMethod[]
  /** A second-factor code; null where none was sent, undefined where this door takes none, so that none need be sent to the user. */
  readonly code: string | null | undefined
  readonly context: RequestContext
}

/** The decision, with its reason or its proof. */
export type SignInDecision =
  | { readonly allowed: true; readonly approved: ApprovedSignIn }
  | { readonly allowed: false; readonly reason: SignInRefusal; readonly error: AuthError }

/** Asks whether this user may have a session now. */
export type DecideSignIn = (attempt: SignInAttempt) => Promise<SignInDecision>

/** What the decision needs. */
export interface SignInDeps {
  readonly secondFactors: SecondFactors
  readonly throttle: Throttle
  readonly beforeLogin: BeforeLogin | undefined
  readonly call: HostCall
}

/**
 * The one decision behind every way in: login, code issue, exchange and refresh all ask it, so that a rule added here holds for each of
 * them. In this order: does the user exist and is not disabled; is the second factor satisfied; has the host no objection.
 */
export function createSignInDecision(deps: SignInDeps): DecideSignIn {
  return async (attempt) => {
    const { user } = attempt
    if (user === null) return refused('unknown-user', new AuthError('Unauthorized'))
    if (user.disabled === true) return refused('disabled', new AuthError('Unauthorized'))

    const factor = await proveSecondFactor(deps, attempt, user)
    if (factor instanceof AuthError) return refused(factorRefusals[factor.code] ?? 'second-factor-invalid', factor)
    const methods = Object.freeze([...attempt.methods, ...factor])

    const objection = await askHost(deps, attempt, user, methods)
    if (objection !== undefined) return refused('vetoed', new AuthError('forbidden', { clientMessage: objection }))

    if (factor.length > 0) await deps.throttle.clearSecondFactor(user.id)
    return { allowed: true, approved: approve(user, methods) }
  }
}

const factorRefusals: Readonly<Partial<Record<AuthErrorCode, SignInRefusal>>> = {
  'totp-required': 'second-factor-required',
  'totp-invalid': 'second-factor-invalid',
}

// What was proven by it: nothing, where the user has no second factor or has shown it before.
async function proveSecondFactor(
  { secondFactors, throttle }: SignInDeps,
  { methods, code, context }: SignInAttempt,
  user: AuthUser,
): Promise<readonly ('otp' | 'recovery')[] | AuthError> {
  if (hasShownFactor(methods)) return []
  const factors = await secondFactors.of(user)
  if (factors === null) return []
  if (code === undefined) return secondFactorError('totp-required', factors, false)
  if (code === null) {
    // A code that is sent counts like one that is judged, or a mailbox could be flooded by whoever knows the password.
    if (secondFactors.sendsCodes(factors)) await throttle.takeSecondFactorSlot(user.id, context)
    return secondFactorError('totp-required', factors, await secondFactors.sendCode(factors, context))
  }
  // Counted before it is judged, per user over all networks: six digits do not survive uncounted guessing.
  await throttle.takeSecondFactorSlot(user.id, context)
  const verdict = await secondFactors.judge(factors, code, context)
  return verdict === 'invalid' ? secondFactorError('totp-invalid', factors, false) : [verdict]
}

async function askHost(
  { beforeLogin, call }: SignInDeps,
  { door, context: { ip, userAgent } }: SignInAttempt,
  user: AuthUser,
  methods: readonly AuthenticationMethod[],
): Promise<string | undefined> {
  if (beforeLogin === undefined) return undefined
  // Anything but nothing at all is an objection: a hook that answers `false` meant to say no.
  const objection: unknown = (await call('beforeLogin', () => beforeLogin({ door, user, methods, ip, userAgent }))) ?? undefined
  if (objection === undefined) return undefined
  return typeof objection === 'string' && objection !== '' ? objection : 'This sign-in is not allowed.'
}

function refused(reason: SignInRefusal, error: AuthError): SignInDecision {
  return { allowed: false, reason, error }
}

function secondFactorError(code: 'totp-required' | 'totp-invalid', { methods }: UserFactors, codeGenerated: boolean): AuthError {
  return new AuthError(code, { details: { method: methods[0], codeGenerated, availableMethods: methods } })
}
