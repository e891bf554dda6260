import { AuthConfigError } from '../errors.js'
import { type HostAction, readAction } from '../http/input.js'
import type { ManagementKit } from '../kits/session-kit.js'
import { markOfKey } from '../lib/vault.js'
import type { KeyInfo, KeyRing } from '../signers/contract.js'
import type { OwnTotp } from '../two-factor/second-factor.js'
import type { CheckedAdminOptions } from './admin-options.js'

/** A signing key, and what it signs. */
export interface AdminKey extends KeyInfo {
  readonly signs: 'access-tokens' | 'id-tokens'
}

/** The signing keys of both rings. */
export interface AdminKeys {
  list(): Promise<readonly AdminKey[]>
  /** `rotate` of each ring: a next key, unless there is one or the newest is young. */
  rotate(options?: RotateKeysOptions): Promise<readonly AdminKey[]>
  /** `retire` of the ring with this key, for a leaked one. Servers follow within 150 seconds. */
  retire(kid: string, options?: HostAction): Promise<readonly AdminKey[]>
}

/** Which rings get a next key, and by whom. */
export interface RotateKeysOptions extends HostAction {
  /** Seconds; no next key where the newest is younger. Default 0. */
  readonly ifOlderThan?: number
}

/** How much is sealed with one key. */
export interface SealedWith {
  readonly what: 'totp-seeds' | 'signing-keys' | 'id-token-keys'
  /**
   * The mark that the sealed texts begin with. Null where the texts could not be read, since their
   * store is not configured.
   */
  readonly mark: string | null
  /** The place of the key in `encryptionKeys`, from 1; null: it is not there. */
  readonly encryptionKey: number | null
  readonly count: number | null
}

export function createAdminKeys(
  { keys, idTokenKeys }: CheckedAdminOptions,
  { audit }: ManagementKit,
): AdminKeys {
  const rings = [
    { ring: keys, signs: 'access-tokens' },
    { ring: idTokenKeys, signs: 'id-tokens' },
  ] as const
  const listOf = async (ask: (ring: KeyRing) => Promise<readonly KeyInfo[]>) => {
    if (keys === undefined && idTokenKeys === undefined)
      throw new AuthConfigError('keys', 'is missing.', 'pass the key ring of the signer.')
    const found: AdminKey[] = []
    for (const { ring, signs } of rings)
      if (ring !== undefined) found.push(...(await ask(ring)).map((key) => ({ ...key, signs })))
    return found
  }
  const list = () => listOf((ring) => ring.list())
  const tellOfNew = (
    before: readonly AdminKey[],
    after: readonly AdminKey[],
    given: HostAction | undefined,
  ) => {
    const known = new Set(before.map(({ kid }) => kid))
    for (const { kid } of after.filter((one) => !known.has(one.kid)))
      audit({ type: 'signing-key.changed', kid, change: 'made' }, readAction(given).context)
    return after
  }
  return {
    list,
    async rotate(given) {
      const { ifOlderThan = 0 } = readAction(given).options
      const before = await list()
      return tellOfNew(before, await listOf((ring) => ring.rotate({ ifOlderThan })), given)
    },
    async retire(kid, given) {
      const { context } = readAction(given)
      const before = await list()
      const leaked = before.find((key) => key.kid === kid)
      const ring = rings.find(({ signs }) => signs === leaked?.signs)?.ring ?? keys ?? idTokenKeys
      // Rejects for a key that is not there.
      await ring?.retire(kid)
      audit({ type: 'signing-key.changed', kid, change: 'retired' }, context)
      return tellOfNew(before, await list(), given)
    },
  }
}

/** Lists how much is sealed with which key, so that one knows when an old key may be destroyed. */
export function createSealed(
  { keys, idTokenKeys, encryptionKeys }: CheckedAdminOptions,
  { totp }: ManagementKit,
): () => Promise<readonly SealedWith[]> {
  const ofRing = async (ring: KeyRing | undefined) =>
    (await ring?.sealedWith?.())?.map((mark) => ({ mark, count: 1 }))
  return async function sealed() {
    if (encryptionKeys.length === 0)
      throw new AuthConfigError('encryptionKeys', 'is missing.', 'pass those of the servers.')
    const tell = (what: SealedWith['what'], purpose: string, found: Counts) =>
      byKey(what, found, (key) => markOfKey(purpose, key), encryptionKeys)
    return [
      ...tell('totp-seeds', 'totp-seed', await totp?.store.countSealed?.()),
      ...tell('signing-keys', 'signing-key', await ofRing(keys)),
      ...tell('id-token-keys', 'signing-key', await ofRing(idTokenKeys)),
    ]
  }
}

/**
 * Seals all with the first key. If it fails, the finished part stays done, and a new call leaves it
 * out.
 */
export function createReseal(
  rings: readonly (KeyRing | undefined)[],
  totp: OwnTotp | undefined,
  sealed: () => Promise<readonly SealedWith[]>,
): typeof sealed {
  return async function reseal() {
    // Rejects without encryption keys.
    await sealed()
    for (const ring of rings) await ring?.reseal?.()
    if (totp !== undefined) await resealSeeds(totp)
    return sealed()
  }
}

async function resealSeeds({ store, vault }: OwnTotp): Promise<void> {
  const listAfter = async (userId: string | null) => (await store.listSealed?.(userId, 500)) ?? []
  let some = await listAfter(null)
  for (let last = some.at(-1); last !== undefined; last = some.at(-1)) {
    for (const { userId, sealedSeed } of some) {
      const seed = vault.isSealedByNewest(sealedSeed) ? null : vault.open(userId, sealedSeed)
      if (seed !== null) await store.reseal(userId, sealedSeed, vault.seal(userId, seed))
    }
    some = await listAfter(last.userId)
  }
}

type Counts = readonly { readonly mark: string; readonly count: number }[] | undefined

// A key with which nothing is sealed is listed, too: the operator waits for this state.
function byKey(
  what: SealedWith['what'],
  found: Counts,
  nameOf: (key: Buffer) => string,
  encryptionKeys: readonly Buffer[],
): SealedWith[] {
  if (found === undefined) return [{ what, mark: null, encryptionKey: null, count: null }]
  const marks = encryptionKeys.map(nameOf)
  const all = [...new Set([...marks, ...found.map(({ mark }) => mark)])]
  return all.map((mark) => ({
    what,
    mark,
    encryptionKey: marks.indexOf(mark) + 1 || null,
    count: found.filter((one) => one.mark === mark).reduce((sum, { count }) => sum + count, 0),
  }))
}
