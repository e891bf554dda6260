import type { IdentityRecord, IdentityStore, UnlinkIdentityResult } from '../identity-contract.js'
import { identityRow } from '../rows/identity-row.js'
import { columnsOf } from './columns.js'
import type { SqlEngine } from './engine.js'
import { insertIfAbsent } from './insert-if-absent.js'
import type { AuthDatabase } from './tables.js'
import { fromKey } from './values.js'

const columns = columnsOf<IdentityRecord, 'mar_identities'>(identityRow)

/** Identities in SQL. */
export function sqlIdentities(engine: SqlEngine): IdentityStore {
  const { db, tables, key } = engine
  const table = tables.identities
  return {
    async find(issuer, subject) {
      const row = await db
        .selectFrom(table)
        .selectAll()
        .where('issuer', '=', key(issuer, 'issuer'))
        .where('subject', '=', key(subject, 'subject'))
        .executeTakeFirst()
      return row === undefined ? null : columns.read(row)
    },

    link: (identity) =>
      engine.write(async () => {
        if (await insertIfAbsent(engine, db, table, columns.of(engine, identity)))
          return { outcome: 'linked' }
        await requireOwnId(engine, identity)
        return { outcome: 'exists' }
      }),

    async listForUser(userId) {
      const rows = db.selectFrom(table).selectAll().where('user_id', '=', key(userId, 'userId'))
      return (await rows.orderBy('created_at').orderBy('id').execute()).map(columns.read)
    },

    used: (issuer, subject, now) =>
      engine.write(async () => {
        await db
          .updateTable(table)
          .set(columns.ofSome(engine, { lastUsedAt: now }))
          .where('issuer', '=', key(issuer, 'issuer'))
          .where('subject', '=', key(subject, 'subject'))
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

// The insert has met a row: that of this pair, or another one with this id.
async function requireOwnId(
  { db, tables, key, readsOldSnapshot }: SqlEngine,
  { issuer, subject, id }: IdentityRecord,
): Promise<void> {
  const rows = db
    .selectFrom(tables.identities)
    .select(['issuer', 'subject'])
    .where('id', '=', key(id, 'id'))
  const row = await (readsOldSnapshot ? rows.forUpdate() : rows).executeTakeFirst()
  if (row === undefined) return
  if (fromKey(row.issuer) !== issuer || fromKey(row.subject) !== subject)
    throw new Error('the id of an identity belongs to another one')
}

async function unlinkUnlessLast(
  engine: SqlEngine,
  transaction: AuthDatabase,
  userId: string,
  id: string,
): Promise<UnlinkIdentityResult> {
  const { tables, key, readsOldSnapshot } = engine
  const user = key(userId, 'userId')
  // Changes nothing, and locks all of the user's rows, on every engine: another call that removes
  // one waits here, and then sees what is left.
  await transaction
    .updateTable(tables.identities)
    .set(({ ref }) => ({ user_id: ref('user_id') }))
    .where('user_id', '=', user)
    .execute()
  const rows = transaction.selectFrom(tables.identities).select('id').where('user_id', '=', user)
  const ids = await (readsOldSnapshot ? rows.forUpdate() : rows).execute()
  const isOnly = ids.length === 1 && ids.every((row) => fromKey(row.id) === id)
  return isOnly ? { outcome: 'last' } : unlinkOne(engine, transaction, userId, id)
}

async function unlinkOne(
  { tables, key }: SqlEngine,
  typed: AuthDatabase,
  userId: string,
  id: string,
): Promise<UnlinkIdentityResult> {
  const { numDeletedRows } = await typed
    .deleteFrom(tables.identities)
    .where('id', '=', key(id, 'id'))
    .where('user_id', '=', key(userId, 'userId'))
    .executeTakeFirstOrThrow()
  return { outcome: numDeletedRows === 1n ? 'unlinked' : 'unknown' }
}
