import { randomId } from '../../lib/random.js'
import type { EndReason } from '../contract.js'
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

/** Ends the sessions in batches, and answers the ids of those that this call ended. */
export async function endTogether(engine: SqlEngine, which: EndTogether): Promise<string[]> {
  const all: string[] = []
  for (;;) {
    // Together: between two statements a purge could delete what the first has ended.
    const { found, mine } = await engine.atomically((within) => endBatch(engine, within, which))
    all.push(...mine)
    if (found < batch) return all
  }
}

async function endBatch(
  engine: SqlEngine,
  within: AuthDatabase,
  { owner, of, userId, reason, now }: EndTogether,
): Promise<{ readonly found: number; readonly mine: readonly string[] }> {
  const { tables, key } = engine
  const table = tables.sessions
  const living = within
    .selectFrom(table)
    .select('id')
    .where(owner, '=', key(of, owner))
    .where('ended_at', 'is', null)
    .$if(userId !== undefined, (query) => query.where('user_id', '=', key(userId ?? '', 'userId')))
    .limit(batch)
  // What an old snapshot takes for living would be found again and again.
  const found = await (engine.readsOldSnapshot ? living.forUpdate() : living).execute()
  const ids = found.map(({ id }) => id)
  if (ids.length === 0) return { found: 0, mine: [] }
  // The rows carry the name of the call that ended them, as with endAllForUser.
  const mark = key(randomId(), 'ended_by')
  await within
    .updateTable(table)
    .where('id', 'in', ids)
    .where('ended_at', 'is', null)
    .set({ ...ended(engine, reason, now), ended_by: mark })
    .execute()
  const mine = within
    .selectFrom(table)
    .select('id')
    .where('id', 'in', ids)
    .where('ended_by', '=', mark)
  return { found: ids.length, mine: (await mine.execute()).map(({ id }) => fromKey(id)) }
}
