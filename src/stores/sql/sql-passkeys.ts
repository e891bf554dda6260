import type { Selectable } from 'kysely'
import { sha256 } from '../../lib/digest.js'
import type { PasskeyRecord, PasskeySeen, PasskeyStore } from '../passkey-contract.js'
import type { SqlEngine } from './engine.js'
import { insertIfAbsent } from './insert-if-absent.js'
import { passkeyOwners } from './sql-passkey-owners.js'
import type { KeyValue, PasskeysTable } from './tables.js'
import {
  checkedKey,
  checkedText,
  fromKey,
  fromMoment,
  fromMomentOrNull,
  toMoment,
} from './values.js'

/** Passkeys in SQL: a row each, and one for each user who has any, with how many there are. */
export function sqlPasskeys(engine: SqlEngine): PasskeyStore {
  const { db, tables, key, text } = engine
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
      return row === undefined ? null : toPasskey(row)
    },

    async listForUser(userId) {
      const rows = db.selectFrom(table).selectAll().where('user_id', '=', key(userId, 'userId'))
      return (await rows.orderBy('created_at').execute()).map(toPasskey)
    },

    use: (credentialId, fromCounter, seen) =>
      engine.write(async () => {
        const hash = hashOf(engine, credentialId)
        const { numUpdatedRows } = await db
          .updateTable(table)
          .set(seenColumns(seen))
          .where('credential_hash', '=', hash)
          .where('counter', '=', toCounter(fromCounter))
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
          .set({ suspected_clone_at: toMoment(at) })
          .where('credential_hash', '=', hashOf(engine, credentialId))
          .execute()
      }),

    rename: (userId, credentialId, name) =>
      engine.write(async () => {
        const { numUpdatedRows } = await db
          .updateTable(table)
          .set({ name: text(name, 'name') })
          .where('credential_hash', '=', hashOf(engine, credentialId))
          .where('user_id', '=', key(userId, 'userId'))
          .executeTakeFirstOrThrow()
        if (numUpdatedRows === 1n) return true
        const row = await rowOf(credentialId).select('user_id').executeTakeFirst()
        return row !== undefined && fromKey(row.user_id) === userId
      }),
  }
}

function seenColumns({ counter, backedUp, lastUsedAt }: PasskeySeen) {
  const last_used_at = toMoment(lastUsedAt)
  return { counter: toCounter(counter), backed_up: backedUp ? 1 : 0, last_used_at }
}

function hashOf({ key }: SqlEngine, credentialId: string): KeyValue {
  return key(sha256(checkedText(credentialId, 'credentialId')), 'credentialId')
}

function toRow(engine: SqlEngine, passkey: PasskeyRecord) {
  const { text, key } = engine
  const { credentialId, suspectedCloneAt, passwordMark, lastUsedAt } = passkey
  return {
    credential_hash: hashOf(engine, credentialId),
    credential_id: text(credentialId, 'credentialId'),
    user_id: key(passkey.userId, 'userId'),
    user_handle: text(checkedKey(passkey.userHandle, 'userHandle'), 'userHandle'),
    public_key: text(passkey.publicKey, 'publicKey'),
    counter: toCounter(passkey.counter),
    backup_eligible: passkey.backupEligible ? 1 : 0,
    backed_up: passkey.backedUp ? 1 : 0,
    transports: text(JSON.stringify(passkey.transports), 'transports'),
    aaguid: text(passkey.aaguid, 'aaguid'),
    name: text(passkey.name, 'name'),
    suspected_clone_at: suspectedCloneAt === null ? null : toMoment(suspectedCloneAt),
    password_mark: passwordMark === null ? null : text(passwordMark, 'passwordMark'),
    created_at: toMoment(passkey.createdAt),
    last_used_at: lastUsedAt === null ? null : toMoment(lastUsedAt),
  }
}

function toPasskey(row: Selectable<PasskeysTable>): PasskeyRecord {
  return {
    credentialId: row.credential_id,
    userId: fromKey(row.user_id),
    userHandle: row.user_handle,
    publicKey: row.public_key,
    counter: Number(row.counter),
    backupEligible: Number(row.backup_eligible) === 1,
    backedUp: Number(row.backed_up) === 1,
    transports: fromList(row.transports),
    aaguid: row.aaguid,
    name: row.name,
    suspectedCloneAt: fromMomentOrNull(row.suspected_clone_at),
    passwordMark: row.password_mark,
    createdAt: fromMoment(row.created_at),
    lastUsedAt: fromMomentOrNull(row.last_used_at),
  }
}

function fromList(stored: string): readonly string[] {
  const list: unknown = JSON.parse(stored)
  if (Array.isArray(list)) return list
  throw new TypeError('a column does not hold the JSON list that was saved')
}

function toCounter(counter: number): number {
  if (Number.isSafeInteger(counter)) return counter
  throw new TypeError('a signature counter is a whole number')
}
