import { setTimeout as pause } from 'node:timers/promises'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, type Chat, logIn, obtainCode, obtainTokens, startChat } from './chat.js'
import { type PrivateServer, type StartServer, startMariaDb, startPostgres } from './servers.js'
import { openStores } from './stores.js'

const databases: {
  name: string
  kind: 'postgres' | 'mariadb'
  start: StartServer
  lock: (url: string) => Promise<() => Promise<void>>
}[] = [
  { name: 'PostgreSQL', kind: 'postgres', start: startPostgres, lock: lockPostgres },
  { name: 'MariaDB', kind: 'mariadb', start: startMariaDb, lock: lockMariaDb },
]

for (const { name, kind, start, lock } of databases) {
  describe.skipIf(start === null)(`one connection to ${name}, for everybody`, () => {
    let server: PrivateServer
    let chat: Chat

    beforeAll(async () => {
      server = await (start as NonNullable<StartServer>)()
      await (await openStores(kind, server.url)).close()
      chat = await startChat({ kind, url: server.url, connections: 1 })
    })
    afterAll(async () => {
      await chat?.child.end('SIGKILL')
      await server?.stop()
    })

    it(
      'twenty exchanges at once wait for each other and not for themselves: a transaction needs ' +
        'no second connection',
      async () => {
        const codes = await Promise.all(
          Array.from({ length: 20 }, (_, i) => obtainCode(chat, `at-once-${i}`)),
        )
        const replies = await Promise.all(codes.map((code) => ask.exchange(chat, code)))
        expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
      },
    )

    it(
      'while it is taken, ten times as many requests are refused with 503 within 2.5 s, and ' +
        'known sessions go on',
      async () => {
        const known = await logIn(chat, 'known')
        const codes = await Promise.all(
          Array.from({ length: 3 }, (_, i) => obtainCode(chat, `waiting-${i}`)),
        )
        const tokens = await Promise.all(
          Array.from({ length: 3 }, (_, i) => obtainTokens(chat, `device-${i}`)),
        )
        expect((await ask.rooms(chat, known)).status).toBe(200)

        const release = await lock(server.url)
        const refused = Promise.all([
          ...Array.from({ length: 4 }, (_, i) => ask.login(chat, `new-${i}`)),
          ...codes.map((code) => ask.exchange(chat, code)),
          ...tokens.map(({ refresh_token }) => ask.refresh(chat, refresh_token)),
        ])
        const goesOn = await everyTenth(30, () => ask.rooms(chat, known))
        const replies = await refused
        await release()

        expect(replies.map(({ status, retryAfter }) => [status, Number(retryAfter) > 0])).toEqual(
          replies.map(() => [503, true]),
        )
        const slowest = Math.max(...replies.map(({ milliseconds }) => milliseconds))
        expect(slowest).toBeLessThan(2500)
        expect(goesOn.map(({ status }) => status)).toEqual(goesOn.map(() => 200))
        const slowestKnown = Math.max(...goesOn.map(({ milliseconds }) => milliseconds))
        expect(slowestKnown, 'a known session does not queue').toBeLessThan(250)
        const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`
        process.stdout.write(
          `${name}, one connection: ${replies.length} x 503, the slowest after ` +
            `${seconds(slowest)}; ` +
            `${goesOn.length} x 200 for a known session meanwhile, the slowest after ` +
            `${seconds(slowestKnown)}\n`,
        )

        // What was still waiting is done or given up, and then everything is as before.
        await expect.poll(async () => (await ask.login(chat, 'after')).status).toBe(200)
        const again = await Promise.all(
          tokens.map(({ refresh_token }) => ask.refresh(chat, refresh_token)),
        )
        expect(again.map(({ status }) => status)).toEqual([200, 200, 200])
        expect(
          (await Promise.all(codes.map((code) => ask.exchange(chat, code)))).map(({ status }) =>
            [200, 400].includes(status),
          ),
        ).toEqual([true, true, true])
        await obtainTokens(chat, 'afterwards')
        expect([chat.child.process.exitCode, chat.child.process.signalCode]).toEqual([null, null])
      },
    )
  })
}

async function everyTenth<T>(times: number, work: () => Promise<T>): Promise<T[]> {
  const results: Promise<T>[] = []
  for (let time = 0; time < times; time += 1) {
    results.push(work())
    await pause(100)
  }
  return Promise.all(results)
}

// Whoever needs the tables waits, and with a pool of one so does everybody else.
async function lockPostgres(url: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('begin')
  await client.query(
    'lock table mar_sessions, mar_authorization_codes, mar_second_factors in access exclusive mode',
  )
  return () => client.end()
}

async function lockMariaDb(url: string): Promise<() => Promise<void>> {
  const connection = await createConnection(url)
  await connection.query(
    'lock tables mar_sessions write, mar_authorization_codes write, mar_second_factors write',
  )
  return () => connection.end()
}
