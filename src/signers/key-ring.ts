import type { z } from 'zod'
import { AuthConfigError } from '../errors.js'
import { lazily } from '../lib/async.js'
import {
  checkOptions,
  clockRow,
  fitting,
  flag,
  type OptionRules,
  optionsOf,
  storeTimeoutRow,
  whole,
  withMethods,
} from '../lib/check-options.js'
import { UnexpectedAnswer, withTimeout } from '../lib/host-call.js'
import type { Logger } from '../lib/logger.js'
import { decodeEncryptionKeys, encryptionKeyRemedy } from '../lib/secrets.js'
import { createVault, markOf, type Vault } from '../lib/vault.js'
import type { KeyInfo, KeyRing, KeyState, KeyStore, StoredSigningKey } from './contract.js'
import { fileKeyStore } from './file-key-store.js'
import {
  type CheckedKey,
  checkSigningKey,
  generateSigningKey,
  type KeyAlgorithm,
  type KeyPurpose,
  purposeOf,
  type SigningKey,
} from './key-material.js'
import {
  createKeyRows,
  type FoundRows,
  highestGeneration,
  type RowStore,
  reloadSeconds,
} from './key-rows.js'
import { checkKeyList, createRingReport, listRing, type RingReport } from './list-ring.js'
import { signingAlgorithms } from './read-token.js'

/**
 * Options of {@link keyRing}. Exactly one of `store`, `files` and `keys` says where the keys are
 * stored.
 */
export type KeyRingOptions =
  | ({ readonly store: KeyStore } & StoredRingOptions)
  /** A folder that all processes share. */
  | ({ readonly files: string } & StoredRingOptions)
  /**
   * A list that the host manages: the first key signs, all verify, and `rotate` rejects.
   */
  | { readonly keys: readonly (SigningKey | string | undefined)[] }

/** Options of a ring that makes its own keys. */
export interface StoredRingOptions {
  /**
   * Encrypt the private keys: 32 bytes each, base64. The first encrypts, all decrypt. To replace a
   * key, first let every process decrypt with the new key, `[old, new]`, and only then encrypt with
   * it, `[new, old]`: a process that does not know the key cannot sign. Keep the old one while the
   * ring has keys that it encrypted.
   */
  readonly encryptionKeys: readonly (string | undefined)[]
  /**
   * Algorithm of new keys. Default `ES256`. `RS256` makes a ring for `joseSigner({ rs256 })`, which
   * needs its own folder or store.
   */
  readonly algorithm?: KeyAlgorithm
  /** How long a key is published before it signs, in seconds, 120 or more. Default 600. */
  readonly publishAhead?: number
  /**
   * Longest lifetime of a token, in seconds: a key verifies for this time after it has stopped to
   * sign. Default 90 days, as `lifetimes.sessionAbsolute`, which may not be longer.
   */
  readonly longestToken?: number
  /**
   * Whether to make the first key, and its folder, if there is none. Use false once the first key
   * exists: then an unmounted folder or an empty database is an error, instead of a new key that
   * refuses all tokens. Default true.
   */
  readonly create?: boolean
  /** Milliseconds before a call of the store counts as failed, 10-60000. Default 2000. */
  readonly storeTimeout?: number
  /**
   * Gets one message for each key that is skipped and each failure of the store. Default: a process
   * warning.
   */
  readonly logger?: Logger
  /** Default: the system clock. For tests. */
  readonly clock?: () => Date
}

