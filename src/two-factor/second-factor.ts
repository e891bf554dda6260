import { AuthError } from '../errors.js'
import type { Audit, RequestContext } from '../events.js'
import type { AuthenticationMethod, SecondFactorRecord, SecondFactorStore } from '../stores/contract.js'
import type { AuthUser } from '../users/contract.js'
import type { OtherFactor } from './contract.js'
import { recoveryCodeHash } from './recovery-codes.js'
import type { SeedVault } from './seed-vault.js'
import { matchingStep, shortestSeed } from './totp.js'

/** What a code turned out to be. */
export type CodeVerdict = 'otp' | 'recovery' | 'invalid'

/** The second factors of one user, one at least. */
export interface UserFactors {
  readonly user: AuthUser
  /** Null for a user who has only factors of the host's. */
  readonly totp: SecondFactorRecord | null
  readonly others: readonly OtherFactor[]
  /** Their names, the one to be asked for first in front. */
  readonly methods: readonly string[]
}

/** The users' second factors. */
export interface SecondFactors {
  /** The user's active factors; null for a user who has none. */
  of(user: AuthUser): Promise<UserFactors | null>
  /** Sends a code, where the first of the user's factors works that way. Says whether it did. */
  sendCode(factors: UserFactors, context: RequestContext): Promise<boolean>
  /** Whether {@link SecondFactors.sendCode} would send one. */
  sendsCodes(factors: UserFactors): boolean
  /**
   * Judges a code and burns it: a TOTP step and a recovery code are good once. Ask only after a right password, so that a code
   * is not used up by somebody who does not know it.
   */
  judge(factors: UserFactors, code: string, context: RequestContext): Promise<CodeVerdict>
}

/** What judging codes needs. */
export interface SecondFactorDeps {
  /** Null when the host keeps no TOTP seeds. */
  readonly totp: { readonly store: SecondFactorStore; readonly vault: SeedVault } | null
  readonly others: readonly OtherFactor[]
  readonly clock: () => Date
  readonly audit: Audit
}

/** Whether a second factor was shown. */
export function hasShownFactor(methods: readonly AuthenticationMethod[]): boolean {
  return methods.includes('otp') || methods.includes('recovery')
}

/** Opens a sealed seed. An empty or foreign one must never be asked: with it, the code is known to everybody. */
export function openSeed(
  vault: SeedVault,
  { userId, sealedSeed }: Pick<SecondFactorRecord, 'userId' | 'sealedSeed'>,
  audit: Audit,
  context: RequestContext,
): Buffer {
  const seed = vault.open(userId, sealedSeed)
  if (seed !== null && seed.length >= shortestSeed) return seed
  audit({ type: 'second-factor.unreadable', userId }, context)
  throw new AuthError('temporarily-unavailable', { message: 'a TOTP seed cannot be opened', retryAfter: 60 })
}

/** Judges codes against the store, and against the host's own factors. */
export function createSecondFactors(deps: SecondFactorDeps): SecondFactors {
  const first = ({ others, totp }: UserFactors) => (totp === null ? others[0] : undefined)
  return {
    async of(user) {
      const totp = (await deps.totp?.store.find(user.id)) ?? null
      const enabled = await Promise.all(deps.others.map((factor) => factor.isEnabled(user)))
      const others = deps.others.filter((_factor, index) => enabled[index])
      const names = others.map(({ name }) => name)
      const methods = totp === null ? names : ['totp', ...names, 'recovery']
      return methods.length === 0 ? null : { user, totp, others, methods }
    },

    sendsCodes: (factors) => first(factors)?.sendCode !== undefined,

    async sendCode(factors, context) {
      const factor = first(factors)
      if (factor?.sendCode === undefined) return false
      await factor.sendCode(factors.user)
      deps.audit({ type: 'second-factor.code-sent', userId: factors.user.id, method: factor.name }, context)
      return true
    },

    async judge(factors, code, context) {
      const { totp, others, user } = factors
      if (totp !== null && deps.totp !== null) {
        const verdict = await judgeOwn(deps.totp, deps, totp, code, context)
        if (verdict !== 'invalid') return verdict
      }
      // One after the other: a code that one has taken must not be offered to the next.
      for (const factor of others) if ((await factor.verify(user, code)).outcome === 'accepted') return 'otp'
      return 'invalid'
    },
  }
}

type OwnFactor = NonNullable<SecondFactorDeps['totp']>

function judgeOwn(own: OwnFactor, deps: SecondFactorDeps, factor: SecondFactorRecord, code: string, context: RequestContext) {
  return /^[0-9]{6}$/.test(code) ? judgeTotp(own, deps, factor, code, context) : judgeRecovery(own, deps, factor, code, context)
}

async function judgeTotp(
  { store, vault }: OwnFactor,
  { audit, clock }: SecondFactorDeps,
  factor: SecondFactorRecord,
  code: string,
  context: RequestContext,
): Promise<CodeVerdict> {
  const { userId, sealedSeed } = factor
  const seed = openSeed(vault, factor, audit, context)
  const step = matchingStep(seed, code, clock())
  if (step === null) return 'invalid'
  const { outcome } = await store.advanceStep(userId, step)
  if (outcome !== 'advanced') return 'invalid'
  // Under the newest key from now on, so that the old one can be thrown away some day. Whoever signs in does not wait for it.
  if (!vault.isSealedByNewest(sealedSeed)) void store.reseal(userId, sealedSeed, vault.seal(userId, seed)).catch(() => {})
  return 'otp'
}

async function judgeRecovery(
  { store }: OwnFactor,
  { audit }: SecondFactorDeps,
  { userId }: SecondFactorRecord,
  code: string,
  context: RequestContext,
): Promise<CodeVerdict> {
  const hash = recoveryCodeHash(code)
  if (hash === null) return 'invalid'
  const { outcome } = await store.consumeRecoveryCode(userId, hash)
  if (outcome !== 'consumed') return 'invalid'
  audit({ type: 'recovery-code.used', userId }, context)
  return 'recovery'
}
