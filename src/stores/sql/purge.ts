import { type SqlEngine, toMoment } from './engine.js'
import type { AuthDatabase } from './tables.js'

/** Rows that one statement deletes: few enough that nobody waits long for their locks. */
const batch = 500

/**
 * Deletes the rows whose moment has come, in statements of a few hundred rows each, and says how
 * many. `table` must have an index on `moment`.
 */
export async function purgeInBatches(
  engine: SqlEngine,
  table:
    | 'mar_authorization_codes'
    | 'mar_sessions'
    | 'mar_socket_tickets'
    | 'mar_proofs'
    | 'mar_device_codes'
    | 'mar_enrolments'
    | 'mar_once'
    | 'mar_clients'
    | 'mar_audit',
  id: string,
  moment: string,
  now: Date,
  limit: number = Number.POSITIVE_INFINITY,
): Promise<number> {
  let deleted = 0
  while (deleted < limit) {
    const most = Math.min(batch, limit - deleted)
    const count = await engine.write((db) =>
      deleteBatch(engine, db, { table, id, moment, until: toMoment(now), most }),
    )
    deleted += count
    if (count < most) break
  }
  return deleted
}

interface Batch {
  readonly table: string
  readonly id: string
  readonly moment: string
  readonly until: number
  readonly most: number
}

async function deleteBatch(
  engine: SqlEngine,
  typed: AuthDatabase,
  { table, id, moment, until, most }: Batch,
): Promise<number> {
  // One text for all tables whose columns have different names.
  const db = typed.withTables<Record<string, Record<string, unknown>>>()
  const isDue = db.deleteFrom(table).where(moment, '<=', until)
  const due = db.selectFrom(table).select(id).where(moment, '<=', until).orderBy(moment).limit(most)
  // The moment is asked for twice: a session may be used again between the choice of the row and
  // its lock.
  const query = engine.deletesWithLimit
    ? isDue.orderBy(moment).limit(most)
    : isDue.where(id, 'in', due)
  const { numDeletedRows } = await query.executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
