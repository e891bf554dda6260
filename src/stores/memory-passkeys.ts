import { copyOf } from './copy-of.js'
import { checkMemoryIsEnough } from './memory-is-enough.js'
import type { PasskeyRecord, PasskeyStore } from './passkey-contract.js'

interface Owner {
  readonly userHandle: string
  readonly credentialIds: Set<string>
  recoveryCodes: Set<string>
}

/**
 * Keeps passkeys in the memory of this process, as `memoryStores` keeps the rest: for tests and for
 * trying things out. A restart forgets them, and who has nothing else cannot sign in any more.
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
