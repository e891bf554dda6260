import { createCipheriv } from 'node:crypto'
import { type Derivation, fromBase64, saltAndHash } from './stored-text.js'

/** The password hash parameters of a Firebase project; its console shows them. */
export interface FirebaseScryptParams {
  /** `base64_signer_key`, 64 bytes. A secret: without it, a stolen table is useless. */
  readonly signerKey: string
  /** `base64_salt_separator`. */
  readonly saltSeparator: string
  /** `rounds`, from 1 to 16. */
  readonly rounds: number
  /** `mem_cost`, from 10 to 17. */
  readonly memCost: number
}

const beginning = '$firebase-scrypt$'
const signerKeyLength = 64

type Scrypt = (password: string, salt: Buffer, keyLength: number) => Promise<Buffer>

/**
 * Firebase's variant of scrypt: the derived key encrypts the project's key, and the result is the
 * hash. Exported accounts have salt and hash in two fields; the host joins them as
 * `$firebase-scrypt$<salt>$<hash>`.
 */
export function firebaseDerivation(params: FirebaseScryptParams, scrypt: Scrypt): Derivation {
  const signerKey = Buffer.from(params.signerKey, 'base64')
  const separator = Buffer.from(params.saltSeparator, 'base64')
  return {
    hashLength: signerKeyLength,
    read(stored) {
      if (!stored.startsWith(beginning)) return null
      const [salt, hash, more] = stored.slice(beginning.length).split('$', 3)
      if (salt === undefined || hash === undefined || more !== undefined) return null
      return saltAndHash(fromBase64(salt), fromBase64(hash), signerKeyLength)
    },
    async derive(password, salt) {
      const key = await scrypt(password, Buffer.concat([salt, separator]), 32)
      const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
      return Buffer.concat([cipher.update(signerKey), cipher.final()])
    },
  }
}

/** Whether text is base64 of a signer key. */
export function isSignerKey(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value.length <= 128 &&
    fromBase64(value)?.length === signerKeyLength
  )
}

/** Whether text is base64 of a few bytes. */
export function isSaltSeparator(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 64 && fromBase64(value) !== null
}
