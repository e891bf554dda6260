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
  type SqlEngineName,
  sqlOAuthStores,
  sqlStores,
} from '../../src/stores/sql/sql-stores.js'
import { databaseKinds, dropTables, openDatabase, temporaryFolder } from '../support/databases.js'
import { at, codeRecord, randomKey, sessionRecord } from '../support/records.js'
import { mysqlUrl, postgresUrl } from '../support/services.js'

const newPrefix = () =>
  `m${randomKey()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')}_`.slice(0, 20)
const raw = (kysely: Kysely<object>, sql: string) => kysely.executeQuery(CompiledQuery.raw(sql))

const quoted = (engine: SqlEngineName, text: string) =>
  engine === 'mysql' ? `x'${Buffer.from(text).toString('hex')}'` : `'${text}'`

/** The tables as an earlier release has made them. */
async function toVersion(
  kysely: Kysely<object>,
  engine: SqlEngineName,
  prefix: string,
  version: number,
) {
  const statements = migrationSql(engine, { prefix }).split(/;\n+/)
  const last = statements.findIndex((statement) => statement.includes(`values (${version},`))
  for (const statement of statements.slice(0, last + 1)) await raw(kysely, statement)
}

async function columnsOf(kysely: Kysely<object>, table: string): Promise<string[]> {
  const { rows } = await raw(kysely, `select * from ${table}`)
  return Object.keys(rows[0] as object)
}

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
      expect(results.filter(({ from }) => from === 0)).toEqual([{ from: 0, to: 4 }])
      expect(results.filter(({ from }) => from === 4)).toHaveLength(4)
      expect(await migrateSql(kysely, { prefix })).toEqual({ from: 4, to: 4 })
    })

    it('the same as the printed SQL, which can be run twice by hand', async () => {
      const { kysely, prefix } = open()
      const statements = migrationSql(kind.engine, { prefix })
        .split(/;\n+/)
        .filter((statement) => statement !== '')
      for (const statement of statements) await raw(kysely, statement)
      for (const statement of statements) {
        // SQLite knows no ADD COLUMN IF NOT EXISTS: it says that the column is there.
        const isRefused = kind.engine === 'sqlite' && statement.includes('add column')
        if (isRefused) await expect(raw(kysely, statement)).rejects.toThrow(/duplicate column/)
        else await raw(kysely, statement)
      }
      expect(await migrateSql(kysely, { prefix })).toEqual({ from: 4, to: 4 })
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

    it('taken up again where a crash has left them', async () => {
      const { kysely, prefix } = open()
      const [first = '', second = ''] = migrationSql(kind.engine, { prefix }).split(/;\n+/)
      await raw(kysely, first)
      await raw(kysely, second)
      expect(await migrateSql(kysely, { prefix })).toEqual({ from: 0, to: 4 })
      await sqlStores(kysely, { prefix }).codes.save(codeRecord())
    })

    it('taken up again where a crash has left some columns of version 2', async () => {
      const { kysely, prefix } = open()
      await toVersion(kysely, kind.engine, prefix, 1)
      if (kind.engine === 'sqlite')
        await raw(kysely, `alter table ${prefix}sessions add column secret_hash text null`)
      expect(await migrateSql(kysely, { prefix })).toEqual({ from: 1, to: 4 })
      await raw(kysely, `delete from ${prefix}migrations where version > 1`)
      expect(await migrateSql(kysely, { prefix })).toEqual({ from: 1, to: 4 })
      const { sessions } = sqlStores(kysely, { prefix })
      const session = newWholeSession(at)
      await sessions.create(session)
      expect(await sessions.find(session.id)).toEqual(session)
    })

    it('taken up again where a crash has left some tables of version 3', async () => {
      const { kysely, prefix } = open()
      await migrateSql(kysely, { prefix })
      await raw(kysely, `drop table ${prefix}consents`)
      await raw(kysely, `delete from ${prefix}migrations where version > 2`)
      expect(await migrateSql(kysely, { prefix })).toEqual({ from: 2, to: 4 })
      const { consents } = sqlOAuthStores(kysely, { prefix })
      const consent = newConsent(at)
      await consents.grant(consent)
      expect(await consents.find(consent.userId, consent.clientId)).toMatchObject(consent)
    })

    it('additive: rows of version 1 are read as they were, and both releases write and read on', async () => {
      const { kysely, prefix } = open()
      await toVersion(kysely, kind.engine, prefix, 1)
      const { sessions } = sqlStores(kysely, { prefix })
      const [before, after] = [sessionRecord(), sessionRecord()]
      // This release, where nobody has asked for what is new, before the tables are brought up.
      await sessions.create(before)
      expect(await sessions.find(before.id)).toEqual(before)
      const columns = await columnsOf(kysely, `${prefix}sessions`)
      expect(await migrateSql(kysely, { prefix })).toEqual({ from: 1, to: 4 })
      expect(await sessions.find(before.id)).toEqual(before)
      // As the older release writes a row: the columns that it knows.
      await sessions.create(after)
      const copy = columns.map((name) => (name === 'id' ? `${quoted(kind.engine, 'copy')}` : name))
      await raw(
        kysely,
        `insert into ${prefix}sessions (${columns.join(', ')}) select ${copy.join(', ')} from ` +
          `${prefix}sessions where created_at = ${after.createdAt.getTime()} limit 1`,
      )
      expect(await sessions.find('copy')).toEqual(
        expect.objectContaining({ id: 'copy', kind: after.kind, refresh: expect.anything() }),
      )
      expect(Object.keys((await sessions.find('copy')) ?? {})).not.toContain('secretHash')
      const whole = newWholeSession(at)
      await sessions.create(whole)
      // And reads one: by those columns, as texts.
      const { rows } = await raw(
        kysely,
        `select ${columns.join(', ')} from ${prefix}sessions where kind = 'browser'`,
      )
      expect(rows).toHaveLength(1)
      await raw(
        kysely,
        `update ${prefix}sessions set last_seen_at = 7, ip = '192.0.2.1' where kind = 'browser'`,
      )
      expect(await sessions.find(whole.id)).toEqual({
        ...whole,
        lastSeenAt: new Date(7),
        ip: '192.0.2.1',
      })
    })

    it('taken up again wherever within version 3 a crash has left them', async () => {
      const versions = migrationSql(kind.engine).split(/;\n+/)
      const [from, to] = [2, 3].map((version) =>
        versions.findIndex((statement) => statement.includes(`values (${version},`)),
      ) as [number, number]
      for (let done = from + 1; done <= to; done += 1) {
        const { kysely, prefix } = open()
        const statements = migrationSql(kind.engine, { prefix }).split(/;\n+/)
        for (const statement of statements.slice(0, done)) await raw(kysely, statement)
        expect(await migrateSql(kysely, { prefix })).toEqual({ from: 2, to: 4 })
        await raw(kysely, `delete from ${prefix}migrations where version >= 3`)
        expect(await migrateSql(kysely, { prefix })).toEqual({ from: 2, to: 4 })
        const { codes } = sqlStores(kysely, { prefix })
        const code = newWholeCode(at)
        await codes.save(code)
        expect(await codes.find(code.codeHash)).toEqual(code)
      }
    })

    it.each([1, 2])(
      'additive to version %i: codes of both releases are read as they were, before and after',
      async (version) => {
        const { kysely, prefix } = open()
        await toVersion(kysely, kind.engine, prefix, version)
        const { codes } = sqlStores(kysely, { prefix })
        const [before, after, whole] = [codeRecord(), codeRecord(), newWholeCode(at)]
        await codes.save(before)
        expect(await codes.find(before.codeHash)).toEqual(before)
        // Never stored without what it must be exchanged with.
        await expect(codes.save(whole)).rejects.toThrow()
        const columns = await columnsOf(kysely, `${prefix}authorization_codes`)
        expect(await migrateSql(kysely, { prefix })).toEqual({ from: version, to: 4 })
        expect(await codes.find(before.codeHash)).toEqual(before)
        await codes.save(whole)
        expect(await codes.consume(whole.codeHash, at(1))).toEqual({
          outcome: 'consumed',
          code: { ...whole, consumedAt: at(1) },
        })
        // As the older release writes a row: the columns that it knows.
        await codes.save(after)
        const copy = columns.map((name) => (name === 'code_hash' ? quoted(kind.engine, 'c') : name))
        await raw(
          kysely,
          `insert into ${prefix}authorization_codes (${columns.join(', ')}) select ` +
            `${copy.join(', ')} from ${prefix}authorization_codes where code_challenge = ` +
            `'${after.codeChallenge}'`,
        )
        expect(await codes.find('c')).toEqual({ ...after, codeHash: 'c' })
      },
    )

    it('additive to version 2: its sessions are written and read on, and apps wait for version 3', async () => {
      const { kysely, prefix } = open()
      await toVersion(kysely, kind.engine, prefix, 2)
      const { sessions } = sqlStores(kysely, { prefix })
      const whole = newWholeSession(at)
      const { resources: _later, ...before } = newWholeSession(at)
      await sessions.create(before)
      expect(await sessions.find(before.id)).toEqual(before)
      // Never stored without what its tokens are good for.
      await expect(sessions.create(whole)).rejects.toThrow()
      expect(await migrateSql(kysely, { prefix })).toEqual({ from: 2, to: 4 })
      expect(await sessions.find(before.id)).toEqual(before)
      await sessions.create(whole)
      expect(await sessions.find(whole.id)).toEqual(whole)
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
      expect(await migrateSql(kysely, { prefix })).toEqual({ from: 0, to: 4 })
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
      ).toEqual([0, 4, 4, 4])
      const kind = databaseKinds.find((one) => one.name === name)
      if (kind?.open && kind.engine !== 'sqlite') {
        const kysely = kind.open()
        await dropTables(kysely, prefix)
        await kysely.destroy()
      }
    },
  )
})

