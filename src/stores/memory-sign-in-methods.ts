import { setImmediate } from 'node:timers/promises'
import { markOf } from '../lib/vault.js'
import type { IdentityRecord, IdentityStore } from './identity-contract.js'
import { checkMemoryIsEnough, copyOf, idsByKey, looksOfATurn } from './memory-tables.js'
import type { PasskeyRecord, PasskeyStore } from './passkey-contract.js'
import type {
  PendingSecondFactor,
  SecondFactorRecord,
  SecondFactorStore,
} from './second-factor-contract.js'
import { oldestFirst } from './stored-values.js'

/** Second factors in the memory of this process. Each method is one synchronous section. */
export function memorySecondFactors(): SecondFactorStore {
  const { active, activate, change, recoveryCodes } = activeFactors()
  const pending = pendingOfUsers()
  return {
    find: async (userId) => copyOf(active.get(userId) ?? null),
    activate: async (factor, hashes) => activate(factor, hashes),
    savePending: async (enrolment) => pending.save(copyOf(enrolment)),
    findPending: async (userId, sessionId) => copyOf(pending.find(userId, sessionId) ?? null),
    deletePending: async (userId) => pending.deleteAll(userId),
    async confirm(factor, hashes, now) {
      const { userId, sealedSeed } = factor
      const enrolment = pending.ofUser(userId).find((one) => one.sealedSeed === sealedSeed)
      if (enrolment === undefined || now >= enrolment.expiresAt) return { outcome: 'not-pending' }
      pending.delete(enrolment)
      return activate(factor, hashes)
    },
    async advanceStep(userId, step) {
      const isLater = change(userId, { lastStep: step }, ({ lastStep }) => step > lastStep)
      return { outcome: isLater ? 'advanced' : 'stale' }
    },
    async reseal(userId, from, to) {
      const isStill = change(userId, { sealedSeed: to }, ({ sealedSeed }) => sealedSeed === from)
      return { outcome: isStill ? 'resealed' : 'superseded' }
    },
    async consumeRecoveryCode(userId, codeHash) {
      const isConsumed = recoveryCodes.get(userId)?.delete(codeHash) === true
      return { outcome: isConsumed ? 'consumed' : 'unknown' }
    },
    async replaceRecoveryCodes(userId, hashes) {
      if (!active.has(userId)) return { outcome: 'not-active' }
      recoveryCodes.set(userId, new Set(hashes))
      return { outcome: 'replaced' }
    },
    async countSealed() {
      const counts = new Map<string, number>()
      for (const { sealedSeed } of active.values()) {
        const mark = markOf(sealedSeed)
        counts.set(mark, (counts.get(mark) ?? 0) + 1)
      }
      return [...counts].map(([mark, count]) => ({ mark, count }))
    },
    async listSealed(after, limit) {
      const ids = [...active.keys()].sort().filter((userId) => after === null || userId > after)
      return ids.slice(0, limit).flatMap((userId) => copyOf(active.get(userId) ?? []))
    },
    countRecoveryCodes: async (userId) => recoveryCodes.get(userId)?.size ?? 0,
    async deactivate(userId, keepRecoveryCodes = false) {
      if (!keepRecoveryCodes) recoveryCodes.delete(userId)
      pending.deleteAll(userId)
      return { outcome: active.delete(userId) ? 'deactivated' : 'not-active' }
    },
    async deleteKeptRecoveryCodes(userId) {
      if (!active.has(userId)) recoveryCodes.delete(userId)
    },
    purge: pending.purge,
  }
}

function activeFactors() {
  const active = new Map<string, SecondFactorRecord>()
  const recoveryCodes = new Map<string, Set<string>>()
  return {
    active,
    recoveryCodes,
    activate(
      factor: SecondFactorRecord,
      hashes: readonly string[],
    ): { outcome: 'activated' | 'already-active' } {
      if (active.has(factor.userId)) return { outcome: 'already-active' }
      active.set(factor.userId, copyOf(factor))
      recoveryCodes.set(factor.userId, new Set(hashes))
      return { outcome: 'activated' }
    },
    change(
      userId: string,
      changed: Partial<SecondFactorRecord>,
      isStill: (factor: SecondFactorRecord) => boolean,
    ): boolean {
      const factor = active.get(userId)
      if (factor === undefined || !isStill(factor)) return false
      active.set(userId, { ...factor, ...changed })
      return true
    },
  }
}

