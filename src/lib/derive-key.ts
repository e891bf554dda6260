import { hkdfSync } from 'node:crypto'

/**
 * The key for one purpose. Each purpose has its own, so that a leak of one reveals nothing about
 * the others (ASVS V11.2.2). Without an encryption key, everybody can compute it.
 */
export function deriveKey(purpose: string, encryptionKey: Buffer | undefined): Buffer {
  const info = `messaging-auth-router:${purpose}`
  return Buffer.from(hkdfSync('sha256', encryptionKey ?? '', '', info, 32))
}
