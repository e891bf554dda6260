import { AuthConfigError } from '../errors.js'
import { decodeEncryptionKeys, encryptionKeyRemedy } from '../lib/encryption-key.js'
import { createVault, type Vault } from '../lib/vault.js'
import type { StoredSigningKey } from './contract.js'
import { type CheckedKey, checkSigningKey } from './key-material.js'

/** The vault of a ring's private keys. Throws `AuthConfigError` for unusable encryption keys. */
export function keyVault(encryptionKeys: readonly unknown[] = []): Vault {
  if (encryptionKeys.length === 0)
    throw new AuthConfigError('keyRing.encryptionKeys', 'is missing.', encryptionKeyRemedy)
  return createVault('signing-key', decodeEncryptionKeys(encryptionKeys, 'keyRing.encryptionKeys'))
}

/** Opens a stored key; null for one that cannot be opened. */
export type OpenKey = (key: StoredSigningKey) => CheckedKey | null

/** Opens each key once. `onUnreadable` is told of each that cannot be opened. */
export function createOpenKey(
  vault: Vault,
  onUnreadable: (generation: number, problem: string) => void,
): OpenKey {
  const opened = new Map<string, CheckedKey>()
  return function openKey({ generation, kid, sealedKey }) {
    const known = opened.get(kid)
    if (known !== undefined) return known
    const bytes = vault.open(kid, sealedKey)
    if (bytes === null) {
      onUnreadable(generation, 'cannot be opened with these encryption keys')
      return null
    }
    try {
      const key = checkSigningKey(
        JSON.parse(bytes.toString('utf8')),
        `keyRing: generation ${generation}`,
      )
      opened.set(kid, key)
      return key
    } catch {
      onUnreadable(generation, 'is of a kind that this release does not know')
      return null
    }
  }
}

/** What is thrown where a key is needed that cannot be opened. */
export function unopenable({ generation }: StoredSigningKey): AuthConfigError {
  const problem = `signing key ${generation} cannot be opened with these encryption keys.`
  return new AuthConfigError(
    'keyRing.encryptionKeys',
    problem,
    'pass the key that it was sealed with, too: [new, old].',
  )
}
