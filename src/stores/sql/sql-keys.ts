import type { KeyStore, StoredSigningKey } from '../../signers/contract.js'
import { integer, moment, type Row, text } from '../rows/members.js'
import { columnsOf } from './columns.js'
import type { SqlEngine } from './engine.js'
import { insertIfAbsent } from './insert-if-absent.js'
import type { TableNames } from './tables.js'
import { checkedInteger } from './values.js'

const keyRow: Row<StoredSigningKey> = {
  generation: integer,
  kid: text,
  sealedKey: text,
  createdAt: moment,
  activatesAt: moment,
}
const columns = columnsOf<StoredSigningKey, 'mar_signing_keys'>(keyRow)

/** The generations of a key ring in SQL, in a table of its own. */
export function sqlKeys(engine: SqlEngine, table: TableNames['keys']): KeyStore {
  const { db } = engine

  return {
    async list() {
      const rows = await db.selectFrom(table).selectAll().orderBy('generation').execute()
      return rows.map((row) => columns.read(row))
    },

    insert: (key) =>
      engine.write(async () => {
        const inserted = await insertIfAbsent(engine, db, table, columns.of(engine, key))
        return { outcome: inserted ? 'inserted' : 'exists' }
      }),

    reseal: (generation, from, to) =>
      engine.write(async () => {
        const same = db.updateTable(table).where('generation', '=', generation)
        await same.where('sealed_key', '=', from).set({ sealed_key: to }).execute()
      }),

    async remove(generation) {
      const one = checkedInteger(generation, 'generation')
      await engine.write(() => db.deleteFrom(table).where('generation', '=', one).execute())
    },
  }
}
