import type { RequestContext } from './audit/events.js'
import { AuthError } from './errors.js'
import type { StoredMethod } from './stores/contract.js'
import type { Throttle } from './throttle/throttle.js'
import type { PasskeyFactor, PasskeyShown, SentPasskey } from './two-factor/passkey-factor.js'
import { recoveryCodeHash } from './two-factor/recovery-codes.js'
import { countsAsFactor, type SecondFactors, type UserFactors } from './two-factor/second-factor.js'
import type { AuthUser } from './users/contract.js'

/** Where the second factor of a sign-in is concerned. */
export interface FactorAttempt {
  /** Whether the session that is asked for is one that goes on. */
  readonly isRefresh: boolean
  /** What has been proven before. */
  readonly methods: readonly StoredMethod[]
  /**
   * A second-factor code; null where none was sent, undefined where this flow takes none, so that
   * none is sent to the user either.
   */
  readonly code: string | null | undefined
  /** A passkey in its place; null where none was sent, undefined where this flow takes none. */
  readonly passkey: SentPasskey | null | undefined
  /** When what `methods` names was shown, where that was some time ago. */
  readonly shownAt: Date | undefined
  readonly context: RequestContext
}

/**
 * What this attempt has proven, and by which factor. Nothing where the user has no second factor or
 * has shown it before.
 */
export interface FactorProof {
  readonly proven: readonly ('otp' | 'recovery' | 'passkey')[]
  readonly totpSince: Date | null
  /** What of the user's passkeys was shown now. */
  readonly passkeyShown: PasskeyShown | null
}

export interface ProveFactorDeps {
  readonly secondFactors: SecondFactors
  /** Undefined: the host takes no passkeys. */
  readonly passkeyFactor: PasskeyFactor | undefined
  readonly throttle: Pick<Throttle, 'withSecondFactorSlot'>
}

/** Proves the second factor of a user, where one is due; the error says what is missing. */
export async function proveFactor(
  deps: ProveFactorDeps,
  attempt: FactorAttempt,
  user: AuthUser,
): Promise<FactorProof | AuthError> {
  const { secondFactors, passkeyFactor: passkeys } = deps
  const hasShown = secondFactors.meetsFactorPolicy(attempt.methods)
  // Sessions end when the factor changes, so a refresh need not ask for it again.
  if (hasShown && attempt.isRefresh) return nothing(null)
  const factors = await secondFactors.of(user)
  if (hasShown) return shownBefore(passkeys, attempt, { user, factors })
  if (passkeys !== undefined && attempt.passkey)
    return provePasskey(passkeys, attempt.passkey, attempt, { user, factors })
  if (factors !== null) return proveCode(deps, attempt, factors)
  // A new passkey ends no session, so one that was opened without goes on.
  if (passkeys === undefined || attempt.isRefresh) return nothing(null)
  if (!(await passkeys.isDemanded(user))) return nothing(null)
  return proveWithoutTotp(deps, passkeys, attempt, user)
}

async function shownBefore(
  passkeys: PasskeyFactor | undefined,
  attempt: FactorAttempt,
  { user, factors }: Owing,
): Promise<FactorProof | AuthError> {
  if (await isOutdated(passkeys, attempt, { user, factors }))
    return new AuthError('totp-required', { message: 'the factor that was shown is gone' })
  return nothing(factors?.totp?.createdAt ?? null)
}

function nothing(totpSince: Date | null): FactorProof {
  return { proven: [], totpSince, passkeyShown: null }
}

// A code may have been issued for a factor that was taken away or replaced since.
async function isOutdated(
  passkeys: PasskeyFactor | undefined,
  { methods, shownAt }: FactorAttempt,
  { user, factors }: Owing,
): Promise<boolean> {
  if (shownAt === undefined) return false
  if (factors !== null) {
    // With a passkey that is removed ends what it has signed in, but for who removes it.
    if (methods.includes('passkey')) return false
    return factors.totp !== null && factors.totp.createdAt > shownAt
  }
  // What was shown to the host need not be a factor that the router knows.
  if (!methods.some(countsAsFactor)) return false
  // Without codes only a passkey can have been shown, or a recovery code that stood in for it.
  if (passkeys === undefined || methods.includes('otp')) return true
  return !(await passkeys.hadOne(user, shownAt))
}

/** Who has to show a factor: with those that take codes, or, where that is null, with none. */
interface Owing {
  readonly user: AuthUser
  readonly factors: UserFactors | null
}

