import type { TableNames } from './tables.js'

/** A type that each engine has a word for. */
export type ColumnType = 'key' | 'moment' | 'text' | 'integer'

/** A table. */
export interface TableShape {
  readonly table: keyof TableNames
  /** A `?` after the type: may be null. */
  readonly columns: Readonly<Record<string, ColumnType | `${ColumnType}?`>>
  readonly primaryKey: readonly string[]
  readonly indexes?: readonly (readonly string[])[]
}

/** The tables of the first version. They never change: a later version changes them by statements of its own. */
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
    columns: { user_id: 'key', sealed_seed: 'key', last_step: 'moment', codes_version: 'integer', created_at: 'moment' },
    primaryKey: ['user_id'],
  },
  {
    table: 'pending',
    columns: { user_id: 'key', sealed_seed: 'key', created_at: 'moment', expires_at: 'moment' },
    primaryKey: ['user_id'],
    indexes: [['expires_at']],
  },
  { table: 'recoveryCodes', columns: { user_id: 'key', code_hash: 'key' }, primaryKey: ['user_id', 'code_hash'] },
  {
    table: 'keys',
    columns: { generation: 'integer', kid: 'text', sealed_key: 'text', created_at: 'moment', activates_at: 'moment' },
    primaryKey: ['generation'],
  },
]