/**
 * Manages signing keys. Makes the first key by itself. All processes with the same store agree on
 * the key that signs, because the times in the store decide.
 *
 * While the store fails or does not answer, the ring signs and verifies with the keys it has read
 * last; a token of an unknown key is then 503. The ring skips a key that is damaged or that the
 * encryption keys cannot decrypt.
 *
 * @throws AuthConfigError at once for unusable options; `ready()` finds other problems
 *
 * @example
 * ```ts
 * import { joseSigner, keyRing } from 'messaging-auth-router'
 *
 * const encryptionKeys = [process.env['AUTH_ENCRYPTION_KEYS']]
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
const ringOptions = lazily(() =>
  optionsOf({
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
    // Every process must read the key before it signs the first token.
    publishAhead: whole(2 * reloadSeconds, undefined, 'seconds').default(600),
    longestToken: whole(60, undefined, 'seconds').default(90 * 24 * 3600),
    create: flag().default(true),
    storeTimeout: storeTimeoutRow.default(2000),
    logger: withMethods<Logger>('debug', 'info', 'warn', 'error').optional(),
    clock: clockRow,
  }),
)
type Checked = z.output<ReturnType<typeof ringOptions>>
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
  schema: () => optionsOf({ ifOlderThan: whole(0, undefined, 'seconds').default(0) }),
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
    // If another process was first, the store answers `exists`.
    await withTimeout(() => store.insert(row), storeTimeout)
  }

  const remove = ({ generation }: StoredSigningKey) =>
    withTimeout(() => store.remove(generation), storeTimeout)

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
      // The token is not refused: its key exists, but this process cannot decrypt it.
      if (asked !== undefined && open(asked) === null) throw refusalOf(asked)
      const active = activeAmong(rows, clock())
      if (all.length === 0) throw refusalOf(active)
      return { active: open(active), all }
    },

    async rotate(given) {
      const { ifOlderThan } = checkOptions(rotateRules, given)
      const found = await reload()
      // With a wrong encryption key, no other process could decrypt the new key.
      requireActive(found)
      await removeOver(found.rows, { remove, longestToken, clock })
      if (!isNewestYoung(found.rows, ifOlderThan, clock()))
        await add(highestGeneration(found) + 1, new Date(clock().getTime() + publishAhead * 1000))
      return describeKeys((await reload()).rows, clock())
    },

    retire: (kid) => retireKey({ reload, requireActive, add, remove, report, clock }, kid),
    list: async () => describeKeys((await reload()).rows, clock()),
    async reseal() {
      for (const row of (await reload()).rows) await resealRow(vault, store, row, storeTimeout)
    },
    sealedWith: async () => (await reload()).rows.map(({ sealedKey }) => markOf(sealedKey)),
    ready: async () => requireActive(await reload()),
  }
}

async function resealRow(
  vault: Vault,
  store: RowStore,
  { generation, kid, sealedKey }: StoredSigningKey,
  ms: number,
): Promise<void> {
  const key = vault.isSealedByNewest(sealedKey) ? null : vault.open(kid, sealedKey)
  if (key === null) return
  await withTimeout(async () => store.reseal?.(generation, sealedKey, vault.seal(kid, key)), ms)
}

async function removeOver(
  rows: readonly StoredSigningKey[],
  { remove, longestToken, clock }: Pick<StoredKeys, 'remove' | 'clock'> & { longestToken: number },
): Promise<void> {
  const over = rows.filter((row) => isOver(row, rows, longestToken, clock()))
  await Promise.all(over.map(remove))
}

interface StoredKeys {
  readonly reload: () => Promise<FoundRows>
  /** Throws if the signing key cannot be decrypted. */
  readonly requireActive: (found: FoundRows) => void
  readonly add: (generation: number, activatesAt: Date) => Promise<void>
  readonly remove: (key: StoredSigningKey) => Promise<void>
  readonly report: Pick<RingReport, 'retired'>
  readonly clock: () => Date
}

async function retireKey(keys: StoredKeys, kid: string): Promise<readonly KeyInfo[]> {
  const { reload, clock } = keys
  const leaked = (await reload()).rows.find((row) => row.kid === kid)
  if (leaked === undefined) throw noSuchKey()
  // Another key that signs comes first: other processes treat an empty store as an outage and keep
  // using the leaked key.
  await signWithAnother(keys, kid)
  await keys.remove(leaked)
  keys.report.retired(leaked)
  return describeKeys((await reload()).rows, clock())
}

// Repeated if another process has taken the generation: that key may not sign yet.
async function signWithAnother(keys: StoredKeys, kid: string): Promise<void> {
  const { reload, requireActive, add, clock } = keys
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const found = await reload()
    if (activeAmong(found.rows, clock()).kid !== kid) return
    // With a wrong encryption key, no other process could decrypt the new key.
    requireActive(found)
    await add(highestGeneration(found) + 1, clock())
  }
  throw new UnexpectedAnswer('the key store does not show the key that was put into it')
}

function noSuchKey(): AuthConfigError {
  return new AuthConfigError(
    'retire.kid',
    'is no key of this ring.',
    'pass a kid that list() shows; one that is not there any more verifies nothing.',
  )
}

// A key that does not sign yet counts as young.
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

