import { copyOf } from './copy-of.js'
import type { IdentityRecord, IdentityStore } from './identity-contract.js'
import { idsByKey } from './ids-by-key.js'
import { oldestFirst } from './oldest-first.js'

/** Identities in the memory of this process. */
export function memoryIdentities(): IdentityStore {
  const byPair = new Map<string, IdentityRecord>()
  const pairOfId = new Map<string, string>()
  const ofUsers = idsByKey()
  const remove = ({ issuer, subject, userId, id }: IdentityRecord) => {
    byPair.delete(pairOf(issuer, subject))
    pairOfId.delete(id)
    ofUsers.delete(userId, id)
  }
  const rowsOf = (userId: string) =>
    ofUsers.of(userId).map((id) => byPair.get(pairOfId.get(id) ?? '') as IdentityRecord)
  return {
    find: async (issuer, subject) => copyOf(byPair.get(pairOf(issuer, subject)) ?? null),
    async link(identity) {
      const { issuer, subject, userId, id } = identity
      const pair = pairOf(issuer, subject)
      if ((pairOfId.get(id) ?? pair) !== pair) throw new Error('duplicate id of an identity')
      if (byPair.has(pair)) return { outcome: 'exists' }
      byPair.set(pair, copyOf(identity))
      pairOfId.set(id, pair)
      ofUsers.add(userId, id)
      return { outcome: 'linked' }
    },
    listForUser: async (userId) => rowsOf(userId).map(copyOf).sort(oldestFirst),
    async used(issuer, subject, now) {
      const pair = pairOf(issuer, subject)
      const row = byPair.get(pair)
      if (row !== undefined) byPair.set(pair, { ...row, lastUsedAt: copyOf(now) })
    },
    async unlink(userId, id, { unlessLast }) {
      const rows = rowsOf(userId)
      const row = rows.find((one) => one.id === id)
      if (row === undefined) return { outcome: 'unknown' }
      if (unlessLast && rows.length === 1) return { outcome: 'last' }
      remove(row)
      return { outcome: 'unlinked' }
    },
    async unlinkAllForUser(userId) {
      const rows = rowsOf(userId)
      for (const row of rows) remove(row)
      return rows.length
    },
  }
}

// No separator: either of the two may hold any character.
function pairOf(issuer: string, subject: string): string {
  return JSON.stringify([issuer, subject])
}
