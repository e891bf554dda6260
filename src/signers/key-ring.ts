import { AuthConfigError } from '../errors.js'
import { decodeEncryptionKeys, encryptionKeyRemedy } from '../lib/encryption-key.js'
import { createVault, type Vault } from '../lib/vault.js'
import type { KeyInfo, KeyRing, KeyState, KeyStore, StoredSigningKey } from './contract.js'
import { fileKeyStore } from './file-key-store.js'
import { type CheckedKey, checkSigningKey, generateSigningKey, type SigningAlgorithm, type SigningKey } from './key-material.js'
import { createKeyRows, reloadSeconds } from './key-rows.js'
import { listRing } from './list-ring.js'

/** Options of {@link keyRing}: where the keys are kept is named by exactly one of `store`, `files` and `keys`. */
export type KeyRingOptions =
  | ({ readonly store: KeyStore } & StoredRingOptions)
  /** A folder that all processes share. */
  | ({ readonly files: string } & StoredRingOptions)
  /** A list that the host keeps itself: the first signs, all verify, and `rotate` is not offered. */
  | { readonly keys: readonly SigningKey[] }

/** Options of a ring that makes its keys itself. */
export interface StoredRingOptions {
  /** Seal the private keys: 32 bytes each, base64. The first seals, all open. */
  readonly encryptionKeys: readonly (string | undefined)[]
  /** Of new keys. Default `ES256`. */
  readonly algorithm?: SigningAlgorithm
  /** How long a key is published before it signs, in seconds, 120 or more. Default 600. */
  readonly publishAhead?: number
  /** How long the longest token lives, in seconds: so long a key goes on verifying. Default 90 days, as `sessionAbsolute`. */
  readonly longestToken?: number
  /** Default: the system's clock. For tests. */
  readonly clock?: () => Date
}

const places = ['store', 'files', 'keys']
const optionNames = [...places, 'encryptionKeys', 'algorithm', 'publishAhead', 'longestToken', 'clock']

/**
 * Keeps signing keys, makes the first one by itself, and agrees with every other process that has the same store: which key signs
 * follows from the times in the store, not from who asked first.
 *
 * @throws AuthConfigError at once for unusable options
 *
 * @example
 * ```ts
 * import { joseSigner, keyRing } from 'messaging-auth-router'
 *
 * const ring = keyRing({ files: '/var/lib/chat/keys', encryptionKeys: [process.env['AUTH_ENCRYPTION_KEY']] })
 * const signer = joseSigner({ issuer: 'https://chat.example.com', audience: 'chat', keys: ring })
 * const rotate = () => ring.rotate({ ifOlderThan: 30 * 24 * 3600 }).catch((error) => process.emitWarning(error))
 * setInterval(rotate, 3600 * 1000).unref()
 * ```
 */
export function keyRing(options: KeyRingOptions): KeyRing {
  requireOnePlace(options)
  return 'keys' in options ? listRing(options.keys, 'keyRing.keys') : storedRing(options)
}

function storedRing(options: Exclude<KeyRingOptions, { keys: unknown }>): KeyRing {
  const { store, vault, clock, algorithm, publishAhead, longestToken } = checkOptions(options)
  const opened = new Map<string, CheckedKey>()
  const { reload, rowsFor } = createKeyRows(store, clock, () => add(1, clock()))

  async function add(generation: number, activatesAt: Date): Promise<boolean> {
    const key = await generateSigningKey(algorithm)
    const kid = key.kid as string
    const sealedKey = vault.seal(kid, Buffer.from(JSON.stringify(key)))
    const { outcome } = await store.insert({ generation, kid, sealedKey, createdAt: clock(), activatesAt })
    return outcome === 'inserted'
  }

  function open(row: StoredSigningKey): CheckedKey {
    const known = opened.get(row.kid)
    if (known !== undefined) return known
    const bytes = vault.open(row.kid, row.sealedKey)
    if (bytes === null) throw new Error(`signing key ${row.generation} cannot be opened with these encryption keys`)
    const key = checkSigningKey(JSON.parse(bytes.toString('utf8')), `keyRing: generation ${row.generation}`)
    opened.set(row.kid, key)
    return key
  }

  return {
    async snapshot(kid) {
      const rows = await rowsFor(kid)
      const verifying = rows.filter((row) => !isOver(row, rows, longestToken, clock()))
      return { active: open(activeAmong(rows, clock())), all: verifying.map(open) }
    },

    async rotate({ ifOlderThan = 0 } = {}) {
      const rows = await reload()
      const newest = rows.at(-1) as StoredSigningKey
      const over = rows.filter((row) => isOver(row, rows, longestToken, clock()))
      await Promise.all(over.map(({ generation }) => store.remove(generation)))
      const isYoung = newest.activatesAt > clock() || clock().getTime() - newest.createdAt.getTime() < ifOlderThan * 1000
      if (!isYoung) await add(newest.generation + 1, new Date(clock().getTime() + publishAhead * 1000))
      return describe(await reload(), clock())
    },

    list: async () => describe(await reload(), clock()),
  }
}