async function provePasskey(
  passkeys: PasskeyFactor,
  sent: SentPasskey,
  attempt: FactorAttempt,
  { user, factors }: Owing,
): Promise<FactorProof | AuthError> {
  const passkeyShown = await passkeys.judge(user, sent, attempt.context)
  if (passkeyShown === null)
    return refusal(passkeys, 'totp-invalid', attempt, factors ?? codesOfPasskeys(user))
  const totpSince = factors?.totp?.createdAt ?? null
  return { proven: ['passkey'], totpSince, passkeyShown }
}

// The codes of nobody's TOTP: only a recovery code that stands in for a passkey can be right.
async function proveWithoutTotp(
  { throttle }: ProveFactorDeps,
  passkeys: PasskeyFactor,
  attempt: FactorAttempt,
  user: AuthUser,
): Promise<FactorProof | AuthError> {
  const { code, context } = attempt
  const owing = codesOfPasskeys(user)
  if (code === undefined || code === null) return refusal(passkeys, 'totp-required', attempt, owing)
  const slot = { userId: user.id, place: 'login' } as const
  const passkeyShown =
    recoveryCodeHash(code) === null
      ? await throttle.withSecondFactorSlot(slot, context, async () => null)
      : await passkeys.judgeRecovery(user, code, context)
  if (passkeyShown === null) return refusal(passkeys, 'totp-invalid', attempt, owing)
  return { proven: ['recovery'], totpSince: null, passkeyShown }
}

function codesOfPasskeys(user: AuthUser): UserFactors {
  return { user, totp: null, others: [], methods: ['recovery'] }
}

async function proveCode(
  deps: ProveFactorDeps,
  attempt: FactorAttempt,
  factors: UserFactors,
): Promise<FactorProof | AuthError> {
  const verdict = await checkCode(deps, attempt, factors)
  if (verdict === 'due') return codeDue(deps, attempt, factors)
  if (verdict === 'invalid') return refusal(deps.passkeyFactor, 'totp-invalid', attempt, factors)
  return { proven: [verdict], totpSince: factors.totp?.createdAt ?? null, passkeyShown: null }
}

async function checkCode(
  { secondFactors, throttle }: ProveFactorDeps,
  { code, context }: FactorAttempt,
  factors: UserFactors,
): Promise<'otp' | 'recovery' | 'invalid' | 'due'> {
  if (code === undefined || code === null) return 'due'
  // Counted before it is checked, per user over all networks: six digits do not withstand uncounted
  // guessing. A recovery code does, and lets a user in whom the wrong codes of others keep out.
  const check = () => secondFactors.judge(factors, code, context)
  if (secondFactors.isRecovery(factors, code)) return check()
  const slot = { userId: factors.user.id, place: 'login' } as const
  return throttle.withSecondFactorSlot(slot, context, check)
}

async function codeDue(
  { secondFactors, passkeyFactor: passkeys, throttle }: ProveFactorDeps,
  attempt: FactorAttempt,
  factors: UserFactors,
): Promise<AuthError> {
  const { code, context } = attempt
  if (code === undefined || !secondFactors.sendsCodes(factors))
    return refusal(passkeys, 'totp-required', attempt, factors)
  // A code that is sent counts like one that is checked: who knows the password could otherwise
  // flood the mailbox.
  const slot = { userId: factors.user.id, place: 'login' } as const
  const codeGenerated = await throttle.withSecondFactorSlot(slot, context, () =>
    secondFactors.sendCode(factors, context),
  )
  return refusal(passkeys, 'totp-required', attempt, factors, codeGenerated)
}

async function refusal(
  passkeys: PasskeyFactor | undefined,
  code: 'totp-required' | 'totp-invalid',
  { passkey }: FactorAttempt,
  { user, totp, others, methods }: UserFactors,
  codeGenerated = false,
): Promise<AuthError> {
  const offered = passkey === undefined ? null : ((await passkeys?.offer(user)) ?? null)
  if (offered === null)
    return new AuthError(code, {
      details: { method: methods[0], codeGenerated, availableMethods: methods },
    })
  // Asked for first where nothing but recovery codes would be left.
  const hasCodes = totp !== null || others.length > 0
  const availableMethods = hasCodes ? [...methods, 'passkey'] : ['passkey', ...methods]
  const details = {
    method: availableMethods[0],
    codeGenerated,
    availableMethods,
    passkeyOptions: offered,
  }
  return new AuthError(code, { details })
}
