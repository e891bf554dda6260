// What a later release needs: one version more, invented here. Its changes are made once, after
// those of this release, and are made good where a crash has left them.
import { CompiledQuery } from 'kysely'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { newWholeSession } from '../../src/stores/new-records.js'
import type * as migrations from '../../src/stores/sql/migrations.js'
import { migrateSql, sqlStores } from '../../src/stores/sql/sql-stores.js'
import { databaseKinds, dropTables, openDatabase } from '../support/databases.js'
import { at } from '../support/records.js'
import { latest } from '../support/sql-version.js'

const released = vi.hoisted(() => ({ isLater: false, fails: false }))

vi.mock('../../src/stores/sql/migrations.js', async (original) => {
  const actual = await original<typeof migrations>()
  type Given = Parameters<typeof actual.migrationsFor>
  const inventedFor = (version: number, ...[engine, options]: Given) => ({
    version,
    statements: [
      actual.addColumn(engine, options, 'sessions', 'later', 'integer?'),
      {
        makes: `${options.prefix}devices`,
        statement: released.fails
          ? 'nonsense'
          : `create table ${options.prefix}devices (id integer)`,
      },
    ],
  })
  return {
    ...actual,
    migrationsFor: (...given: Given) => {
      const own = actual.migrationsFor(...given)
      return released.isLater ? [...own, inventedFor(own.length + 1, ...given)] : own
    },
  }
})

const next = latest + 1

describe.each(databaseKinds)('tables of this release on $name', (kind) => {
  const start = async () => {
    Object.assign(released, { isLater: false, fails: false })
    const database = await openDatabase(kind)
    const { kysely, prefix, stores } = database
    onTestFinished(async () => {
      if (kind.engine !== 'sqlite')
        await kysely.schema.dropTable(`${prefix}devices`).ifExists().execute()
      await database.close()
    })
    const session = newWholeSession(at)
    await stores.sessions.create(session)
    const run = async (sql: string) => (await kysely.executeQuery(CompiledQuery.raw(sql))).rows
    return { kysely, prefix, session, run }
  }

  it.skipIf(kind.open === null)(
    'are brought to the next version once, by one of several processes, and keep their rows',
    async () => {
      const { kysely, prefix, session, run } = await start()
      released.isLater = true
      const results = await Promise.all(
        Array.from({ length: 4 }, () => migrateSql(kysely, { prefix })),
      )
      expect(results.map(({ from }) => from).sort()).toEqual([latest, next, next, next])
      expect(await sqlStores(kysely, { prefix }).sessions.find(session.id)).toEqual(session)
      expect(await run(`select later from ${prefix}sessions`)).toEqual([{ later: null }])
      expect(await run(`select id from ${prefix}devices`)).toEqual([])
    },
  )

  it.skipIf(kind.open === null)(
    'are brought there by the next start where a statement in the middle has failed',
    async () => {
      const { kysely, prefix, run } = await start()
      Object.assign(released, { isLater: true, fails: true })
      await expect(migrateSql(kysely, { prefix })).rejects.toThrow()
      released.fails = false
      expect(await migrateSql(kysely, { prefix })).toEqual({ from: latest, to: next })
      expect(await run(`select later from ${prefix}sessions`)).toEqual([{ later: null }])
    },
  )

  it.skipIf(kind.open === null)(
    'that were brought there are refused by a process of the release before',
    async () => {
      const { kysely, prefix } = await start()
      released.isLater = true
      await migrateSql(kysely, { prefix })
      released.isLater = false
      await expect(migrateSql(kysely, { prefix })).rejects.toMatchObject({
        name: 'AuthConfigError',
        problem: `found tables of version ${next}, and this release knows ${latest}.`,
      })
    },
  )

  it.skipIf(kind.open === null)(
    'of all releases are made at once where there is nothing yet',
    async () => {
      const { kysely, prefix } = await start()
      const empty = `${prefix.slice(0, -1)}n_`
      onTestFinished(async () => {
        if (kind.engine === 'sqlite') return
        await dropTables(kysely, empty)
        await kysely.schema.dropTable(`${empty}devices`).ifExists().execute()
      })
      released.isLater = true
      expect(await migrateSql(kysely, { prefix: empty })).toEqual({ from: 0, to: next })
    },
  )
})
