import type { AuthorizationCodeRecord, SessionRecord } from '../../../src/index.js'
import { awaited, withCodes, withSessions } from './helpers.js'
import { sessionRows } from './session-rows.js'

const withoutClient = ({
  clientId: _clientId,
  redirectUri: _redirectUri,
  ...rest
}: AuthorizationCodeRecord): AuthorizationCodeRecord => rest

const livingOf = (
  rows: ReadonlyMap<string, SessionRecord>,
  isMeant: (row: SessionRecord) => boolean,
) => [...rows.values()].filter((row) => row.endedAt === null && isMeant(row))

/** Stores that lose what belongs to a client, or end too few or too many of its sessions. */
export const badOwners = {
  'codes: save drops the members it has no column for': withCodes((good) => ({
    save: (code) => good.save(withoutClient(code)),
  })),
  'codes: resources as one text': withCodes((good) => ({
    save: (code) =>
      good.save(code.resources ? { ...code, resources: [code.resources.join(' ')] } : code),
  })),
  'codes: consume answers without the last columns': withCodes((good) => ({
    async consume(codeHash, now) {
      const answer = await good.consume(codeHash, now)
      return 'code' in answer ? { ...answer, code: withoutClient(answer.code) } : answer
    },
  })),
  'sessions: resources as one text': withSessions((good) => ({
    create: (session) =>
      good.create(
        session.resources ? { ...session, resources: [session.resources.join(' ')] } : session,
      ),
  })),
  'sessions: resources that are none are left out': withSessions((good) => ({
    create({ resources, ...session }) {
      const granted = resources === undefined || resources.length === 0 ? {} : { resources }
      return good.create({ ...session, ...granted })
    },
  })),
  'sessions: endAllForClient for every user': withSessions((good) => ({
    endAllForClient: async (clientId, _only, reason, now) =>
      (await good.endAllForClient?.(clientId, {}, reason, now)) ?? [],
  })),
  'sessions: endAllForClient ends one batch of 25': sessionRows((rows, good) => ({
    async endAllForClient(clientId, { userId }, reason, now) {
      const mine = livingOf(
        rows,
        (row) => row.clientId === clientId && (userId ?? row.userId) === row.userId,
      )
      const batch = mine.slice(0, 25)
      for (const { id } of batch) await good.end(id, reason, now)
      return batch.map(({ id }) => id)
    },
  })),
  'sessions: endAllForClient stops before its limit': withSessions((good) => ({
    endAllForClient: async (clientId, { limit, ...only }, reason, now) => {
      const few = limit === undefined ? only : { ...only, limit: limit - 1 }
      return (await good.endAllForClient?.(clientId, few, reason, now)) ?? []
    },
  })),
  'sessions: endAllForClient names what it read before': sessionRows((rows, good) => ({
    async endAllForClient(clientId, { userId }, reason, now) {
      const mine = livingOf(
        rows,
        (row) => row.clientId === clientId && (userId ?? row.userId) === row.userId,
      )
      await awaited()
      for (const { id } of mine) await good.end(id, reason, now)
      return mine.map(({ id }) => id)
    },
  })),
  'sessions: endChildren ends the parent, too': withSessions((good) => ({
    async endChildren(parentId, reason, now) {
      const ended = (await good.endChildren?.(parentId, reason, now)) ?? []
      await good.end(parentId, reason, now)
      return ended
    },
  })),
  'sessions: endChildren ends what only came from it': sessionRows((rows, good) => ({
    async endChildren(parentId, reason, now) {
      const mine = livingOf(rows, (row) => [row.parentId, row.openedBySessionId].includes(parentId))
      const ended: string[] = []
      for (const { id } of mine) if (await good.end(id, reason, now)) ended.push(id)
      return ended
    },
  })),
  'sessions: endChildren names what it read before': sessionRows((rows, good) => ({
    async endChildren(parentId, reason, now) {
      const mine = livingOf(rows, (row) => row.parentId === parentId)
      await awaited()
      for (const { id } of mine) await good.end(id, reason, now)
      return mine.map(({ id }) => id)
    },
  })),
  'sessions: endChildren leaves out what is over': sessionRows((rows, good) => ({
    async endChildren(parentId, reason, now) {
      const mine = livingOf(rows, (row) => row.parentId === parentId && now < row.idleExpiresAt)
      const ended: string[] = []
      for (const { id } of mine) if (await good.end(id, reason, now)) ended.push(id)
      return ended
    },
  })),
  'sessions: setAuthenticated as an upsert': sessionRows((rows) => ({
    async setAuthenticated(id, proved) {
      const row = rows.get(id) ?? ({ id, endedAt: null } as SessionRecord)
      rows.set(id, structuredClone({ ...row, ...proved }))
    },
  })),
  'sessions: setAuthenticated reads, then writes the whole row': sessionRows((rows) => ({
    async setAuthenticated(id, proved) {
      const row = rows.get(id)
      await awaited()
      if (row?.endedAt === null) rows.set(id, structuredClone({ ...row, ...proved }))
    },
  })),
  'sessions: setAuthenticated takes the secret away': sessionRows((rows) => ({
    async setAuthenticated(id, { methods, authenticatedAt }) {
      const { secretHash: _before, ...row } = rows.get(id) ?? ({} as SessionRecord)
      if (row.endedAt !== null) return
      rows.set(id, structuredClone({ ...row, methods, authenticatedAt }))
    },
  })),
  'sessions: replaceSecret reads, then writes': sessionRows((rows) => ({
    async replaceSecret(id, { from, to, formerUntil }) {
      const row = rows.get(id)
      await awaited()
      if (row === undefined || row.endedAt !== null || row.secretHash !== from) return false
      const formerSecret = { hash: from, until: formerUntil }
      rows.set(id, structuredClone({ ...row, secretHash: to, formerSecret }))
      return true
    },
  })),
  'sessions: replaceSecret also for the former secret': sessionRows((rows) => ({
    async replaceSecret(id, { from, to, formerUntil }) {
      const row = rows.get(id)
      if (row === undefined || row.endedAt !== null) return false
      if (row.secretHash !== from && row.formerSecret?.hash !== from) return false
      const formerSecret = { hash: from, until: formerUntil }
      rows.set(id, structuredClone({ ...row, secretHash: to, formerSecret }))
      return true
    },
  })),
  'sessions: replaceSecret forgets the former secret': sessionRows((rows) => ({
    async replaceSecret(id, { from, to }) {
      const row = rows.get(id)
      if (row === undefined || row.endedAt !== null || row.secretHash !== from) return false
      rows.set(id, structuredClone({ ...row, secretHash: to }))
      return true
    },
  })),
  'sessions: replaceSecret of what has ended': sessionRows((rows) => ({
    async replaceSecret(id, { from, to, formerUntil }) {
      const row = rows.get(id)
      if (row?.secretHash !== from) return false
      const formerSecret = { hash: from, until: formerUntil }
      rows.set(id, structuredClone({ ...row, secretHash: to, formerSecret }))
      return true
    },
  })),
}
