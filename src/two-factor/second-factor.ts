import { AuthError } from '../errors.js'
import { type Audit, noRequest, type RequestContext } from '../events.js'
import { decodeBase32 } from '../lib/base32.js'
import type { SecondFactorRecord, SecondFactorStore } from '../stores/contract.js'
import { newRecoveryCodes, recoveryCodeHash } from './recovery-codes.js'
import type { SeedVault } from './seed-vault.js'
import { matchingStep, shortestSeed } from './totp.js'

/** What a code turned out to be. */
export type CodeVerdict = 'otp' | 'recovery' | 'invalid'

/** A TOTP seed from another system, to be taken over. */
export interface ImportedSecondFactor {
  readonly userId: string
  /** Base32, at least 16 bytes: what the user's authenticator app already holds. */
  readonly secret: string
}

/** The users' second factors, for the host's own code. */
export interface SecondFactorsForHost {
  /**
   * Activates a factor the user already has elsewhere. Returns ten recovery codes, to be shown once. Rejects with `invalid-request`
   * for a secret that is not base32 of 16 bytes or more, and with `totp-already-enabled`.
   */
  importTotp(imported: ImportedSecondFactor): Promise<{ recoveryCodes: string[] }>
}

/** The users' second factors. */
export interface SecondFactors extends SecondFactorsForHost {
  /** The user's active factor, or null. */
  find(userId: string): Promise<SecondFactorRecord | null>
  /**
   * Judges a code and burns it: a TOTP step and a recovery code are good once. Ask only after a right password, so that a code
   * is not used up by somebody who does not know it.
   */
  judge(factor: SecondFactorRecord, code: string, context: RequestContext): Promise<CodeVerdict>
}

/** What judging codes needs. */
export interface SecondFactorDeps {
  readonly store: SecondFactorStore
  readonly vault: SeedVault
  readonly clock: () => Date
  readonly audit: Audit
}

/** Judges codes against the store. */
export function createSecondFactors({ store, vault, clock, audit }: SecondFactorDeps): SecondFactors {
  async function judgeTotp(factor: SecondFactorRecord, code: string, context: RequestContext): Promise<CodeVerdict> {
    const seed = vault.open(factor.userId, factor.sealedSeed)
    // An empty or foreign seed must never be asked: with it, the code is known to everybody.
    if (seed === null || seed.length < shortestSeed) {
      audit({ type: 'second-factor.unreadable', userId: factor.userId }, context)
      throw new AuthError('temporarily-unavailable', { message: 'a TOTP seed cannot be opened', retryAfter: 60 })
    }
    const step = matchingStep(seed, code, clock())
    if (step === null) return 'invalid'
    const { outcome } = await store.advanceStep(factor.userId, step)
    return outcome === 'advanced' ? 'otp' : 'invalid'
  }

  async function judgeRecovery(factor: SecondFactorRecord, code: string, context: RequestContext): Promise<CodeVerdict> {
    const hash = recoveryCodeHash(code)
    if (hash === null) return 'invalid'
    const { outcome } = await store.consumeRecoveryCode(factor.userId, hash)
    if (outcome !== 'consumed') return 'invalid'
    audit({ type: 'recovery-code.used', userId: factor.userId }, context)
    return 'recovery'
  }

  return {
    find: (userId) => store.find(userId),

    judge: (factor, code, context) =>
      /^[0-9]{6}$/.test(code) ? judgeTotp(factor, code, context) : judgeRecovery(factor, code, context),

    async importTotp({ userId, secret }) {
      const seed = decodeBase32(secret)
      if (seed === null || seed.length < shortestSeed) {
        throw new AuthError('invalid-request', { message: 'a TOTP secret is base32 of at least 16 bytes' })
      }
      const recoveryCodes = newRecoveryCodes()
      const factor = { userId, sealedSeed: vault.seal(userId, seed), lastStep: -1, createdAt: clock() }
      const { outcome } = await store.activate(factor, recoveryCodes.map(hashOfOwnCode))
      if (outcome !== 'activated') throw new AuthError('totp-already-enabled')
      audit({ type: 'second-factor.imported', userId }, noRequest)
      return { recoveryCodes }
    },
  }
}

function hashOfOwnCode(code: string): string {
  return recoveryCodeHash(code) as string
}
