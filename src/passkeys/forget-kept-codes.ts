import type { PasskeyStore } from '../stores/passkey-contract.js'
import type { KeptCodes } from '../two-factor/kept-codes.js'

/**
 * Deletes the recovery codes kept from TOTP if the user has no passkey that they could replace.
 * Call it after a passkey was removed, and before one is added: if the store failed at the removal,
 * old codes would work for the new passkey. Rejects with 503.
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
