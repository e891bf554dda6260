import { Kysely, SqliteDialect } from 'kysely'
import Database from 'libsql'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { migrateSql, sqlStores } from '../../src/stores/sql/sql-stores.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { temporaryFolder } from '../support/databases.js'
import { password, startHost, type TestHost } from '../support/host.js'
import { ask, type Chat, logIn as logInTo, obtainTokens, startChat } from './chat.js'
import { type PrivateServer, type StartServer, startPostgres } from './servers.js'
import { openStores } from './stores.js'

const expectOutage = (response: { status: number; headers: Record<string, string> }) =>
  expect([response.status, Number(response.headers['retry-after']) > 0]).toEqual([503, true])

/** Signs in until the pages that are there have no room left. */
async function fillUp(host: TestHost, database: Database.Database): Promise<void> {
  const [{ page_count: pages = 0 } = {}] = database.prepare('pragma page_count').all() as {
    page_count?: number
  }[]
  database.exec(`pragma max_page_count = ${pages}`)
  for (let i = 0; i < 60; i += 1)
    if ((await post(host, '/login', { username: 'alice', password })).status === 503) return
  throw new Error('the database never filled up')
}

/** Whoever is told that the session has ended finds it ended. */
async function expectHonestLogouts(host: TestHost, tokens: readonly string[]): Promise<void> {
  const answers = await Promise.all(
    tokens.map((token) => post(host, '/logout', undefined, bearer(token))),
  )
  host.clock.advance(6)
  for (const [index, { status }] of answers.entries()) {
    expect([200, 503]).toContain(status)
    const after = (await get(host, '/me', bearer(tokens[index] as string))).status
    if (status === 200) expect(after).toBe(401)
  }
}

describe('the disk of an SQLite database', () => {
  async function start(): Promise<{ host: TestHost; database: Database.Database }> {
    const database = new Database(`${temporaryFolder()}/auth.db`)
    const kysely = new Kysely<object>({ dialect: new SqliteDialect({ database }) })
    onTestFinished(() => kysely.destroy())
    await migrateSql(kysely)
    const { keys: _keys, ...stores } = sqlStores(kysely)
    return {
      host: await startHost({
        options: {
          ...stores,
          maxSessionsPerUser: 1000,
          throttle: { network: { points: 10_000, duration: 900 } },
        },
      }),
      database,
    }
  }

  it(
    'is full: sign-ins are 503, who is signed in goes on, a logout is done or 503, and with ' +
      'room all works again',
    async () => {
      const { host, database } = await start()
      const tokens: string[] = []
      for (let i = 0; i < 5; i += 1) tokens.push((await logIn(host)).authToken)
      await fillUp(host, database)
      expectOutage(await post(host, '/login', { username: 'alice', password }))
      host.clock.advance(6)
      for (const token of tokens) expect((await get(host, '/me', bearer(token))).status).toBe(200)
      await expectHonestLogouts(host, tokens.slice(0, 4))
      database.exec('pragma max_page_count = 1000000')
      await logIn(host)
      expect((await post(host, '/logout', undefined, bearer(tokens[4] as string))).status).toBe(200)
    },
  )

  it(
    'may only be read: every change is 503 and nothing is acknowledged, who is signed in goes ' +
      'on',
    async () => {
      const { host, database } = await start()
      const { authToken } = await logIn(host)
      database.exec('pragma query_only = on')
      host.clock.advance(61)
      expectOutage(await post(host, '/login', { username: 'alice', password }))
      expectOutage(await post(host, '/logout', undefined, bearer(authToken)))
      expectOutage(
        await post(
          host,
          '/auth/pkce/authorize',
          { codeChallenge: 'a'.repeat(43) },
          bearer(authToken),
        ),
      )
      // That a session was seen cannot be noted, which is nobody's problem.
      expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
      database.exec('pragma query_only = off')
      expect((await post(host, '/logout', undefined, bearer(authToken))).status).toBe(200)
    },
  )
})

describe.skipIf(startPostgres === null)('a PostgreSQL that takes no writes', () => {
  let server: PrivateServer
  let chat: Chat

  beforeAll(async () => {
    server = await (startPostgres as NonNullable<StartServer>)()
    await (await openStores('postgres', server.url)).close()
    chat = await startChat({ kind: 'postgres', url: server.url })
  })
  afterAll(async () => {
    await chat?.child.end('SIGKILL')
    await server?.stop()
  })

  it('is 503 for every change and goes on for who is signed in; then all works without a restart', async () => {
    const token = await logInTo(chat, 'alice')
    const { refresh_token } = await obtainTokens(chat, 'bob')
    const setReadOnly = async (setting: 'on' | 'off') => {
      const client = new pg.Client({
        connectionString: server.url,
        options: '-c default_transaction_read_only=off',
      })
      await client.connect()
      await client.query(`alter system set default_transaction_read_only = ${setting}`)
      await client.query('select pg_reload_conf()')
      await client.end()
    }
    await setReadOnly('on')
    await expect.poll(async () => (await ask.login(chat, 'carol')).status).toBe(503)
    const refused = [
      await ask.login(chat, 'carol'),
      await ask.logout(chat, token),
      await ask.refresh(chat, refresh_token),
    ]
    expect(refused.map(({ status, retryAfter }) => [status, retryAfter])).toEqual(
      refused.map(() => [503, '2']),
    )
    expect((await ask.rooms(chat, token)).status).toBe(200)
    await setReadOnly('off')
    await expect.poll(async () => (await ask.login(chat, 'carol')).status).toBe(200)
    expect((await ask.refresh(chat, refresh_token)).status).toBe(200)
    expect((await ask.logout(chat, token)).status).toBe(200)
  })
})
