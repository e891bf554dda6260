import type { SecondFactorRecord, SessionRecord } from '../../../src/index.js'
import { factorRows, slotOf } from './factor-rows.js'
import { awaited, withCodes } from './helpers.js'
import { sessionRows } from './session-rows.js'

/** Ends by the real time, as a database with a TTL keeps them. */
function ttls() {
  const ends = new Map<string, number>()
  return {
    set: (key: string, end: Date) => void ends.set(key, end.getTime()),
    isGone: (key: string) => (ends.get(key) ?? Number.POSITIVE_INFINITY) <= Date.now(),
  }
}

/** Stores that remember what has changed, or expire what has not ended. */
export const badMemories = {
  'sessions: find keeps what it was reading when the session ended': sessionRows((_rows, good) => {
    const cache = new Map<string, SessionRecord | null>()
    const forget =
      <Given extends [string, ...unknown[]], Answer>(
        method: (...given: Given) => Promise<Answer>,
      ) =>
      async (...given: Given) => {
        const answer = await method(...given)
        cache.delete(given[0])
        return answer
      }
    return {
      async find(id) {
        if (cache.has(id)) return structuredClone(cache.get(id) ?? null)
        const row = await good.find(id)
        await awaited()
        cache.set(id, structuredClone(row))
        return row
      },
      create: (session) => forget((_id: string) => good.create(session))(session.id),
      end: forget(good.end),
      rotateRefresh: forget(good.rotateRefresh),
      touch: forget(good.touch),
      setMethods: forget(good.setMethods),
      async endAllForUser(...given) {
        const ended = await good.endAllForUser(...given)
        for (const id of ended) cache.delete(id)
        return ended
      },
      async purge(...given) {
        const purged = await good.purge(...given)
        cache.clear()
        return purged
      },
    }
  }),
  'sessions: find remembers what was not there': sessionRows((_rows, good) => {
    const absent = new Set<string>()
    return {
      async find(id) {
        if (absent.has(id)) return null
        const found = await good.find(id)
        if (found === null) absent.add(id)
        return found
      },
    }
  }),
  'secondFactors: find keeps a factor for a moment': factorRows((_rows, good) => {
    const cache = new Map<string, readonly [until: number, factor: SecondFactorRecord | null]>()
    return {
      async find(userId) {
        const [until, cached] = cache.get(userId) ?? [0, null]
        if (Date.now() < until) return structuredClone(cached)
        const factor = await good.find(userId)
        if (factor !== null) cache.set(userId, [Date.now() + 50, structuredClone(factor)])
        return factor
      },
    }
  }),
  'sessions: the TTL of the row stays where create has set it': sessionRows((_rows, good) => {
    const { set, isGone } = ttls()
    return {
      async create(session) {
        await good.create(session)
        set(
          session.id,
          session.idleExpiresAt < session.expiresAt ? session.idleExpiresAt : session.expiresAt,
        )
      },
      find: async (id) => (isGone(id) ? null : good.find(id)),
      liveAmong: async (ids, now) => (await good.liveAmong(ids, now)).filter((id) => !isGone(id)),
    }
  }),
  'sessions: the TTL in whole seconds, rounded down': sessionRows((_rows, good) => {
    const { set, isGone } = ttls()
    return {
      async create(session) {
        await good.create(session)
        set(
          session.id,
          new Date(
            Date.now() + Math.floor((session.idleExpiresAt.getTime() - Date.now()) / 1000) * 1000,
          ),
        )
      },
      find: async (id) => (isGone(id) ? null : good.find(id)),
    }
  }),
  'sessions: the index of a user expires with the first session': sessionRows((_rows, good) => {
    const { set, isGone } = ttls()
    const known = new Set<string>()
    return {
      async create(session) {
        await good.create(session)
        if (!known.has(session.userId)) set(session.userId, session.expiresAt)
        known.add(session.userId)
      },
      listForUser: async (userId, now) => (isGone(userId) ? [] : good.listForUser(userId, now)),
      endAllForUser: async (userId, ...given) =>
        isGone(userId) ? [] : good.endAllForUser(userId, ...given),
    }
  }),
  'sessions: listForUser and liveAmong go by the end that create wrote': sessionRows(
    (_rows, good) => {
      const ends = new Map<string, Date>()
      const isOver = (id: string, now: Date) => now >= (ends.get(id) ?? now)
      return {
        async create(session) {
          await good.create(session)
          ends.set(session.id, session.idleExpiresAt)
        },
        listForUser: async (userId, now) =>
          (await good.listForUser(userId, now)).filter(({ id }) => !isOver(id, now)),
        liveAmong: async (ids, now) =>
          (await good.liveAmong(ids, now)).filter((id) => !isOver(id, now)),
      }
    },
  ),
  'codes: the TTL of a used code is that of an unused one': withCodes((good) => {
    const { set, isGone } = ttls()
    return {
      async save(code) {
        await good.save(code)
        set(code.codeHash, code.expiresAt)
      },
      find: async (codeHash) => (isGone(codeHash) ? null : good.find(codeHash)),
      consume: async (codeHash, now) =>
        isGone(codeHash) ? { outcome: 'unknown' } : good.consume(codeHash, now),
    }
  }),
  'secondFactors: confirm keeps the TTL of the enrolment': factorRows((_rows, good) => {
    const { set, isGone } = ttls()
    return {
      async savePending(pending) {
        await good.savePending(pending)
        set(pending.userId, pending.expiresAt)
      },
      find: async (userId) => (isGone(userId) ? null : good.find(userId)),
    }
  }),
  'secondFactors: savePending keeps the TTL of the enrolment before': factorRows(
    ({ pending }, good) => {
      const { set, isGone } = ttls()
      return {
        async savePending(enrolment) {
          const { userId, sessionId, expiresAt } = enrolment
          if (!pending.has(slotOf(userId, sessionId))) set(userId, expiresAt)
          await good.savePending(enrolment)
        },
        findPending: async (userId, sessionId) =>
          isGone(userId) ? null : good.findPending(userId, sessionId),
      }
    },
  ),
}
