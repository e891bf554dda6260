import type { SessionRecord } from '../../../src/index.js'
import { awaited, collation, withSessions } from './helpers.js'
import { sessionRows } from './session-rows.js'

/** Session stores that are wrong in one respect each. */
export const badSessions = {
  'sessions: end reads, then writes': withSessions((good) => ({
    async end(id, reason, now) {
      const session = await good.find(id)
      await awaited()
      await good.end(id, reason, now)
      return session?.endedAt === null
    },
  })),
  'sessions: end says true to everyone': withSessions((good) => ({
    end: (id, reason, now) => good.end(id, reason, now).then(() => true),
  })),
  'sessions: end overwrites the reason': sessionRows((rows, good) => ({
    async end(id, endReason, endedAt) {
      const row = rows.get(id)
      if (row === undefined || row.endedAt === null) return good.end(id, endReason, endedAt)
      rows.set(id, { ...row, endReason, endedAt })
      return false
    },
  })),
  'sessions: end deletes': sessionRows((rows) => ({ end: async (id) => rows.delete(id) })),
  'sessions: rotate reads, then writes': sessionRows((rows, good) => ({
    async rotateRefresh(id, hash, next) {
      const row = rows.get(id)
      await awaited()
      if (row?.endedAt !== null || row.refresh?.hash !== hash)
        return good.rotateRefresh(id, hash, next, new Date())
      await good.touch(id, next)
      const current = rows.get(id)
      if (current?.endedAt === null)
        rows.set(id, structuredClone({ ...current, refresh: next.refresh }))
      return { outcome: 'rotated' }
    },
  })),
  'sessions: rotate writes the whole row': sessionRows((rows, good) => ({
    async rotateRefresh(id, hash, next, now) {
      const row = rows.get(id)
      if (row?.endedAt !== null || row.refresh?.hash !== hash)
        return good.rotateRefresh(id, hash, next, now)
      rows.set(id, { ...row, refresh: { ...row.refresh, hash: `taken ${hash}` } })
      await awaited()
      rows.set(id, structuredClone({ ...row, ...next }))
      return { outcome: 'rotated' }
    },
  })),
  'sessions: rotate keeps of refresh tokens what it has columns for': withSessions((good) => ({
    rotateRefresh: (id, presentedHash, { refresh: { hash, familyKey, spent }, ...seen }, now) =>
      good.rotateRefresh(id, presentedHash, { refresh: { hash, familyKey, spent }, ...seen }, now),
  })),
  'sessions: rotate takes the same hash for no rotation': withSessions((good) => ({
    rotateRefresh: async (id, presentedHash, next, now) =>
      next.refresh.hash === presentedHash
        ? { outcome: 'superseded' }
        : good.rotateRefresh(id, presentedHash, next, now),
  })),
  'sessions: rotate ignores endedAt': sessionRows((rows) => ({
    async rotateRefresh(id, hash, next) {
      const row = rows.get(id)
      if (row === undefined) return { outcome: 'ended' }
      if (row.refresh?.hash !== hash) return { outcome: 'superseded' }
      rows.set(id, structuredClone({ ...row, ...next }))
      return { outcome: 'rotated' }
    },
  })),
  'sessions: touch as an upsert': sessionRows((rows) => ({
    async touch(id, seen) {
      const row = rows.get(id)
      rows.set(
        id,
        structuredClone({
          ...(row ?? ({ id } as SessionRecord)),
          ...seen,
          endedAt: null,
          endReason: null,
        }),
      )
    },
  })),
  'sessions: touch reads, then writes the whole row': sessionRows((rows) => ({
    async touch(id, seen) {
      const row = rows.get(id)
      await awaited()
      if (row?.endedAt === null) rows.set(id, structuredClone({ ...row, ...seen }))
    },
  })),
  'sessions: setMethods as an upsert': sessionRows((rows) => ({
    async setMethods(id, methods) {
      rows.set(
        id,
        structuredClone({ ...(rows.get(id) ?? ({ id, endedAt: null } as SessionRecord)), methods }),
      )
    },
  })),
  'sessions: setMethods reads, then writes the whole row': sessionRows((rows) => ({
    async setMethods(id, methods) {
      const row = rows.get(id)
      await awaited()
      if (row?.endedAt === null) rows.set(id, structuredClone({ ...row, methods }))
    },
  })),
  'sessions: setMethods ignores endedAt': sessionRows((rows) => ({
    async setMethods(id, methods) {
      const row = rows.get(id)
      if (row !== undefined) rows.set(id, structuredClone({ ...row, methods }))
    },
  })),
  'sessions: touch judges the idle end': sessionRows((rows, good) => ({
    async touch(id, seen) {
      const row = rows.get(id)
      if (row !== undefined && seen.lastSeenAt < row.idleExpiresAt) await good.touch(id, seen)
    },
  })),
  'sessions: live at the moment of expiry': withSessions((good) => ({
    listForUser: (userId, now) => good.listForUser(userId, new Date(now.getTime() - 1)),
  })),
  'sessions: liveAmong answers ended ones': withSessions((good) => ({
    async liveAmong(ids) {
      const found = await Promise.all(ids.map((id) => good.find(id)))
      return found.flatMap((session) => session?.id ?? [])
    },
  })),
  'sessions: listForUser of everybody': sessionRows((rows) => ({
    listForUser: async (_userId, now) =>
      structuredClone(
        [...rows.values()].filter(
          (row) => row.endedAt === null && now < row.idleExpiresAt && now < row.expiresAt,
        ),
      ),
  })),
  'sessions: listForUser the newest first': withSessions((good) => ({
    listForUser: async (userId, now) => (await good.listForUser(userId, now)).reverse(),
  })),
  'sessions: endAllForUser reads again afterwards': sessionRows((rows, good) => ({
    async endAllForUser(userId, reason, now, exceptId) {
      await good.endAllForUser(userId, reason, now, exceptId)
      await awaited()
      return [...rows.values()].flatMap((row) =>
        row.userId === userId && row.endedAt?.getTime() === now.getTime() && row.id !== exceptId
          ? [row.id]
          : [],
      )
    },
  })),
  'sessions: listForUser leaves ties to luck': sessionRows((rows, good) => ({
    async listForUser(userId, now) {
      const live = await good.listForUser(userId, now)
      const created = [...rows.keys()]
      const place = ({ id }: SessionRecord) => created.indexOf(id)
      return live.sort(
        (one, other) =>
          one.createdAt.getTime() - other.createdAt.getTime() || place(one) - place(other),
      )
    },
  })),
  'sessions: endAllForUser leaves out idle ones': withSessions((good) => ({
    async endAllForUser(userId, reason, now, exceptId) {
      const live = await good.listForUser(userId, now)
      const chosen = live.filter(({ id }) => id !== exceptId)
      const ended = await Promise.all(
        chosen.map(async ({ id }) => ((await good.end(id, reason, now)) ? [id] : [])),
      )
      return ended.flat()
    },
  })),
  'sessions: endAllForUser names what was created meanwhile': sessionRows((rows, good) => ({
    async endAllForUser(userId, reason, now, exceptId) {
      const ended = await good.endAllForUser(userId, reason, now, exceptId)
      await awaited()
      const others = [...rows.values()].filter(
        (row) => row.userId === userId && row.endedAt === null && row.id !== exceptId,
      )
      return [...ended, ...others.map(({ id }) => id)]
    },
  })),
  'sessions: endAllForUser ignores exceptId': withSessions((good) => ({
    endAllForUser: (userId, reason, now) => good.endAllForUser(userId, reason, now),
  })),
  'sessions: ids without regard to case': withSessions((good) => {
    const stored = collation((id) => id.toLowerCase())
    return {
      create: (session) => good.create({ ...session, id: stored(session.id) }),
      find: (id) => good.find(stored(id)),
      end: (id, reason, now) => good.end(stored(id), reason, now),
      liveAmong: (ids, now) => good.liveAmong(ids.map(stored), now),
    }
  }),
  'sessions: user ids without a trailing blank': withSessions((good) => ({
    create: (session) => good.create({ ...session, userId: session.userId.trimEnd() }),
    listForUser: (userId, now) => good.listForUser(userId.trimEnd(), now),
    endAllForUser: (userId, reason, now, exceptId) =>
      good.endAllForUser(userId.trimEnd(), reason, now, exceptId),
  })),
  'sessions: user ids cut at 255': withSessions((good) => ({
    create: (session) => good.create({ ...session, userId: session.userId.slice(0, 255) }),
    listForUser: (userId, now) => good.listForUser(userId.slice(0, 255), now),
  })),
  'sessions: create as an upsert': sessionRows((rows) => ({
    create: async (session) => void rows.set(session.id, structuredClone(session)),
  })),
  'sessions: dates in seconds': withSessions((good) => ({
    async find(id) {
      const session = await good.find(id)
      return (
        session && {
          ...session,
          createdAt: new Date(Math.floor(session.createdAt.getTime() / 1000) * 1000),
        }
      )
    },
  })),
  'sessions: records by reference': sessionRows((rows) => ({
    create: async (session) => {
      if (rows.has(session.id)) throw new Error('duplicate')
      rows.set(session.id, session)
    },
    find: async (id) => rows.get(id) ?? null,
  })),
  'sessions: user agents cut at 512': withSessions((good) => ({
    create: (session) =>
      good.create({ ...session, userAgent: session.userAgent?.slice(0, 512) ?? null }),
  })),
  'sessions: purge deletes what ends later': sessionRows((rows, good) => ({
    async purge(now, limit) {
      for (const { id, endedAt } of [...rows.values()]) if (endedAt !== null) rows.delete(id)
      return good.purge(now, limit)
    },
  })),
  'sessions: purge takes a limit of 0 for none': withSessions((good) => ({
    purge: (now, limit) => good.purge(now, limit || undefined),
  })),
  'sessions: purge by ids read before': sessionRows((rows) => ({
    async purge(now) {
      const over = [...rows.values()].filter(
        (row) => row.endedAt !== null || row.idleExpiresAt <= now || row.expiresAt <= now,
      )
      await awaited()
      for (const { id } of over) rows.delete(id)
      return over.length
    },
  })),
}
