import type { SqlAuthTables, TableNames } from './tables.js'

/** A type that each engine has a word for. */
export type ColumnType = 'key' | 'moment' | 'text' | 'integer'

/** A table. The compiler misses a column that its rows have and the shape has not. */
export type TableShape = { readonly [Table in keyof TableNames]: ShapeOf<Table> }[keyof TableNames]

interface ShapeOf<Table extends keyof TableNames> {
  readonly table: Table
  /** A `?` after the type: may be null. */
  readonly columns: {
    readonly [Column in Exclude<ColumnOf<Table>, LaterColumn<Table>>]: ColumnTypeOf<
      RowOf<Table>[Column]
    >
  }
  readonly primaryKey: readonly ColumnOf<Table>[]
  readonly indexes?: readonly (readonly ColumnOf<Table>[])[]
}

/** The columns of tables of the first version that came with a later one. */
interface LaterColumns {
  readonly sessions:
    | 'secret_hash'
    | 'password_mark'
    | 'password_mark_next'
    | 'lifetime_idle'
    | 'lifetime_absolute'
    | 'client_id'
    | 'parent_id'
    | 'resources'
  readonly codes: 'client_id' | 'redirect_uri' | 'nonce' | 'resources' | 'acr'
}
type LaterColumn<Table> = Table extends keyof LaterColumns ? LaterColumns[Table] : never

/** Columns that are added to a table. */
export type AddedColumns<Table extends keyof LaterColumns> = {
  readonly [Column in LaterColumns[Table] & ColumnOf<Table>]: ColumnTypeOf<RowOf<Table>[Column]>
}

/**
 * What version 2 adds to the sessions. All of it may be null, so that processes of the older
 * release write their rows as before.
 */
export const secondSessionColumns: Omit<AddedColumns<'sessions'>, 'resources'> = {
  secret_hash: 'key?',
  password_mark: 'key?',
  password_mark_next: 'key?',
  lifetime_idle: 'integer?',
  lifetime_absolute: 'integer?',
  client_id: 'key?',
  parent_id: 'key?',
}

/** What version 3 adds to the sessions. It may be null, as in version 2. */
export const thirdSessionColumns: Pick<AddedColumns<'sessions'>, 'resources'> = {
  resources: 'text?',
}

/** What version 3 adds to the codes. All of it may be null, as in version 2. */
export const thirdCodeColumns: AddedColumns<'codes'> = {
  client_id: 'key?',
  redirect_uri: 'text?',
  nonce: 'text?',
  resources: 'text?',
  acr: 'text?',
}

/**
 * The columns of sessions by which they are ended together, and what version 3 finds them by. A
 * client may have very many, most of which have ended.
 */
export const thirdSessionIndexes: readonly (readonly (keyof SqlAuthTables['mar_sessions'])[])[] = [
  ['client_id', 'ended_at'],
  ['parent_id'],
]

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
 * The tables of the first version. They never change: a later version changes them by statements of
 * its own.
 */
export const firstTables: readonly TableShape[] = [
  {
    table: 'codes',
    columns: {
      code_hash: 'key',
      user_id: 'key',
      issued_by_session_id: 'key?',
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
    },
    primaryKey: ['id'],
    indexes: [['user_id', 'ended_at'], ['purge_at']],
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
    table: 'pending',
    columns: { user_id: 'key', sealed_seed: 'key', created_at: 'moment', expires_at: 'moment' },
    primaryKey: ['user_id'],
    indexes: [['expires_at']],
  },
  {
    table: 'recoveryCodes',
    columns: { user_id: 'key', code_hash: 'key' },
    primaryKey: ['user_id', 'code_hash'],
  },
  {
    table: 'keys',
    columns: keyColumns,
    primaryKey: ['generation'],
  },
]

/** The tables that came with version 3. They never change, either. */
export const thirdTables: readonly TableShape[] = [
  { table: 'idTokenKeys', columns: keyColumns, primaryKey: ['generation'] },
  {
    table: 'clients',
    columns: {
      id: 'key',
      metadata: 'text',
      // Compared as a whole by whoever replaces them, so bytewise.
      secret_hashes: 'key',
      disabled: 'integer',
      created_at: 'moment',
      updated_at: 'moment',
    },
    primaryKey: ['id'],
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
]

/** The tables that came with version 4. They never change, either. */
export const fourthTables: readonly TableShape[] = [
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
