import { fork } from 'node:child_process'
import { once } from 'node:events'
import { CompiledQuery, Kysely, MysqlDialect, PostgresDialect } from 'kysely'
import { createPool } from 'mysql2'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newConsent, newWholeCode, newWholeSession } from '../../src/stores/new-records.js'
import {
  migrateSql,
  migrationSql,
  sqlOAuthStores,
  sqlStores,
} from '../../src/stores/sql/sql-stores.js'
import {
  databaseKind,
  databaseKinds,
  dropTables,
  openDatabase,
  temporaryFolder,
} from '../support/databases.js'
import { at, codeRecord, randomKey, sessionRecord } from '../support/records.js'
import { mysqlUrl, postgresUrl } from '../support/services.js'
import { latest } from '../support/sql-version.js'

const newPrefix = () =>
  `m${randomKey()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')}_`.slice(0, 20)
const raw = (kysely: Kysely<object>, sql: string) => kysely.executeQuery(CompiledQuery.raw(sql))

describe.each(databaseKinds)('migrations on $name', (kind) => {
  const open = () => {
    if (kind.open === null) throw new Error('not reachable')
    const kysely = kind.open()
    const prefix = newPrefix()
    onTestFinished(async () => {
      if (kind.engine !== 'sqlite') await dropTables(kysely, prefix)
      await kysely.destroy()
    })
    return { kysely, prefix }
  }

  describe.skipIf(kind.open === null)('are', () => {
    it('idempotent, and wait for each other when several run at once', async () => {
      const { kysely, prefix } = open()
      const results = await Promise.all(
        Array.from({ length: 5 }, () => migrateSql(kysely, { prefix })),
      )
      expect(results.filter(({ from }) => from === 0)).toEqual([{ from: 0, to: latest }])
      expect(results.filter(({ from }) => from === latest)).toHaveLength(4)
      expect(await migrateSql(kysely, { prefix })).toEqual({ from: latest, to: latest })
    })

    it('the same as the printed SQL, which can be run twice by hand', async () => {
      const { kysely, prefix } = open()
      const statements = migrationSql(kind.engine, { prefix })
        .split(/;\n+/)
        .filter((statement) => statement !== '')
      for (const statement of [...statements, ...statements]) await raw(kysely, statement)
      expect(await migrateSql(kysely, { prefix })).toEqual({ from: latest, to: latest })
      const stores = sqlStores(kysely, { prefix })
      const session = sessionRecord()
      await stores.sessions.create(session)
      expect(await stores.sessions.find(session.id)).toEqual(session)
    })

    it('refused on tables of a newer release, and change nothing there', async () => {
      const { kysely, prefix } = open()
      await migrateSql(kysely, { prefix })
      await raw(kysely, `insert into ${prefix}migrations (version, applied_at) values (99, 0)`)
      await expect(migrateSql(kysely, { prefix })).rejects.toMatchObject({
        name: 'AuthConfigError',
        message: expect.stringContaining('version 99'),
      })
      // The lock was given back.
      await expect(migrateSql(kysely, { prefix })).rejects.toMatchObject({
        name: 'AuthConfigError',
      })
    })

    it('taken up again wherever a crash has left them', async () => {
      const count = migrationSql(kind.engine).split(/;\n+/).length
      for (let done = 1; done < count; done += 4) {
        const { kysely, prefix } = open()
        const statements = migrationSql(kind.engine, { prefix }).split(/;\n+/)
        for (const statement of statements.slice(0, done)) await raw(kysely, statement)
        expect(await migrateSql(kysely, { prefix })).toMatchObject({ to: latest })
        const { codes, sessions } = sqlStores(kysely, { prefix })
        const [code, session] = [newWholeCode(at), newWholeSession(at)]
        await codes.save(code)
        await sessions.create(session)
        expect(await codes.find(code.codeHash)).toEqual(code)
        expect(await sessions.find(session.id)).toEqual(session)
      }
    })

    it('made good where a table is gone and the version is not noted', async () => {
      const { kysely, prefix } = open()
      await migrateSql(kysely, { prefix })
      await raw(kysely, `drop table ${prefix}consents`)
      await raw(kysely, `delete from ${prefix}migrations`)
      expect(await migrateSql(kysely, { prefix })).toEqual({ from: 0, to: latest })
      const { consents } = sqlOAuthStores(kysely, { prefix })
      const consent = newConsent(at)
      await consents.grant(consent)
      expect(await consents.find(consent.userId, consent.clientId)).toMatchObject(consent)
    })

    it('not run in a transaction of the host', async () => {
      const { kysely, prefix } = open()
      await expect(
        kysely.transaction().execute((transaction) => migrateSql(transaction, { prefix })),
      ).rejects.toMatchObject({
        name: 'AuthConfigError',
        remedy: expect.stringContaining('Kysely instance'),
      })
    })

    it('never half done: a statement that fails gives its error, and the lock back', async () => {
      const { kysely, prefix } = open()
      // Somebody else's table, in the way.
      await raw(kysely, `create table ${prefix}migrations (something integer)`)
      await expect(migrateSql(kysely, { prefix })).rejects.toThrow(/version/)
      await raw(kysely, `drop table ${prefix}migrations`)
      expect(await migrateSql(kysely, { prefix })).toEqual({ from: 0, to: latest })
    })
  })
})

