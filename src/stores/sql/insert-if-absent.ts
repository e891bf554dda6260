import type { InsertObject } from 'kysely'
import type { SqlEngine } from './engine.js'
import type { AuthDatabase, SqlAuthTables } from './tables.js'

/**
 * Inserts a row unless its key is there, in one statement, and says whether it did. Never replaces
 * a row.
 */
export async function insertIfAbsent<
  Table extends
    | 'mar_second_factors'
    | 'mar_signing_keys'
    | 'mar_clients'
    | 'mar_once'
    | 'mar_passkeys'
    | 'mar_passkey_users'
    | 'mar_identities',
>(
  engine: SqlEngine,
  typed: AuthDatabase,
  table: Table,
  row: InsertObject<SqlAuthTables, Table>,
): Promise<boolean> {
  const insert = typed
    .withTables<Record<string, object>>()
    .insertInto<string>(table)
    .values(row as object)
  if (engine.hasOnConflict) {
    const { numInsertedOrUpdatedRows } = await insert
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow()
    return numInsertedOrUpdatedRows === 1n
  }
  try {
    await insert.execute()
    return true
  } catch (error) {
    // INSERT IGNORE would also take a value that was cut off for a good one.
    if (isDuplicate(error)) return false
    throw error
  }
}

// A statement of MySQL's that fails undoes itself alone, so the transaction it is in goes on.
function isDuplicate(error: unknown): boolean {
  return (error as { errno?: unknown } | null)?.errno === 1062
}