function describe(rows: readonly StoredSigningKey[], now: Date): KeyInfo[] {
  const active = activeAmong(rows, now)
  const stateOf = (row: StoredSigningKey): KeyState => (row === active ? 'active' : row.activatesAt > now ? 'next' : 'retired')
  return rows.map((row) => ({ kid: row.kid, generation: row.generation, state: stateOf(row), activatesAt: row.activatesAt }))
}

// The youngest whose time has come. A clock that runs behind the one that made the first key must still find one to sign with.
function activeAmong(rows: readonly StoredSigningKey[], now: Date): StoredSigningKey {
  return (rows.filter(({ activatesAt }) => activatesAt <= now).at(-1) ?? rows[0]) as StoredSigningKey
}

// A key's last token was signed just before its successor took over.
function isOver(row: StoredSigningKey, rows: readonly StoredSigningKey[], longestToken: number, now: Date): boolean {
  const successor = rows.find(({ generation }) => generation > row.generation)
  return successor !== undefined && successor.activatesAt.getTime() + longestToken * 1000 < now.getTime()
}

function requireOnePlace(options: KeyRingOptions): void {
  const names = Object.keys(options)
  const unknown = names.find((name) => !optionNames.includes(name))
  if (unknown !== undefined) {
    throw new AuthConfigError(`keyRing.${unknown}`, 'is not an option.', `remove it; known: ${optionNames.join(', ')}.`)
  }
  if (names.filter((name) => places.includes(name)).length !== 1) {
    throw new AuthConfigError('keyRing', 'does not say where the keys are kept.', 'pass exactly one of store, files and keys.')
  }
}

function checkOptions(options: Exclude<KeyRingOptions, { keys: unknown }>) {
  const { algorithm = 'ES256', publishAhead = 600, longestToken = 90 * 24 * 3600, clock = () => new Date() } = options
  if (!['ES256', 'EdDSA', 'PS256', 'HS256'].includes(algorithm)) {
    throw new AuthConfigError('keyRing.algorithm', 'is not offered.', 'use ES256, EdDSA, PS256 or HS256.')
  }
  // Every process must have read the key before the first token is signed with it.
  requireSeconds('publishAhead', publishAhead, 2 * reloadSeconds)
  requireSeconds('longestToken', longestToken, 60)
  return { store: storeOf(options), vault: vaultOf(options.encryptionKeys), algorithm, publishAhead, longestToken, clock }
}

function requireSeconds(name: string, value: unknown, least: number): void {
  if (Number.isInteger(value) && (value as number) >= least) return
  throw new AuthConfigError(`keyRing.${name}`, `is not a whole number from ${least} on.`, 'leave it out for the default.')
}

function storeOf(options: Exclude<KeyRingOptions, { keys: unknown }>): KeyStore {
  if ('files' in options) {
    if (typeof options.files === 'string' && options.files !== '') return fileKeyStore(options.files)
    throw new AuthConfigError('keyRing.files', 'is not the path of a folder.', 'pass one that all processes share.')
  }
  const { store } = options as { store?: Partial<KeyStore> | null }
  const isStore = [store?.list, store?.insert, store?.remove].every((method) => typeof method === 'function')
  if (isStore) return store as KeyStore
  throw new AuthConfigError('keyRing.store', 'lacks list, insert or remove.', 'pass a KeyStore.')
}

function vaultOf(encryptionKeys: unknown): Vault {
  if (Array.isArray(encryptionKeys) && encryptionKeys.length > 0) {
    return createVault('signing-key', decodeEncryptionKeys(encryptionKeys, 'keyRing.encryptionKeys'))
  }
  throw new AuthConfigError('keyRing.encryptionKeys', 'is missing.', encryptionKeyRemedy)
}
