import type { SessionRecord } from '../../../src/index.js'
import { awaited, withSessions } from './helpers.js'
import { sessionRows } from './session-rows.js'

const known = ({ id, userId, kind, scope, methods, ...rest }: SessionRecord): SessionRecord => {
  const { authenticatedAt, createdAt, lastSeenAt, idleExpiresAt, expiresAt } = rest
  const times = { authenticatedAt, createdAt, lastSeenAt, idleExpiresAt, expiresAt }
  const { ip, userAgent, refresh, endedAt, endReason } = rest
  const others = { ip, userAgent, refresh, endedAt, endReason }
  return { id, userId, kind, scope, methods, ...times, ...others }
}

/** Stores that drop members of sessions, and marks that are lost or given away. */
export const badWholeRows = {
  'sessions: create drops the members it has no column for': withSessions((good) => ({
    create: (session) => good.create(known(session)),
  })),
  'sessions: where a session came from is dropped': withSessions((good) => ({
    create: ({ openedBySessionId: _dropped, ...session }) => good.create(session),
  })),
  'sessions: what provider a session came from is dropped': withSessions((good) => ({
    create: ({ upstream: _dropped, ...session }) => good.create(session),
  })),
  'sessions: what provider a session came from is cut off': withSessions((good) => ({
    create: ({ upstream, ...session }) =>
      good.create({ ...session, ...(upstream && { upstream: upstream.slice(0, 128) }) }),
  })),
  'sessions: who acts is dropped': withSessions((good) => ({
    create: ({ actorId: _dropped, ...session }) => good.create(session),
  })),
  'sessions: by what an actor is signed in is dropped': withSessions((good) => ({
    create: ({ actorSessionId: _dropped, ...session }) => good.create(session),
  })),
  'sessions: the secret before is dropped': withSessions((good) => ({
    create: ({ formerSecret: _dropped, ...session }) => good.create(session),
  })),
  'sessions: what was left out is null': withSessions((good) => ({
    async find(id) {
      const found = await good.find(id)
      return found === null ? null : { ...found, parentId: found.parentId ?? (null as never) }
    },
  })),
  'sessions: rotate writes the row without its last members': sessionRows((rows, good) => ({
    async rotateRefresh(id, hash, next, now) {
      const answer = await good.rotateRefresh(id, hash, next, now)
      const row = rows.get(id)
      if (row !== undefined && answer.outcome === 'rotated') rows.set(id, known(row))
      return answer
    },
  })),
  'sessions: no session is longer than 90 days': withSessions((good) => ({
    create(session) {
      const latest = session.createdAt.getTime() + 90 * 86_400_000
      const idleExpiresAt = new Date(Math.min(session.idleExpiresAt.getTime(), latest))
      return good.create({ ...session, idleExpiresAt })
    },
  })),
  'sessions: addPasswordMark keeps the last alone': sessionRows((rows) => ({
    async addPasswordMark(userId, from, to) {
      for (const row of [...rows.values()])
        if (row.userId === userId && row.endedAt === null && row.passwordMark === from)
          rows.set(row.id, { ...row, passwordMarkNext: to })
    },
  })),
  'sessions: addPasswordMark reads, then writes': sessionRows((rows) => ({
    async addPasswordMark(userId, from, to) {
      const read = [...rows.values()].filter(
        (row) => row.userId === userId && row.endedAt === null && row.passwordMark === from,
      )
      await awaited()
      for (const { id, passwordMarkNext: next } of read) {
        const row = rows.get(id)
        const passwordMarkNext = next === undefined ? to : `${next} ${to}`
        if (row !== undefined) rows.set(id, { ...row, passwordMarkNext })
      }
    },
  })),
  'sessions: addPasswordMark for all of the user': sessionRows((rows) => ({
    async addPasswordMark(userId, _from, to) {
      for (const row of [...rows.values()])
        if (row.userId === userId && row.endedAt === null)
          rows.set(row.id, { ...row, passwordMarkNext: to })
    },
  })),
}
