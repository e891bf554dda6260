import { AuthConfigError } from '../../errors.js'
import type { KeyStore, StoredSigningKey } from '../../signers/contract.js'
import type { ConsentStore, OpenClientStore } from '../client-contract.js'
import type { Migrations, SessionStore } from '../contract.js'
import type { IdentityStore } from '../identity-contract.js'
import type {
  AuthorizationCodeStore,
  DeviceCodeStore,
  OnceStore,
  ProofStore,
  SocketTicketStore,
} from '../one-time-contract.js'
import type { PasskeyStore } from '../passkey-contract.js'
import { integer, moment, type Row, text } from '../rows/members.js'
import type { SecondFactorStore } from '../second-factor-contract.js'
import { columnsOf } from './columns.js'
import {
  checkedInteger,
  createEngine,
  type HostKysely,
  type HostTransaction,
  insertIfAbsent,
  type SqlEngine,
} from './engine.js'
import { listWhatIsThere, migrateSql, namingMissingTables, run } from './migrate.js'
import { createMigrationsTable, migrationSql, migrationsFor, onDemand } from './migrations.js'
import { sqlIdentities } from './sql-identities.js'
import { sqlClients, sqlConsents } from './sql-oauth.js'
import { sqlCodes, sqlDeviceCodes, sqlOnce, sqlProofs, sqlTickets } from './sql-one-time.js'
import { sqlPasskeys } from './sql-passkeys.js'
import { sqlSecondFactors } from './sql-second-factors.js'
import { sqlSessions } from './sql-sessions.js'
import {
  checkMigrationOptions,
  checkTableOptions,
  type SqlMigrationOptions,
  type SqlTableOptions,
  type TableNames,
} from './tables.js'

export type { Migrations } from '../contract.js'
export type { AuditTable } from '../rows/audit-row.js'
export type { EnrolmentsTable, PasskeysTable, SecondFactorsTable } from '../rows/factor-rows.js'
export type { KeyValue, MomentValue } from '../rows/members.js'
export type {
  AuthorizationCodesTable,
  DeviceCodesTable,
  IdentitiesTable,
  ProofsTable,
  SocketTicketsTable,
} from '../rows/one-time-rows.js'
export type { SessionsTable } from '../rows/session-row.js'
export type { HostKysely, HostTransaction, SqlEngineName } from './engine.js'
export { type MigrationResult, migrateSql } from './migrate.js'
export { migrationSql } from './migrations.js'
export {
  type PostgresBusOptions,
  type PostgresListener,
  type PostgresPool,
  postgresBus,
} from './postgres-bus.js'
export {
  type AuditEntry,
  type AuditedEvent,
  type AuditFound,
  type AuditQuery,
  type SqlAudit,
  type SqlAuditOptions,
  sqlAudit,
} from './sql-audit.js'
export type {
  ClientsTable,
  ConsentsTable,
  MigrationsTable,
  OnceTable,
  PasskeyUsersTable,
  RecoveryCodesTable,
  SigningKeysTable,
  SqlAuthTables,
  SqlMigrationOptions,
  SqlTableOptions,
} from './tables.js'

/**
 * The stores of a router without OAuth and passkeys: for those see {@link sqlOAuthStores} and
 * {@link sqlPasskeyStore}. `keys` is for `keyRing({ store: keys, … })`.
 */
export interface SqlStores {
  readonly codes: AuthorizationCodeStore
  readonly sessions: SessionStore
  readonly secondFactors: SecondFactorStore
  readonly tickets: SocketTicketStore
  readonly proofs: ProofStore
  readonly identities: IdentityStore
  readonly deviceCodes: DeviceCodeStore
  readonly keys: KeyStore
}

