import type { SqlAuthTables, TableNames } from './tables.js'

/** A type that each engine has a word for. */
export type ColumnType = 'key' | 'moment' | 'text' | 'integer'

/** A table, as its first version made it. */
export type TableShape = { readonly [Table in keyof TableNames]: ShapeOf<Table> }[keyof TableNames]

interface ShapeOf<Table extends keyof TableNames> {
  readonly table: Table
  /** A `?` after the type: may be null. A later version adds columns by statements of its own. */
  readonly columns: {
    readonly [Column in ColumnOf<Table>]?: ColumnTypeOf<RowOf<Table>[Column]>
  }
  readonly primaryKey: readonly ColumnOf<Table>[]
  readonly indexes?: readonly (readonly ColumnOf<Table>[])[]
  /** Indexes that hold a value once. */
  readonly uniqueIndexes?: readonly (readonly ColumnOf<Table>[])[]
  /**
   * Indexes whose first column is null in most rows. If the engine can, these rows are left out, so
   * that they cost no write.
   */
  readonly sparseIndexes?: readonly (readonly ColumnOf<Table>[])[]
}

type RowOf<Table extends keyof TableNames> = SqlAuthTables[TableNames[Table]]
type ColumnOf<Table extends keyof TableNames> = keyof RowOf<Table> & string
type ColumnTypeOf<Value> = null extends Value
  ? `${PlainTypeOf<NonNullable<Value>>}?`
  : PlainTypeOf<Value>
type PlainTypeOf<Value> = Uint8Array extends Value
  ? 'key'
  : number extends Value
    ? string extends Value
      ? 'moment'
      : 'integer'
    : 'text'

const keyColumns: ShapeOf<'keys'>['columns'] = {
  generation: 'integer',
  kid: 'text',
  sealed_key: 'text',
  created_at: 'moment',
  activates_at: 'moment',
}

/**
 * The tables of version 1. They never change: a later version changes them by statements of its
 * own.
 */
