import type { SessionRecord } from '../../../src/index.js'
import { factorRows } from './factor-rows.js'
import { awaited, withCodes, withFactors, withSessions, withTickets } from './helpers.js'
import { sessionRows } from './session-rows.js'

async function endOf(
  rows: readonly SessionRecord[],
  batch: number,
  end: (id: string) => Promise<boolean>,
): Promise<string[]> {
  const living = rows.filter(({ endedAt }) => endedAt === null).slice(0, batch)
  const ended = await Promise.all(living.map(async ({ id }) => ((await end(id)) ? [id] : [])))
  return ended.flat()
}

/** Stores that take the first page, batch or list for all there is. */
export const badPages = {
  'sessions: endAllForUser ends one batch of 25': withSessions((good) => ({
    async endAllForUser(userId, reason, now, exceptId) {
      const own = (await good.listForUser(userId, new Date(0)))
        .filter(({ id }) => id !== exceptId)
        .slice(0, 25)
      const ended = await Promise.all(
        own.map(async ({ id }) => ((await good.end(id, reason, now)) ? [id] : [])),
      )
      return ended.flat()
    },
  })),
  'sessions: endAllForUser ends one batch of 1000': sessionRows((rows, good) => ({
    endAllForUser: (userId, reason, now, exceptId) =>
      endOf(
        [...rows.values()].filter((row) => row.userId === userId && row.id !== exceptId),
        1000,
        (id) => good.end(id, reason, now),
      ),
  })),
  'sessions: endAllForClient ends one batch of 500': sessionRows((rows, good) => ({
    endAllForClient: (clientId, { userId }, reason, now) =>
      endOf(
        [...rows.values()].filter(
          (row) => row.clientId === clientId && (userId ?? row.userId) === row.userId,
        ),
        500,
        (id) => good.end(id, reason, now),
      ),
  })),
  'sessions: endChildren ends one batch of 200': sessionRows((rows, good) => ({
    endChildren: (parentId, reason, now) =>
      endOf(
        [...rows.values()].filter((row) => row.parentId === parentId),
        200,
        (id) => good.end(id, reason, now),
      ),
  })),
  'sessions: purge goes by when they were seen last': sessionRows((rows, good) => ({
    async purge(now, limit) {
      const month = 30 * 24 * 60 * 60 * 1000
      const unseen = [...rows.values()].filter(
        ({ lastSeenAt }) => now.getTime() - lastSeenAt.getTime() > month,
      )
      for (const { id } of unseen) rows.delete(id)
      return unseen.length + (await good.purge(now, limit))
    },
  })),
  'sessions: listForUser answers the first page of 1000': withSessions((good) => ({
    listForUser: async (userId, now) => (await good.listForUser(userId, now)).slice(0, 1000),
  })),
  'sessions: listForUser answers the first page of 20': withSessions((good) => ({
    listForUser: async (userId, now) => (await good.listForUser(userId, now)).slice(0, 20),
  })),
  'sessions: listForUser goes on after the last createdAt': withSessions((good) => ({
    async listForUser(userId, now) {
      const all = await good.listForUser(userId, now)
      const answer: SessionRecord[] = []
      for (let page = all.slice(0, 25); page.length > 0; ) {
        answer.push(...page)
        const last = page.at(-1)?.createdAt ?? now
        page = all.filter(({ createdAt }) => createdAt > last).slice(0, 25)
      }
      return answer
    },
  })),
  'sessions: liveAmong judges the first 100 ids only': sessionRows((rows, good) => ({
    async liveAmong(ids, now) {
      const trusted = ids.slice(100).filter((id) => rows.get(id)?.endedAt === null)
      return [...(await good.liveAmong(ids.slice(0, 100), now)), ...trusted]
    },
  })),
  'sessions: the ids of a user as one list in a value': sessionRows((_rows, good) => {
    const lists = new Map<string, readonly string[]>()
    return {
      async create(session) {
        await good.create(session)
        const before = lists.get(session.userId) ?? []
        await awaited()
        lists.set(session.userId, [...before, session.id])
      },
      listForUser: async (userId, now) =>
        (await good.listForUser(userId, now)).filter(({ id }) => lists.get(userId)?.includes(id)),
    }
  }),
  'sessions: purge applies its limit to each kind': sessionRows((rows) => ({
    async purge(now, limit = Number.POSITIVE_INFINITY) {
      const all = [...rows.values()]
      const kinds = [
        all.filter(({ endedAt }) => endedAt !== null && endedAt <= now),
        all.filter(({ endedAt, idleExpiresAt }) => endedAt === null && idleExpiresAt <= now),
      ]
      const over = kinds.flatMap((kind) => kind.slice(0, limit))
      for (const { id } of over) rows.delete(id)
      return over.length
    },
  })),
  'sessions: purge looks at so many rows as it may delete': sessionRows((rows) => ({
    async purge(now, limit = Number.POSITIVE_INFINITY) {
      const seen = [...rows.values()].slice(0, limit)
      const over = seen.filter(({ endedAt, idleExpiresAt }) => (endedAt ?? idleExpiresAt) <= now)
      for (const { id } of over) rows.delete(id)
      return over.length
    },
  })),
  'codes: purge without a limit deletes one batch of 25': withCodes((good) => ({
    purge: (now, limit) => good.purge(now, Math.min(limit ?? 25, 25)),
  })),
  'tickets: purge answers nothing of what it deleted': withTickets((good) => ({
    purge: (now, limit) => good.purge(now, limit).then(() => 0),
  })),
  'sessions: purge does nothing': withSessions(() => ({ purge: async () => 0 })),
  'tickets: purge a millisecond late': withTickets((good) => ({
    purge: (now, limit) => good.purge(new Date(now.getTime() - 1), limit),
  })),
  'codes: used ones are never purged': withCodes((good) => ({
    async purge(now, limit) {
      return good.purge(new Date(Math.min(now.getTime(), Date.now() + 600_000)), limit)
    },
  })),
  'sessions: purge leaves the index of the user': sessionRows((rows, good) => {
    const index = new Map<string, string[]>()
    return {
      async create(session) {
        await good.create(session)
        index.set(session.userId, [...(index.get(session.userId) ?? []), session.id])
      },
      async listForUser(userId, now) {
        const listed = await good.listForUser(userId, now)
        const dangling = (index.get(userId) ?? [])
          .filter((id) => !rows.has(id))
          .map(() => null as unknown as SessionRecord)
        return [...dangling, ...listed]
      },
    }
  }),
  'secondFactors: activate writes 25 recovery codes at most': withFactors((good) => ({
    activate: (factor, hashes) => good.activate(factor, hashes.slice(0, 25)),
  })),
  'secondFactors: replaceRecoveryCodes deletes 25 at most': factorRows(({ codes }, good) => ({
    async replaceRecoveryCodes(userId, hashes) {
      const left = [...(codes.get(userId) ?? [])].slice(25)
      return good.replaceRecoveryCodes(userId, [...left, ...hashes])
    },
  })),
}
