import type { SecondFactorStore } from '../stores/second-factor-contract.js'

/** The recovery codes of disabled TOTP, which the user keeps for the passkeys. */
export interface KeptCodes {
  /** Uses one up: true for exactly one of several callers. Rejects with 503. */
  consume(userId: string, codeHash: string): Promise<boolean>
  /** Deletes the codes of a user unless TOTP is active. Rejects with 503. */
  forget(userId: string): Promise<void>
}

/** Without a store there has never been TOTP. */
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
