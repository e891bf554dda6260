import { AuthError } from './errors.js'
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
  /** When what `methods` names was shown, where that was some time ago. */
  readonly shownAt?: Date
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
    if (factor instanceof AuthError) return refused(factorRefusal(factor), factor)
    const methods = Object.freeze([...attempt.methods, ...factor.proven])

    // A right code is no guess, whatever the host says to the sign-in, and even if it says nothing.
    const giveBackCode = async () => {
      if (factor.proven.length > 0) await deps.throttle.refundSecondFactor({ userId: user.id, enrolling: false })
    }
    const objection = await askHost(deps, attempt, user, methods).catch(async (error: unknown) => {
      await giveBackCode()
      throw error
    })
    if (objection !== undefined) await giveBackCode()
    if (objection !== undefined) return refused('vetoed', new AuthError('forbidden', { clientMessage: objection }))

    if (factor.proven.length > 0) await deps.throttle.clearSecondFactor(user.id)
    return { allowed: true, approved: approve(user, methods, factor.totpSince) }
  }
}

/**
 * Makes the question that follows a session which has just been stored: is the user's TOTP still what it was at the decision? Whoever
 * changes it ends the sessions that are there afterwards, so one of the two sees the other.
 */
export function createFactorStands(secondFactors: SecondFactors): (approved: ApprovedSignIn) => Promise<boolean> {
  return async ({ user, totpSince }) => {
    const now = (await secondFactors.of(user))?.totp?.createdAt ?? null
    return now?.getTime() === totpSince?.getTime()
  }
}

function factorRefusal({ code }: AuthError): SignInRefusal {
  return code === 'totp-required' ? 'second-factor-required' : 'second-factor-invalid'
}

/** What was proven by this attempt, nothing where the user has no second factor or has shown it before, and of which factor. */
interface FactorProof {
  readonly proven: readonly ('otp' | 'recovery')[]
  readonly totpSince: Date | null
}

async function proveSecondFactor(deps: SignInDeps, attempt: SignInAttempt, user: AuthUser): Promise<FactorProof | AuthError> {
  const { methods, door } = attempt
  // Sessions end when the factor changes, so what a session has shown need not be asked for again to go on with it.
  if (hasShownFactor(methods) && door === 'refresh') return { proven: [], totpSince: null }
  const factors = await deps.secondFactors.of(user)
  const totpSince = factors?.totp?.createdAt ?? null
  if (hasShownFactor(methods)) {
    if (isOutdated(factors, attempt)) return new AuthError('totp-required', { message: 'the factor that was shown is gone' })
    return { proven: [], totpSince }
  }
  if (factors === null) return { proven: [], totpSince }
  const verdict = await judgeCode(deps, attempt, factors)
  return verdict instanceof AuthError ? verdict : { proven: [verdict], totpSince }
}

// A code may have been issued for a factor that was taken away or replaced since.
function isOutdated(factors: UserFactors | null, { shownAt }: SignInAttempt): boolean {
  if (shownAt === undefined) return false
  return factors === null || (factors.totp !== null && factors.totp.createdAt > shownAt)
}

async function judgeCode(
  { secondFactors, throttle }: SignInDeps,
  { code, context }: SignInAttempt,
  factors: UserFactors,
): Promise<'otp' | 'recovery' | AuthError> {
  const userId = factors.user.id
  const counted = <T>(work: () => Promise<T>) => throttle.withSecondFactorSlot({ userId, enrolling: false }, context, work)
  if (code === undefined) return secondFactorError('totp-required', factors, false)
  if (code === null) {
    if (!secondFactors.sendsCodes(factors)) return secondFactorError('totp-required', factors, false)
    // A code that is sent counts like one that is judged, or a mailbox could be flooded by whoever knows the password.
    return secondFactorError('totp-required', factors, await counted(() => secondFactors.sendCode(factors, context)))
  }
  // Counted before it is judged, per user over all networks: six digits do not survive uncounted guessing.
  const verdict = await counted(() => secondFactors.judge(factors, code, context))
  return verdict === 'invalid' ? secondFactorError('totp-invalid', factors, false) : verdict
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
