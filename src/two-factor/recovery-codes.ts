import { randomBytes } from 'node:crypto'
import { sha256 } from '../lib/secrets.js'
import { encodeBase32 } from '../lib/typed-codes.js'
import type { SecondFactorStore } from '../stores/second-factor-contract.js'

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
  /** The codes in groups of four, for typing. */
  readonly codes: string[]
  /** The hashes, in the order of `codes`. */
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

/** The recovery codes of disabled TOTP, which the user keeps for the passkeys. */
export interface KeptCodes {
  /** Uses one up: true for exactly one of several callers. Rejects with 503. */
  consume(userId: string, codeHash: string): Promise<boolean>
  /** Deletes the codes of a user unless TOTP is active. Rejects with 503. */
  forget(userId: string): Promise<void>
}

/** Without a store there has never been TOTP. */
export function createKeptCodes(
  store: Pick<SecondFactorStore, 'consumeRecoveryCode' | 'deleteKeptRecoveryCodes'> | undefined,
): KeptCodes {
  return {
    async consume(userId, codeHash) {
      const answer = await store?.consumeRecoveryCode(userId, codeHash)
      return answer?.outcome === 'consumed'
    },
    async forget(userId) {
      await store?.deleteKeptRecoveryCodes(userId)
    },
  }
}
