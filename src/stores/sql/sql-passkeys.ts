import { sha256 } from '../../lib/digest.js'
import type { PasskeyRecord, PasskeyStore } from '../passkey-contract.js'
import { passkeyRow } from '../rows/factor-rows.js'
import type { KeyValue } from '../rows/members.js'
import { columnsOf } from './columns.js'
import type { SqlEngine } from './engine.js'
import { insertIfAbsent } from './insert-if-absent.js'
import { passkeyOwners } from './sql-passkey-owners.js'
import { checkedInteger, checkedKey, checkedText, fromKey } from './values.js'

const columns = columnsOf<PasskeyRecord, 'mar_passkeys'>(passkeyRow)

/** Passkeys in SQL: a row each, and one for each user who has any, with how many there are. */
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
