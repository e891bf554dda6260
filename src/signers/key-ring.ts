import { AuthConfigError } from '../errors.js'
import {
  callable,
  checkOptions,
  fitting,
  flag,
  type OptionRules,
  optionsOf,
  systemClock,
  whole,
  withMethods,
} from '../lib/check-options.js'
import { encryptionKeyRemedy } from '../lib/encryption-key.js'
import { withTimeout } from '../lib/host-call.js'
import type { Logger } from '../lib/logger.js'
import type { KeyRing, KeyStore, StoredSigningKey } from './contract.js'
import { fileKeyStore } from './file-key-store.js'
import { type KeyAlgorithm, purposeOf, type SigningKey } from './key-material.js'
import { createKeyRows, reloadSeconds } from './key-rows.js'
import { activeAmong, describeKeys, isOver } from './key-states.js'
import { checkKeyList, listRing } from './list-ring.js'
import { createRetireKey } from './retire-key.js'
import { createRingReport } from './ring-report.js'
import { createSealedKeys, keyVault, makeSealedKey } from './sealed-keys.js'
import { signingAlgorithms } from './signing-algorithms.js'
import { type FoundRows, highestGeneration, type RowStore } from './stored-row.js'

/**
 * Options of {@link keyRing}: where the keys are kept is named by exactly one of `store`, `files`
 * and `keys`.
 */
export type KeyRingOptions =
  | ({ readonly store: KeyStore } & StoredRingOptions)
  /** A folder that all processes share. */
  | ({ readonly files: string } & StoredRingOptions)
  /**
   * A list that the host keeps itself: the first signs, all verify, and `rotate` is not offered.
   */
  | { readonly keys: readonly (SigningKey | string | undefined)[] }

/** Options of a ring that makes its keys itself. */
export interface StoredRingOptions {
  /**
   * Seal the private keys: 32 bytes each, base64. The first seals, all open. To replace one, let
   * the new one open in every process first, `[old, new]`, and only then let it seal,
   * `[new, old]`: a process that does not know it cannot sign. The old one is needed for as long as
   * a key that was made under it.
   */
  readonly encryptionKeys: readonly (string | undefined)[]
  /**
   * Of new keys. Default `ES256`. `RS256` makes a ring for `joseSigner({ rs256 })`, whose keys are
   * kept apart from those of any other: in a folder or a store of their own.
   */
  readonly algorithm?: KeyAlgorithm
  /** How long a key is published before it signs, in seconds, 120 or more. Default 600. */
  readonly publishAhead?: number
  /**
   * How long the longest token lives, in seconds: so long a key goes on verifying. Default 90 days,
   * as `lifetimes.sessionAbsolute`, which may not be longer.
   */
  readonly longestToken?: number
  /**
   * Whether the first key is made where there is none, and with it the folder. False for servers
   * that have one: a folder that is not mounted, or an empty database, is then an error, and no
   * reason to make new keys and refuse all tokens. Default true.
   */
  readonly create?: boolean
  /** Milliseconds before a call of the store counts as failed, 10-60000. Default 2000. */
  readonly storeTimeout?: number
  /**
   * Is told once of a key that is left out, and of a store that fails. Default: a warning of the
   * process.
   */
  readonly logger?: Logger
  /** Default: the system's clock. For tests. */
  readonly clock?: () => Date
}

/**
 * Keeps signing keys, makes the first one by itself, and agrees with every other process that has
 * the same store: which key signs follows from the times in the store, not from who asked first.
 *
 * A store that fails or does not answer stops no token whose key is known: tokens are verified and
 * signed with what was read last. Tokens of keys that are not known are then 503. A key that is
 * damaged, or that these encryption keys do not open, is left out.
 *
 * @throws AuthConfigError at once for unusable options; `ready()` finds out the rest
 *
 * @example
 * ```ts
 * import { joseSigner, keyRing } from 'messaging-auth-router'
 *
 * const encryptionKeys = [process.env['AUTH_ENCRYPTION_KEY']]
 * const ring = keyRing({ files: '/var/lib/chat/keys', encryptionKeys })
 * await ring.ready()
 * const signer = joseSigner({ issuer: 'https://chat.example.com', audience: 'chat', keys: ring })
 * const warn = (error: Error) => process.emitWarning(error)
 * const rotate = () => ring.rotate({ ifOlderThan: 30 * 24 * 3600 }).catch(warn)
 * setInterval(rotate, 3600 * 1000).unref()
 * ```
 */
export function keyRing(options: KeyRingOptions): KeyRing {
  const checked = checkOptions(rules, options)
  const places = [checked.store, checked.files, checked.keys].filter((place) => place !== undefined)
  if (places.length !== 1) {
    throw new AuthConfigError(
      'keyRing',
      'does not say where the keys are kept.',
      'pass exactly one of store, files and keys.',
    )
  }
  if (checked.keys === undefined) return storedRing(checked)
  return listRing(checkKeyList(checked.keys, 'keyRing.keys', 'access-tokens'), 'keyRing.keys')
}

