import type { Expression, Kysely } from 'kysely'
import {
  checkOptions,
  type Filled,
  fitting,
  flag,
  optionsFor,
  type Shape,
} from '../../lib/check-options.js'
import type { AuditTable } from '../rows/audit-row.js'
import type { EnrolmentsTable, PasskeysTable, SecondFactorsTable } from '../rows/factor-rows.js'
import type { KeyValue, MomentValue } from '../rows/members.js'
import type {
  AuthorizationCodesTable,
  DeviceCodesTable,
  IdentitiesTable,
  ProofsTable,
  SocketTicketsTable,
} from '../rows/one-time-rows.js'
import type { SessionsTable } from '../rows/session-row.js'

/** A text column as it is written; it is read as a string. */
export type TextValue = string | Expression<string>

/** One row of recovery codes. */
export interface RecoveryCodesTable {
  user_id: KeyValue
  code_hash: KeyValue
}

/** One row of signing keys, sealed. */
export interface SigningKeysTable {
  generation: number
  kid: string
  sealed_key: string
  created_at: MomentValue
  activates_at: MomentValue
}

/** One row of clients that are managed while the server runs. */
export interface ClientsTable {
  id: KeyValue
  /** JSON: the client, without the members in other columns. */
  metadata: string
  /** Separated by blanks; empty without a secret. */
  secret_hashes: KeyValue
  /** 1 or 0. */
  disabled: number
  created_at: MomentValue
  updated_at: MomentValue
  /** Of a client that registered itself and is unused: its place among so many. */
  unused_place: number | null
  purge_at: MomentValue | null
}

/** One consent of a user to a client. */
export interface ConsentsTable {
  user_id: KeyValue
  client_id: KeyValue
  /** A JSON object whose member names are the scopes. */
  scopes: string
  granted_at: MomentValue
  updated_at: MomentValue
}

/** One row of names that were used once. */
export interface OnceTable {
  /** SHA-256. */
  key_hash: KeyValue
  expires_at: MomentValue
}

/** One row of users who have, or are about to have, a passkey. */
export interface PasskeyUsersTable {
  user_id: KeyValue
  user_handle: string
  /** How many there are: a process that adds or removes one writes here first. */
  passkeys: number
}

/** One row for each change of the tables that has been made. */
export interface MigrationsTable {
  version: number
  applied_at: MomentValue
}

/**
 * The tables, for hosts that want to read them with Kysely under the default prefix:
 * `kysely.withTables<SqlAuthTables>().selectFrom('mar_sessions')`. They are written by the
 * stores alone.
 */
export interface SqlAuthTables {
  mar_authorization_codes: AuthorizationCodesTable
  mar_sessions: SessionsTable
  mar_socket_tickets: SocketTicketsTable
  mar_proofs: ProofsTable
  mar_identities: IdentitiesTable
  mar_device_codes: DeviceCodesTable
  mar_second_factors: SecondFactorsTable
  mar_enrolments: EnrolmentsTable
  mar_recovery_codes: RecoveryCodesTable
  mar_signing_keys: SigningKeysTable
  mar_id_token_keys: SigningKeysTable
  mar_clients: ClientsTable
  mar_consents: ConsentsTable
  mar_once: OnceTable
  mar_passkeys: PasskeysTable
  mar_passkey_users: PasskeyUsersTable
  mar_passkey_codes: RecoveryCodesTable
  mar_migrations: MigrationsTable
  /** Only with `migrateSql(kysely, { audit: true })`. */
  mar_audit: AuditTable
}

/** A connection to those tables. */
export type AuthDatabase = Kysely<SqlAuthTables>

/** The options for the place of the tables. */
export interface SqlTableOptions {
  /**
   * The beginning of the names of the tables: lower-case letters, digits and `_`. Default `mar_`.
   */
  readonly prefix?: string
  /** The schema (PostgreSQL) or database (MySQL) that holds them. Default: the connection's own. */
  readonly schema?: string
}

/** The options for the tables that are made. */
export interface SqlMigrationOptions extends SqlTableOptions {
  /** Also the table of `sqlAudit`. Default false: it is not made, and not looked for. */
  readonly audit?: boolean
}