describe('migrations by several processes at once', () => {
  it.each(databaseKinds.filter(({ name, open }) => open !== null && name !== 'PGlite'))(
    'are made once on $name',
    async ({ name }) => {
      const prefix = newPrefix()
      const folder = temporaryFolder()
      const script = new URL('../support/migrate-process.mjs', import.meta.url)
      const processes = Array.from({ length: 4 }, () =>
        fork(script, [name, prefix, folder], { serialization: 'advanced' }),
      )
      const answers = await Promise.all(
        processes.map(async (process) => {
          const [answer] = (await once(process, 'message')) as [
            { from: number } | { error: string },
          ]
          await once(process, 'exit')
          return answer
        }),
      )
      expect(
        answers.map((answer) => ('from' in answer ? answer.from : answer.error)).sort(),
      ).toEqual([0, latest, latest, latest])
      const kind = databaseKind(name)
      if (kind.open && kind.engine !== 'sqlite') {
        const kysely = kind.open()
        await dropTables(kysely, prefix)
        await kysely.destroy()
      }
    },
  )
})

describe('a schema', () => {
  it.skipIf(databaseKind('PostgreSQL').open === null)(
    'of its own holds the tables on PostgreSQL',
    async () => {
      const kysely = databaseKind('PostgreSQL').open?.() as Kysely<object>
      const schema = newPrefix()
      onTestFinished(async () => {
        await raw(kysely, `drop schema if exists ${schema} cascade`)
        await kysely.destroy()
      })
      await raw(kysely, `create schema ${schema}`)
      expect(await migrateSql(kysely, { schema })).toEqual({ from: 0, to: latest })
      expect(await migrateSql(kysely, { schema })).toEqual({ from: latest, to: latest })
      const { sessions, codes } = sqlStores(kysely, { schema })
      const session = sessionRecord()
      const code = codeRecord()
      await codes.save(code)
      await codes.redemption?.redeem(code.codeHash, session, code.createdAt)
      expect(await sessions.find(session.id)).toEqual(session)
      expect(await sessions.purge(session.createdAt)).toBe(0)
      const { rows } = await raw(kysely, `select id from ${schema}.mar_sessions`)
      expect(rows).toEqual([{ id: session.id }])
    },
  )

  it.each([
    [{ schema: 'x; drop table users' }, 'schema'],
    [{ prefix: 'x"; drop table users; --' }, 'prefix'],
    [{ prefix: '' }, 'prefix'],
  ])('or prefix that is no plain identifier is refused: %j', async (options, option) => {
    const database = await openDatabase(databaseKind('PGlite'))
    onTestFinished(() => database.close())
    expect(() => sqlStores(database.kysely, options)).toThrow(
      expect.objectContaining({ name: 'AuthConfigError', option: `sqlStores.${option}` }),
    )
    expect(() => migrationSql('postgres', options)).toThrow(
      expect.objectContaining({ option: `migrationSql.${option}` }),
    )
    await expect(migrateSql(database.kysely, options)).rejects.toMatchObject({
      option: `migrateSql.${option}`,
    })
  })

  it('is not known to SQLite, which says so', async () => {
    const database = await openDatabase(databaseKind('SQLite (libsql)'))
    onTestFinished(() => database.close())
    expect(() => sqlStores(database.kysely, { schema: 'main' })).toThrow(
      expect.objectContaining({ option: 'schema' }),
    )
  })
})