const isFolder = (value: unknown) => typeof value === 'string' && value !== ''
const ringOptions = optionsOf({
  store: withMethods<KeyStore>('list', 'insert', 'remove').optional(),
  files: fitting<string>(isFolder, 'is not the path of a folder.').optional(),
  keys: fitting<unknown>((value) => value !== undefined, 'is missing.').optional(),
  encryptionKeys: fitting<readonly unknown[]>(
    (value) => Array.isArray(value),
    'is not a list.',
  ).optional(),
  algorithm: fitting<KeyAlgorithm>(
    (value) => signingAlgorithms.some((one) => one === value),
    'is not offered.',
  ).default('ES256'),
  // Every process must have read the key before the first token is signed with it.
  publishAhead: whole(2 * reloadSeconds, undefined, 'seconds').default(600),
  longestToken: whole(60, undefined, 'seconds').default(90 * 24 * 3600),
  create: flag().default(true),
  storeTimeout: whole(10, 60_000, 'milliseconds').default(2000),
  logger: withMethods<Logger>('debug', 'info', 'warn', 'error').optional(),
  clock: callable<() => Date>().default(() => systemClock),
})
type Checked = typeof ringOptions._zod.output
const rules: OptionRules<Checked> = {
  factory: 'keyRing',
  schema: ringOptions,
  remedies: {
    store: 'pass a KeyStore, such as keys of sqlStores(kysely).',
    files: 'pass one that all processes share.',
    encryptionKeys: encryptionKeyRemedy,
    algorithm: 'use ES256, EdDSA, PS256 or HS256; or RS256, for joseSigner.rs256.',
    logger: 'pass consoleLogger(), or an object with debug, info, warn and error.',
  },
}
const rotateRules = {
  factory: 'rotate',
  schema: optionsOf({ ifOlderThan: whole(0, undefined, 'seconds').default(0) }),
}

function storedRing(options: Checked): KeyRing {
  const { clock, publishAhead, longestToken, storeTimeout } = options
  const vault = keyVault(options.encryptionKeys)
  const store: RowStore = options.store ?? fileKeyStore(options.files ?? '', options.create)
  const report = createRingReport(options.logger)
  const purpose = purposeOf(options.algorithm)
  const { open, refusalOf } = createSealedKeys(vault, purpose, placeOf(options), report.unreadable)
  const { reload, rowsFor } = createKeyRows({
    store,
    clock,
    timeoutMs: storeTimeout,
    onEmpty: makeFirst,
    report,
  })

  async function makeFirst(): Promise<void> {
    if (!options.create) throw noKeyToStartWith(options)
    await add(1, clock())
  }

  async function add(generation: number, activatesAt: Date): Promise<void> {
    const { kid, sealedKey } = await makeSealedKey(vault, options.algorithm)
    const row = { generation, kid, sealedKey, createdAt: clock(), activatesAt }
    // A second process finds the generation there.
    await withTimeout(() => store.insert(row), storeTimeout)
  }

  const remove = ({ generation }: StoredSigningKey) =>
    withTimeout(() => store.remove(generation), storeTimeout)

  async function removeOver(rows: readonly StoredSigningKey[]): Promise<void> {
    const over = rows.filter((row) => isOver(row, rows, longestToken, clock()))
    await Promise.all(over.map(remove))
  }

  function requireActive({ rows }: FoundRows): void {
    const active = activeAmong(rows, clock())
    if (open(active) === null) throw refusalOf(active)
  }

  return {
    algorithm: options.algorithm,
    longestToken,

    async snapshot(kid) {
      const { rows } = await rowsFor(kid)
      const verifying = rows.filter((row) => !isOver(row, rows, longestToken, clock()))
      const all = verifying.flatMap((row) => open(row) ?? [])
      const asked = verifying.find((row) => row.kid === kid)
      // No verdict on a token: its key is there, and only this process cannot open it.
      if (asked !== undefined && open(asked) === null) throw refusalOf(asked)
      const active = activeAmong(rows, clock())
      if (all.length === 0) throw refusalOf(active)
      return { active: open(active), all }
    },

    async rotate(given) {
      const { ifOlderThan } = checkOptions(rotateRules, given)
      const found = await reload()
      // With the wrong encryption key it would seal what nobody else can open.
      requireActive(found)
      await removeOver(found.rows)
      if (!isNewestYoung(found.rows, ifOlderThan, clock()))
        await add(highestGeneration(found) + 1, new Date(clock().getTime() + publishAhead * 1000))
      return describeKeys((await reload()).rows, clock())
    },

    retire: createRetireKey({ reload, requireActive, add, remove, report, clock }),
    list: async () => describeKeys((await reload()).rows, clock()),
    ready: async () => requireActive(await reload()),
  }
}

// Also while it waits for its turn to sign.
function isNewestYoung(rows: readonly StoredSigningKey[], seconds: number, now: Date): boolean {
  const { activatesAt, createdAt } = rows.at(-1) as StoredSigningKey
  return activatesAt > now || now.getTime() - createdAt.getTime() < seconds * 1000
}

function placeOf({ files }: Checked): string {
  return files === undefined ? 'keyRing.store' : 'keyRing.files'
}

function noKeyToStartWith(options: Checked): AuthConfigError {
  return new AuthConfigError(
    placeOf(options),
    'holds no signing key, and none is to be made (create: false).',
    'is it mounted, and the right one? Where there has never been a key, leave create out once.',
  )
}
