import {
  createCipheriv,
  scrypt as deriveScrypt,
  type ScryptOptions as NodeOptions,
} from 'node:crypto'
import { z } from 'zod'
import { checkOptions, fitting, optionsOf, whole } from '../../lib/check-options.js'
import type { PasswordReader, ReaderSetting } from '../contract.js'
import {
  type Derivation,
  fromBase64,
  fromHex,
  type SaltAndHash,
  saltAndHash,
  settingOf,
} from './stored-text.js'
import { inThreadPool } from './thread-pool.js'

/** The cost of scrypt hashes ([RFC 7914](https://www.rfc-editor.org/rfc/rfc7914#section-2)). */
export interface ScryptParams {
  /** CPU and memory cost: a power of two from 1,024 to 1,048,576. */
  readonly N: number
  /** Block size, 1 to 32. Uses N × r × 128 bytes of memory, at most 256 MiB. */
  readonly r: number
  /** Parallelization, 1 to 16. */
  readonly p: number
  /** Bytes of the stored hash, 16 to 128. Default 64; passlib and libsodium store 32. */
  readonly keyLength?: number
}

/** Options of {@link scrypt}. */
export interface ScryptReaderOptions {
  /**
   * The exact costs in the table, 1 to 4 of them; for Firebase its four parameters. Hashes of
   * another cost are not read.
   */
  readonly params: readonly (ScryptParams | FirebaseScryptParams)[]
}

const mebibyte = 1024 * 1024
/** Milliseconds of N × r × p = 1,000, on a core of 2023. */
const pace = 0.33

/**
 * Reads scrypt hashes in these formats:
 *
 * - `$scrypt$ln=17,r=8,p=1$<base64 salt>$<base64>`: PHC string format, passlib
 * - `scrypt:32768:8:1$<salt>$<hex>`: Werkzeug
 * - `<hex salt>:<hex>`: better-auth, whose cost is `{ N: 16384, r: 16, p: 1 }`
 * - `$firebase-scrypt$<base64 salt>$<base64>`: use it for Firebase
 *
 * Runs in Node's thread pool.
 *
 * @throws AuthConfigError for parameters that are missing or out of range
 *
 * @example
 * ```ts
 * import { bcryptHasher, combinedHasher, scrypt } from 'messaging-auth-router'
 *
 * const passwords = combinedHasher({
 *   current: bcryptHasher(),
 *   legacy: [scrypt({ params: [{ N: 16_384, r: 16, p: 1 }] })],
 * })
 * ```
 */
export function scrypt(options: ScryptReaderOptions): PasswordReader {
  const { params } = checkOptions(rules, options)
  return {
    settings: params.map((one) => ('signerKey' in one ? firebaseSetting(one) : plainSetting(one))),
  }
}

function plainSetting({ N, r, p, keyLength = 64 }: ScryptParams): ReaderSetting {
  const derivation: Derivation = {
    hashLength: keyLength,
    read: readerOf({ N, r, p, keyLength }),
    derive: (password, salt) => run(password, salt, keyLength, { N, r, p }),
  }
  const isBetterAuth = N === 16_384 && r === 16 && p === 1 && keyLength === 64
  const { canRead, verify } = settingOf(derivation)
  return {
    name: `scrypt, N ${N}, r ${r}, p ${p}`,
    estimatedMs: estimate(N, r, p),
    canRead,
    // better-auth hashes the NFKC form. Computed for every password, so that the time does not
    // depend on the stored hash.
    verify(plain, stored) {
      const normalized = isBetterAuth && typeof plain === 'string' ? plain.normalize('NFKC') : plain
      return verify(stored !== null && betterAuth.test(stored) ? normalized : plain, stored)
    },
  }
}

function firebaseSetting(params: FirebaseScryptParams): ReaderSetting {
  const { memCost, rounds } = params
  const cost = { N: 2 ** memCost, r: rounds, p: 1 }
  return {
    name: `Firebase scrypt, mem_cost ${memCost}, rounds ${rounds}`,
    estimatedMs: estimate(cost.N, rounds, 1),
    ...settingOf(
      firebaseDerivation(params, (password, salt, length) => run(password, salt, length, cost)),
    ),
  }
}

