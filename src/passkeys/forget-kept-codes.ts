import type { PasskeyStore } from '../stores/passkey-contract.js'
import type { KeptCodes } from '../two-factor/kept-codes.js'

/**
 * Deletes the recovery codes that a user has kept of TOTP, where there is no passkey that they
 * stand in for. Call it when one was removed, and before one is added: where the store failed at
 * the removal, codes of long ago would stand in for the new one. Rejects with 503.
 */
export type ForgetKeptCodes = (userId: string) => Promise<void>

export function createForgetKeptCodes(
  store: Pick<PasskeyStore, 'listForUser'>,
  keptCodes: Pick<KeptCodes, 'forget'>,
): ForgetKeptCodes {
  return async function forgetKeptCodes(userId) {
    if ((await store.listForUser(userId)).length === 0) await keptCodes.forget(userId)
  }
}
