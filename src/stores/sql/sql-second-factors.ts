import type { SecondFactorStore } from '../contract.js'
import type { SqlEngine } from './engine.js'
import { insertIfAbsent } from './insert-if-absent.js'
import { checkedText, fromKey, fromMoment, toMoment } from './values.js'

/** Second factors in SQL: a row per user, and a row per recovery code. */
export function sqlSecondFactors(engine: SqlEngine): SecondFactorStore {
  const { db, tables, key } = engine
  const { secondFactors, recoveryCodes } = tables
  const userIs = (userId: string) => key(userId, 'userId')

  return {
    async find(userId) {
      const row = await db.selectFrom(secondFactors).selectAll().where('user_id', '=', userIs(userId)).executeTakeFirst()
      if (row === undefined) return null
      const { user_id, sealed_seed, last_step, created_at } = row
      return {
        userId: fromKey(user_id),
        sealedSeed: sealed_seed,
        lastStep: Number(last_step),
        createdAt: fromMoment(created_at),
      }
    },

    activate: ({ userId, sealedSeed, lastStep, createdAt }, hashes) =>
      engine.atomically(async (transaction) => {
        const factor = {
          user_id: userIs(userId),
          sealed_seed: checkedText(sealedSeed, 'sealedSeed'),
          last_step: step(lastStep),
          created_at: toMoment(createdAt),
        }
        if (!(await insertIfAbsent(engine, transaction, secondFactors, factor))) return { outcome: 'already-active' }
        // Left over only where somebody wrote to the tables by hand; with a new factor an old code must not work.
        await transaction.deleteFrom(recoveryCodes).where('user_id', '=', userIs(userId)).execute()
        const codes = hashes.map((hash) => ({ user_id: userIs(userId), code_hash: key(hash, 'codeHash') }))
        if (codes.length > 0) await transaction.insertInto(recoveryCodes).values(codes).execute()
        return { outcome: 'activated' }
      }),

    advanceStep: (userId, to) =>
      engine.write(async () => {
        const later = db.updateTable(secondFactors).where('user_id', '=', userIs(userId)).where('last_step', '<', step(to))
        const { numUpdatedRows } = await later.set({ last_step: step(to) }).executeTakeFirstOrThrow()
        return { outcome: numUpdatedRows === 1n ? 'advanced' : 'stale' }
      }),

    consumeRecoveryCode: (userId, codeHash) =>
      engine.write(async () => {
        const code = db.deleteFrom(recoveryCodes).where('user_id', '=', userIs(userId))
        const { numDeletedRows } = await code.where('code_hash', '=', key(codeHash, 'codeHash')).executeTakeFirstOrThrow()
        return { outcome: numDeletedRows === 1n ? 'consumed' : 'unknown' }
      }),

    deactivate: (userId) =>
      engine.atomically(async (transaction) => {
        // The factor first, as in `activate`: two transactions that lock in one order cannot wait for each other.
        const factor = transaction.deleteFrom(secondFactors).where('user_id', '=', userIs(userId))
        const { numDeletedRows } = await factor.executeTakeFirstOrThrow()
        await transaction.deleteFrom(recoveryCodes).where('user_id', '=', userIs(userId)).execute()
        return { outcome: numDeletedRows === 1n ? 'deactivated' : 'not-active' }
      }),
  }
}

function step(value: number): number {
  if (Number.isSafeInteger(value)) return value
  throw new TypeError('a TOTP step is a whole number')
}
