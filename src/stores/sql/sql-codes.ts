import type {
  AuthorizationCodeRecord,
  AuthorizationCodeStore,
  ConsumeResult,
} from '../code-contract.js'
import type { SessionStore } from '../contract.js'
import { codeRow } from '../rows/one-time-rows.js'
import { columnsOf } from './columns.js'
import type { SqlEngine } from './engine.js'
import { purgeInBatches } from './purge.js'
import { insertSession } from './sql-sessions.js'
import type { AuthDatabase } from './tables.js'
import { toMoment } from './values.js'

const columns = columnsOf<AuthorizationCodeRecord, 'mar_authorization_codes'>(codeRow)

/** Authorization codes in SQL. A code and the session it opens are one transaction. */
export function sqlCodes(engine: SqlEngine, sessions: SessionStore): AuthorizationCodeStore {
  const { db, tables, key } = engine
  const table = tables.codes

  const rowsOf = (from: AuthDatabase, codeHash: string) =>
    from.selectFrom(table).selectAll().where('code_hash', '=', key(codeHash, 'codeHash'))

  async function find(
    from: AuthDatabase,
    codeHash: string,
  ): Promise<AuthorizationCodeRecord | null> {
    const row = await rowsOf(from, codeHash).executeTakeFirst()
    return row === undefined ? null : columns.read(row)
  }

  // The one conditional write: of however many callers, the database lets one change the row, and
  // tells it so.
  async function wins(within: AuthDatabase, codeHash: string, now: Date): Promise<boolean> {
    const { numUpdatedRows } = await within
      .updateTable(table)
      .set(({ ref }) => ({ consumed_at: toMoment(now), purge_at: ref('retain_until') }))
      .where('code_hash', '=', key(codeHash, 'codeHash'))
      .where('consumed_at', 'is', null)
      .where('expires_at', '>', toMoment(now))
      .executeTakeFirstOrThrow()
    return numUpdatedRows === 1n
  }

  async function lost(within: AuthDatabase, codeHash: string): Promise<ConsumeResult> {
    const rows = rowsOf(within, codeHash)
    const row = await (engine.readsOldSnapshot ? rows.forUpdate() : rows).executeTakeFirst()
    return row === undefined || row.consumed_at === null
      ? { outcome: 'unknown' }
      : { outcome: 'replayed', code: columns.read(row) }
  }

  async function won(within: AuthDatabase, codeHash: string): Promise<ConsumeResult> {
    const code = await find(within, codeHash)
    if (code === null) throw new Error('a code was deleted while it was consumed')
    return { outcome: 'consumed', code }
  }

  const settle = async (within: AuthDatabase, codeHash: string, now: Date) =>
    (await wins(within, codeHash, now)) ? won(within, codeHash) : lost(within, codeHash)

  return {
    save: (code) =>
      engine.write(async () => {
        const { consumedAt, expiresAt, retainUntil } = code
        const purge_at = toMoment(consumedAt === null ? expiresAt : retainUntil)
        const row = { ...columns.of(engine, code), purge_at }
        await db.insertInto(table).values(row).execute()
      }),
    find: (codeHash) => find(db, codeHash),
    consume: (codeHash, now) => engine.write(() => settle(db, codeHash, now)),
    redemption: {
      sessions,
      redeem: (codeHash, session, now) =>
        engine.atomically(async (transaction) => {
          const result = await settle(transaction, codeHash, now)
          if (result.outcome === 'consumed') await insertSession(engine, transaction, session)
          return result
        }),
    },
    purge: (now, limit) => purgeInBatches(engine, table, 'code_hash', 'purge_at', now, limit),
  }
}
