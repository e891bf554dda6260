import type { Selectable } from 'kysely'
import type { ManagedClientStore, OAuthClient, OAuthClientMetadata } from '../client-contract.js'
import type { KeyValue } from '../rows/members.js'
import { checkedSecretHashes } from '../secret-hashes.js'
import type { SqlEngine } from './engine.js'
import { insertIfAbsent } from './insert-if-absent.js'
import type { ClientsTable, TextValue } from './tables.js'
import { fromKey, fromObject, toMoment } from './values.js'

/** Clients in SQL: a row each. */
export function sqlClients(engine: SqlEngine): ManagedClientStore {
  const { db, tables, key } = engine
  const table = tables.clients
  const idIs = (clientId: string) => key(clientId, 'clientId')
  const rowOf = (clientId: string) =>
    db.selectFrom(table).selectAll().where('id', '=', idIs(clientId)).executeTakeFirst()

  return {
    ...changesOfOneColumn(engine),

    async find(clientId) {
      const row = await rowOf(clientId)
      return row === undefined ? null : toClient(row)
    },

    create: (client, now) =>
      engine.write(async () => {
        const at = toMoment(now)
        const created = await insertIfAbsent(engine, db, table, {
          id: idIs(client.id),
          metadata: metadataOf(engine, client),
          secret_hashes: joined(engine, client.secretHashes),
          disabled: client.disabled === true ? 1 : 0,
          created_at: at,
          updated_at: at,
        })
        return { outcome: created ? 'created' : 'exists' }
      }),

    update: (client, now) =>
      engine.write(async () => {
        const { numUpdatedRows } = await db
          .updateTable(table)
          .set({ metadata: metadataOf(engine, client), updated_at: toMoment(now) })
          .where('id', '=', idIs(client.id))
          .executeTakeFirstOrThrow()
        // MySQL can be told to count only rows in which something became different.
        const isThere = numUpdatedRows === 1n || (await rowOf(client.id)) !== undefined
        return { outcome: isThere ? 'updated' : 'unknown' }
      }),

    async list() {
      const rows = await db.selectFrom(table).selectAll().orderBy('id').execute()
      return rows.map(toClient)
    },
  }
}

function changesOfOneColumn(
  engine: SqlEngine,
): Pick<ManagedClientStore, 'replaceSecrets' | 'setDisabled'> {
  const { db, tables, key } = engine
  const changed = (clientId: string, now: Date) =>
    db
      .updateTable(tables.clients)
      .set({ updated_at: toMoment(now) })
      .where('id', '=', key(clientId, 'clientId'))

  return {
    replaceSecrets: (clientId, from, to, now) =>
      engine.write(async () => {
        const { numUpdatedRows } = await changed(clientId, now)
          .set({ secret_hashes: joined(engine, to) })
          .where('secret_hashes', '=', joined(engine, from))
          .executeTakeFirstOrThrow()
        return { outcome: numUpdatedRows === 1n ? 'replaced' : 'superseded' }
      }),

    setDisabled: (clientId, disabled, now) =>
      engine.write(async () => {
        const { numUpdatedRows } = await changed(clientId, now)
          .set({ disabled: disabled ? 1 : 0 })
          .where('disabled', '=', disabled ? 0 : 1)
          .executeTakeFirstOrThrow()
        return { outcome: numUpdatedRows === 1n ? 'changed' : 'unchanged' }
      }),
  }
}

function joined({ key }: SqlEngine, hashes: readonly string[] | undefined): KeyValue {
  return key(checkedSecretHashes(hashes).join(' '), 'secretHashes')
}

function metadataOf({ text }: SqlEngine, client: OAuthClientMetadata): TextValue {
  const columns = { id: undefined, secretHashes: undefined, disabled: undefined }
  return text(JSON.stringify({ ...client, ...columns }), 'metadata')
}

function toClient(row: Selectable<ClientsTable>): OAuthClient {
  const hashes = fromKey(row.secret_hashes)
  return {
    // What it says is judged where a listed client is judged, too.
    ...(fromObject(row.metadata) as unknown as OAuthClientMetadata),
    id: fromKey(row.id),
    ...(hashes === '' ? {} : { secretHashes: hashes.split(' ') }),
    ...(Number(row.disabled) === 0 ? {} : { disabled: true }),
  }
}
