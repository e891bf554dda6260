import { sql } from 'kysely'
import { markLength } from '../../lib/vault.js'
import { enrolmentRow, factorRow } from '../rows/factor-rows.js'
import type { KeyValue } from '../rows/members.js'
import type {
  PendingSecondFactor,
  SealedCount,
  SecondFactorRecord,
  SecondFactorStore,
} from '../second-factor-contract.js'
import { columnsOf } from './columns.js'
import { checkedInteger, fromKey, insertIfAbsent, type SqlEngine, toMoment } from './engine.js'
import { purgeInBatches } from './purge.js'
import type { AuthDatabase } from './tables.js'

const factorColumns = columnsOf<SecondFactorRecord, 'mar_second_factors'>(factorRow)
const enrolmentColumns = columnsOf<PendingSecondFactor, 'mar_enrolments'>(enrolmentRow)

/**
 * Second factors in SQL: a row per user, a row per pending enrolment, and a row per recovery code.
 */
export function sqlSecondFactors(engine: SqlEngine): SecondFactorStore {
  const { db, tables, key } = engine
  const userIs = (userId: string) => key(userId, 'userId')

  return {
    ...enrolments(engine),
    ...deactivation(engine),
    ...recoveryCodes(engine),
    countSealed: () => countSealed(engine),

    async listSealed(after, limit) {
      const all = db.selectFrom(tables.secondFactors).selectAll().orderBy('user_id').limit(limit)
      const rest = after === null ? all : all.where('user_id', '>', userIs(after))
      return (await rest.execute()).map((row) => factorColumns.read(row))
    },

    async find(userId) {
      const all = db.selectFrom(tables.secondFactors).selectAll()
      const query = all.where('user_id', '=', userIs(userId))
      const row = await engine.readRow({ kind: 'factor', query, columns: factorColumns.names })
      return row === undefined ? null : factorColumns.read(row)
    },

    advanceStep: (userId, to) =>
      engine.write(async () => {
        const later = db
          .updateTable(tables.secondFactors)
          .where('user_id', '=', userIs(userId))
          .where('last_step', '<', checkedInteger(to, 'step'))
        const { numUpdatedRows } = await later
          .set(factorColumns.ofSome(engine, { lastStep: to }))
          .executeTakeFirstOrThrow()
        return { outcome: numUpdatedRows === 1n ? 'advanced' : 'stale' }
      }),

    reseal: (userId, from, to) =>
      engine.write(async () => {
        const same = db.updateTable(tables.secondFactors).where('user_id', '=', userIs(userId))
        const change = same
          .where('sealed_seed', '=', key(from, 'from'))
          .set({ sealed_seed: key(to, 'to') })
        const { numUpdatedRows } = await change.executeTakeFirstOrThrow()
        return { outcome: numUpdatedRows === 1n ? 'resealed' : 'superseded' }
      }),
  }
}

async function countSealed({ db, tables }: SqlEngine): Promise<SealedCount[]> {
  const mark = sql<KeyValue>`substr(sealed_seed, 1, ${sql.lit(markLength)})`
  const rows = await db
    .selectFrom(tables.secondFactors)
    .select(({ fn }) => [mark.as('mark'), fn.countAll<number | string>().as('count')])
    .groupBy(mark)
    .execute()
  return rows.map((row) => ({ mark: fromKey(row.mark), count: Number(row.count) }))
}

function deactivation(
  engine: SqlEngine,
): Pick<SecondFactorStore, 'deactivate' | 'deleteKeptRecoveryCodes'> {
  const { db, tables, key } = engine

  return {
    deactivate: (userId, keepRecoveryCodes = false) =>
      engine.atomically(async (transaction) => {
        const user = key(userId, 'userId')
        // Enrolment, factor, codes: everywhere in this order. A confirmation holds the enrolment
        // until the factor is there, so that it cannot slip through behind this.
        await transaction.deleteFrom(tables.enrolments).where('user_id', '=', user).execute()
        const factor = transaction.deleteFrom(tables.secondFactors).where('user_id', '=', user)
        const { numDeletedRows } = await factor.executeTakeFirstOrThrow()
        // Any codes that are there now are kept codes, or codes of a factor that has just been
        // activated.
        if (numDeletedRows !== 1n) return { outcome: 'not-active' }
        if (!keepRecoveryCodes)
          await transaction.deleteFrom(tables.recoveryCodes).where('user_id', '=', user).execute()
        return { outcome: 'deactivated' }
      }),

    deleteKeptRecoveryCodes: (userId) =>
      engine.write(async () => {
        const user = key(userId, 'userId')
        // There are hardly ever any. MySQL locks the gap in which a delete finds nothing.
        const codes = db.selectFrom(tables.recoveryCodes).select('code_hash')
        const left = await codes.where('user_id', '=', user).limit(1).execute()
        if (left.length === 0) return
        // Factor and codes are activated in one transaction: a call that does not see the factor
        // does not see its codes either.
        await db
          .deleteFrom(tables.recoveryCodes)
          .where('user_id', '=', user)
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom(tables.secondFactors).select('user_id').where('user_id', '=', user),
              ),
            ),
          )
          .execute()
      }),
  }
}

type Enrolments = 'activate' | 'savePending' | 'findPending' | 'deletePending' | 'confirm' | 'purge'

