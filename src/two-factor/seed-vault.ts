import { createVault, type Vault } from '../lib/vault.js'

/** Seals TOTP seeds, bound to their user. */
export type SeedVault = Vault

/**
 * RFC 4226 R6: a seed of 128 bits at least. speakeasy accepts an empty seed, whose codes are
 * public.
 */
export const minSeedBytes = 16

/** Makes a vault for seeds. The first key seals, all of them open. */
export function createSeedVault(encryptionKeys: readonly Buffer[]): SeedVault {
  return createVault('totp-seed', encryptionKeys)
}
