import type { UpdateResult } from 'kysely'
import type { ProofRecord, ProofStore } from '../proof-contract.js'
import { proofRow } from '../rows/proof-row.js'
import { columnsOf } from './columns.js'
import type { SqlEngine } from './engine.js'
import { purgeInBatches } from './purge.js'
import { toMoment } from './values.js'

const columns = columnsOf<ProofRecord, 'mar_proofs'>(proofRow)

/** Proofs in SQL. */
export function sqlProofs(engine: SqlEngine): ProofStore {
  const { db, tables, key } = engine
  const table = tables.proofs
  return {
    ...singleProofs(engine),

    save: (proof) =>
      engine.write(
        async () => void (await db.insertInto(table).values(columns.of(engine, proof)).execute()),
      ),

    async voidForUser(userId, purposes, now) {
      const ofUser = key(userId, 'userId')
      const named = purposes.map((purpose) => key(purpose, 'purpose'))
      // An empty list is no SQL.
      if (named.length === 0) return 0
      return engine.write(async () => {
        const { numUpdatedRows } = await db
          .updateTable(table)
          .set({ consumed_at: toMoment(now) })
          .where('user_id', '=', ofUser)
          .where('purpose', 'in', named)
          .where('consumed_at', 'is', null)
          .executeTakeFirstOrThrow()
        return Number(numUpdatedRows)
      })
    },

    async list(purpose, userId, now) {
      const rows = await db
        .selectFrom(table)
        .selectAll()
        .where('user_id', userId === null ? 'is' : '=', userId && key(userId, 'userId'))
        .where('purpose', '=', key(purpose, 'purpose'))
        .where('consumed_at', 'is', null)
        .where('expires_at', '>', toMoment(now))
        .where('tries_left', '>', 0)
        .execute()
      return rows.map((row) => columns.read(row))
    },

    purge: (now, limit) => purgeInBatches(engine, table, 'id_hash', 'expires_at', now, limit),
  }
}

function singleProofs(engine: SqlEngine): Pick<ProofStore, 'find' | 'takeTry' | 'consume'> {
  const { db, tables, key } = engine

  async function find(idHash: string, purpose: string): Promise<ProofRecord | null> {
    const row = await db
      .selectFrom(tables.proofs)
      .selectAll()
      .where('id_hash', '=', key(idHash, 'idHash'))
      .where('purpose', '=', key(purpose, 'purpose'))
      .executeTakeFirst()
    return row === undefined ? null : columns.read(row)
  }

  const updateGood = (idHash: string, purpose: string, now: Date) =>
    db
      .updateTable(tables.proofs)
      .where('id_hash', '=', key(idHash, 'idHash'))
      .where('purpose', '=', key(purpose, 'purpose'))
      .where('consumed_at', 'is', null)
      .where('expires_at', '>', toMoment(now))

  // The one conditional write has decided. What others change meanwhile, the record may show.
  async function changed({ numUpdatedRows }: UpdateResult, idHash: string, purpose: string) {
    if (numUpdatedRows !== 1n) return null
    const proof = await find(idHash, purpose)
    if (proof === null) throw new Error('a proof was deleted while it was used')
    return proof
  }

  return {
    find,
    takeTry: (idHash, purpose, now) =>
      engine.write(async () => {
        const update = updateGood(idHash, purpose, now)
          .set((row) => ({ tries_left: row('tries_left', '-', 1) }))
          .where('tries_left', '>', 0)
        const proof = await changed(await update.executeTakeFirstOrThrow(), idHash, purpose)
        return proof === null ? { outcome: 'void' } : { outcome: 'taken', proof }
      }),
    consume: (idHash, purpose, now) =>
      engine.write(async () => {
        const update = updateGood(idHash, purpose, now).set({ consumed_at: toMoment(now) })
        const proof = await changed(await update.executeTakeFirstOrThrow(), idHash, purpose)
        return proof === null ? { outcome: 'void' } : { outcome: 'consumed', proof }
      }),
  }
}
