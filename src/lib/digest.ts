import { createHmac, hash } from 'node:crypto'

/** SHA-256 as 43 base64url characters. All random secrets are stored and looked up by it. */
export function sha256(text: string): string {
  return hash('sha256', text, 'base64url')
}

/**
 * HMAC-SHA-256 as 43 base64url characters, for values that could be guessed from a plain digest.
 */
export function hmacSha256(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text, 'utf8').digest('base64url')
}
