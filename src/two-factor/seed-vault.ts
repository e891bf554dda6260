import { createVault, type Vault } from '../lib/vault.js'
/** Seals TOTP seeds, bound to their user. */
export type SeedVault = Vault

/** RFC 4226 R6: at least 128 bits. speakeasy accepts an empty seed, whose codes are public. */
export const minSeedBytes = 16

/** The first key seals, all keys open. */
export function createSeedVault(encryptionKeys: readonly Buffer[]): SeedVault {
  return createVault('totp-seed', encryptionKeys)
}