describe.skipIf(postgresUrl === null)('what the host has set on PostgreSQL', () => {
  const open = (parameters: string) => {
    const pool = new pg.Pool({ connectionString: postgresUrl ?? '', options: parameters })
    const kysely = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
    onTestFinished(() => kysely.destroy())
    return kysely
  }

  it.each(['statement_timeout=200', 'lock_timeout=200'])(
    'does not end a process that waits for another: %s',
    async (setting) => {
      const prefix = newPrefix()
      const impatient = open(`-c ${setting}`)
      onTestFinished(() => dropTables(impatient, prefix))
      const other = open('')
      const waiting = await other.transaction().execute(async (transaction) => {
        await raw(transaction, 'select pg_advisory_xact_lock(7214903385)')
        const migrated = migrateSql(impatient, { prefix })
        migrated.catch(() => {})
        await raw(transaction, 'select pg_sleep(0.6)')
        return { migrated }
      })
      expect(await waiting.migrated).toEqual({ from: 0, to: latest })
    },
  )

  it('need not let the role create tables once they are there', async () => {
    const name = newPrefix()
    const owner = open('')
    onTestFinished(async () => {
      await raw(owner, `drop schema if exists ${name} cascade`)
      await raw(owner, `drop role if exists ${name}`)
    })
    await raw(owner, `create role ${name}`)
    await raw(owner, `create schema ${name}`)
    await raw(owner, `grant usage on schema ${name} to ${name}`)
    const server = open(`-c role=${name}`)
    await expect(migrateSql(server, { schema: name })).rejects.toMatchObject({ code: '42501' })
    await migrateSql(owner, { schema: name })
    await raw(
      owner,
      `grant select, insert, update, delete on all tables in schema ${name} to ${name}`,
    )
    expect(await migrateSql(server, { schema: name })).toEqual({ from: latest, to: latest })
    const session = sessionRecord()
    await sqlStores(server, { schema: name }).sessions.create(session)
    expect(await sqlStores(server, { schema: name }).sessions.find(session.id)).toEqual(session)
  })

  it.each(['repeatable read', 'serializable'])(
    'lets several processes start at once: every transaction %s',
    async (isolation) => {
      const prefix = newPrefix()
      const strict = open(`-c default_transaction_isolation=${isolation.replace(' ', '\\ ')}`)
      onTestFinished(() => dropTables(strict, prefix))
      const results = await Promise.all(
        Array.from({ length: 4 }, () => migrateSql(strict, { prefix })),
      )
      expect(results.map(({ from }) => from).sort()).toEqual([0, latest, latest, latest])
    },
  )
})

