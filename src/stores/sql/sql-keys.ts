import type { KeyStore } from '../../signers/contract.js'
import type { SqlEngine } from './engine.js'
import { insertIfAbsent } from './insert-if-absent.js'
import type { TableNames } from './tables.js'
import { fromMoment, toMoment } from './values.js'

/** The generations of a key ring in SQL, in a table of its own. */
export function sqlKeys(engine: SqlEngine, table: TableNames['keys']): KeyStore {
  const { db, text } = engine

  return {
    async list() {
      const rows = await db.selectFrom(table).selectAll().orderBy('generation').execute()
      return rows.map(({ generation, kid, sealed_key, created_at, activates_at }) => ({
        // A BigInt from a driver that was told so.
        generation: Number(generation),
        kid,
        sealedKey: sealed_key,
        createdAt: fromMoment(created_at),
        activatesAt: fromMoment(activates_at),
      }))
    },

    insert: ({ generation, kid, sealedKey, createdAt, activatesAt }) =>
      engine.write(async () => {
        const inserted = await insertIfAbsent(engine, db, table, {
          generation: whole(generation),
          kid: text(kid, 'kid'),
          sealed_key: text(sealedKey, 'sealedKey'),
          created_at: toMoment(createdAt),
          activates_at: toMoment(activatesAt),
        })
        return { outcome: inserted ? 'inserted' : 'exists' }
      }),

    remove: (generation) =>
      engine.write(
        async () =>
          void (await db.deleteFrom(table).where('generation', '=', whole(generation)).execute()),
      ),
  }
}

function whole(generation: number): number {
  if (Number.isSafeInteger(generation)) return generation
  throw new TypeError('a generation is a whole number')
}
