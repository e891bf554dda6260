import type { SecondFactorStore } from '../stores/second-factor-contract.js'

/** The recovery codes of a TOTP that is off, which its user has kept for the passkeys. */
export interface KeptCodes {
  /** Uses one up: true for one of several callers. Rejects with 503. */
  consume(userId: string, codeHash: string): Promise<boolean>
  /** Deletes those of a user, but not where there is TOTP. Rejects with 503. */
  forget(userId: string): Promise<void>
}

/** Makes it; without a store there has never been TOTP. */
export function createKeptCodes(
  store: Pick<SecondFactorStore, 'consumeRecoveryCode' | 'deleteKeptRecoveryCodes'> | undefined,
): KeptCodes {
  return {
    async consume(userId, codeHash) {
      const answer = await store?.consumeRecoveryCode(userId, codeHash)
      return answer?.outcome === 'consumed'
    },
    async forget(userId) {
      await store?.deleteKeptRecoveryCodes(userId)
    },
  }
}
