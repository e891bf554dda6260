import { hash as hashEncoded, hashRaw } from '@node-rs/argon2'
import { z } from 'zod'
import { AuthConfigError, invalidRequest } from '../../errors.js'
import { checkOptions, fitting, optionsOf, whole } from '../../lib/check-options.js'
import type { PasswordHasher, PasswordReader, ReaderSetting } from '../contract.js'
import {
  fromBase64,
  type SaltAndHash,
  saltAndHash,
  settingOf,
  usablePassword,
} from './stored-text.js'
import { inThreadPool, threadPoolRoom } from './thread-pool.js'

/** The cost of Argon2 hashes ([RFC 9106](https://www.rfc-editor.org/rfc/rfc9106#section-3.1)). */
export interface Argon2Params {
  /** Default `argon2id`. */
  readonly algorithm?: 'argon2id' | 'argon2i'
  /** `m`: memory in KiB, from 8 to 262,144. */
  readonly memoryCost: number
  /** `t`: passes over the memory, from 1 to 100. */
  readonly timeCost: number
  /** `p`: lanes, from 1 to 16. */
  readonly parallelism: number
}

/** Options of {@link argon2}. New hashes are Argon2id with these three costs. */
export interface Argon2Options {
  /** Memory in KiB, from 7,168 to 262,144. Default 19,456 (19 MiB). */
  readonly memoryCost?: number
  /**
   * Passes, from 1 to 100. `memoryCost` × `timeCost` must be at least 35,840. Default 2.
   */
  readonly timeCost?: number
  /** Lanes, from 1 to 16. Default 1. */
  readonly parallelism?: number
  /**
   * Other exact costs in the table, at most 3. Their hashes are read, and replaced at the next
   * login. Hashes of any other cost are not read.
   */
  readonly params?: readonly Argon2Params[]
}

/** The result of {@link argon2}, for `current`, `legacy` or the option `passwords`. */
export interface Argon2Hasher extends PasswordHasher, PasswordReader {
  canRead(hash: string): boolean
}

type CheckedParams = Omit<Argon2Params, 'algorithm'> & {
  readonly algorithm?: Argon2Params['algorithm'] | undefined
}

/** Milliseconds of 1,000 KiB and one pass, on a core of 2023. */
const pace = 0.55
const hashLength = 32
// The values of @node-rs/argon2, which exports them only as a const enum.
const algorithms = { argon2i: 1, argon2id: 2 } as const

/**
 * Argon2 by the package `@node-rs/argon2`, which the host installs. Makes `$argon2id$` in the PHC
 * string format, and reads `$argon2id$` and `$argon2i$` of version 19 with hashes of 32 bytes. Runs
 * in Node's thread pool.
 *
 * @throws AuthConfigError for costs below the minimum of OWASP, and for unusable options
 *
 * @example
 * ```ts
 * import { argon2 } from 'messaging-auth-router/hashers/argon2'
 *
 * const passwords = argon2()
 * ```
 */
export function argon2(options: Argon2Options = {}): Argon2Hasher {
  const { params, ...written } = settingsOf(options)
  const own = settingFor({ algorithm: 'argon2id', ...written })
  const settings = [own, ...params.map(settingFor)]

  return {
    settings,
    async hash(plain) {
      const password = usablePassword(plain)
      if (password === null)
        throw invalidRequest([{ path: 'password', message: 'Use 1 to 8192 characters of text.' }])
      return inThreadPool(() =>
        hashEncoded(password, {
          ...written,
          algorithm: algorithms.argon2id as number,
          outputLen: hashLength,
        }),
      )
    },
    async verify(plain, stored) {
      let matches = false
      for (const { canRead, verify } of settings)
        matches = (await verify(plain, canRead(stored) ? stored : null)) || matches
      return matches
    },
    needsRehash: (stored) => !own.canRead(stored),
    canRead: (stored) => settings.some(({ canRead }) => canRead(stored)),
    concurrency: threadPoolRoom,
    estimatedMs: settings.reduce((sum, { estimatedMs }) => sum + estimatedMs, 0),
  }
}

function settingFor({ algorithm = 'argon2id', ...cost }: CheckedParams): ReaderSetting {
  const { memoryCost, timeCost, parallelism } = cost
  const beginning = `$${algorithm}$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`
  const work = { ...cost, algorithm: algorithms[algorithm] as number, outputLen: hashLength }
  return {
    name: `${algorithm}, m ${memoryCost}, t ${timeCost}, p ${parallelism}`,
    estimatedMs: ((memoryCost * timeCost) / 1000) * pace,
    ...settingOf({
      hashLength,
      // The library gets salt and cost, never the stored text, which could name another cost.
      read(stored): SaltAndHash | null {
        if (!stored.startsWith(beginning)) return null
        const [salt = '', hash = '', more] = stored.slice(beginning.length).split('$', 3)
        const found = saltAndHash(fromBase64(salt), fromBase64(hash), hashLength)
        return more === undefined && found !== null && found.salt.length >= 8 ? found : null
      },
      derive: (password, salt) => inThreadPool(() => hashRaw(password, { ...work, salt })),
    }),
  }
}

const memory = (least: number) => whole(least, 262_144)
const passes = whole(1, 100)
const lanes = whole(1, 16)

const rules = {
  factory: 'argon2',
  schema: optionsOf({
    memoryCost: memory(7168).default(19_456),
    timeCost: passes.default(2),
    parallelism: lanes.default(1),
    params: z
      .array(
        optionsOf({
          algorithm: fitting<'argon2id' | 'argon2i'>(
            (value) => typeof value === 'string' && Object.hasOwn(algorithms, value),
            'is neither argon2id nor argon2i.',
          ).optional(),
          memoryCost: memory(8),
          timeCost: passes,
          parallelism: lanes,
        }),
      )
      .max(3, { error: 'has more than 3 costs.' })
      .default([]),
  }),
  remedies: {
    params: 'name the exact costs, such as [{ memoryCost: 4096, timeCost: 3, parallelism: 1 }].',
  },
}

function settingsOf(options: Argon2Options) {
  const settings = checkOptions(rules, options)
  if (settings.memoryCost * settings.timeCost < 35_840)
    throw new AuthConfigError(
      'argon2.timeCost',
      'is too low for so little memory.',
      'leave both out for 19456 KiB and 2 passes.',
    )
  return settings
}
