// Each kind of store, as several processes share it.
import { createClient } from 'redis'
import { onTestFinished } from 'vitest'
import type { AuthRouterOptions } from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { redisStores } from '../../src/stores/redis/redis-stores.js'
import { sqlStores } from '../../src/stores/sql/sql-stores.js'
import { databaseKinds, openDatabase } from './databases.js'
import { randomKey } from './records.js'
import { redisUrl } from './services.js'

/** The stores of one process. */
export type SharedStores = Pick<AuthRouterOptions, 'codes' | 'sessions' | 'tickets'>

/** A kind of store. `open` makes the stores of one process after another, over one database. */
export interface SharedKind {
  readonly name: string
  readonly isThere: boolean
  readonly open: () => Promise<() => SharedStores>
}

const inSql: readonly SharedKind[] = databaseKinds
  .filter(({ name }) => name !== 'PGlite')
  .map((kind) => ({
    name: kind.name,
    isThere: kind.open !== null,
    async open() {
      const { kysely, prefix, close } = await openDatabase(kind)
      onTestFinished(close)
      return () => {
        const { codes, sessions, tickets } = sqlStores(kysely, { prefix })
        return { codes, sessions, tickets }
      }
    },
  }))

/** All kinds; use `isThere` with `skipIf`. */
export const sharedKinds: readonly SharedKind[] = [
  {
    name: 'memory',
    isThere: true,
    async open() {
      const { codes, sessions, tickets } = memoryStores()
      return () => ({ codes, sessions, tickets })
    },
  },
  ...inSql,
  {
    name: 'Redis',
    isThere: redisUrl !== null,
    async open() {
      const client = createClient({ url: redisUrl ?? '' })
      await client.connect()
      onTestFinished(() => void client.destroy())
      const prefix = `shared-${randomKey()}:`
      return () => redisStores(client, { prefix })
    },
  },
]
