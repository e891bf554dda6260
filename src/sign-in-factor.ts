import type { RequestContext } from './audit/events.js'
import { AuthError } from './errors.js'
import type { GroundKit } from './kits/ground-kit.js'
import type { ManagementKit } from './kits/session-kit.js'
import type { Soon } from './lib/async.js'
import { mustChangePassword } from './principal/required-actions.js'
import type { StoredMethod } from './stores/contract.js'
import type { SecondFactorRecord } from './stores/second-factor-contract.js'
import type { PasskeyFactor, PasskeyShown, SentPasskey } from './two-factor/passkey-factor.js'
import { recoveryCodeHash } from './two-factor/recovery-codes.js'
import type { RememberedBrowsers, RememberedShown } from './two-factor/remembered-browser.js'
import { countsAsFactor, type SecondFactors, type UserFactors } from './two-factor/second-factor.js'
import type { AuthUser } from './users/contract.js'

/** The part of a sign-in that concerns the second factor. */
export interface FactorAttempt {
  /** Whether the sign-in continues an existing session. */
  readonly isRefresh: boolean
  /** Whether it goes on with a session: then a remembered browser is not asked again. */
  readonly goesOn: boolean
  /** The methods proven before. */
  readonly methods: readonly StoredMethod[]
  /**
   * A second-factor code; null if none was sent, undefined if this flow accepts none. In an
   * undefined case no code is sent to the user either.
   */
  readonly code: string | null | undefined
  /** A passkey instead of a code; null if none was sent, undefined if this flow accepts none. */
  readonly passkey: SentPasskey | null | undefined
  /** The token of a remembered browser; null if none was sent, undefined if none is accepted. */
  readonly rememberToken: string | null | undefined
  /** When `methods` were shown, if that was some time ago. */
  readonly shownAt: Date | undefined
  readonly context: RequestContext
}

/**
 * The factors that this attempt has proven. `proven` is empty if the user has no second factor or
 * has shown it before.
 */
export interface FactorProof {
  readonly proven: readonly ('otp' | 'recovery' | 'passkey' | 'remembered')[]
  readonly totpSince: Date | null
  /** The passkey, or its recovery code, that was shown now. */
  readonly passkeyShown: PasskeyShown | null
  /** The browser that stands in for a factor. */
  readonly remembered: RememberedShown | null
}

/** The parts that decide about a sign-in. */
export interface DecidingKit extends GroundKit, ManagementKit {
  readonly secondFactors: SecondFactors
  /** Undefined without the option `passkeys`. */
  readonly passkeyFactor: PasskeyFactor | undefined
  /** Undefined without the option `secondFactor.remember`. */
  readonly rememberedBrowsers: RememberedBrowsers | undefined
}

/** Checks the second factor of a user, if one is due; the error says what is missing. */
export function proveFactor(
  kit: DecidingKit,
  attempt: FactorAttempt,
  user: AuthUser,
  totp: SecondFactorRecord | null,
): Soon<FactorProof | AuthError> {
  const { secondFactors, passkeyFactor: passkeys } = kit
  const { goesOn, methods } = attempt
  const hasShown = secondFactors[goesOn ? 'mayGoOn' : 'meetsFactorPolicy'](methods)
  const reading = secondFactors.among(user, totp, attempt.methods)
  // Most users have none.
  if (reading === null && !hasShown && passkeys === undefined) return nothing(null)
  return proveDue(kit, attempt, user, { hasShown, reading })
}

async function proveDue(
  kit: DecidingKit,
  attempt: FactorAttempt,
  user: AuthUser,
  { hasShown, reading }: { hasShown: boolean; reading: Soon<UserFactors | null> },
): Promise<FactorProof | AuthError> {
  const { passkeyFactor: passkeys } = kit
  const factors = await reading
  if (attempt.isRefresh && factors !== null && hasEndedSessions(factors)) return nothing(null)
  if (hasShown) return shownBefore(passkeys, attempt, { user, factors })
  if (passkeys !== undefined && attempt.passkey)
    return provePasskey(passkeys, attempt.passkey, attempt, { user, factors })
  const remembered = await rememberedIn(kit, attempt, { user, factors })
  if (remembered !== null)
    return { ...nothing(totpSinceOf(factors)), proven: ['remembered'], remembered }
  if (factors !== null) return proveCode(kit, attempt, factors)
  // A new passkey ends no session, so a session opened without one continues.
  if (passkeys === undefined || attempt.isRefresh) return nothing(null)
  if (!(await passkeys.isDemanded(user))) return nothing(null)
  return proveWithoutTotp(kit, passkeys, attempt, user)
}

// A mailbox is one factor: a user who has shown only the mailbox must show the password as well.
async function noneCounts(
  { passkeyFactor: passkeys }: DecidingKit,
  attempt: FactorAttempt,
  factors: UserFactors,
): Promise<AuthError> {
  const hasPasskey = ((await passkeys?.offer(factors.user)) ?? null) !== null
  if (hasPasskey && attempt.passkey !== undefined)
    return refusal(passkeys, 'totp-required', attempt, factors)
  return new AuthError('forbidden', {
    clientMessage: 'Sign in with your password: your second factor is a code by mail as well.',
  })
}

