import type { SessionRecord } from '../../../src/index.js'
import { factorRows } from './factor-rows.js'
import { collation, withCodes, withFactors, withSessions, withTickets } from './helpers.js'
import { sessionRows } from './session-rows.js'

/** Session stores whose column takes some ids of users for the same. */
const foldedUsers = (fold: (userId: string) => string) =>
  withSessions((good) => {
    const stored = collation(fold)
    return {
      create: (session) => good.create({ ...session, userId: stored(session.userId) }),
      listForUser: (userId, now) => good.listForUser(stored(userId), now),
      endAllForUser: (userId, reason, now, exceptId) =>
        good.endAllForUser(stored(userId), reason, now, exceptId),
    }
  })

/** Stores that take one key or text for another. */
export const badTexts = {
  'sessions: users by the beginning of their ids': sessionRows((rows, good) => ({
    async listForUser(userId, now) {
      const users = new Set(
        [...rows.values()].map((row) => row.userId).filter((one) => one.startsWith(userId)),
      )
      return (await Promise.all([...users].map((one) => good.listForUser(one, now)))).flat()
    },
  })),
  'sessions: user ids as numbers where they look like them': foldedUsers((userId) =>
    /^\d+(\.\d+)?$/.test(userId) ? String(Number(userId)) : userId,
  ),
  'sessions: user ids without a slash': foldedUsers((userId) => userId.replaceAll('/', '_')),
  'sessions: user ids unescaped': foldedUsers((userId) => userId.replaceAll('%2F', '/')),
  'sessions: user ids with U+FFFD for half a character': foldedUsers((userId) =>
    Buffer.from(userId).toString(),
  ),
  'sessions: user ids end at a NUL': foldedUsers((userId) => userId.split('\0')[0] ?? ''),
  'codes: hashes cut at 1024': withCodes((good) => ({
    save: (code) => good.save({ ...code, codeHash: code.codeHash.slice(0, 1024) }),
    find: (codeHash) => good.find(codeHash.slice(0, 1024)),
  })),
  'tickets: hashes put into a text': withTickets((good) => ({
    consume: (ticketHash, now) => good.consume(`${ticketHash}`, now),
  })),
  'sessions: rows in a plain object': sessionRows((rows, good) => {
    const others: Record<string, SessionRecord | undefined> = {}
    return { find: async (id) => (rows.has(id) ? good.find(id) : (others[id] ?? null)) }
  }),
  'secondFactors: factors in a plain object': factorRows((_rows, good) => {
    const isActive: Record<string, boolean> = {}
    return {
      async activate(factor, hashes) {
        if (isActive[factor.userId]) return { outcome: 'already-active' }
        isActive[factor.userId] = true
        return good.activate(factor, hashes)
      },
      async deactivate(userId) {
        delete isActive[userId]
        return good.deactivate(userId)
      },
    }
  }),
  'sessions: texts that look like dates revived': withSessions((good) => ({
    async find(id) {
      const session = await good.find(id)
      const revive = (value: unknown) =>
        /^\d{4}-\d\d-\d\dT/.test(String(value)) ? new Date(String(value)) : value
      return session && { ...session, userAgent: revive(session.userAgent) as string | null }
    },
  })),
  'sessions: kinds from a list': withSessions((good) => ({
    async create(session) {
      if (!['login', 'pkce'].includes(session.kind))
        throw new Error('invalid input value for enum session_kind')
      await good.create(session)
    },
  })),
  'sessions: empty texts as null': withSessions((good) => ({
    create: (session) => good.create({ ...session, userAgent: session.userAgent || null }),
  })),
  'sessions: moments end in 2038': withSessions((good) => ({
    create: (session) =>
      good.create({
        ...session,
        expiresAt: new Date(Math.min(session.expiresAt.getTime(), (2 ** 31 - 1) * 1000)),
      }),
  })),
  'sessions: ids in the order of JavaScript': withSessions((good) => ({
    async listForUser(userId, now) {
      const listed = await good.listForUser(userId, now)
      const byId = listed.sort((one, other) => (one.id < other.id ? -1 : 1))
      return byId.sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime())
    },
  })),
  'secondFactors: no check of ids at all': withFactors((good) => {
    const stored = (text: string) => Buffer.from(`${text}`).toString()
    return {
      find: (userId) => good.find(stored(userId)),
      activate: (factor, hashes) =>
        good.activate({ ...factor, userId: stored(factor.userId) }, hashes),
      deactivate: (userId) => good.deactivate(stored(userId)),
      advanceStep: (userId, step) => good.advanceStep(stored(userId), step),
      consumeRecoveryCode: (userId, hash) => good.consumeRecoveryCode(stored(userId), hash),
      countRecoveryCodes: (userId) => good.countRecoveryCodes(stored(userId)),
    }
  }),
}
