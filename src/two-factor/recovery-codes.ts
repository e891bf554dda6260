import { randomBytes } from 'node:crypto'
import { sha256 } from '../lib/secrets.js'
import { encodeBase32 } from '../lib/typed-codes.js'

const codeCount = 10
/**
 * 120 bits: enough that a plain SHA-256 in the database cannot be guessed (ASVS V6.5.2). A multiple
 * of five, so that base32 needs no padding.
 */
const codeBytes = 15
/** Base32 has five bits a character (https://www.rfc-editor.org/rfc/rfc4648#section-6). */
const codeLength = (codeBytes * 8) / 5

/** New recovery codes: shown to the user once, stored as hashes. */
export interface NewRecoveryCodes {
  /** In groups of four, for typing. */
  readonly codes: string[]
  /** In the same order. */
  readonly hashes: string[]
}

/** Makes ten new recovery codes. */
export function newRecoveryCodes(): NewRecoveryCodes {
  const plain = Array.from({ length: codeCount }, () => encodeBase32(randomBytes(codeBytes)))
  return {
    codes: plain.map((code) => code.match(/.{4}/g)?.join('-') ?? code),
    hashes: plain.map(hashOf),
  }
}

/** The stored form of a recovery code, however it was typed; null for any other text. */
export function recoveryCodeHash(typed: string): string | null {
  const code = typed.replace(/[\s-]/g, '')
  const isCode = code.length === codeLength && /^[A-Za-z2-7]+$/.test(code)
  return isCode ? hashOf(code.toUpperCase()) : null
}

function hashOf(code: string): string {
  return sha256(`recovery:${code}`)
}
