import { sha256 } from '../../lib/secrets.js'
import type { PasskeyLimits, PasskeyRecord, PasskeyStore } from '../passkey-contract.js'
import { passkeyRow } from '../rows/factor-rows.js'
import type { KeyValue } from '../rows/members.js'
import { columnsOf } from './columns.js'
import {
  checkedInteger,
  checkedKey,
  checkedText,
  fromKey,
  insertIfAbsent,
  type SqlEngine,
} from './engine.js'
import type { AuthDatabase } from './tables.js'

const columns = columnsOf<PasskeyRecord, 'mar_passkeys'>(passkeyRow)

/** Passkeys in SQL: a row for each, and a row for each user who has any, with their number. */
export function sqlPasskeys(engine: SqlEngine): PasskeyStore {
  const { db, tables, key } = engine
  const table = tables.passkeys
  const rowOf = (credentialId: string) =>
    db.selectFrom(table).where('credential_hash', '=', hashOf(engine, credentialId))

  return {
    ...passkeyOwners(engine, {
      insert: (transaction, passkey) =>
        insertIfAbsent(engine, transaction, table, toRow(engine, passkey)),
      hashOf: (credentialId) => hashOf(engine, credentialId),
      isThere: async (credentialId) =>
        (await rowOf(credentialId).select('user_id').executeTakeFirst()) !== undefined,
    }),

    async find(credentialId) {
      const row = await rowOf(credentialId).selectAll().executeTakeFirst()
      return row === undefined ? null : columns.read(row)
    },

    async listForUser(userId) {
      const rows = db.selectFrom(table).selectAll().where('user_id', '=', key(userId, 'userId'))
      return (await rows.orderBy('created_at').execute()).map(columns.read)
    },

    use: (credentialId, fromCounter, { counter, backedUp, lastUsedAt }) =>
      engine.write(async () => {
        const hash = hashOf(engine, credentialId)
        const { numUpdatedRows } = await db
          .updateTable(table)
          .set(columns.ofSome(engine, { counter, backedUp, lastUsedAt }))
          .where('credential_hash', '=', hash)
          .where('counter', '=', checkedInteger(fromCounter, 'counter'))
          .where('suspected_clone_at', 'is', null)
          .executeTakeFirstOrThrow()
        if (numUpdatedRows === 1n) return { outcome: 'used' }
        const rows = rowOf(credentialId).select('counter')
        const row = await (engine.readsOldSnapshot ? rows.forUpdate() : rows).executeTakeFirst()
        return { outcome: row === undefined ? 'gone' : 'superseded' }
      }),

    suspectClone: (credentialId, at) =>
      engine.write(async () => {
        await db
          .updateTable(table)
          .set(columns.ofSome(engine, { suspectedCloneAt: at }))
          .where('credential_hash', '=', hashOf(engine, credentialId))
          .execute()
      }),

    rename: (userId, credentialId, name) =>
      engine.write(async () => {
        const { numUpdatedRows } = await db
          .updateTable(table)
          .set(columns.ofSome(engine, { name }))
          .where('credential_hash', '=', hashOf(engine, credentialId))
          .where('user_id', '=', key(userId, 'userId'))
          .executeTakeFirstOrThrow()
        if (numUpdatedRows === 1n) return true
        const row = await rowOf(credentialId).select('user_id').executeTakeFirst()
        return row !== undefined && fromKey(row.user_id) === userId
      }),
  }
}

function hashOf({ key }: SqlEngine, credentialId: string): KeyValue {
  return key(sha256(checkedText(credentialId, 'credentialId')), 'credentialId')
}

function toRow(engine: SqlEngine, passkey: PasskeyRecord) {
  checkedKey(passkey.userHandle, 'userHandle')
  const credential_hash = hashOf(engine, passkey.credentialId)
  return { ...columns.of(engine, passkey), credential_hash }
}

type OfOwners = 'claimHandle' | 'create' | 'remove' | 'removeAllForUser' | 'consumeRecoveryCode'

/** How rows of passkeys are written. */
interface PasskeyRows {
  /** False where there is one of that id. */
  insert(transaction: AuthDatabase, passkey: PasskeyRecord): Promise<boolean>
  hashOf(credentialId: string): KeyValue
  isThere(credentialId: string): Promise<boolean>
}

/**
 * The changes that depend on how many passkeys a user has. Each user has one row with the number.
 * Every call that adds or removes a passkey changes this row first: the condition of that statement
 * decides, and other calls wait for the row.
 */
function passkeyOwners(engine: SqlEngine, rows: PasskeyRows): Pick<PasskeyStore, OfOwners> {
  const { db, tables, key } = engine
  const userIs = (userId: string) => key(userId, 'userId')
  return {
    claimHandle: (userId, userHandle) => claimHandle(engine, userId, userHandle),

    async create(passkey, limits) {
      // This check only gives a clear answer: the key refuses a call that adds the passkey after
      // the check.
      if (await rows.isThere(passkey.credentialId)) return { outcome: 'exists' }
      // Before the transaction: MySQL locks the gap in which an update finds nothing, and users who
      // add their first at once would deadlock.
      await claimHandle(engine, passkey.userId, passkey.userHandle)
      return engine.atomically((transaction) => insert(engine, rows, transaction, passkey, limits))
    },

    remove: (userId, credentialId, { unlessLast }) =>
      engine.atomically((transaction) => {
        const own = { userId, hash: rows.hashOf(credentialId) }
        return remove(engine, transaction, own, unlessLast ? 2 : 1)
      }),

    removeAllForUser: (userId) =>
      engine.atomically(async (transaction) => {
        const deleteFrom = (table: 'passkeyUsers' | 'passkeys' | 'passkeyCodes') =>
          transaction
            .deleteFrom(tables[table])
            .where('user_id', '=', userIs(userId))
            .executeTakeFirstOrThrow()
        await deleteFrom('passkeyUsers')
        const { numDeletedRows } = await deleteFrom('passkeys')
        await deleteFrom('passkeyCodes')
        return Number(numDeletedRows)
      }),

    consumeRecoveryCode: (userId, codeHash) =>
      engine.write(async () => {
        const { numDeletedRows } = await db
          .deleteFrom(tables.passkeyCodes)
          .where('user_id', '=', userIs(userId))
          .where('code_hash', '=', key(codeHash, 'codeHash'))
          .executeTakeFirstOrThrow()
        return { outcome: numDeletedRows === 1n ? 'consumed' : 'unknown' }
      }),
  }
}