/** The state of each key, for the operator. */
function describeKeys(rows: readonly StoredSigningKey[], now: Date): KeyInfo[] {
  const active = activeAmong(rows, now)
  const stateOf = (row: StoredSigningKey): KeyState =>
    row === active ? 'active' : row.activatesAt > now ? 'next' : 'retired'
  return rows.map((row) => ({
    kid: row.kid,
    generation: row.generation,
    state: stateOf(row),
    activatesAt: row.activatesAt,
  }))
}

/**
 * The key that signs now: the newest that is active. If this clock is behind the clock that made
 * the first key, the first one.
 */
function activeAmong(rows: readonly StoredSigningKey[], now: Date): StoredSigningKey {
  return (rows.filter(({ activatesAt }) => activatesAt <= now).at(-1) ??
    rows[0]) as StoredSigningKey
}

/** Whether a key's last token has expired; the key stopped signing when its successor started. */
function isOver(
  row: StoredSigningKey,
  rows: readonly StoredSigningKey[],
  longestToken: number,
  now: Date,
): boolean {
  const successor = rows.find(({ generation }) => generation > row.generation)
  return (
    successor !== undefined && successor.activatesAt.getTime() + longestToken * 1000 < now.getTime()
  )
}

/** The vault that encrypts private keys. Throws `AuthConfigError` for unusable encryption keys. */
function keyVault(encryptionKeys: readonly unknown[] = []): Vault {
  if (encryptionKeys.length === 0)
    throw new AuthConfigError('keyRing.encryptionKeys', 'is missing.', encryptionKeyRemedy)
  return createVault('signing-key', decodeEncryptionKeys(encryptionKeys, 'keyRing.encryptionKeys'))
}

/** Makes a key and encrypts it, bound to its `kid`. */
async function makeSealedKey(
  vault: Vault,
  algorithm: KeyAlgorithm,
): Promise<Pick<StoredSigningKey, 'kid' | 'sealedKey'>> {
  const key = await generateSigningKey(algorithm)
  const kid = key.kid as string
  return { kid, sealedKey: vault.seal(kid, Buffer.from(JSON.stringify(key))) }
}

/** Decrypts the stored keys of one ring. */
interface SealedKeys {
  /** Null for a key that cannot be decrypted or belongs to another kind of ring. */
  open(key: StoredSigningKey): CheckedKey | null
  /** The error if that key is needed. */
  refusalOf(key: StoredSigningKey): AuthConfigError
}

/**
 * Decrypts each key once. `place`: the option for errors. `onUnreadable`: called for each key that
 * is skipped.
 */
function createSealedKeys(
  vault: Vault,
  purpose: KeyPurpose,
  place: string,
  onUnreadable: (generation: number, problem: string) => void,
): SealedKeys {
  const opened = new Map<string, CheckedKey>()
  const foreign = new Set<string>()

  function read(kid: string, text: string): CheckedKey | null {
    const jwk = JSON.parse(text) as { readonly alg?: unknown }
    // The encrypted `alg` decides: an attacker who can write to the store cannot change the kind.
    if (purposeOf(jwk.alg) === purpose) return checkSigningKey(jwk, place, purpose)
    foreign.add(kid)
    return null
  }

  return {
    open({ generation, kid, sealedKey }) {
      const known = opened.get(kid)
      if (known !== undefined) return known
      const bytes = vault.open(kid, sealedKey)
      if (bytes === null) {
        onUnreadable(generation, 'cannot be opened with these encryption keys')
        return null
      }
      try {
        const key = read(kid, bytes.toString('utf8'))
        if (key === null) onUnreadable(generation, 'is of another ring')
        else opened.set(kid, key)
        return key
      } catch {
        onUnreadable(generation, 'is of a kind that this release does not know')
        return null
      }
    },

    refusalOf: ({ generation, kid }) =>
      foreign.has(kid) ? misplaced(place, purpose) : unopenable(generation),
  }
}

const problems: Readonly<Record<KeyPurpose, string>> = {
  'access-tokens': 'holds the keys of a ring with algorithm: RS256.',
  rs256: 'holds the keys of a ring for access tokens.',
}

function misplaced(place: string, purpose: KeyPurpose): AuthConfigError {
  return new AuthConfigError(
    place,
    problems[purpose],
    'give each of the two rings a folder or a store of its own.',
  )
}

function unopenable(generation: number): AuthConfigError {
  const problem = `signing key ${generation} cannot be opened with these encryption keys.`
  return new AuthConfigError(
    'keyRing.encryptionKeys',
    problem,
    'pass the key that it was sealed with, too: [new, old].',
  )
}
