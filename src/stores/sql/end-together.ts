import { randomId } from '../../lib/random.js'
import type { EndReason } from '../contract.js'
import type { KeyValue } from '../rows/members.js'
import type { SqlEngine } from './engine.js'
import { ended } from './session-rows.js'
import type { AuthDatabase } from './tables.js'
import { fromKey } from './values.js'

/** Which sessions are to end: those of a client, or those that one session has opened. */
export interface EndTogether {
  readonly owner: 'client_id' | 'parent_id'
  readonly of: string
  /** Left out: of whichever user. */
  readonly userId: string | undefined
  readonly reason: EndReason
  readonly now: Date
}

/** Rows that one statement ends: few enough that nobody waits long for their locks. */
const batch = 500

/**
 * Ends the sessions in batches, and answers the ids of those that this call ended: at least `limit`
 * of them, or none is left.
 */
export async function endTogether(
  engine: SqlEngine,
  which: EndTogether,
  limit?: number,
): Promise<string[]> {
  const all: string[] = []
  for (;;) {
    // Chosen before the transaction, which begins with its write: SQLite lets no transaction write
    // that has read what another has changed meanwhile.
    const found = await someLiving(engine, which)
    if (found.length > 0)
      // Together: between two statements a purge could delete what the first has ended.
      all.push(...(await engine.atomically((within) => endThose(engine, within, which, found))))
    if (found.length < batch || all.length >= (limit ?? Number.POSITIVE_INFINITY)) return all
  }
}

async function someLiving(
  { db, tables, key, readsOldSnapshot }: SqlEngine,
  { owner, of, userId }: EndTogether,
): Promise<KeyValue[]> {
  const ofAll = db
    .selectFrom(tables.sessions)
    .select('id')
    .where(owner, '=', key(of, owner))
    .where('ended_at', 'is', null)
    .limit(batch)
  const living = userId === undefined ? ofAll : ofAll.where('user_id', '=', key(userId, 'userId'))
  // What an old snapshot takes for living would be found again and again.
  const rows = await (readsOldSnapshot ? living.forUpdate() : living).execute()
  return rows.map(({ id }) => id)
}

async function endThose(
  engine: SqlEngine,
  within: AuthDatabase,
  { reason, now }: EndTogether,
  ids: readonly KeyValue[],
): Promise<string[]> {
  const { sessions } = engine.tables
  // The rows carry the name of the call that ended them, as with endAllForUser.
  const mark = engine.key(randomId(), 'ended_by')
  await within
    .updateTable(sessions)
    .where('id', 'in', ids)
    .where('ended_at', 'is', null)
    .set({ ...ended(engine, reason, now), ended_by: mark })
    .execute()
  const mine = within
    .selectFrom(sessions)
    .select('id')
    .where('id', 'in', ids)
    .where('ended_by', '=', mark)
  return (await mine.execute()).map(({ id }) => fromKey(id))
}