function run(password: string, salt: Buffer, length: number, cost: NodeOptions): Promise<Buffer> {
  const { N = 0, r = 0, p = 0 } = cost
  const maxmem = 128 * r * (N + p + 2) + mebibyte
  return inThreadPool(
    () =>
      new Promise((resolve, reject) => {
        deriveScrypt(password, salt, length, { ...cost, maxmem }, (error, key) =>
          error === null ? resolve(key) : reject(error),
        )
      }),
  )
}

function estimate(N: number, r: number, p: number): number {
  return ((N * r * p) / 1000) * pace
}

const betterAuth = /^([\da-f]{32}):([\da-f]{128})$/

function readerOf({ N, r, p, keyLength }: Required<ScryptParams>) {
  const phc = `$scrypt$ln=${Math.log2(N)},r=${r},p=${p}$`
  const werkzeug = `scrypt:${N}:${r}:${p}$`
  const isBetterAuth = N === 16_384 && r === 16 && p === 1
  return function read(stored: string): SaltAndHash | null {
    if (stored.startsWith(phc)) {
      const [salt = '', hash = '', more] = stored.slice(phc.length).split('$', 3)
      return more === undefined ? saltAndHash(fromBase64(salt), fromBase64(hash), keyLength) : null
    }
    if (stored.startsWith(werkzeug)) {
      const [salt = '', hash = '', more] = stored.slice(werkzeug.length).split('$', 3)
      return more === undefined ? saltAndHash(Buffer.from(salt), fromHex(hash), keyLength) : null
    }
    const [, salt = '', hash = ''] = (isBetterAuth && betterAuth.exec(stored)) || []
    // The salt is the text itself, not its decoded bytes.
    return saltAndHash(Buffer.from(salt), fromHex(hash), keyLength)
  }
}

const isPowerOfTwo = (value: unknown) =>
  Number.isSafeInteger(value) &&
  Number.isInteger(Math.log2(value as number)) &&
  (value as number) >= 1024 &&
  (value as number) <= 2 ** 20

const plainParams = optionsOf({
  N: fitting<number>(isPowerOfTwo, 'is not a power of two from 1024 to 1048576.'),
  r: whole(1, 32),
  p: whole(1, 16),
  keyLength: whole(16, 128).optional(),
})
const firebaseParams = optionsOf({
  signerKey: fitting<string>(isSignerKey, 'is not base64 of 64 bytes.'),
  saltSeparator: fitting<string>(isSaltSeparator, 'is not base64.'),
  rounds: whole(1, 16),
  memCost: whole(10, 17),
})
const isFirebase = (value: unknown) =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'signerKey')

const rules = {
  factory: 'scrypt',
  schema: () =>
    optionsOf({
      params: z
        .array(
          z
            .unknown()
            .transform((value, context): ScryptParams | FirebaseScryptParams => {
              const result = (isFirebase(value) ? firebaseParams : plainParams).safeParse(value)
              if (result.success) return result.data as ScryptParams | FirebaseScryptParams
              for (const issue of result.error.issues)
                context.issues.push({ ...issue, input: value } as never)
              return z.NEVER
            })
            .refine(
              (one) => 'signerKey' in one || 128 * one.N * one.r <= 256 * mebibyte,
              'needs more than 256 MiB of memory.',
            ),
        )
        .min(1, { error: 'is empty.' })
        .max(4, { error: 'has more than 4 costs.' }),
    }),
  remedies: {
    params:
      'name the exact costs that occur in the table, such as [{ N: 16_384, r: 16, p: 1 }], or ' +
      'the four parameters of a Firebase project.',
  },
}

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
function firebaseDerivation(params: FirebaseScryptParams, scrypt: Scrypt): Derivation {
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
function isSignerKey(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value.length <= 128 &&
    fromBase64(value)?.length === signerKeyLength
  )
}

/** Whether text is base64 of a few bytes. */
function isSaltSeparator(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 64 && fromBase64(value) !== null
}