// The session that has switched such a factor on is the only one that has not shown it.
function hasEndedSessions({ totp, others }: UserFactors): boolean {
  return totp === null && others.every(({ endsSessions }) => endsSessions)
}

async function shownBefore(
  passkeys: PasskeyFactor | undefined,
  attempt: FactorAttempt,
  { user, factors }: Owing,
): Promise<FactorProof | AuthError> {
  if (await isOutdated(passkeys, attempt, { user, factors }))
    return new AuthError('totp-required', { message: 'the factor that was shown is gone' })
  return nothing(totpSinceOf(factors))
}

function nothing(totpSince: Date | null): FactorProof {
  return { proven: [], totpSince, passkeyShown: null, remembered: null }
}

function totpSinceOf(factors: UserFactors | null): Date | null {
  return factors?.totp?.createdAt ?? null
}

// A code that was sent counts, whatever the browser has. A mailbox alone stands for no password.
async function rememberedIn(
  { rememberedBrowsers }: DecidingKit,
  { code, rememberToken: token, context }: FactorAttempt,
  { user, factors }: Owing,
): Promise<RememberedShown | null> {
  if (rememberedBrowsers === undefined || !token || (code ?? null) !== null) return null
  if (factors?.methods.length === 0) return null
  // Another password is set only after every factor: somebody else may know this one.
  if (mustChangePassword(user)) return null
  return rememberedBrowsers.judge(user, { token, totpSince: totpSinceOf(factors) }, context)
}

// An authorization code may have been issued for a factor that was removed or replaced since.
async function isOutdated(
  passkeys: PasskeyFactor | undefined,
  { methods, shownAt }: FactorAttempt,
  { user, factors }: Owing,
): Promise<boolean> {
  if (shownAt === undefined) return false
  if (factors !== null) {
    // Removing a passkey ends the sessions it has opened, except the one that removes it.
    if (methods.includes('passkey')) return false
    return factors.totp !== null && factors.totp.createdAt > shownAt
  }
  // The host may have checked a factor that the router does not know.
  if (!methods.some(countsAsFactor)) return false
  // Without code factors, only a passkey can have been shown, or a recovery code that replaced it.
  if (passkeys === undefined || methods.includes('otp')) return true
  return !(await passkeys.hadOne(user, shownAt))
}

/**
 * The user who must show a factor, with the factors that accept codes; null if the user has none of
 * those.
 */
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
  return { ...nothing(totpSinceOf(factors)), proven: ['passkey'], passkeyShown }
}

// Without TOTP only a recovery code that replaces a passkey can be right.
async function proveWithoutTotp(
  { throttle }: DecidingKit,
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
  return { ...nothing(null), proven: ['recovery'], passkeyShown }
}

function codesOfPasskeys(user: AuthUser): UserFactors {
  return { user, totp: null, others: [], methods: ['recovery'] }
}

async function proveCode(
  kit: DecidingKit,
  attempt: FactorAttempt,
  factors: UserFactors,
): Promise<FactorProof | AuthError> {
  if (factors.methods.length === 0) return noneCounts(kit, attempt, factors)
  const verdict = await checkCode(kit, attempt, factors)
  if (verdict === 'due') return codeDue(kit, attempt, factors)
  if (verdict === 'invalid') return refusal(kit.passkeyFactor, 'totp-invalid', attempt, factors)
  return { ...nothing(totpSinceOf(factors)), proven: [verdict] }
}

async function checkCode(
  { secondFactors, throttle }: DecidingKit,
  { code, context }: FactorAttempt,
  factors: UserFactors,
): Promise<'otp' | 'recovery' | 'invalid' | 'due'> {
  if (code === undefined || code === null) return 'due'
  // The code is counted before it is checked, per user over all networks: six digits do not
  // withstand uncounted guessing. A recovery code does, and so lets its user in when wrong codes of
  // others have reached the limit.
  const check = () => secondFactors.judge(factors, code, context)
  if (secondFactors.isRecovery(factors, code)) return check()
  const slot = { userId: factors.user.id, place: 'login' } as const
  return throttle.withSecondFactorSlot(slot, context, check)
}

async function codeDue(
  { secondFactors, passkeyFactor: passkeys, throttle }: DecidingKit,
  attempt: FactorAttempt,
  factors: UserFactors,
): Promise<AuthError> {
  const { code, context } = attempt
  if (code === undefined || !secondFactors.sendsCodes(factors))
    return refusal(passkeys, 'totp-required', attempt, factors)
  // Sending a code counts like checking one: someone who knows the password could otherwise flood
  // the mailbox.
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
  // The passkey comes first if only recovery codes would be left.
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
