import { randomUUID } from 'node:crypto'
import type { SessionRecord, SessionSeen, SessionStore } from 'messaging-auth-router'
import type { Collection, Filter } from 'mongodb'
import { checked, deleteDue, key, type Within } from './mongo-database.js'

/** `endedBy` names the call that ended the row. */
export type SessionRow = Omit<SessionRecord, 'id'> & {
  readonly _id: string
  readonly endedBy: string | null
}

export async function insertSession(
  rows: Collection<SessionRow>,
  { id, ...rest }: SessionRecord,
  within: Within = {},
) {
  await rows.insertOne(
    { ...checked(rest), _id: key(id), userId: key(rest.userId), endedBy: null },
    within,
  )
}

const livesOn = (id: string): Filter<SessionRow> => ({ _id: { $eq: key(id) }, endedAt: null })
const isLive = (now: Date): Filter<SessionRow> => ({
  endedAt: null,
  idleExpiresAt: { $gt: now },
  expiresAt: { $gt: now },
})

export function mongoSessions(rows: Collection<SessionRow>): SessionStore {
  return {
    create: (session) => insertSession(rows, session),

    async find(id) {
      const row = await rows.findOne({ _id: { $eq: key(id) } })
      return row === null ? null : toSession(row)
    },

    async rotateRefresh(id, presentedHash, { refresh, ...seen }) {
      const current: Filter<SessionRow> = {
        ...livesOn(id),
        'refresh.hash': { $eq: key(presentedHash) },
      }
      const { modifiedCount } = await rows.updateOne(current, {
        $set: { ...columns(seen), refresh },
      })
      if (modifiedCount === 1) return { outcome: 'rotated' }
      const row = await rows.findOne({ _id: { $eq: key(id) } })
      return { outcome: row?.endedAt === null ? 'superseded' : 'ended' }
    },

    async touch(id, seen) {
      await rows.updateOne(livesOn(id), { $set: columns(seen) })
    },

    async setMethods(id, methods) {
      await rows.updateOne(livesOn(id), { $set: { methods } })
    },

    async end(id, reason, now) {
      const { modifiedCount } = await rows.updateOne(livesOn(id), {
        $set: { endedAt: now, endReason: reason },
      })
      return modifiedCount === 1
    },

    async endAllForUser(userId, reason, now, exceptId) {
      // updateMany does not say which rows it changed. The mark does: no other call has the same.
      const endedBy = randomUUID()
      const living: Filter<SessionRow> = { userId: { $eq: key(userId) }, endedAt: null }
      const chosen = exceptId === undefined ? living : { ...living, _id: { $ne: key(exceptId) } }
      await rows.updateMany(chosen, { $set: { endedAt: now, endReason: reason, endedBy } })
      const mine = await rows
        .find({ userId: { $eq: key(userId) }, endedBy: { $eq: endedBy } })
        .toArray()
      return mine.map(({ _id }) => _id)
    },

    async listForUser(userId, now) {
      const living = rows.find({ userId: { $eq: key(userId) }, ...isLive(now) })
      return (await living.sort({ createdAt: 1, _id: 1 }).toArray()).map(toSession)
    },

    countForUser: (userId, now) =>
      rows.countDocuments({ userId: { $eq: key(userId) }, ...isLive(now) }),

    async liveAmong(ids, now) {
      const living = await rows
        .find({ _id: { $in: ids.map(key) }, ...isLive(now) }, { projection: { _id: 1 } })
        .toArray()
      return living.map(({ _id }) => _id)
    },

    purge: (now, limit) =>
      deleteDue(
        rows,
        [
          { endedAt: { $lte: now } },
          { idleExpiresAt: { $lte: now } },
          { expiresAt: { $lte: now } },
        ],
        limit,
      ),
  }
}

// Named one by one: what else a caller's object holds is not written.
function columns({ lastSeenAt, idleExpiresAt, ip }: SessionSeen): SessionSeen {
  return checked({ lastSeenAt, idleExpiresAt, ip })
}

function toSession({ _id, endedBy, ...rest }: SessionRow): SessionRecord {
  return { id: _id, ...rest }
}
