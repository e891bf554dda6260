import { randomInt } from 'node:crypto'
import { type Expression, type Selectable, sql } from 'kysely'
import type {
  ConsentRecord,
  ConsentStore,
  ManagedClientStore,
  OAuthClient,
  OAuthClientMetadata,
  OpenClientStore,
} from '../client-contract.js'
import type { KeyValue } from '../rows/members.js'
import { checkedScopes, checkedSecretHashes } from '../stored-values.js'
import {
  fromKey,
  fromMoment,
  fromObject,
  insertIfAbsent,
  type SqlEngine,
  toMoment,
} from './engine.js'
import { purgeInBatches } from './purge.js'
import type { ClientsTable, ConsentsTable, TextValue } from './tables.js'

/** Clients in SQL: a row each. */
export function sqlClients(engine: SqlEngine): OpenClientStore {
  const { db, tables, key } = engine
  const table = tables.clients
  const idIs = (clientId: string) => key(clientId, 'clientId')
  const rowOf = (clientId: string) =>
    db.selectFrom(table).selectAll().where('id', '=', idIs(clientId)).executeTakeFirst()

  /** Changes a client, which is unused no more. False: there is none. */
  async function keep(clientId: string, changed: { metadata?: TextValue }, now: Date) {
    const { numUpdatedRows } = await db
      .updateTable(table)
      .set({ ...changed, unused_place: null, purge_at: null, updated_at: toMoment(now) })
      .where('id', '=', idIs(clientId))
      .executeTakeFirstOrThrow()
    // MySQL can be told to count only rows in which something became different.
    return numUpdatedRows === 1n || (await rowOf(clientId)) !== undefined
  }

  return {
    ...changesOfOneColumn(engine),
    ...unusedClients(engine),

    async find(clientId) {
      const row = await rowOf(clientId)
      return row === undefined ? null : toClient(row)
    },

    create: (client, now) =>
      engine.write(async () => {
        const created = await insertIfAbsent(engine, db, table, rowFor(engine, client, now))
        return { outcome: created ? 'created' : 'exists' }
      }),

    update: (client, now) =>
      engine.write(async () => {
        const isThere = await keep(client.id, { metadata: metadataOf(engine, client) }, now)
        return { outcome: isThere ? 'updated' : 'unknown' }
      }),

    use: (clientId, now) =>
      engine.write(async () => {
        const isThere = await keep(clientId, {}, now)
        return { outcome: isThere ? 'used' : 'unknown' }
      }),

    async list() {
      const rows = await db.selectFrom(table).selectAll().orderBy('id').execute()
      return rows.map(toClient)
    },
  }
}

/** Tries at a place that another caller took first: each time some caller has got one. */
const mostTries = 8

// Each unused client has one of so many places, and a unique index has each place once: the insert
// decides, and what was read before it only finds a place that is likely free.
function unusedClients(engine: SqlEngine): Pick<OpenClientStore, 'register' | 'purge'> {
  const { db, tables } = engine
  const table = tables.clients
  const purge: OpenClientStore['purge'] = (now, limit) =>
    purgeInBatches(engine, table, 'id', 'purge_at', now, limit)

  async function freePlace(most: number): Promise<number | undefined> {
    const rows = db.selectFrom(table).select('unused_place').where('unused_place', '>=', 0)
    const taken = new Set((await rows.execute()).map((row) => Number(row.unused_place)))
    const free = Array.from({ length: most }, (_none, place) => place).filter(
      (place) => !taken.has(place),
    )
    return free.length === 0 ? undefined : free[randomInt(free.length)]
  }

  return {
    async register(client, { most, unusedUntil }, now) {
      // So that a full register opens again by itself, also where nobody purges.
      await purge(now)
      for (let tries = 0; tries < mostTries; tries += 1) {
        const place = await freePlace(most)
        if (place === undefined) return { outcome: 'full' }
        const unused = { unused_place: place, purge_at: toMoment(unusedUntil) }
        const isMine = await engine.write(() =>
          insertIfAbsent(engine, db, table, { ...rowFor(engine, client, now), ...unused }),
        )
        if (isMine) return { outcome: 'registered' }
      }
      throw new Error('every free place for a client was taken by another one')
    },

    purge,
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

function rowFor(engine: SqlEngine, client: OAuthClient, now: Date) {
  const at = toMoment(now)
  return {
    id: engine.key(client.id, 'clientId'),
    metadata: metadataOf(engine, client),
    secret_hashes: joined(engine, client.secretHashes),
    disabled: client.disabled === true ? 1 : 0,
    created_at: at,
    updated_at: at,
  }
}

function metadataOf({ text }: SqlEngine, client: OAuthClientMetadata): TextValue {
  const columns = { id: undefined, secretHashes: undefined, disabled: undefined }
  return text(JSON.stringify({ ...client, ...columns }), 'metadata')
}

function toClient(row: Selectable<ClientsTable>): OAuthClient {
  const hashes = fromKey(row.secret_hashes)
  return {
    // The metadata is judged where a listed client is judged, too.
    ...(fromObject(row.metadata) as unknown as OAuthClientMetadata),
    id: fromKey(row.id),
    ...(hashes === '' ? {} : { secretHashes: hashes.split(' ') }),
    ...(Number(row.disabled) === 0 ? {} : { disabled: true }),
  }
}

// The scopes are the member names of a JSON object, since the union of two such objects is one
// function of every engine. So adding to a row is one statement, and no other write comes between.
// A list would have to be read first, and of two grants at once one would be lost.

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

// The function that merges two JSON objects. None of the engines' functions looks into the values,
// which are all equal.
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
