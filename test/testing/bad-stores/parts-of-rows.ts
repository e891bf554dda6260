import type { AuthorizationCodeStore, SessionStore, StoresToProbe } from '../../../src/index.js'
import { memoryStores } from '../../../src/stores/memory-stores.js'
import { factorRows } from './factor-rows.js'
import { awaited, withCodes, withFactors, withSessions, withTickets } from './helpers.js'
import { sessionRows } from './session-rows.js'

/** Stores that write more than was asked, or less, or another row as well. */
export const badParts = {
  'sessions: touch writes refresh back': sessionRows((rows, good) => ({
    async touch(id, seen) {
      const row = structuredClone(rows.get(id))
      await awaited()
      const now = rows.get(id)
      if (row !== undefined && now !== undefined)
        rows.set(id, { ...now, refresh: now.endedAt === null ? row.refresh : now.refresh })
      await good.touch(id, seen)
    },
  })),
  'sessions: rotate writes the hash first and the rest later': sessionRows((rows, good) => ({
    async rotateRefresh(id, hash, next, now) {
      const row = rows.get(id)
      if (row?.endedAt !== null || row.refresh?.hash !== hash)
        return good.rotateRefresh(id, hash, next, now)
      rows.set(id, { ...row, refresh: { ...row.refresh, hash: next.refresh.hash } })
      await awaited()
      return good.rotateRefresh(id, next.refresh.hash, next, now)
    },
  })),
  'sessions: touch deletes and inserts': sessionRows((rows) => ({
    async touch(id, { lastSeenAt, idleExpiresAt, ip }) {
      const row = rows.get(id)
      if (row?.endedAt !== null) return
      rows.delete(id)
      await awaited()
      rows.set(id, structuredClone({ ...row, lastSeenAt, idleExpiresAt, ip }))
    },
  })),
  'sessions: touch writes whatever it is handed': sessionRows((rows) => ({
    async touch(id, seen) {
      const row = rows.get(id)
      if (row?.endedAt === null) rows.set(id, structuredClone({ ...row, ...seen }))
    },
  })),
  'sessions: touch keeps the Date it was handed': sessionRows((rows) => ({
    async touch(id, { lastSeenAt, idleExpiresAt, ip }) {
      const row = rows.get(id)
      if (row?.endedAt === null) rows.set(id, { ...row, lastSeenAt, idleExpiresAt, ip })
    },
  })),
  'sessions: touch rejects where nothing is to be updated': sessionRows((rows, good) => ({
    async touch(id, seen) {
      if (!rows.has(id)) throw new Error('Record to update not found.')
      await good.touch(id, seen)
    },
  })),
  'sessions: endAllForUser leaves out expired ones': sessionRows((rows, good) => ({
    async endAllForUser(userId, reason, now, exceptId) {
      const own = [...rows.values()].filter(
        (row) => row.userId === userId && row.id !== exceptId && now < row.expiresAt,
      )
      const ended = await Promise.all(
        own.map(async ({ id }) => ((await good.end(id, reason, now)) ? [id] : [])),
      )
      return ended.flat()
    },
  })),
  'codes: one for each user': withCodes((good) => {
    const current = new Map<string, string>()
    return {
      async save(code) {
        await good.save(code)
        current.set(code.userId, code.codeHash)
      },
      async consume(codeHash, now) {
        const found = await good.find(codeHash)
        const isVoid = found?.consumedAt === null && current.get(found.userId) !== codeHash
        return isVoid ? { outcome: 'unknown' } : good.consume(codeHash, now)
      },
    }
  }),
  'codes: void before createdAt': withCodes((good) => ({
    async consume(codeHash, now) {
      const found = await good.find(codeHash)
      return found !== null && now < found.createdAt
        ? { outcome: 'unknown' }
        : good.consume(codeHash, now)
    },
  })),
  'codes: redemption for a copy of the session store': (): StoresToProbe => {
    const { codes, sessions } = memoryStores()
    return { codes: { ...codes, redemption: redemptionOf(codes, { ...sessions }) }, sessions }
  },
  'tickets: used up by whoever comes too late': withTickets((good) => ({
    async consume(ticketHash, now) {
      const answer = await good.consume(ticketHash, new Date(0))
      return answer.outcome === 'consumed' && now >= answer.ticket.expiresAt
        ? { outcome: 'unknown' }
        : answer
    },
  })),
  'tickets: one for each session': withTickets((good) => {
    const current = new Map<string, string>()
    return {
      async save(ticket) {
        const before = current.get(ticket.sessionId)
        if (before !== undefined) await good.consume(before, new Date(0))
        await good.save(ticket)
        current.set(ticket.sessionId, ticket.ticketHash)
      },
    }
  }),
  'secondFactors: advanceStep writes factor and recovery codes as one document': factorRows(
    ({ factors, codes }, good) => ({
      async advanceStep(userId, step) {
        const before = new Set(codes.get(userId))
        const factor = factors.get(userId)
        await awaited()
        // The version that makes the write conditional is the step alone.
        if (factor === undefined || factors.get(userId)?.lastStep !== factor.lastStep)
          return good.advanceStep(userId, step)
        const answer = await good.advanceStep(userId, step)
        if (answer.outcome === 'advanced') codes.set(userId, before)
        return answer
      },
    }),
  ),
  'secondFactors: deactivate leaves the codes in their rows': factorRows(({ codes }, good) => ({
    async deactivate(userId) {
      const left = codes.get(userId)
      const answer = await good.deactivate(userId)
      if (left !== undefined) codes.set(userId, left)
      return answer
    },
  })),
  'secondFactors: users and codes joined with a colon': withFactors((good) => {
    const rows = new Set<string>()
    return {
      async activate(factor, hashes) {
        const answer = await good.activate(factor, [])
        if (answer.outcome === 'activated')
          for (const hash of hashes) rows.add(`${factor.userId}:${hash}`)
        return answer
      },
      async confirm(factor, hashes, now) {
        const answer = await good.confirm(factor, [], now)
        if (answer.outcome === 'activated')
          for (const hash of hashes) rows.add(`${factor.userId}:${hash}`)
        return answer
      },
      consumeRecoveryCode: async (userId, hash) => ({
        outcome: rows.delete(`${userId}:${hash}`) ? 'consumed' : 'unknown',
      }),
      countRecoveryCodes: async (userId) =>
        [...rows].filter((row) => row.startsWith(`${userId}:`)).length,
      async replaceRecoveryCodes(userId, hashes) {
        if ((await good.find(userId)) === null) return { outcome: 'not-active' }
        for (const row of [...rows]) if (row.startsWith(`${userId}:`)) rows.delete(row)
        for (const hash of hashes) rows.add(`${userId}:${hash}`)
        return { outcome: 'replaced' }
      },
      async deactivate(userId) {
        const answer = await good.deactivate(userId)
        if (answer.outcome === 'deactivated')
          for (const row of [...rows]) if (row.startsWith(`${userId}:`)) rows.delete(row)
        return answer
      },
    }
  }),
  'sessions: end writes the moment first and the reason later': sessionRows((rows) => ({
    async end(id, endReason, endedAt) {
      const row = rows.get(id)
      if (row?.endedAt !== null) return false
      rows.set(id, { ...row, endedAt: new Date(endedAt) })
      await awaited()
      rows.set(id, { ...row, endedAt: new Date(endedAt), endReason })
      return true
    },
  })),
  'sessions: live from createdAt on': withSessions((good) => ({
    async liveAmong(ids, now) {
      const found = await Promise.all((await good.liveAmong(ids, now)).map((id) => good.find(id)))
      return found.flatMap((session) =>
        session !== null && session.createdAt <= now ? [session.id] : [],
      )
    },
  })),
}

function redemptionOf(
  codes: AuthorizationCodeStore,
  sessions: SessionStore,
): NonNullable<AuthorizationCodeStore['redemption']> {
  return {
    sessions,
    async redeem(codeHash, session, now) {
      if ((await sessions.find(session.id)) !== null) throw new Error('duplicate')
      const answer = await codes.consume(codeHash, now)
      if (answer.outcome === 'consumed') await sessions.create(session)
      return answer
    },
  }
}