function pendingOfUsers() {
  const users = new Map<string, Map<string, PendingSecondFactor>>()
  const ofUser = (userId: string) => [...(users.get(userId)?.values() ?? [])]
  function* all() {
    for (const sessions of users.values()) yield* sessions.values()
  }
  const remove = ({ userId, sessionId }: PendingSecondFactor) => {
    const sessions = users.get(userId)
    sessions?.delete(sessionId)
    if (sessions?.size === 0) users.delete(userId)
  }
  return {
    ofUser,
    find: (userId: string, sessionId: string) => users.get(userId)?.get(sessionId),
    save(enrolment: PendingSecondFactor) {
      const sessions = users.get(enrolment.userId) ?? new Map<string, PendingSecondFactor>()
      users.set(enrolment.userId, sessions.set(enrolment.sessionId, enrolment))
    },
    delete: remove,
    deleteAll: (userId: string) => void users.delete(userId),
    // Other work runs in between. An enrolment that comes or goes meanwhile changes the same map.
    async purge(now: Date, limit = Number.POSITIVE_INFINITY): Promise<number> {
      let purged = 0
      let looks = 0
      for (const enrolment of all()) {
        if (purged >= limit) break
        if (enrolment.expiresAt <= now) {
          remove(enrolment)
          purged += 1
        }
        looks += 1
        if (looks % looksOfATurn === 0) await setImmediate()
      }
      return purged
    },
  }
}

interface Owner {
  readonly userHandle: string
  readonly credentialIds: Set<string>
  recoveryCodes: Set<string>
}

/**
 * Keeps passkeys in the memory of this process, as `memoryStores` keeps the rest: for tests and for
 * trying things out. A restart forgets them. A user who has nothing else cannot sign in any more.
 *
 * @throws AuthConfigError in a cluster worker
 *
 * @example
 * ```ts
 * import { memoryPasskeyStore } from 'messaging-auth-router/stores/memory'
 *
 * const store = memoryPasskeyStore()
 * ```
 */
export function memoryPasskeyStore(): PasskeyStore {
  checkMemoryIsEnough('memoryPasskeyStore')
  const rows = new Map<string, PasskeyRecord>()
  const owners = new Map<string, Owner>()
  return { ...ownership(rows, owners), ...singleRows(rows, owners) }
}

type Rows = Map<string, PasskeyRecord>
type Owners = Map<string, Owner>
type OfOwners = 'claimHandle' | 'create' | 'remove' | 'removeAllForUser' | 'consumeRecoveryCode'

function ownership(rows: Rows, owners: Owners): Pick<PasskeyStore, OfOwners> {
  const ownerOf = (userId: string, userHandle: string) => {
    const there = owners.get(userId)
    if (there !== undefined) return there
    const made = { userHandle, credentialIds: new Set<string>(), recoveryCodes: new Set<string>() }
    owners.set(userId, made)
    return made
  }
  return {
    claimHandle: async (userId, userHandle) => ownerOf(userId, userHandle).userHandle,
    async create(passkey, { most, recoveryCodeHashes }) {
      const { credentialId, userId, userHandle } = passkey
      if (rows.has(credentialId)) return { outcome: 'exists' }
      const owner = ownerOf(userId, userHandle)
      if (owner.credentialIds.size >= most) return { outcome: 'full' }
      const isFirst = owner.credentialIds.size === 0
      if (isFirst) owner.recoveryCodes = new Set(recoveryCodeHashes)
      owner.credentialIds.add(credentialId)
      rows.set(credentialId, copyOf(passkey))
      return { outcome: 'created', isFirst }
    },
    async remove(userId, credentialId, { unlessLast }) {
      const owner = owners.get(userId)
      if (owner?.credentialIds.has(credentialId) !== true) return { outcome: 'unknown' }
      if (unlessLast && owner.credentialIds.size === 1) return { outcome: 'last' }
      owner.credentialIds.delete(credentialId)
      rows.delete(credentialId)
      if (owner.credentialIds.size === 0) owner.recoveryCodes.clear()
      return { outcome: 'removed' }
    },
    async removeAllForUser(userId) {
      const credentialIds = owners.get(userId)?.credentialIds ?? new Set()
      for (const credentialId of credentialIds) rows.delete(credentialId)
      owners.delete(userId)
      return credentialIds.size
    },
    async consumeRecoveryCode(userId, codeHash) {
      const isConsumed = owners.get(userId)?.recoveryCodes.delete(codeHash) === true
      return { outcome: isConsumed ? 'consumed' : 'unknown' }
    },
  }
}