/**
 * Keeps sign-ins in PostgreSQL, MySQL, MariaDB or SQLite, over your own Kysely instance and its
 * pool. Make the tables first, with {@link migrateSql}. Each change of one-time state is one
 * conditional statement; a code and the session it opens are one transaction.
 *
 * Handed a transaction of yours, the stores work inside it and open none of their own: their writes
 * are committed or rolled back with it.
 *
 * Reads and writes must go to the primary: a replica that lags would let a session live on that has
 * ended.
 *
 * @param kysely - your instance, or a transaction of it
 * @param options - `prefix` of the tables (default `mar_`) and `schema`
 * @returns the stores; spread all of them but `keys` into the options of `createAuthRouter`
 * @throws AuthConfigError for a database that is not known here, an unknown option, or a prefix or
 * schema that is not a plain identifier
 *
 * @example
 * ```ts
 * import { Kysely, PostgresDialect } from 'kysely'
 * import { migrateSql, sqlStores } from 'messaging-auth-router/stores/sql'
 * import pg from 'pg'
 *
 * const connectionString = process.env['DATABASE_URL']
 * const pool = new pg.Pool({ connectionString, connectionTimeoutMillis: 1500 })
 * // Without a listener, a connection that breaks would end the process.
 * pool.on('error', () => {}).on('connect', (client) => void client.on('error', () => {}))
 * const kysely = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
 * await migrateSql(kysely)
 * export const { keys, ...stores } = sqlStores(kysely)
 * ```
 */
export function sqlStores<Database>(
  kysely: HostKysely<Database> | HostTransaction<Database>,
  options: SqlTableOptions = {},
): SqlStores {
  const engine = createEngine(kysely, checkTableOptions('sqlStores', options))
  const sessions = namingMissingTables(sqlSessions(engine))
  const { redemption, ...codes } = sqlCodes(engine, sessions)
  return {
    codes: {
      ...namingMissingTables(codes),
      ...(redemption && { redemption: namingMissingTables(redemption) }),
    },
    sessions,
    secondFactors: namingMissingTables(sqlSecondFactors(engine)),
    tickets: namingMissingTables(sqlTickets(engine)),
    proofs: namingMissingTables(sqlProofs(engine)),
    identities: namingMissingTables(sqlIdentities(engine)),
    deviceCodes: namingMissingTables(sqlDeviceCodes(engine)),
    keys: namingMissingTables(sqlKeys(engine, engine.tables.keys)),
  }
}

/** The stores that only apps of others, which sign their users in here, have a use for. */
export interface SqlOAuthStores {
  /** The clients, where they are not listed in code. */
  readonly clients: OpenClientStore
  readonly consents: ConsentStore
  /** `redisOnceStore` may stand in for it. */
  readonly once: OnceStore
  /**
   * For `keyRing({ algorithm: 'RS256', store: idTokenKeys, … })`: the keys of access tokens have a
   * table of their own.
   */
  readonly idTokenKeys: KeyStore
}

/**
 * Keeps clients, consents and names that are used once, beside the records of {@link sqlStores}: in
 * the tables that {@link migrateSql} makes, under the rules of `sqlStores`. They are apart, since a
 * router without OAuth clients has no use for them.
 *
 * @param kysely - your instance, or a transaction of it
 * @param options - as for `sqlStores`
 * @throws AuthConfigError as `sqlStores` does
 *
 * @example
 * ```ts
 * import type { Kysely } from 'kysely'
 * import { sqlOAuthStores } from 'messaging-auth-router/stores/sql'
 *
 * export async function clientNames(kysely: Kysely<object>): Promise<string[]> {
 *   const { clients } = sqlOAuthStores(kysely)
 *   return (await clients.list()).map(({ name }) => name)
 * }
 * ```
 */
export function sqlOAuthStores<Database>(
  kysely: HostKysely<Database> | HostTransaction<Database>,
  options: SqlTableOptions = {},
): SqlOAuthStores {
  const engine = createEngine(kysely, checkTableOptions('sqlOAuthStores', options))
  return {
    clients: namingMissingTables(sqlClients(engine)),
    consents: namingMissingTables(sqlConsents(engine)),
    once: namingMissingTables(sqlOnce(engine)),
    idTokenKeys: namingMissingTables(sqlKeys(engine, engine.tables.idTokenKeys)),
  }
}

