import { hkdfSync } from 'node:crypto'

/**
 * The key of one purpose. Each has its own, so that what one leaks says nothing about another (ASVS
 * V11.2.2). Without an encryption key it is one that everybody can work out.
 */
export function deriveKey(purpose: string, encryptionKey: Buffer | undefined): Buffer {
  const info = `messaging-auth-router:${purpose}`
  return Buffer.from(hkdfSync('sha256', encryptionKey ?? '', '', info, 32))
}