describe('a schema', () => {
  it.skipIf(databaseKinds[2]?.open === null)(
    'of its own holds the tables on PostgreSQL',
    async () => {
      const kysely = databaseKinds[2]?.open?.() as Kysely<object>
      const schema = newPrefix()
      onTestFinished(async () => {
        await raw(kysely, `drop schema if exists ${schema} cascade`)
        await kysely.destroy()
      })
      await raw(kysely, `create schema ${schema}`)
      expect(await migrateSql(kysely, { schema })).toEqual({ from: 0, to: 4 })
      expect(await migrateSql(kysely, { schema })).toEqual({ from: 4, to: 4 })
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
    const database = await openDatabase(databaseKinds[1] as (typeof databaseKinds)[number])
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
    const database = await openDatabase(databaseKinds[0] as (typeof databaseKinds)[number])
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
      expect(await waiting.migrated).toEqual({ from: 0, to: 4 })
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
    expect(await migrateSql(server, { schema: name })).toEqual({ from: 4, to: 4 })
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
      expect(results.map(({ from }) => from).sort()).toEqual([0, 4, 4, 4])
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
        expect(await meanwhile(() => migrateSql(kysely, { prefix }))).toEqual({ from: 0, to: 4 })
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
                timeout: 10_000,
                interval: 10,
              })
              .toBe(1)
            // Before the end of the transaction, though it stands behind the one that waits for it.
            await sessions.create(sessionRecord())
          }
          return [migrating]
        })
        expect(await migrated).toEqual({ from: 0, to: 4 })
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
