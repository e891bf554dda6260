import { sql } from 'kysely'
import { sha256 } from '../../lib/digest.js'
import type { OnceStore } from '../once-contract.js'
import type { KeyValue } from '../rows/members.js'
import type { SqlEngine } from './engine.js'
import { insertIfAbsent } from './insert-if-absent.js'
import { purgeInBatches } from './purge.js'
import { checkedKey, toMoment } from './values.js'

interface Note {
  readonly key_hash: KeyValue
  readonly expires_at: number
}

/** Names that are used once, in SQL, as digests: short keys, however long the names are. */
export function sqlOnce(engine: SqlEngine): OnceStore {
  const { db, tables, key } = engine
  const table = tables.once

  // An expired note is taken over in the same statement; of however many callers, the database lets
  // one change the row.
  async function insertOrTakeOver(note: Note, now: Date): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto(table)
      .values(note)
      .onConflict((row) =>
        row
          .column('key_hash')
          .doUpdateSet({ expires_at: note.expires_at })
          .where(sql.ref(`${table}.expires_at`), '<=', toMoment(now)),
      )
      .executeTakeFirstOrThrow()
    return numInsertedOrUpdatedRows === 1n
  }

  // MySQL has no condition there. What expired is deleted first, and the insert alone decides.
  async function deleteThenInsert(note: Note, now: Date): Promise<boolean> {
    if (await insertIfAbsent(engine, db, table, note)) return true
    const { numDeletedRows } = await db
      .deleteFrom(table)
      .where('key_hash', '=', note.key_hash)
      .where('expires_at', '<=', toMoment(now))
      .executeTakeFirstOrThrow()
    return numDeletedRows === 1n && (await insertIfAbsent(engine, db, table, note))
  }

  return {
    claim: (name, expiresAt, now) =>
      engine.write(async () => {
        const note = {
          key_hash: key(sha256(checkedKey(name, 'key')), 'key'),
          expires_at: toMoment(expiresAt),
        }
        const claimed = engine.hasOnConflict
          ? await insertOrTakeOver(note, now)
          : await deleteThenInsert(note, now)
        return { outcome: claimed ? 'claimed' : 'known' }
      }),

    purge: (now, limit) => purgeInBatches(engine, table, 'key_hash', 'expires_at', now, limit),
  }
}
