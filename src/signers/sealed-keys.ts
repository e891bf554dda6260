import { AuthConfigError } from '../errors.js'
import { decodeEncryptionKeys, encryptionKeyRemedy } from '../lib/encryption-key.js'
import { createVault, type Vault } from '../lib/vault.js'
import type { StoredSigningKey } from './contract.js'
import {
  type CheckedKey,
  checkSigningKey,
  generateSigningKey,
  type KeyAlgorithm,
  type KeyPurpose,
  purposeOf,
} from './key-material.js'

/** The vault that encrypts private keys. Throws `AuthConfigError` for unusable encryption keys. */
export function keyVault(encryptionKeys: readonly unknown[] = []): Vault {
  if (encryptionKeys.length === 0)
    throw new AuthConfigError('keyRing.encryptionKeys', 'is missing.', encryptionKeyRemedy)
  return createVault('signing-key', decodeEncryptionKeys(encryptionKeys, 'keyRing.encryptionKeys'))
}

/** Makes a key and encrypts it, bound to its `kid`. */
export async function makeSealedKey(
  vault: Vault,
  algorithm: KeyAlgorithm,
): Promise<Pick<StoredSigningKey, 'kid' | 'sealedKey'>> {
  const key = await generateSigningKey(algorithm)
  const kid = key.kid as string
  return { kid, sealedKey: vault.seal(kid, Buffer.from(JSON.stringify(key))) }
}

/** Decrypts the stored keys of one ring. */
export interface SealedKeys {
  /** Null for a key that cannot be decrypted or belongs to another kind of ring. */
  open(key: StoredSigningKey): CheckedKey | null
  /** The error if that key is needed. */
  refusalOf(key: StoredSigningKey): AuthConfigError
}

/**
 * Decrypts each key once. `place`: the option for errors. `onUnreadable`: called for each key that
 * is skipped.
 */
export function createSealedKeys(
  vault: Vault,
  purpose: KeyPurpose,
  place: string,
  onUnreadable: (generation: number, problem: string) => void,
): SealedKeys {
  const opened = new Map<string, CheckedKey>()
  const foreign = new Set<string>()

  function read(kid: string, text: string): CheckedKey | null {
    const jwk = JSON.parse(text) as { readonly alg?: unknown }
    // By the encrypted `alg`: an attacker who can write to the store cannot change the kind.
    if (purposeOf(jwk.alg) === purpose) return checkSigningKey(jwk, place, purpose)
    foreign.add(kid)
    return null
  }

  return {
    open({ generation, kid, sealedKey }) {
      const known = opened.get(kid)
      if (known !== undefined) return known
      const bytes = vault.open(kid, sealedKey)
      if (bytes === null) {
        onUnreadable(generation, 'cannot be opened with these encryption keys')
        return null
      }
      try {
        const key = read(kid, bytes.toString('utf8'))
        if (key === null) onUnreadable(generation, 'is of another ring')
        else opened.set(kid, key)
        return key
      } catch {
        onUnreadable(generation, 'is of a kind that this release does not know')
        return null
      }
    },

    refusalOf: ({ generation, kid }) =>
      foreign.has(kid) ? misplaced(place, purpose) : unopenable(generation),
  }
}

const problems: Readonly<Record<KeyPurpose, string>> = {
  'access-tokens': 'holds the keys of a ring with algorithm: RS256.',
  rs256: 'holds the keys of a ring for access tokens.',
}

function misplaced(place: string, purpose: KeyPurpose): AuthConfigError {
  return new AuthConfigError(
    place,
    problems[purpose],
    'give each of the two rings a folder or a store of its own.',
  )
}

function unopenable(generation: number): AuthConfigError {
  const problem = `signing key ${generation} cannot be opened with these encryption keys.`
  return new AuthConfigError(
    'keyRing.encryptionKeys',
    problem,
    'pass the key that it was sealed with, too: [new, old].',
  )
}
