import {
  type Expression,
  type ExpressionBuilder,
  type InsertObject,
  type InsertQueryBuilder,
  type InsertResult,
  type RawBuilder,
  type Selectable,
  sql,
  type UpdateObject,
} from 'kysely'
import { randomId } from '../../lib/secrets.js'
import type {
  EndReason,
  RefreshState,
  SecretReplacement,
  SessionRecord,
  SessionSeen,
  SessionStore,
  StoredReason,
} from '../contract.js'
import { type KeyValue, type MomentValue, without } from '../rows/members.js'
import { type SessionsTable, sessionRow } from '../rows/session-row.js'
import { maxNextMarks } from '../stored-values.js'
import { type Columns, columnsOf } from './columns.js'
import { databaseTime, fromKey, fromMoment, type SqlEngine, toMoment } from './engine.js'
import { purgeInBatches } from './purge.js'
import type { AuthDatabase, SqlAuthTables } from './tables.js'

/** Sessions in SQL. */
export function sqlSessions(engine: SqlEngine): SessionStore {
  const { db, tables, key } = engine
  const table = tables.sessions

  return {
    create: (session) => engine.write(() => insertSession(engine, db, session)),

    async find(id) {
      const query = db.selectFrom(table).selectAll().where('id', '=', key(id, 'id'))
      const row = await engine.readRow({ kind: 'session', query, columns: allColumns })
      return row === undefined ? null : toSession(row)
    },

    ...changesOfOne(engine),
    replaceSecret: (id, replacement) => engine.write(() => replaceSecret(engine, id, replacement)),

    addPasswordMark: (userId, from, to) =>
      engine.write(() => addPasswordMark(engine, { userId, from, to })),

    // Both statements run together: between them a purge could delete the sessions that the first
    // has ended, and nobody would be told of them.
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
      const query = own.select((eb) => eb.fn.countAll().as('count'))
      return Number((await engine.readRow({ kind: 'count', query, columns: ['count'] }))?.count)
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

/**
 * The part of a statement that inserts a session for the row that another part of it, `winner`, has
 * written, and none if that has written none.
 */
export function insertSessionFor(
  winner: string,
  engine: SqlEngine,
  within: Pick<AuthDatabase, 'insertInto'>,
  session: SessionRecord,
): InsertQueryBuilder<SqlAuthTables, 'mar_sessions', InsertResult> {
  const row = toRow(engine, session)
  const columns = Object.keys(row) as (keyof SqlAuthTables['mar_sessions'])[]
  const values = sql.join(Object.values(row))
  return within
    .insertInto(engine.tables.sessions)
    .columns(columns)
    .expression(sql<never>`select ${values} from ${sql.id(winner)}`)
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

/** The sessions that are to end: all of a client, or all that one session has opened. */
interface EndTogether {
  readonly owner: 'client_id' | 'parent_id'
  readonly of: string
  /** Left out: of whichever user. */
  readonly userId: string | undefined
  readonly reason: EndReason
  readonly now: Date
}

/** Rows that one statement ends: few enough that nobody waits long for their locks. */
const batch = 500

/**
 * Ends the sessions in batches, and answers the ids of the sessions that this call ended: at least
 * `limit` of them, or none is left.
 */
async function endTogether(
  engine: SqlEngine,
  which: EndTogether,
  limit?: number,
): Promise<string[]> {
  const all: string[] = []
  for (;;) {
    // Chosen before the transaction, which begins with its write: SQLite lets no transaction write
    // that has read what another has changed meanwhile.
    const found = await someLiving(engine, which)
    if (found.length > 0)
      // Both statements run together: between them a purge could delete the sessions that the first
      // has ended.
      all.push(...(await engine.atomically((within) => endThose(engine, within, which, found))))
    if (found.length < batch || all.length >= (limit ?? Number.POSITIVE_INFINITY)) return all
  }
}

async function someLiving(
  { db, tables, key, readsOldSnapshot }: SqlEngine,
  { owner, of, userId }: EndTogether,
): Promise<KeyValue[]> {
  const ofAll = db
    .selectFrom(tables.sessions)
    .select('id')
    .where(owner, '=', key(of, owner))
    .where('ended_at', 'is', null)
    .limit(batch)
  const living = userId === undefined ? ofAll : ofAll.where('user_id', '=', key(userId, 'userId'))
  // An ended session that an old snapshot takes for living would be found again and again.
  const rows = await (readsOldSnapshot ? living.forUpdate() : living).execute()
  return rows.map(({ id }) => id)
}

async function endThose(
  engine: SqlEngine,
  within: AuthDatabase,
  { reason, now }: EndTogether,
  ids: readonly KeyValue[],
): Promise<string[]> {
  const { sessions } = engine.tables
  // The rows carry the name of the call that ended them, as with endAllForUser.
  const mark = engine.key(randomId(), 'ended_by')
  await within
    .updateTable(sessions)
    .where('id', 'in', ids)
    .where('ended_at', 'is', null)
    .set({ ...ended(engine, reason, now), ended_by: mark })
    .execute()
  const mine = within
    .selectFrom(sessions)
    .select('id')
    .where('id', 'in', ids)
    .where('ended_by', '=', mark)
  return (await mine.execute()).map(({ id }) => fromKey(id))
}

/** A new mark for the sessions of a user, beside another. */
interface AddedMark {
  readonly userId: string
  readonly from: string
  readonly to: string
}

/** `SessionStore.addPasswordMark`, in one statement. */
async function addPasswordMark(engine: SqlEngine, { userId, from, to }: AddedMark): Promise<void> {
  const { db, tables, key } = engine
  const [known, added] = [key(from, 'from'), key(to, 'to')]
  const isKnown = isAmongNext(engine, key(` ${from} `, 'from'))
  const isThere = isAmongNext(engine, key(` ${to} `, 'to'))
  const next = sql<KeyValue>`case when ${isKnown} then ${added} else ${appended(engine, to)} end`
  await db
    .updateTable(tables.sessions)
    .where('user_id', '=', key(userId, 'userId'))
    .where('ended_at', 'is', null)
    .where((eb) =>
      eb.or([isKnown, eb.and([eb('password_mark', '=', known), sql<boolean>`not (${isThere})`])]),
    )
    // MySQL reads a column that stands further left as it is by now: `next` needs the mark no more.
    .set({ password_mark_next: next, password_mark: known })
    .execute()
}

const nextOrNone = sql`coalesce(password_mark_next, '')`

// With a blank on both sides, so that no part of a mark is taken for one.
function isAmongNext({ name }: SqlEngine, padded: KeyValue): RawBuilder<boolean> {
  if (name === 'mysql') return sql<boolean>`locate(${padded}, concat(' ', ${nextOrNone}, ' ')) > 0`
  return name === 'sqlite'
    ? sql<boolean>`instr(' ' || ${nextOrNone} || ' ', ${padded}) > 0`
    : sql<boolean>`strpos(' ' || ${nextOrNone} || ' ', ${padded}) > 0`
}

// The newest marks stay: a text that is too long loses its beginning.
function appended({ name, key }: SqlEngine, to: string): RawBuilder<KeyValue> {
  const [first, further] = [key(to, 'to'), key(` ${to}`, 'to')]
  const [kept, all] = [sql.lit(maxNextMarks), joined(name, further)]
  const whole = name === 'sqlite' ? sql`substr(${all}, -${kept})` : sql`right(${all}, ${kept})`
  return sql<KeyValue>`case when ${nextOrNone} = '' then ${first} else ${whole} end`
}

function joined(name: SqlEngine['name'], further: KeyValue): RawBuilder<KeyValue> {
  return name === 'mysql'
    ? sql<KeyValue>`concat(password_mark_next, ${further})`
    : sql<KeyValue>`password_mark_next || ${further}`
}

type Changed = UpdateObject<SqlAuthTables, 'mar_sessions'>

// One part of the refresh state is compared, and the other parts are JSON.
const columns: Columns<Omit<SessionRecord, 'refresh'>, 'mar_sessions'> = columnsOf(
  without(sessionRow, 'refresh'),
)

const allColumns = [...columns.names, 'refresh_hash', 'refresh_state'] as const

/** The columns of these members alone. */
function columnsOfSession(
  engine: SqlEngine,
  members: Partial<Omit<SessionRecord, 'refresh'>>,
): Changed {
  return columns.ofSome(engine, members)
}

/** The columns of an end. */
function ended(engine: SqlEngine, endReason: StoredReason, endedAt: Date): Changed {
  return { ...columns.ofSome(engine, { endedAt, endReason }), purge_at: toMoment(endedAt) }
}

/** The columns of being used. When the row may go depends on the end that is already in it. */
function seen(
  engine: SqlEngine,
  eb: ExpressionBuilder<SqlAuthTables, 'mar_sessions'>,
  { lastSeenAt, idleExpiresAt, ip }: SessionSeen,
): Changed & { purge_at: Expression<MomentValue> } {
  const idle = toMoment(idleExpiresAt)
  const purgeAt = eb
    .case()
    .when('expires_at', '<', idle)
    .then(eb.ref('expires_at'))
    .else(eb.val<MomentValue>(idle))
    .end()
  return { ...columns.ofSome(engine, { lastSeenAt, idleExpiresAt, ip }), purge_at: purgeAt }
}

/** The columns of the refresh state. */
function refreshColumns(
  { key, text }: SqlEngine,
  refresh: RefreshState | null,
): Pick<InsertObject<SqlAuthTables, 'mar_sessions'>, 'refresh_hash' | 'refresh_state'> {
  if (refresh === null) return { refresh_hash: null, refresh_state: null }
  // Members that a newer release has put into it stay.
  const { hash, ...state } = refresh
  const spent = refresh.spent.map((one) => ({ ...one, spentAt: toMoment(one.spentAt) }))
  return {
    refresh_hash: key(hash, 'refresh.hash'),
    refresh_state: text(JSON.stringify({ ...state, spent }), 'refresh'),
  }
}

/** The content of `refresh_state`. */
interface StoredRefresh {
  readonly familyKey: string
  readonly spent: readonly {
    readonly hash: string
    readonly salt: string
    readonly spentAt: number
  }[]
  readonly pairUsed?: boolean
}

function toRefresh({
  refresh_hash,
  refresh_state,
}: Selectable<SessionsTable>): RefreshState | null {
  if (refresh_hash === null || refresh_state === null) return null
  const state: StoredRefresh = JSON.parse(refresh_state)
  const spent = state.spent.map((one) => ({ ...one, spentAt: fromMoment(one.spentAt) }))
  return { ...state, hash: fromKey(refresh_hash), spent }
}

/** A session as it is stored. */
function toRow(
  engine: SqlEngine,
  session: SessionRecord,
): InsertObject<SqlAuthTables, 'mar_sessions'> {
  const { idleExpiresAt, expiresAt, endedAt } = session
  return {
    ...columns.of(engine, session),
    ...refreshColumns(engine, session.refresh),
    ended_by: null,
    purge_at: toMoment(endedAt ?? (idleExpiresAt < expiresAt ? idleExpiresAt : expiresAt)),
  }
}

/** A session as it was saved. */
function toSession(row: Selectable<SessionsTable>): SessionRecord {
  return { ...columns.read(row), refresh: toRefresh(row) }
}
