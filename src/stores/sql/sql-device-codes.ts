import { sql, type UpdateResult } from 'kysely'
import type { DeviceCodeRecord, DeviceCodeStore } from '../device-code-contract.js'
import { deviceCodeRow } from '../rows/device-code-row.js'
import { columnsOf } from './columns.js'
import type { SqlEngine } from './engine.js'
import { purgeInBatches } from './purge.js'
import type { AuthDatabase } from './tables.js'
import { toMoment } from './values.js'

const columns = columnsOf<DeviceCodeRecord, 'mar_device_codes'>(deviceCodeRow)

/** Device codes in SQL. */
export function sqlDeviceCodes(engine: SqlEngine): DeviceCodeStore {
  const { db, tables } = engine
  const table = tables.deviceCodes
  return {
    ...decisions(engine),

    save: (code) =>
      engine.write(async () => {
        const row = { ...columns.of(engine, code), asked_too_soon: 0 }
        await db.insertInto(table).values(row).execute()
      }),

    find: (userCodeHash) => find(engine, userCodeHash),

    async poll(...asked) {
      // Where the row is read after it was written, no other question may come between.
      const within = engine.hasReturning ? engine.write : engine.atomically
      const row = await within((from) => ask(engine, from, ...asked))
      if (row === undefined) return { outcome: 'unknown' }
      const outcome = Number(row.asked_too_soon) === 1 ? 'too-soon' : 'polled'
      return { outcome, code: columns.read(row) }
    },

    purge: (now, limit) =>
      purgeInBatches(engine, table, 'user_code_hash', 'expires_at', now, limit),
  }
}

function rowsOf({ tables, key }: SqlEngine, from: AuthDatabase, userCodeHash: string) {
  const rows = from.selectFrom(tables.deviceCodes).selectAll()
  return rows.where('user_code_hash', '=', key(userCodeHash, 'userCodeHash'))
}

async function find(engine: SqlEngine, userCodeHash: string): Promise<DeviceCodeRecord | null> {
  const row = await rowsOf(engine, engine.db, userCodeHash).executeTakeFirst()
  return row === undefined ? null : columns.read(row)
}

/** Keeps the pace, and answers the row as this question has left it. */
async function ask(
  engine: SqlEngine,
  within: AuthDatabase,
  userCodeHash: string,
  deviceCodeHash: string,
  now: Date,
) {
  const { tables, key, assignsInTurn } = engine
  const hash = key(deviceCodeHash, 'deviceCodeHash')
  const [interval, at] = [sql.ref('interval'), toMoment(now)]
  const soon = (whenSoon: 1 | 5) =>
    sql<number>`case when next_poll_at > ${at} then ${sql.lit(whenSoon)} else 0 end`
  const longer = sql<number>`${interval} + ${soon(5)}`
  const update = within
    .updateTable(tables.deviceCodes)
    .where('user_code_hash', '=', key(userCodeHash, 'userCodeHash'))
    .where('device_code_hash', '=', hash)
    // In this order: what is reckoned from a column stands before what changes it.
    .set({
      asked_too_soon: soon(1),
      interval: longer,
      next_poll_at: sql<number>`${at} + 1000 * (${assignsInTurn ? interval : longer})`,
    })
  if (engine.hasReturning) return update.returningAll().executeTakeFirst()
  await update.execute()
  const rows = rowsOf(engine, within, userCodeHash).where('device_code_hash', '=', hash)
  return rows.executeTakeFirst()
}

function decisions(engine: SqlEngine): Pick<DeviceCodeStore, 'claim' | 'takeTry' | 'decide'> {
  const { db, tables, key } = engine

  const updatePending = (userCodeHash: string, now: Date) =>
    db
      .updateTable(tables.deviceCodes)
      .where('user_code_hash', '=', key(userCodeHash, 'userCodeHash'))
      .where('state', '=', key('pending', 'state'))
      .where('expires_at', '>', toMoment(now))

  const updateOwn = (userCodeHash: string, userId: string, now: Date) =>
    updatePending(userCodeHash, now).where('user_id', '=', key(userId, 'userId'))

  // The one conditional write has decided. What others change meanwhile, the record may show.
  async function changed({ numUpdatedRows }: UpdateResult, userCodeHash: string) {
    if (numUpdatedRows !== 1n) return null
    const code = await find(engine, userCodeHash)
    if (code === null) throw new Error('a device code was deleted while it was used')
    return code
  }

  async function lost(userCodeHash: string, userId: string, now: Date) {
    const rows = rowsOf(engine, db, userCodeHash)
    const row = await (engine.readsOldSnapshot ? rows.forUpdate() : rows).executeTakeFirst()
    if (row === undefined) return { outcome: 'unknown' } as const
    const code = columns.read(row)
    if (code.state !== 'pending' || code.userId === null || now >= code.expiresAt)
      return { outcome: 'unknown' } as const
    return code.userId === userId
      ? ({ outcome: 'claimed', code } as const)
      : ({ outcome: 'foreign' } as const)
  }

  return {
    claim: (userCodeHash, userId, now) =>
      engine.write(async () => {
        const update = updatePending(userCodeHash, now)
          .where('user_id', 'is', null)
          .set(columns.ofSome(engine, { userId, claimedAt: now }))
        const code = await changed(await update.executeTakeFirstOrThrow(), userCodeHash)
        return code === null ? lost(userCodeHash, userId, now) : { outcome: 'claimed', code }
      }),

    takeTry: (userCodeHash, userId, now) =>
      engine.write(async () => {
        const update = updateOwn(userCodeHash, userId, now)
          .set((row) => ({ tries_left: row('tries_left', '-', 1) }))
          .where('tries_left', '>', 0)
        const code = await changed(await update.executeTakeFirstOrThrow(), userCodeHash)
        return code === null ? { outcome: 'void' } : { outcome: 'taken', code }
      }),

    decide: (userCodeHash, userId, verdict, now) =>
      engine.write(async () => {
        const update = updateOwn(userCodeHash, userId, now).set(columns.ofSome(engine, verdict))
        const { numUpdatedRows } = await update.executeTakeFirstOrThrow()
        return { outcome: numUpdatedRows === 1n ? 'decided' : 'unknown' }
      }),
  }
}
