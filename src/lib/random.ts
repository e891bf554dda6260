import { randomBytes } from 'node:crypto'

/** A secret of 256 random bits as 43 base64url characters. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * An identifier of 128 random bits as 22 base64url characters: unguessable, but not a credential.
 */
export function randomId(): string {
  return randomBytes(16).toString('base64url')
}
