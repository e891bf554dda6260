import { randomBytes } from 'node:crypto'
import { encodeBase32 } from '../lib/base32.js'
import { sha256 } from '../lib/digest.js'

const howMany = 10
/** 120 bits: enough that a plain SHA-256 in the database cannot be guessed (ASVS V6.5.2). */
const bytesEach = 15

/** Ten new recovery codes, in groups of four that people can type. Shown once; only {@link recoveryCodeHash} is kept. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: howMany }, () => encodeBase32(randomBytes(bytesEach)).match(/.{4}/g)?.join('-') ?? '')
}

/** The stored form of a recovery code, however it was typed; null for text that is none. */
export function recoveryCodeHash(typed: string): string | null {
  const code = typed.replace(/[\s-]/g, '')
  return /^[A-Za-z2-7]{24}$/.test(code) ? sha256(`recovery:${code.toUpperCase()}`) : null
}
