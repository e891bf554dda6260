import { type Expression, type Selectable, sql } from 'kysely'
import type { ConsentRecord, ConsentStore } from '../consent-contract.js'
import { checkedScopes } from '../scope-tokens.js'
import type { SqlEngine } from './engine.js'
import type { ConsentsTable, TextValue } from './tables.js'
import { fromKey, fromMoment, fromObject, toMoment } from './values.js'

// The scopes are the member names of a JSON object, since the union of two such objects is one
// function of every engine. So adding to a row is one statement, which the database lets nobody
// come between; a list would have to be read first, and of two grants at once one would be lost.

/** Consents in SQL. */
export function sqlConsents(engine: SqlEngine): ConsentStore {
  const { db, tables, key } = engine
  const table = tables.consents
  const userIs = (userId: string) => key(userId, 'userId')
  const clientIs = (clientId: string) => key(clientId, 'clientId')

  return {
    async find(userId, clientId) {
      const row = await db
        .selectFrom(table)
        .selectAll()
        .where('user_id', '=', userIs(userId))
        .where('client_id', '=', clientIs(clientId))
        .executeTakeFirst()
      return row === undefined ? null : toConsent(row)
    },

    grant: ({ userId, clientId, scopes, grantedAt, updatedAt }) =>
      engine.write(async () => {
        const granted = toObject(engine, scopes)
        const insert = db.insertInto(table).values({
          user_id: userIs(userId),
          client_id: clientIs(clientId),
          scopes: granted,
          granted_at: toMoment(grantedAt),
          updated_at: toMoment(updatedAt),
        })
        const added = { scopes: union(engine, granted), updated_at: toMoment(updatedAt) }
        const upsert = engine.hasOnConflict
          ? insert.onConflict((row) => row.columns(['user_id', 'client_id']).doUpdateSet(added))
          : insert.onDuplicateKeyUpdate(added)
        await upsert.execute()
      }),

    revoke: (userId, clientId) =>
      engine.write(async () => {
        const { numDeletedRows } = await db
          .deleteFrom(table)
          .where('user_id', '=', userIs(userId))
          .where('client_id', '=', clientIs(clientId))
          .executeTakeFirstOrThrow()
        return { outcome: numDeletedRows === 1n ? 'revoked' : 'unknown' }
      }),

    async listForUser(userId) {
      const rows = db.selectFrom(table).selectAll().where('user_id', '=', userIs(userId))
      const sorted = await rows.orderBy('granted_at').orderBy('client_id').execute()
      return sorted.map(toConsent)
    },
  }
}

// What merges two JSON objects. None of them looks into the values, which are all the same.
function union({ name, tables }: SqlEngine, added: TextValue): Expression<string> {
  const there = sql.ref(`${tables.consents}.scopes`)
  if (name === 'postgres') return sql`(${there}::jsonb || ${added}::jsonb)::text`
  return name === 'mysql'
    ? sql`json_merge_patch(${there}, ${added})`
    : sql`json_patch(${there}, ${added})`
}

function toObject({ text }: SqlEngine, scopes: readonly string[]): TextValue {
  const members = checkedScopes(scopes).map((scope) => [scope, 1])
  return text(JSON.stringify(Object.fromEntries(members)), 'scopes')
}

function toConsent(row: Selectable<ConsentsTable>): ConsentRecord {
  return {
    userId: fromKey(row.user_id),
    clientId: fromKey(row.client_id),
    scopes: Object.keys(fromObject(row.scopes)),
    grantedAt: fromMoment(row.granted_at),
    updatedAt: fromMoment(row.updated_at),
  }
}
