import { copyOf } from './copy-of.js'
import type { IdentityRecord, IdentityStore } from './identity-contract.js'
import { idsByKey } from './ids-by-key.js'
import { oldestFirst } from './oldest-first.js'

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
  const linked = (pair: string) => {
    const kept = byPair.get(pair)
    return kept === undefined || kept.isUnlinked ? null : kept.row
  }
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
      byPair.set(pair, { row: copyOf(identity), isUnlinked: false })
      pairOfId.set(id, pair)
      ofUsers.add(userId, id)
      return { outcome: 'linked' }
    },
    listForUser: async (userId) => rowsOf(userId).map(copyOf).sort(oldestFirst),
    async used(provider, subject, now) {
      const pair = pairOf(provider, subject)
      const row = linked(pair)
      if (row === null) return
      byPair.set(pair, { row: { ...row, lastUsedAt: copyOf(now) }, isUnlinked: false })
    },
    async unlink(userId, id, { unlessLast }) {
      const rows = rowsOf(userId)
      const row = rows.find((one) => one.id === id)
      if (row === undefined) return { outcome: 'unknown' }
      if (unlessLast && rows.length === 1) return { outcome: 'last' }
      const pair = pairOf(row.provider, row.subject)
      byPair.set(pair, { row: { ...row, label: null }, isUnlinked: true })
      return { outcome: 'unlinked' }
    },
    async unlinkAllForUser(userId) {
      const rows = keptOf(userId)
      for (const { row } of rows) remove(row)
      return rows.length
    },
  }
}

// No separator: either of the two may hold any character.
function pairOf(provider: string, subject: string): string {
  return JSON.stringify([provider, subject])
}
