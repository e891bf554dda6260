import { awaited, withSessions } from './helpers.js'
import { sessionRows } from './session-rows.js'

/** Stores that count the sessions of a user wrongly. */
export const badCounts = {
  'sessions: countForUser counts the first page of 1000': withSessions((good) => ({
    countForUser: async (userId, now) =>
      Math.min(1000, (await good.listForUser(userId, now)).length),
  })),
  'sessions: countForUser of everybody': sessionRows((rows) => ({
    countForUser: async () => rows.size,
  })),
  'sessions: countForUser keeps a number of its own': withSessions((good) => {
    const numbers = new Map<string, number>()
    return {
      async create(session) {
        await good.create(session)
        const before = numbers.get(session.userId) ?? 0
        await awaited()
        numbers.set(session.userId, before + 1)
      },
      countForUser: async (userId) => numbers.get(userId) ?? 0,
    }
  }),
  'sessions: countForUser goes by the end that create wrote': sessionRows((_rows, good) => {
    const ends = new Map<string, Date>()
    return {
      async create(session) {
        await good.create(session)
        ends.set(session.id, session.idleExpiresAt)
      },
      countForUser: async (userId, now) =>
        (await good.listForUser(userId, now)).filter(({ id }) => (ends.get(id) ?? now) > now)
          .length,
    }
  }),
  'sessions: countForUser leaves out what is of the future': withSessions((good) => ({
    countForUser: async (userId, now) =>
      (await good.listForUser(userId, now)).filter(({ createdAt }) => createdAt <= now).length,
  })),
  'sessions: countForUser answers a text': withSessions((good) => ({
    countForUser: async (userId, now) =>
      String((await good.listForUser(userId, now)).length) as unknown as number,
  })),
}