/** {@link SqlTableOptions} with its default. */
export type CheckedTables = Filled<SqlTableOptions, 'schema'>
/** {@link SqlMigrationOptions} with its defaults. */
export type CheckedMigrations = Filled<SqlMigrationOptions, 'schema'>

/**
 * The names of the tables under a prefix. To the compiler they are the names of the default prefix,
 * whose tables have the same columns.
 */
export interface TableNames {
  readonly codes: 'mar_authorization_codes'
  readonly sessions: 'mar_sessions'
  readonly tickets: 'mar_socket_tickets'
  readonly proofs: 'mar_proofs'
  readonly identities: 'mar_identities'
  readonly deviceCodes: 'mar_device_codes'
  readonly secondFactors: 'mar_second_factors'
  readonly enrolments: 'mar_enrolments'
  readonly recoveryCodes: 'mar_recovery_codes'
  readonly keys: 'mar_signing_keys'
  /** Another table of the same columns. */
  readonly idTokenKeys: 'mar_signing_keys'
  readonly clients: 'mar_clients'
  readonly consents: 'mar_consents'
  readonly once: 'mar_once'
  readonly passkeys: 'mar_passkeys'
  readonly passkeyUsers: 'mar_passkey_users'
  readonly passkeyCodes: 'mar_passkey_codes'
  readonly migrations: 'mar_migrations'
  readonly audit: 'mar_audit'
}

/**
 * The options of one of the factories that know tables. Names cannot be parameters of a statement,
 * so only plain names are taken.
 */
export function checkTableOptions(factory: string, given: unknown): CheckedTables {
  return checkOptions({ factory, schema: tableOptions, remedies: tableRemedies }, given)
}

/** The options of one of the factories that make tables. */
export function checkMigrationOptions(factory: string, given: unknown): CheckedMigrations {
  return checkOptions({ factory, schema: migrationOptions, remedies: tableRemedies }, given)
}

const isPrefix = (value: unknown) =>
  typeof value === 'string' && /^[a-z_][a-z0-9_]{0,29}$/.test(value)
const isSchema = (value: unknown) =>
  typeof value === 'string' && /^[A-Za-z_][A-Za-z0-9_$-]{0,62}$/.test(value)
/** The options of every factory that knows tables. */
export const tableShape: Shape<CheckedTables> = {
  prefix: fitting<string>(isPrefix, 'is not 1 to 30 lower-case letters, digits and _.').default(
    'mar_',
  ),
  schema: fitting<string>(isSchema, 'is not a plain identifier.').optional(),
}
const tableOptions = optionsFor(tableShape)
const auditOption = flag().default(false)
const migrationOptions = optionsFor<CheckedMigrations>({ ...tableShape, audit: auditOption })
/** What to do about a wrong one. */
export const tableRemedies: Readonly<Record<string, string>> = {
  schema: "leave it out for the connection's own.",
}

/** Names the tables, under a prefix that has been checked. */
export function tableNames(prefix: string): TableNames {
  return {
    codes: `${prefix}authorization_codes` as 'mar_authorization_codes',
    sessions: `${prefix}sessions` as 'mar_sessions',
    tickets: `${prefix}socket_tickets` as 'mar_socket_tickets',
    proofs: `${prefix}proofs` as 'mar_proofs',
    identities: `${prefix}identities` as 'mar_identities',
    deviceCodes: `${prefix}device_codes` as 'mar_device_codes',
    secondFactors: `${prefix}second_factors` as 'mar_second_factors',
    enrolments: `${prefix}enrolments` as 'mar_enrolments',
    recoveryCodes: `${prefix}recovery_codes` as 'mar_recovery_codes',
    keys: `${prefix}signing_keys` as 'mar_signing_keys',
    idTokenKeys: `${prefix}id_token_keys` as 'mar_signing_keys',
    clients: `${prefix}clients` as 'mar_clients',
    consents: `${prefix}consents` as 'mar_consents',
    once: `${prefix}once` as 'mar_once',
    passkeys: `${prefix}passkeys` as 'mar_passkeys',
    passkeyUsers: `${prefix}passkey_users` as 'mar_passkey_users',
    passkeyCodes: `${prefix}passkey_codes` as 'mar_passkey_codes',
    migrations: `${prefix}migrations` as 'mar_migrations',
    audit: `${prefix}audit` as 'mar_audit',
  }
}
