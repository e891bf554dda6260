import { randomId } from '../../lib/random.js'
import type { EndReason, SecretReplacement, SessionRecord, SessionStore } from '../contract.js'
import { databaseTime } from './database-time.js'
import { endTogether } from './end-together.js'
import type { SqlEngine } from './engine.js'
import { addPasswordMark } from './password-marks.js'
import { purgeInBatches } from './purge.js'
import { columnsOfSession, ended, refreshColumns, seen, toRow, toSession } from './session-rows.js'
import type { AuthDatabase } from './tables.js'
import { fromKey, toMoment } from './values.js'

/** Sessions in SQL. */
export function sqlSessions(engine: SqlEngine): SessionStore {
  const { db, tables, key } = engine
  const table = tables.sessions

  return {
    create: (session) => engine.write(() => insertSession(engine, db, session)),

    async find(id) {
      const row = await db
        .selectFrom(table)
        .selectAll()
        .where('id', '=', key(id, 'id'))
        .executeTakeFirst()
      return row === undefined ? null : toSession(row)
    },

    ...changesOfOne(engine),
    replaceSecret: (id, replacement) => engine.write(() => replaceSecret(engine, id, replacement)),

    addPasswordMark: (userId, from, to) =>
      engine.write(() => addPasswordMark(engine, { userId, from, to })),

    // Together: between the two statements a purge could delete what the first has ended, and
    // nobody would be told of it.
    endAllForUser: (userId, reason, now, exceptId) =>
      engine.atomically((transaction) =>
        endAll(engine, transaction, { userId, reason, now, exceptId }),
      ),

    endAllForClient: (clientId, { userId, limit }, reason, now) =>
      endTogether(engine, { owner: 'client_id', of: clientId, userId, reason, now }, limit),

    endChildren: (parentId, reason, now) =>
      endTogether(engine, { owner: 'parent_id', of: parentId, userId: undefined, reason, now }),

    async listForUser(userId, now) {
      const query = live(engine, now).selectAll().where('user_id', '=', key(userId, 'userId'))
      return (await query.orderBy('created_at').orderBy('id').execute()).map(toSession)
    },

    async countForUser(userId, now) {
      const own = live(engine, now).where('user_id', '=', key(userId, 'userId'))
      const counted = own.select((eb) => eb.fn.countAll().as('count'))
      return Number((await counted.executeTakeFirstOrThrow()).count)
    },

    async liveAmong(ids, now) {
      if (ids.length === 0) return []
      const asked = ids.map((id) => key(id, 'id'))
      const rows = await live(engine, now).select('id').where('id', 'in', asked).execute()
      return rows.map(({ id }) => fromKey(id))
    },

    purge: (now, limit) => purgeInBatches(engine, table, 'id', 'purge_at', now, limit),
    databaseTime: () => databaseTime(engine),
  }
}

/** Inserts a session, alone or with the use of its code. Rejects if the id is there. */
export async function insertSession(
  engine: SqlEngine,
  within: AuthDatabase,
  session: SessionRecord,
): Promise<void> {
  await within.insertInto(engine.tables.sessions).values(toRow(engine, session)).execute()
}

function changesOfOne(
  engine: SqlEngine,
): Pick<SessionStore, 'rotateRefresh' | 'touch' | 'setMethods' | 'setAuthenticated' | 'end'> {
  const { db, tables, key } = engine
  const table = tables.sessions
  const changeLiving = (id: string) => livingOf(engine, id)

  return {
    rotateRefresh: (id, presentedHash, next) =>
      engine.write(async () => {
        const { numUpdatedRows } = await changeLiving(id)
          .where('refresh_hash', '=', key(presentedHash, 'presentedHash'))
          .set((eb) => ({ ...seen(engine, eb, next), ...refreshColumns(engine, next.refresh) }))
          .executeTakeFirstOrThrow()
        if (numUpdatedRows === 1n) return { outcome: 'rotated' }
        const rows = db.selectFrom(table).select('ended_at').where('id', '=', key(id, 'id'))
        const row = await (engine.readsOldSnapshot ? rows.forUpdate() : rows).executeTakeFirst()
        return { outcome: row?.ended_at === null ? 'superseded' : 'ended' }
      }),

    touch: (id, noted) =>
      engine.write(
        async () =>
          void (await changeLiving(id)
            .set((eb) => seen(engine, eb, noted))
            .execute()),
      ),

    setMethods: (id, methods) =>
      engine.write(
        async () =>
          void (await changeLiving(id).set(columnsOfSession(engine, { methods })).execute()),
      ),

    setAuthenticated: (id, { methods, authenticatedAt }) =>
      engine.write(
        async () =>
          void (await changeLiving(id)
            .set(columnsOfSession(engine, { methods, authenticatedAt }))
            .execute()),
      ),

    end: (id, reason, now) =>
      engine.write(async () => {
        const { numUpdatedRows } = await changeLiving(id)
          .set(ended(engine, reason, now))
          .executeTakeFirstOrThrow()
        return numUpdatedRows === 1n
      }),
  }
}

async function replaceSecret(
  engine: SqlEngine,
  id: string,
  { from, to, formerUntil }: SecretReplacement,
): Promise<boolean> {
  const formerSecret = { hash: from, until: formerUntil }
  const { numUpdatedRows } = await livingOf(engine, id)
    .where('secret_hash', '=', engine.key(from, 'from'))
    .set(columnsOfSession(engine, { secretHash: to, formerSecret }))
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

// Ended or not is part of the write: a session that ends while it is used stays ended.
function livingOf({ db, tables, key }: SqlEngine, id: string) {
  return db
    .updateTable(tables.sessions)
    .where('id', '=', key(id, 'id'))
    .where('ended_at', 'is', null)
}

interface EndOfAll {
  readonly userId: string
  readonly reason: EndReason
  readonly now: Date
  readonly exceptId: string | undefined
}

async function endAll(
  engine: SqlEngine,
  transaction: AuthDatabase,
  { userId, reason, now, exceptId }: EndOfAll,
): Promise<string[]> {
  const { tables, key } = engine
  const user = key(userId, 'userId')
  // The rows carry the name of the call that ended them, so each is claimed by one call, on
  // databases without RETURNING as well.
  const mark = key(randomId(), 'ended_by')
  const living = transaction
    .updateTable(tables.sessions)
    .where('user_id', '=', user)
    .where('ended_at', 'is', null)
  const chosen =
    exceptId === undefined ? living : living.where('id', '!=', key(exceptId, 'exceptId'))
  await chosen.set({ ...ended(engine, reason, now), ended_by: mark }).execute()
  const mine = transaction
    .selectFrom(tables.sessions)
    .select('id')
    .where('user_id', '=', user)
    .where('ended_by', '=', mark)
  return (await mine.execute()).map(({ id }) => fromKey(id))
}

/** Sessions that have not ended and are not over. */
function live({ db, tables }: SqlEngine, now: Date) {
  return db
    .selectFrom(tables.sessions)
    .where('ended_at', 'is', null)
    .where('purge_at', '>', toMoment(now))
}