async function claimHandle(engine: SqlEngine, userId: string, userHandle: string): Promise<string> {
  const { db, tables, key, text } = engine
  const user_id = key(userId, 'userId')
  const handleOf = async () => {
    const row = db.selectFrom(tables.passkeyUsers).select('user_handle')
    return (await row.where('user_id', '=', user_id).executeTakeFirst())?.user_handle
  }
  const there = await handleOf()
  if (there !== undefined) return there
  const row = { user_id, user_handle: text(userHandle, 'userHandle'), passkeys: 0 }
  if (await engine.write(() => insertIfAbsent(engine, db, tables.passkeyUsers, row)))
    return userHandle
  const kept = await handleOf()
  if (kept === undefined) throw new Error('the row of a user was deleted meanwhile')
  return kept
}

async function insert(
  engine: SqlEngine,
  rows: PasskeyRows,
  transaction: AuthDatabase,
  passkey: PasskeyRecord,
  { most, recoveryCodeHashes }: PasskeyLimits,
): Promise<Awaited<ReturnType<PasskeyStore['create']>>> {
  const { userId } = passkey
  const hasRoom = await changeCount(engine, transaction, userId, 1, ['<', most])
  if (!hasRoom) return { outcome: 'full' }
  if (!(await rows.insert(transaction, passkey))) {
    await changeCount(engine, transaction, userId, -1)
    return { outcome: 'exists' }
  }
  const isFirst = (await countOf(engine, transaction, userId)) === 1
  if (isFirst) await replaceCodes(engine, transaction, userId, recoveryCodeHashes)
  return { outcome: 'created', isFirst }
}

interface OwnPasskey {
  readonly userId: string
  readonly hash: KeyValue
}

async function remove(
  engine: SqlEngine,
  transaction: AuthDatabase,
  { userId, hash }: OwnPasskey,
  least: number,
): Promise<{ outcome: 'removed' | 'last' | 'unknown' }> {
  if (!(await changeCount(engine, transaction, userId, -1, ['>=', least])))
    return { outcome: (await isThere(engine, transaction, userId, hash)) ? 'last' : 'unknown' }
  const { numDeletedRows } = await transaction
    .deleteFrom(engine.tables.passkeys)
    .where('credential_hash', '=', hash)
    .where('user_id', '=', engine.key(userId, 'userId'))
    .executeTakeFirstOrThrow()
  if (numDeletedRows !== 1n) {
    await changeCount(engine, transaction, userId, 1)
    return { outcome: 'unknown' }
  }
  if ((await countOf(engine, transaction, userId)) === 0)
    await replaceCodes(engine, transaction, userId, [])
  return { outcome: 'removed' }
}

// False where the number is not within this bound, or the user has no row.
async function changeCount(
  { tables, key }: SqlEngine,
  transaction: AuthDatabase,
  userId: string,
  by: 1 | -1,
  [is, bound]: readonly ['>=' | '<', number] = ['>=', 0],
): Promise<boolean> {
  const changed = transaction
    .updateTable(tables.passkeyUsers)
    .set(({ eb }) => ({ passkeys: eb('passkeys', '+', by) }))
    .where('user_id', '=', key(userId, 'userId'))
    .where('passkeys', is, bound)
  return (await changed.executeTakeFirstOrThrow()).numUpdatedRows === 1n
}

// The row was changed in this transaction, so that this count is true, whatever else the
// transaction may see.
async function countOf(
  { tables, key }: SqlEngine,
  transaction: AuthDatabase,
  userId: string,
): Promise<number> {
  const { passkeys } = await transaction
    .selectFrom(tables.passkeyUsers)
    .select('passkeys')
    .where('user_id', '=', key(userId, 'userId'))
    .executeTakeFirstOrThrow()
  return Number(passkeys)
}

async function replaceCodes(
  { tables, key }: SqlEngine,
  transaction: AuthDatabase,
  userId: string,
  hashes: readonly string[],
): Promise<void> {
  const user = key(userId, 'userId')
  // There are hardly ever any. MySQL locks the gap in which a delete finds nothing.
  const codes = transaction.selectFrom(tables.passkeyCodes).select('code_hash')
  const left = await codes.where('user_id', '=', user).limit(1).execute()
  if (left.length > 0)
    await transaction.deleteFrom(tables.passkeyCodes).where('user_id', '=', user).execute()
  const rows = hashes.map((hash) => ({ user_id: user, code_hash: key(hash, 'codeHash') }))
  if (rows.length > 0) await transaction.insertInto(tables.passkeyCodes).values(rows).execute()
}

async function isThere(
  { tables, key, readsOldSnapshot }: SqlEngine,
  transaction: AuthDatabase,
  userId: string,
  hash: KeyValue,
): Promise<boolean> {
  const own = transaction
    .selectFrom(tables.passkeys)
    .select('user_id')
    .where('credential_hash', '=', hash)
    .where('user_id', '=', key(userId, 'userId'))
  return (await (readsOldSnapshot ? own.forUpdate() : own).executeTakeFirst()) !== undefined
}