describe.each(databaseKinds.filter(({ isServer }) => isServer))(
  'a transaction of somebody else that stays open on $name',
  (kind) => {
    const open = async () => {
      const kysely = kind.open?.() as Kysely<object>
      const prefix = newPrefix()
      onTestFinished(async () => {
        await dropTables(kysely, prefix)
        await kysely.destroy()
      })
      await migrateSql(kysely, { prefix })
      const { sessions } = sqlStores(kysely, { prefix })
      await sessions.create(sessionRecord())
      await raw(kysely, `delete from ${prefix}migrations`)
      /** Does something while a transaction has changed all sessions, and is not over. */
      const meanwhile = <T>(work: () => Promise<T>): Promise<T> =>
        kysely.transaction().execute(async (transaction) => {
          await raw(transaction, `update ${prefix}sessions set last_seen_at = 1`)
          return work()
        })
      return { kysely, prefix, sessions, meanwhile }
    }

    it.skipIf(kind.open === null)(
      'is not waited for where everything is there but the version',
      async () => {
        const { kysely, prefix, meanwhile } = await open()
        expect(await meanwhile(() => migrateSql(kysely, { prefix }))).toEqual({
          from: 0,
          to: latest,
        })
      },
    )

    it.skipIf(kind.open === null || kind.engine !== 'postgres')(
      'is waited for in turns, in which others write',
      async () => {
        const { kysely, prefix, sessions, meanwhile } = await open()
        await raw(kysely, `drop index ${prefix}sessions_purge_at`)
        const waits =
          `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'create ` +
          `index%${prefix}%'`
        const [migrated] = await meanwhile(async () => {
          const migrating = migrateSql(kysely, { prefix })
          migrating.catch(() => {})
          for (let turn = 0; turn < 3; turn += 1) {
            await expect
              .poll(async () => (await raw(kysely, waits)).rows.length, {
                timeout: 120_000,
                interval: 10,
              })
              .toBe(1)
            // Before the end of the transaction, though it stands behind the one that waits for it.
            await sessions.create(sessionRecord())
          }
          return [migrating]
        })
        expect(await migrated).toEqual({ from: 0, to: latest })
        expect(
          (
            await raw(
              kysely,
              `select 1 from pg_indexes where indexname = '${prefix}sessions_purge_at'`,
            )
          ).rows,
        ).toHaveLength(1)
      },
    )
  },
)

describe.skipIf(mysqlUrl === null)('a pool of MySQL connections', () => {
  it('gets its connection back with the patience it had', async () => {
    const pool = createPool({ uri: mysqlUrl ?? '', connectionLimit: 1 })
    const kysely = new Kysely<object>({ dialect: new MysqlDialect({ pool }) })
    const prefix = newPrefix()
    onTestFinished(async () => {
      await dropTables(kysely, prefix)
      await kysely.destroy()
    })
    await raw(kysely, 'set session lock_wait_timeout = 777')
    await migrateSql(kysely, { prefix })
    const patience = async () =>
      (await raw(kysely, 'select @@session.lock_wait_timeout as seconds')).rows
    expect(await patience()).toEqual([{ seconds: 777 }])
    await raw(kysely, `insert into ${prefix}migrations (version, applied_at) values (99, 0)`)
    await expect(migrateSql(kysely, { prefix })).rejects.toMatchObject({ name: 'AuthConfigError' })
    expect(await patience()).toEqual([{ seconds: 777 }])
  })

  it.each([
    ['character set latin1', { charset: 'latin1' }, 'select 1'],
    ['character set utf8', { charset: 'utf8mb4' }, 'set names utf8mb3'],
  ])(
    'that would damage text is refused before anything is made: %s',
    async (problem, settings, first) => {
      const pool = createPool({ uri: mysqlUrl ?? '', ...settings })
      pool.on('connection', (connection) => void connection.query(first))
      const kysely = new Kysely<object>({ dialect: new MysqlDialect({ pool }) })
      const prefix = newPrefix()
      onTestFinished(async () => {
        await dropTables(kysely, prefix)
        await kysely.destroy()
      })
      const expected = { name: 'AuthConfigError', problem: expect.stringContaining(problem) }
      await expect(migrateSql(kysely, { prefix })).rejects.toMatchObject(expected)
      await expect(raw(kysely, `select 1 from ${prefix}migrations`)).rejects.toMatchObject({
        errno: 1146,
      })
    },
  )
})