function singleRows(rows: Rows, owners: Owners): Omit<PasskeyStore, OfOwners> {
  const change = (credentialId: string, changed: Partial<PasskeyRecord>) => {
    const row = rows.get(credentialId)
    if (row !== undefined) rows.set(credentialId, copyOf({ ...row, ...changed }))
  }
  return {
    find: async (credentialId) => copyOf(rows.get(credentialId) ?? null),
    listForUser: async (userId) =>
      [...(owners.get(userId)?.credentialIds ?? [])]
        .map((credentialId) => copyOf(rows.get(credentialId) as PasskeyRecord))
        .sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime()),
    async use(credentialId, fromCounter, { counter, backedUp, lastUsedAt }) {
      const row = rows.get(credentialId)
      if (row === undefined) return { outcome: 'gone' }
      if (row.counter !== fromCounter || row.suspectedCloneAt !== null)
        return { outcome: 'superseded' }
      change(credentialId, { counter, backedUp, lastUsedAt })
      return { outcome: 'used' }
    },
    async suspectClone(credentialId, at) {
      change(credentialId, { suspectedCloneAt: at })
    },
    async rename(userId, credentialId, name) {
      if (rows.get(credentialId)?.userId !== userId) return false
      change(credentialId, { name })
      return true
    },
  }
}

interface Kept {
  readonly row: IdentityRecord
  readonly isUnlinked: boolean
}

/** Identities in the memory of this process. */
export function memoryIdentities(): IdentityStore {
  const byPair = new Map<string, Kept>()
  const pairOfId = new Map<string, string>()
  const ofUsers = idsByKey()
  const remove = ({ provider, subject, userId, id }: IdentityRecord) => {
    byPair.delete(pairOf(provider, subject))
    pairOfId.delete(id)
    ofUsers.delete(userId, id)
  }
  const keptOf = (userId: string) =>
    ofUsers.of(userId).map((id) => byPair.get(pairOfId.get(id) ?? '') as Kept)
  const rowsOf = (userId: string) =>
    keptOf(userId).flatMap(({ row, isUnlinked }) => (isUnlinked ? [] : row))
  const linked = (pair: string) => linkedIn(byPair.get(pair))
  const keep = (row: IdentityRecord, isUnlinked = false) =>
    void byPair.set(pairOf(row.provider, row.subject), { row, isUnlinked })
  return {
    find: async (provider, subject) => copyOf(linked(pairOf(provider, subject))),
    wasUnlinked: async (provider, subject) =>
      byPair.get(pairOf(provider, subject))?.isUnlinked === true,
    async link(identity, options) {
      const unlessUnlinked = options?.unlessUnlinked === true
      const { provider, subject, userId, id } = identity
      const pair = pairOf(provider, subject)
      if ((pairOfId.get(id) ?? pair) !== pair) throw new Error('duplicate id of an identity')
      const before = byPair.get(pair)
      if (before !== undefined && (unlessUnlinked || !before.isUnlinked))
        return { outcome: 'exists' }
      if (before !== undefined) remove(before.row)
      keep(copyOf(identity))
      pairOfId.set(id, pair)
      ofUsers.add(userId, id)
      return { outcome: 'linked' }
    },
    listForUser: async (userId) => rowsOf(userId).map(copyOf).sort(oldestFirst),
    listOfProvider: async (provider, after, limit) =>
      pageOf([...byPair.values()], provider, after)
        .slice(0, limit)
        .map(copyOf),
    async used(provider, subject, now) {
      const row = linked(pairOf(provider, subject))
      if (row !== null) keep({ ...row, lastUsedAt: copyOf(now) })
    },
    async unlink(userId, id, { unlessLast }) {
      const rows = rowsOf(userId)
      const row = rows.find((one) => one.id === id)
      if (row === undefined) return { outcome: 'unknown' }
      if (unlessLast && rows.length === 1) return { outcome: 'last' }
      keep({ ...row, label: null }, true)
      return { outcome: 'unlinked' }
    },
    async unlinkAllForUser(userId) {
      const rows = keptOf(userId)
      for (const { row } of rows) remove(row)
      return rows.length
    },
  }
}

function linkedIn(kept: Kept | undefined): IdentityRecord | null {
  return kept === undefined || kept.isUnlinked ? null : kept.row
}

function pageOf(
  all: readonly Kept[],
  provider: string,
  after: string | null,
): readonly IdentityRecord[] {
  const isMeant = ({ row, isUnlinked }: Kept) =>
    !isUnlinked && row.provider === provider && (after === null || byBytes(row.subject, after) > 0)
  return all
    .filter(isMeant)
    .map(({ row }) => row)
    .sort((one, other) => byBytes(one.subject, other.subject))
}

function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}

// No separator: either of the two may hold any character.
function pairOf(provider: string, subject: string): string {
  return JSON.stringify([provider, subject])
}
