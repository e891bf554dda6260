// Writes that a database undoes because of somebody else's.
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { migrateSql, sqlStores } from '../../src/stores/sql/sql-stores.js'
import { databaseKind, dropTables, openDatabase } from '../support/databases.js'
import { at, codeRecord, identityRecord, randomKey, sessionRecord } from '../support/records.js'
import { postgresUrl } from '../support/services.js'

describe.skipIf(postgresUrl === null)('on PostgreSQL, every transaction serializable', () => {
  const open = async () => {
    const settings = {
      connectionString: postgresUrl ?? '',
      options: '-c default_transaction_isolation=serializable',
      max: 10,
    }
    const kysely = new Kysely<object>({
      dialect: new PostgresDialect({ pool: new pg.Pool(settings) }),
    })
    const prefix = `s${randomKey()
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, '')}_`.slice(0, 20)
    await migrateSql(kysely, { prefix })
    onTestFinished(async () => {
      await dropTables(kysely, prefix)
      await kysely.destroy()
    })
    return { kysely, prefix, stores: sqlStores(kysely, { prefix }) }
  }
  /**
   * Has the first so many changes of sessions undone. Answers how many were tried: a sequence is
   * not rolled back.
   */
  const undo = async (kysely: Kysely<object>, prefix: string, count: number) => {
    const run = async (sql: string) =>
      (await kysely.executeQuery<{ last_value: string }>(CompiledQuery.raw(sql))).rows
    await run(`create sequence ${prefix}tries`)
    await run(`create function ${prefix}undo() returns trigger language plpgsql as $$ begin
      if nextval('${prefix}tries') <= ${count} then
        raise exception 'give way' using errcode = '40001';
      end if;
      return new;
    end $$`)
    await run(
      `create trigger undo before insert or update on ${prefix}sessions for each row execute ` +
        `function ${prefix}undo()`,
    )
    onTestFinished(
      async () =>
        void (await run(`drop function ${prefix}undo cascade; drop sequence ${prefix}tries`)),
    )
    return async () => Number((await run(`select last_value from ${prefix}tries`))[0]?.last_value)
  }

  it('a write is tried five times, and has its effect once', async () => {
    const { kysely, prefix, stores } = await open()
    const session = sessionRecord()
    const tried = await undo(kysely, prefix, 4)
    await stores.sessions.create(session)
    expect(await tried()).toBe(5)
    expect(await stores.sessions.end(session.id, 'logout', at(1))).toBe(true)
    expect(await stores.sessions.end(session.id, 'logout', at(1))).toBe(false)
  })

  it('a code is redeemed at the fifth attempt, or not at all', async () => {
    const { kysely, prefix, stores } = await open()
    const [code, session] = [codeRecord(), sessionRecord()]
    await stores.codes.save(code)
    const tried = await undo(kysely, prefix, 9)
    const redeem = () => stores.codes.redemption?.redeem(code.codeHash, session, at(1))
    await expect(redeem()).rejects.toMatchObject({ code: '40001' })
    expect(await tried()).toBe(5)
    expect(await stores.codes.find(code.codeHash)).toEqual(code)
    expect(await stores.sessions.find(session.id)).toBeNull()
    expect((await redeem())?.outcome).toBe('consumed')
    expect((await redeem())?.outcome).toBe('replayed')
  })

  it('strangers who redeem codes at once do not hinder each other', async () => {
    const { stores } = await open()
    const users = Array.from({ length: 60 }, () => {
      const userId = randomKey()
      return { code: codeRecord({ userId }), session: sessionRecord({ userId }) }
    })
    for (const { code } of users) await stores.codes.save(code)
    const redeemed = await Promise.all(
      users.map(({ code, session }) =>
        stores.codes.redemption?.redeem(code.codeHash, session, at(1)),
      ),
    )
    expect(redeemed.filter((result) => result?.outcome === 'consumed')).toHaveLength(60)
  })
})

describe.each(['PostgreSQL', 'MariaDB'].map(databaseKind))('on $name', (kind) => {
  it.skipIf(kind.open === null)(
    'those who remove the accounts of one user at once wait in one line: none is undone',
    async () => {
      let begun = 0
      const { stores, close } = await openDatabase(kind, {
        onQuery(sql) {
          if (/^(begin|start transaction)/i.test(sql)) begun += 1
        },
      })
      onTestFinished(close)
      for (let round = 0; round < 20; round += 1) {
        const userId = randomKey()
        const ids = [randomKey(), randomKey()]
        for (const id of ids)
          await stores.identities.link(identityRecord({ id, userId, subject: id }))
        begun = 0
        const outcomes = await Promise.all(
          Array.from({ length: 50 }, (_none, caller) =>
            stores.identities.unlink(userId, ids[caller % 2] ?? '', { unlessLast: true }),
          ),
        )
        expect(outcomes.filter(({ outcome }) => outcome === 'unlinked')).toHaveLength(1)
        expect(begun).toBe(50)
      }
    },
  )
})