function enrolments(engine: SqlEngine): Pick<SecondFactorStore, Enrolments> {
  const { db, tables, key } = engine
  const table = tables.enrolments

  return {
    activate: (factor, hashes) =>
      engine.atomically((transaction) => activate(engine, transaction, factor, hashes)),

    savePending: ({ userId, sessionId, ...shown }) =>
      engine.write(async () => {
        const row = enrolmentColumns.of(engine, { userId, sessionId, ...shown })
        const seed = enrolmentColumns.ofSome(engine, shown)
        const insert = db.insertInto(table).values(row)
        const upsert = engine.hasOnConflict
          ? insert.onConflict((conflict) =>
              conflict.columns(['user_id', 'session_id']).doUpdateSet(seed),
            )
          : insert.onDuplicateKeyUpdate(seed)
        await upsert.execute()
      }),

    async findPending(userId, sessionId) {
      const row = await db
        .selectFrom(table)
        .selectAll()
        .where('user_id', '=', key(userId, 'userId'))
        .where('session_id', '=', key(sessionId, 'sessionId'))
        .executeTakeFirst()
      return row === undefined ? null : enrolmentColumns.read(row)
    },

    deletePending: (userId) =>
      engine.write(async () => {
        await db.deleteFrom(table).where('user_id', '=', key(userId, 'userId')).execute()
      }),

    confirm: (factor, hashes, now) =>
      engine.atomically(async (transaction) => {
        const { numDeletedRows } = await transaction
          .deleteFrom(table)
          .where('user_id', '=', key(factor.userId, 'userId'))
          .where('sealed_seed', '=', key(factor.sealedSeed, 'sealedSeed'))
          .where('expires_at', '>', toMoment(now))
          .executeTakeFirstOrThrow()
        return numDeletedRows === 1n
          ? activate(engine, transaction, factor, hashes)
          : { outcome: 'not-pending' }
      }),

    purge: (now, limit) => purgeInBatches(engine, table, 'sealed_seed', 'expires_at', now, limit),
  }
}

async function activate(
  engine: SqlEngine,
  transaction: AuthDatabase,
  factor: SecondFactorRecord,
  hashes: readonly string[],
): Promise<{ outcome: 'activated' | 'already-active' }> {
  const { tables, key } = engine
  const user = key(factor.userId, 'userId')
  const row = { ...factorColumns.of(engine, factor), codes_version: 1 }
  if (!(await insertIfAbsent(engine, transaction, tables.secondFactors, row)))
    return { outcome: 'already-active' }
  // There are hardly ever any. MySQL locks the gap in which a delete finds nothing, and users who
  // activate at once would deadlock.
  const codes = tables.recoveryCodes
  const left = transaction.selectFrom(codes).select('code_hash').where('user_id', '=', user)
  if ((await left.limit(1).execute()).length > 0)
    await transaction.deleteFrom(codes).where('user_id', '=', user).execute()
  await insertRecoveryCodes(engine, transaction, factor.userId, hashes)
  return { outcome: 'activated' }
}

function recoveryCodes(
  engine: SqlEngine,
): Pick<SecondFactorStore, 'consumeRecoveryCode' | 'replaceRecoveryCodes' | 'countRecoveryCodes'> {
  const { db, tables, key } = engine
  const table = tables.recoveryCodes

  return {
    consumeRecoveryCode: (userId, codeHash) =>
      engine.write(async () => {
        const code = db.deleteFrom(table).where('user_id', '=', key(userId, 'userId'))
        const { numDeletedRows } = await code
          .where('code_hash', '=', key(codeHash, 'codeHash'))
          .executeTakeFirstOrThrow()
        return { outcome: numDeletedRows === 1n ? 'consumed' : 'unknown' }
      }),

    replaceRecoveryCodes: (userId, hashes) =>
      engine.atomically(async (transaction) => {
        // Locks the factor's row until the codes are written, so that two sets at once do not
        // become twenty codes.
        const factor = transaction
          .updateTable(tables.secondFactors)
          .where('user_id', '=', key(userId, 'userId'))
        const { numUpdatedRows } = await factor
          .set(({ eb }) => ({ codes_version: eb('codes_version', '+', 1) }))
          .executeTakeFirstOrThrow()
        if (numUpdatedRows !== 1n) return { outcome: 'not-active' }
        await transaction.deleteFrom(table).where('user_id', '=', key(userId, 'userId')).execute()
        await insertRecoveryCodes(engine, transaction, userId, hashes)
        return { outcome: 'replaced' }
      }),

    async countRecoveryCodes(userId) {
      const rows = db
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number | string>().as('count'))
      const { count } = await rows
        .where('user_id', '=', key(userId, 'userId'))
        .executeTakeFirstOrThrow()
      return Number(count)
    },
  }
}

async function insertRecoveryCodes(
  { tables, key }: SqlEngine,
  transaction: AuthDatabase,
  userId: string,
  hashes: readonly string[],
): Promise<void> {
  const user = key(userId, 'userId')
  const rows = hashes.map((hash) => ({ user_id: user, code_hash: key(hash, 'codeHash') }))
  if (rows.length > 0) await transaction.insertInto(tables.recoveryCodes).values(rows).execute()
}
