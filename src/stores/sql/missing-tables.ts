import { AuthConfigError } from '../../errors.js'

// The commonest first mistake with a database is a `migrateSql` that was forgotten, and what
// drivers say of it reads like an outage.

/** Codes of PostgreSQL (undefined table, undefined column), MySQL and MariaDB. */
const codes = ['42P01', '42703', 'ER_NO_SUCH_TABLE', 'ER_BAD_FIELD_ERROR']
/** SQLite has no codes for it. */
const texts = /no such table|no such column|has no column named/

/**
 * A store whose calls reject with `AuthConfigError` where its tables are missing or too old.
 *
 * @param makes - the call that makes its tables
 */
export function namingMissingTables<Store extends object>(
  store: Store,
  makes = 'migrateSql(kysely)',
): Store {
  const members = Object.entries(store).map(([name, member]) =>
    typeof member === 'function' ? [name, named(member as Call, makes)] : [name, member],
  )
  return Object.fromEntries(members) as Store
}

type Call = (...given: readonly unknown[]) => Promise<unknown>

function named(call: Call, makes: string): Call {
  return async function callStore(...given) {
    try {
      return await call(...given)
    } catch (cause) {
      throw isOfTables(cause) ? missingTables(cause, makes) : cause
    }
  }
}

function isOfTables(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false
  const code: unknown = 'code' in cause ? cause.code : undefined
  return codes.some((one) => one === code) || texts.test(cause.message)
}

function missingTables(cause: unknown, makes: string): AuthConfigError {
  const error = new AuthConfigError(
    'sqlStores',
    'the tables are missing, or those of an older release.',
    `run ${makes}, with the same prefix and schema, before the server listens.`,
  )
  // As errors have it: not enumerable, since drivers put values into their messages.
  return Object.defineProperty(error, 'cause', { value: cause })
}