export const firstTables: readonly TableShape[] = [
  {
    table: 'codes',
    columns: {
      code_hash: 'key',
      user_id: 'key',
      issued_by_session_id: 'key',
      opens_session_id: 'key',
      code_challenge: 'text',
      scope: 'text',
      methods: 'text',
      authenticated_at: 'moment',
      created_at: 'moment',
      expires_at: 'moment',
      retain_until: 'moment',
      consumed_at: 'moment?',
      purge_at: 'moment',
      client_id: 'key?',
      redirect_uri: 'text?',
      nonce: 'text?',
      resources: 'text?',
      acr: 'text?',
    },
    primaryKey: ['code_hash'],
    indexes: [['purge_at']],
  },
  {
    table: 'sessions',
    columns: {
      id: 'key',
      user_id: 'key',
      kind: 'text',
      scope: 'text',
      methods: 'text',
      authenticated_at: 'moment',
      created_at: 'moment',
      last_seen_at: 'moment',
      idle_expires_at: 'moment',
      expires_at: 'moment',
      ip: 'text?',
      user_agent: 'text?',
      refresh_hash: 'key?',
      refresh_state: 'text?',
      ended_at: 'moment?',
      end_reason: 'text?',
      ended_by: 'key?',
      purge_at: 'moment',
      secret_hash: 'key?',
      password_mark: 'key?',
      password_mark_next: 'key?',
      lifetime_idle: 'integer?',
      lifetime_absolute: 'integer?',
      client_id: 'key?',
      parent_id: 'key?',
      resources: 'text?',
      opened_by_session_id: 'key?',
      former_secret_hash: 'key?',
      former_secret_until: 'moment?',
      upstream: 'text?',
      actor_id: 'key?',
      actor_session_id: 'key?',
    },
    primaryKey: ['id'],
    indexes: [['user_id', 'ended_at'], ['purge_at']],
    // For ending sessions together. A client may have very many, most of which have ended.
    sparseIndexes: [['client_id', 'ended_at'], ['parent_id']],
  },
  {
    table: 'tickets',
    columns: {
      ticket_hash: 'key',
      session_id: 'key',
      user_id: 'key',
      scope: 'text',
      token_expires_at: 'moment',
      created_at: 'moment',
      expires_at: 'moment',
    },
    primaryKey: ['ticket_hash'],
    indexes: [['expires_at']],
  },
  {
    table: 'proofs',
    columns: {
      id_hash: 'key',
      purpose: 'key',
      user_id: 'key?',
      code_tag: 'text?',
      mark: 'text?',
      sealed: 'text?',
      tries_left: 'integer',
      created_at: 'moment',
      expires_at: 'moment',
      consumed_at: 'moment?',
    },
    primaryKey: ['id_hash'],
    indexes: [['user_id', 'purpose'], ['expires_at']],
  },
  {
    table: 'identities',
    columns: {
      provider: 'key',
      subject: 'key',
      issuer: 'text',
      user_id: 'key',
      id: 'key',
      label: 'text?',
      password_mark: 'text?',
      created_at: 'moment',
      last_used_at: 'moment?',
      unlinked: 'integer',
    },
    primaryKey: ['provider', 'subject'],
    uniqueIndexes: [['id']],
    indexes: [['user_id']],
  },
  {
    table: 'deviceCodes',
    columns: {
      user_code_hash: 'key',
      device_code_hash: 'key',
      purpose: 'key',
      client_id: 'key?',
      scope: 'text',
      resources: 'text',
      name: 'text?',
      requested_ip: 'text?',
      requested_agent: 'text?',
      // Moments are reckoned from it: in milliseconds it is more than an integer holds.
      interval: 'moment',
      next_poll_at: 'moment',
      user_id: 'key?',
      claimed_at: 'moment?',
      tries_left: 'integer',
      state: 'key',
      authorization_code_hash: 'key?',
      created_at: 'moment',
      expires_at: 'moment',
      asked_too_soon: 'integer',
    },
    primaryKey: ['user_code_hash'],
    indexes: [['expires_at']],
  },
  {
    table: 'secondFactors',
    columns: {
      user_id: 'key',
      sealed_seed: 'key',
      last_step: 'moment',
      codes_version: 'integer',
      created_at: 'moment',
    },
    primaryKey: ['user_id'],
  },
  {
    table: 'enrolments',
    columns: {
      user_id: 'key',
      session_id: 'key',
      sealed_seed: 'key',
      created_at: 'moment',
      expires_at: 'moment',
    },
    primaryKey: ['user_id', 'session_id'],
    indexes: [['expires_at']],
  },
  {
    table: 'recoveryCodes',
    columns: { user_id: 'key', code_hash: 'key' },
    primaryKey: ['user_id', 'code_hash'],
  },
  { table: 'keys', columns: keyColumns, primaryKey: ['generation'] },
  { table: 'idTokenKeys', columns: keyColumns, primaryKey: ['generation'] },
  {
    table: 'clients',
    columns: {
      id: 'key',
      metadata: 'text',
      // Compared as a whole when they are replaced, so by their bytes.
      secret_hashes: 'key',
      disabled: 'integer',
      created_at: 'moment',
      updated_at: 'moment',
      unused_place: 'integer?',
      purge_at: 'moment?',
    },
    primaryKey: ['id'],
    // It bounds how many are unused, whoever inserts at once.
    uniqueIndexes: [['unused_place']],
    sparseIndexes: [['purge_at']],
  },
  {
    table: 'consents',
    columns: {
      user_id: 'key',
      client_id: 'key',
      scopes: 'text',
      granted_at: 'moment',
      updated_at: 'moment',
    },
    primaryKey: ['user_id', 'client_id'],
  },
  {
    table: 'once',
    columns: { key_hash: 'key', expires_at: 'moment' },
    primaryKey: ['key_hash'],
    indexes: [['expires_at']],
  },
  {
    table: 'passkeys',
    columns: {
      credential_hash: 'key',
      credential_id: 'text',
      user_id: 'key',
      user_handle: 'text',
      public_key: 'text',
      // 32 bits without a sign are more than an integer holds.
      counter: 'moment',
      backup_eligible: 'integer',
      backed_up: 'integer',
      transports: 'text',
      aaguid: 'text',
      name: 'text',
      suspected_clone_at: 'moment?',
      password_mark: 'text?',
      created_at: 'moment',
      last_used_at: 'moment?',
    },
    primaryKey: ['credential_hash'],
    indexes: [['user_id']],
  },
  {
    table: 'passkeyUsers',
    columns: { user_id: 'key', user_handle: 'text', passkeys: 'integer' },
    primaryKey: ['user_id'],
  },
  {
    table: 'passkeyCodes',
    columns: { user_id: 'key', code_hash: 'key' },
    primaryKey: ['user_id', 'code_hash'],
  },
]

/** The table of `sqlAudit`, which is made only where it is asked for. */
export const auditTable: TableShape = {
  table: 'audit',
  columns: {
    // Sorts by time, so that a page of events can begin after any of them.
    id: 'key',
    at: 'moment',
    type: 'text',
    user_id: 'key?',
    session_id: 'key?',
    client_id: 'key?',
    ip: 'text?',
    detail: 'text',
  },
  primaryKey: ['id'],
  indexes: [['user_id', 'at'], ['at']],
}