/**
 * Keeps passkeys, beside the records of {@link sqlStores}: in the tables that {@link migrateSql}
 * makes, under the rules of `sqlStores`. It is apart, since a router without passkeys has no use
 * for it.
 *
 * @param kysely - your instance, or a transaction of it
 * @param options - as for `sqlStores`
 * @throws AuthConfigError as `sqlStores` does
 *
 * @example
 * ```ts
 * import type { Kysely } from 'kysely'
 * import { sqlPasskeyStore } from 'messaging-auth-router/stores/sql'
 *
 * export async function countPasskeys(kysely: Kysely<object>, userId: string): Promise<number> {
 *   return (await sqlPasskeyStore(kysely).listForUser(userId)).length
 * }
 * ```
 */
export function sqlPasskeyStore<Database>(
  kysely: HostKysely<Database> | HostTransaction<Database>,
  options: SqlTableOptions = {},
): PasskeyStore {
  const engine = createEngine(kysely, checkTableOptions('sqlPasskeyStore', options))
  return namingMissingTables(sqlPasskeys(engine))
}

const keyRow: Row<StoredSigningKey> = {
  generation: integer,
  kid: text,
  sealedKey: text,
  createdAt: moment,
  activatesAt: moment,
}
const columns = columnsOf<StoredSigningKey, 'mar_signing_keys'>(keyRow)

/** The generations of a key ring in SQL, in a table of its own. */
function sqlKeys(engine: SqlEngine, table: TableNames['keys']): KeyStore {
  const { db } = engine

  return {
    async list() {
      const rows = await db.selectFrom(table).selectAll().orderBy('generation').execute()
      return rows.map((row) => columns.read(row))
    },

    insert: (key) =>
      engine.write(async () => {
        const inserted = await insertIfAbsent(engine, db, table, columns.of(engine, key))
        return { outcome: inserted ? 'inserted' : 'exists' }
      }),

    reseal: (generation, from, to) =>
      engine.write(async () => {
        const same = db.updateTable(table).where('generation', '=', generation)
        await same.where('sealed_key', '=', from).set({ sealed_key: to }).execute()
      }),

    async remove(generation) {
      const one = checkedInteger(generation, 'generation')
      await engine.write(() => db.deleteFrom(table).where('generation', '=', one).execute())
    },
  }
}

/**
 * {@link migrateSql}, what it would do, and {@link migrationSql}, in one object: `migrations` of
 * `auth-admin.mjs`, for `messaging-auth-router migrate`.
 *
 * @param kysely - your instance; not a transaction
 * @param options - as for `migrateSql`
 * @throws AuthConfigError as `migrateSql` does
 *
 * @example
 * ```ts
 * import type { Kysely } from 'kysely'
 * import { sqlMigrations } from 'messaging-auth-router/stores/sql'
 *
 * export async function isUpToDate(kysely: Kysely<object>): Promise<boolean> {
 *   return (await sqlMigrations(kysely, { audit: true }).pending()).length === 0
 * }
 * ```
 */
export function sqlMigrations<Database>(
  kysely: HostKysely<Database>,
  options: SqlMigrationOptions = {},
): Migrations {
  const where = checkMigrationOptions('sqlMigrations', options)
  const { name, db } = createEngine(kysely, where)
  if (db.isTransaction)
    throw new AuthConfigError(
      'sqlMigrations(kysely)',
      'is a transaction.',
      'pass the Kysely instance itself.',
    )
  return {
    migrate: () => migrateSql(kysely, options),
    print: () => migrationSql(name, options),
    async pending() {
      const rows = await run(db, listWhatIsThere(name, where))
      const there = new Set(rows.map((row) => (row as { name: unknown }).name))
      const wanted = [
        createMigrationsTable(name, where),
        ...migrationsFor(name, where).flatMap(({ statements }) => statements),
        ...onDemand(name, where),
      ]
      return wanted.map(({ makes }) => makes).filter((makes) => !there.has(makes))
    },
  }
}
