import type { IdentityRecord, IdentityStore, UnlinkIdentityResult } from '../identity-contract.js'
import { identityRow } from '../rows/one-time-rows.js'
import { columnsOf } from './columns.js'
import { fromKey, insertIfAbsent, type SqlEngine } from './engine.js'
import type { AuthDatabase } from './tables.js'

const columns = columnsOf<IdentityRecord, 'mar_identities'>(identityRow)

/** Identities in SQL. */
export function sqlIdentities(engine: SqlEngine): IdentityStore {
  const { db, tables, key } = engine
  const table = tables.identities
  return {
    async find(provider, subject) {
      const row = await rowOf(engine, provider, subject)
      return row === undefined || isUnlinked(row) ? null : columns.read(row)
    },

    async wasUnlinked(provider, subject) {
      const row = await rowOf(engine, provider, subject)
      return row !== undefined && isUnlinked(row)
    },

    link: (identity, options) =>
      engine.write(async () => {
        const unlessUnlinked = options?.unlessUnlinked === true
        const row = { ...columns.of(engine, identity), unlinked: 0 }
        if (await insertIfAbsent(engine, db, table, row)) return { outcome: 'linked' }
        if (!unlessUnlinked && (await linkAgain(engine, identity))) return { outcome: 'linked' }
        await requireOwnId(engine, identity)
        return { outcome: 'exists' }
      }),

    async listForUser(userId) {
      const rows = db
        .selectFrom(table)
        .selectAll()
        .where('user_id', '=', key(userId, 'userId'))
        .where('unlinked', '=', 0)
      return (await rows.orderBy('created_at').orderBy('id').execute()).map(columns.read)
    },

    listOfProvider: async (provider, after, limit) =>
      (await pageOf(engine, provider, after).limit(limit).execute()).map(columns.read),

    used: (provider, subject, now) =>
      engine.write(async () => {
        await db
          .updateTable(table)
          .set(columns.ofSome(engine, { lastUsedAt: now }))
          .where('provider', '=', key(provider, 'provider'))
          .where('subject', '=', key(subject, 'subject'))
          .where('unlinked', '=', 0)
          .execute()
      }),

    unlink: (userId, id, { unlessLast }) =>
      unlessLast
        ? engine.atomically((transaction) => unlinkUnlessLast(engine, transaction, userId, id))
        : engine.write(() => unlinkOne(engine, db, userId, id)),

    unlinkAllForUser: (userId) =>
      engine.write(async () => {
        const { numDeletedRows } = await db
          .deleteFrom(table)
          .where('user_id', '=', key(userId, 'userId'))
          .executeTakeFirstOrThrow()
        return Number(numDeletedRows)
      }),
  }
}

function rowOf({ db, tables, key }: SqlEngine, provider: string, subject: string) {
  return db
    .selectFrom(tables.identities)
    .selectAll()
    .where('provider', '=', key(provider, 'provider'))
    .where('subject', '=', key(subject, 'subject'))
    .executeTakeFirst()
}

function pageOf({ db, tables, key }: SqlEngine, provider: string, after: string | null) {
  const rows = db
    .selectFrom(tables.identities)
    .selectAll()
    .where('provider', '=', key(provider, 'provider'))
    .where('unlinked', '=', 0)
    .orderBy('subject')
  return after === null ? rows : rows.where('subject', '>', key(after, 'subject'))
}

// Some drivers can be told to answer every whole number as a BigInt.
function isUnlinked({ unlinked }: { readonly unlinked: unknown }): boolean {
  return Number(unlinked) === 1
}

// Of several, the first finds a row that is unlinked.
async function linkAgain(engine: SqlEngine, identity: IdentityRecord): Promise<boolean> {
  const { db, tables, key } = engine
  const { numUpdatedRows } = await db
    .updateTable(tables.identities)
    .set({ ...columns.ofSome(engine, identity), unlinked: 0 })
    .where('provider', '=', key(identity.provider, 'provider'))
    .where('subject', '=', key(identity.subject, 'subject'))
    .where('unlinked', '=', 1)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

// The insert has met a row: the row of this pair, or another row with this id.
async function requireOwnId(
  { db, tables, key, readsOldSnapshot }: SqlEngine,
  { provider, subject, id }: IdentityRecord,
): Promise<void> {
  const rows = db
    .selectFrom(tables.identities)
    .select(['provider', 'subject'])
    .where('id', '=', key(id, 'id'))
  const row = await (readsOldSnapshot ? rows.forUpdate() : rows).executeTakeFirst()
  if (row === undefined) return
  if (fromKey(row.provider) !== provider || fromKey(row.subject) !== subject)
    throw new Error('the id of an identity belongs to another one')
}

async function unlinkUnlessLast(
  engine: SqlEngine,
  transaction: AuthDatabase,
  userId: string,
  id: string,
): Promise<UnlinkIdentityResult> {
  const ids = await lockLinked(engine, transaction, userId)
  const isOnly = ids.length === 1 && ids[0] === id
  return isOnly ? { outcome: 'last' } : unlinkOne(engine, transaction, userId, id)
}

// Another call that removes one of this user's waits here, and then sees what is left.
async function lockLinked(
  { tables, key, locksRows }: SqlEngine,
  transaction: AuthDatabase,
  userId: string,
): Promise<readonly string[]> {
  const user = key(userId, 'userId')
  // SQLite locks the whole file at the first write, and this one changes nothing.
  if (!locksRows)
    await transaction
      .updateTable(tables.identities)
      .set({ user_id: user })
      .where('user_id', '=', user)
      .execute()
  const linked = transaction
    .selectFrom(tables.identities)
    .select('id')
    .where('user_id', '=', user)
    .where('unlinked', '=', 0)
    // All lock in one order: two that lock in different ones wait for each other.
    .orderBy('id')
  const rows = await (locksRows ? linked.forUpdate() : linked).execute()
  return rows.map((row) => fromKey(row.id))
}

async function unlinkOne(
  { tables, key }: SqlEngine,
  typed: AuthDatabase,
  userId: string,
  id: string,
): Promise<UnlinkIdentityResult> {
  const { numUpdatedRows } = await typed
    .updateTable(tables.identities)
    .set({ unlinked: 1, label: null })
    .where('id', '=', key(id, 'id'))
    .where('user_id', '=', key(userId, 'userId'))
    .where('unlinked', '=', 0)
    .executeTakeFirstOrThrow()
  return { outcome: numUpdatedRows === 1n ? 'unlinked' : 'unknown' }
}
