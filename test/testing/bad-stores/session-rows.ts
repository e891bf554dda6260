import type { SessionRecord, SessionStore } from '../../../src/index.js'
import type { StoresUnderTest } from '../../../src/testing/testing.js'

/** Session rows that can be written over, for stores that do. */
export function sessionRows(
  change: (rows: Map<string, SessionRecord>, good: SessionStore) => Partial<SessionStore>,
): () => StoresUnderTest {
  return () => {
    const rows = new Map<string, SessionRecord>()
    const isLive = (row: SessionRecord | undefined, now: Date) =>
      row !== undefined && row.endedAt === null && now < row.idleExpiresAt && now < row.expiresAt
    const update = (id: string, fields: Partial<SessionRecord>) => {
      const row = rows.get(id)
      if (row?.endedAt !== null) return false
      rows.set(id, structuredClone({ ...row, ...fields }))
      return true
    }
    const good: SessionStore = {
      async create(session) {
        if (rows.has(session.id)) throw new Error('duplicate')
        rows.set(session.id, structuredClone(session))
      },
      find: async (id) => structuredClone(rows.get(id) ?? null),
      async rotateRefresh(id, hash, { refresh, lastSeenAt, idleExpiresAt, ip }) {
        const row = rows.get(id)
        if (row?.endedAt !== null) return { outcome: 'ended' }
        if (row.refresh?.hash !== hash) return { outcome: 'superseded' }
        update(id, { refresh, lastSeenAt, idleExpiresAt, ip })
        return { outcome: 'rotated' }
      },
      touch: async (id, { lastSeenAt, idleExpiresAt, ip }) =>
        void update(id, { lastSeenAt, idleExpiresAt, ip }),
      setMethods: async (id, methods) => void update(id, { methods }),
      end: async (id, endReason, endedAt) => update(id, { endReason, endedAt }),
      async endAllForUser(userId, endReason, endedAt, exceptId) {
        const own = [...rows.values()].filter((row) => row.userId === userId && row.id !== exceptId)
        return own.flatMap(({ id }) => (update(id, { endReason, endedAt }) ? [id] : []))
      },
      async listForUser(userId, now) {
        const own = [...rows.values()].filter((row) => row.userId === userId && isLive(row, now))
        const byId = own.sort((one, other) =>
          Buffer.compare(Buffer.from(one.id), Buffer.from(other.id)),
        )
        return structuredClone(
          byId.sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime()),
        )
      },
      liveAmong: async (ids, now) => ids.filter((id) => isLive(rows.get(id), now)),
      async purge(now, limit = Number.POSITIVE_INFINITY) {
        const isOver = (row: SessionRecord) =>
          row.endedAt === null ? !isLive(row, now) : row.endedAt <= now
        const over = [...rows.values()].filter(isOver).slice(0, limit)
        for (const { id } of over) rows.delete(id)
        return over.length
      },
    }
    return { sessions: { ...good, ...change(rows, good) } }
  }
}
