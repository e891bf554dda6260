import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { sha256 } from '../lib/digest.js'

/** Seals TOTP seeds for the database: AES-256-GCM, bound to the user, under a key the database does not hold. */
export interface SeedVault {
  seal(userId: string, seed: Buffer): string
  /** The seed; null when it was sealed for another user, under an unknown key, or was tampered with. */
  open(userId: string, sealed: string): Buffer | null
}

interface VaultKey {
  readonly id: string
  readonly bytes: Buffer
}

/** Makes a vault. The first key seals, all of them open. */
export function createSeedVault(encryptionKeys: readonly Buffer[]): SeedVault {
  const keys = encryptionKeys.map(deriveVaultKey)
  const [sealing] = keys as [VaultKey, ...VaultKey[]]
  return {
    seal(userId, seed) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', sealing.bytes, nonce).setAAD(Buffer.from(userId, 'utf8'))
      const sealed = Buffer.concat([cipher.update(seed), cipher.final(), cipher.getAuthTag()])
      return ['v1', sealing.id, nonce.toString('base64url'), sealed.toString('base64url')].join('.')
    },
    open(userId, sealed) {
      const [version, keyId, nonce = '', body = ''] = sealed.split('.')
      const key = keys.find(({ id }) => id === keyId)
      return version === 'v1' && key !== undefined ? decrypt(key, userId, nonce, Buffer.from(body, 'base64url')) : null
    },
  }
}

// Each purpose has a key of its own, so that what one leaks says nothing about another (ASVS V11.2.2).
function deriveVaultKey(encryptionKey: Buffer): VaultKey {
  const bytes = Buffer.from(hkdfSync('sha256', encryptionKey, '', 'messaging-auth-router:totp-seed', 32))
  return { id: sha256(bytes.toString('hex')).slice(0, 8), bytes }
}

function decrypt(key: VaultKey, userId: string, nonce: string, body: Buffer): Buffer | null {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key.bytes, Buffer.from(nonce, 'base64url'), { authTagLength: 16 })
    decipher.setAAD(Buffer.from(userId, 'utf8')).setAuthTag(body.subarray(-16))
    return Buffer.concat([decipher.update(body.subarray(0, -16)), decipher.final()])
  } catch {
    return null
  }
}
