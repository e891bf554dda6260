import type { JWK } from 'jose'
import { UnexpectedAnswer } from '../lib/host-call.js'
import type { KeyRing } from './contract.js'
import { type CheckedKey, type ImportedKey, importSigningKey } from './key-material.js'
/** The keys of a ring, imported. */
export interface ImportedKeys {
  /** The signing key. Rejects while there is none. */
  active(): Promise<ImportedKey>
  /** Null for a kid that is not in this ring. */
  byKid(kid: string): Promise<ImportedKey | null>
  /** The public parts of all keys. */
  published(): Promise<JWK[]>
}

/** Imports each key of a ring once; repeats a failed import. */
export function createImportedKeys(ring: KeyRing): ImportedKeys {
  const imported = new Map<string, Promise<ImportedKey>>()

  function importOnce(key: CheckedKey): Promise<ImportedKey> {
    const known = imported.get(key.kid)
    if (known !== undefined) return known
    const importing = importSigningKey(key).catch((error: unknown) => {
      imported.delete(key.kid)
      throw error
    })
    imported.set(key.kid, importing)
    return importing
  }

  return {
    async active() {
      const { active } = await ring.snapshot()
      if (active !== null) return importOnce(active)
      throw new UnexpectedAnswer(
        'the signing key whose time it is cannot be opened with the encryption keys of this ring',
      )
    },

    async byKid(kid) {
      const key = (await ring.snapshot(kid)).all.find((one) => one.kid === kid)
      return key === undefined ? null : importOnce(key)
    },

    async published() {
      const all = await Promise.all((await ring.snapshot()).all.map(importOnce))
      return all.flatMap(({ publicJwk }) => (publicJwk === null ? [] : [{ ...publicJwk }]))
    },
  }
}
