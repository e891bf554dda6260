import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { deriveKey, sha256 } from './secrets.js'

/**
 * Encrypts secrets for the database with AES-256-GCM, bound to their owner, with a key that is not
 * in the database.
 */
export interface Vault {
  seal(owner: string, secret: Buffer): string
  /**
   * The secret; null if it was encrypted for another owner or purpose or with an unknown key, or
   * was modified.
   */
  open(owner: string, sealed: string): Buffer | null
  /** Whether it was encrypted with the first key. */
  isSealedByNewest(sealed: string): boolean
}

/** The mark that a sealed text begins with: the form, and a name of the key that sealed it. */
export function markOf(sealed: string): string {
  return sealed.slice(0, markLength)
}

/** The mark of all that this key seals for a purpose. */
export function markOfKey(purpose: string, encryptionKey: Buffer): string {
  return `v1.${deriveVaultKey(purpose, encryptionKey).id}`
}

/** Characters. */
export const markLength = 11

interface VaultKey {
  readonly id: string
  readonly bytes: Buffer
}

/** A vault for one purpose. The first key encrypts, all decrypt. */
export function createVault(purpose: string, encryptionKeys: readonly Buffer[]): Vault {
  const keys = encryptionKeys.map((key) => deriveVaultKey(purpose, key))
  const [sealing] = keys as [VaultKey, ...VaultKey[]]
  return {
    seal(owner, secret) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', sealing.bytes, nonce).setAAD(
        Buffer.from(owner, 'utf8'),
      )
      const sealed = Buffer.concat([cipher.update(secret), cipher.final(), cipher.getAuthTag()])
      return ['v1', sealing.id, nonce.toString('base64url'), sealed.toString('base64url')].join('.')
    },
    open(owner, sealed) {
      const [version, keyId, nonce = '', body = ''] = sealed.split('.')
      const key = keys.find(({ id }) => id === keyId)
      return version === 'v1' && key !== undefined
        ? decrypt(key, owner, nonce, Buffer.from(body, 'base64url'))
        : null
    },
    isSealedByNewest: (sealed) => sealed.startsWith(`v1.${sealing.id}.`),
  }
}

function deriveVaultKey(purpose: string, encryptionKey: Buffer): VaultKey {
  const bytes = deriveKey(purpose, encryptionKey)
  return { id: sha256(bytes.toString('hex')).slice(0, 8), bytes }
}

function decrypt(key: VaultKey, owner: string, nonce: string, body: Buffer): Buffer | null {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key.bytes, Buffer.from(nonce, 'base64url'), {
      authTagLength: 16,
    })
    decipher.setAAD(Buffer.from(owner, 'utf8')).setAuthTag(body.subarray(-16))
    return Buffer.concat([decipher.update(body.subarray(0, -16)), decipher.final()])
  } catch {
    return null
  }
}
