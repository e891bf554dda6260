import { createVault, type Vault } from '../lib/vault.js'

/** Seals TOTP seeds, bound to their user. */
export type SeedVault = Vault

/** Makes a vault for seeds. The first key seals, all of them open. */
export function createSeedVault(encryptionKeys: readonly Buffer[]): SeedVault {
  return createVault('totp-seed', encryptionKeys)
}
