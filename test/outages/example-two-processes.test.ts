import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  alice,
  buildExample,
  type Example,
  environmentIn,
  startExample,
  temporaryFolder,
} from '../support/example.js'
import {
  bearer,
  type Credentials,
  closeCode,
  issueCode,
  openSocket,
  refresh,
  request,
  signIn,
  signInSecondDevice,
} from '../support/example-client.js'
import { type FreshDatabase, freshMysql, freshPostgres } from '../support/fresh-database.js'
import { mysqlUrl, postgresUrl, redisUrl } from '../support/services.js'

interface SetUp {
  readonly name: string
  readonly isMissing: boolean
  /** Null: the SQLite file of the environment. */
  readonly database: (() => Promise<FreshDatabase>) | null
  readonly redis: boolean
  /** Seconds from the end of a session to the end of its sockets in the other process. */
  readonly longestWait: number
}

const patience = { withBus: 1, withoutBus: 5 }
const noPostgres = postgresUrl === null
const setUps: readonly SetUp[] = [
  {
    name: 'PostgreSQL and Redis',
    isMissing: noPostgres || redisUrl === null,
    database: freshPostgres,
    redis: true,
    longestWait: patience.withBus,
  },
  {
    name: 'MariaDB and Redis',
    isMissing: mysqlUrl === null || redisUrl === null,
    database: freshMysql,
    redis: true,
    longestWait: patience.withBus,
  },
  {
    name: 'PostgreSQL alone',
    isMissing: noPostgres,
    database: freshPostgres,
    redis: false,
    longestWait: patience.withBus,
  },
  {
    name: 'MariaDB alone, without a bus',
    isMissing: mysqlUrl === null,
    database: freshMysql,
    redis: false,
    longestWait: patience.withoutBus,
  },
  {
    name: 'one SQLite file, without a bus',
    isMissing: false,
    database: null,
    redis: false,
    longestWait: patience.withoutBus,
  },
]

beforeAll(buildExample, 60_000)

describe.each(setUps.filter(({ isMissing }) => !isMissing))(
  'two processes over $name',
  ({ database, redis, longestWait }) => {
    let fresh: FreshDatabase | null = null
    let a: Example
    let b: Example

    // At the same moment, on a database with nothing in it, and without a key: both must come up.
    beforeAll(async () => {
      fresh = database === null ? null : await database()
      const env = {
        ...environmentIn(temporaryFolder()),
        ...(fresh === null ? {} : { DATABASE_URL: fresh.url }),
        // Not the database that other tests use.
        ...(redis ? { REDIS_URL: `${redisUrl}/7` } : {}),
      }
      const started = await Promise.all([startExample(env), startExample(env)])
      a = started[0]
      b = started[1]
    }, 60_000)

    afterAll(async () => {
      await Promise.all([a, b].map((app) => app?.stop('SIGKILL')))
      await fresh?.drop()
    })

    async function listenOn(app: Example, credentials: Credentials) {
      const socket = await openSocket(app.url, credentials)
      onTestFinished(() => socket.terminate())
      return socket
    }

    test('whoever signs in on one is signed in on the other, and refreshes there', async () => {
      const credentials = await signIn(a.url, alice)
      expect(
        (await request(b.url, 'GET', '/api/v1/me', undefined, credentials)).json,
      ).toMatchObject({ _id: 'id-alice' })
      const { access_token, refresh_token } = await signInSecondDevice(a.url, credentials)
      expect(
        (await request(b.url, 'GET', '/api/v1/rooms', undefined, bearer(access_token))).status,
      ).toBe(200)
      const refreshed = await refresh(b.url, refresh_token)
      expect(refreshed.status).toBe(200)
      expect(
        (await request(a.url, 'GET', '/api/v1/me', undefined, bearer(refreshed.json.access_token)))
          .status,
      ).toBe(200)
    })

    test('a message posted on one is read on the other', async () => {
      const credentials = await signIn(a.url, alice)
      const socket = redis ? await listenOn(b, credentials) : null
      const heard = socket && once(socket, 'message').then(([data]) => JSON.parse(String(data)))
      const posted = await request(
        a.url,
        'POST',
        '/api/v1/rooms/general/messages',
        { text: 'hello over there' },
        credentials,
      )
      const { json } = await request(
        b.url,
        'GET',
        '/api/v1/rooms/general/messages',
        undefined,
        credentials,
      )
      expect(json.messages).toContainEqual(posted.json.message)
      if (heard !== null)
        expect(await heard).toEqual({ type: 'message', message: posted.json.message })
    })

    test(`a session that ends on one loses its socket on the other within ${longestWait} s`, async ({
      annotate,
    }) => {
      const credentials = await signIn(a.url, alice)
      const other = await signIn(a.url, alice)
      const [lost, kept] = [await listenOn(b, credentials), await listenOn(b, other)]
      const closed = closeCode(lost)
      const began = performance.now()
      await request(a.url, 'POST', '/api/v1/logout', undefined, credentials)
      const seconds = () => (performance.now() - began) / 1000
      // Asked all the time, so that what the process has read of the session a moment ago is as
      // young as can be.
      const refused = (async () => {
        while ((await request(b.url, 'GET', '/api/v1/me', undefined, credentials)).status !== 401)
          await pause(50)
        return seconds()
      })()
      expect(await closed).toBe(4401)
      const [closedAfter, refusedAfter] = [seconds(), await refused]
      await annotate(
        `socket closed after ${closedAfter.toFixed(2)} s, request refused after ` +
          `${refusedAfter.toFixed(2)} s`,
      )
      expect(closedAfter).toBeLessThan(longestWait)
      // The 5 seconds that are promised, and what an answer may take on a busy machine.
      expect(refusedAfter).toBeLessThan(longestWait + 0.5)
      expect(kept.readyState).toBe(kept.OPEN)
    })

    test('of 50 redemptions of one code, sent to both at once, one is answered 200', async () => {
      const code = await issueCode(a.url, await signIn(a.url, alice))
      const redeem = ({ url }: Example) => request(url, 'POST', '/api/v1/auth/pkce/token', code)
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) => redeem(index % 2 === 0 ? a : b)),
      )
      const [won, lost] = [
        answers.filter(({ status }) => status === 200),
        answers.filter(({ status }) => status === 400),
      ]
      expect([won.length, lost.length]).toEqual([1, 49])
      expect(
        (await request(b.url, 'GET', '/api/v1/me', undefined, bearer(won[0]?.json.access_token)))
          .status,
      ).toBe(200)
    })

    test('one goes within 4 seconds, with clients listening, and the other goes on', async () => {
      const credentials = await signIn(a.url, alice)
      await listenOn(a, credentials)
      const began = performance.now()
      expect(await a.stop()).toBe(0)
      expect(performance.now() - began).toBeLessThan(4000)
      expect(a.output.stderr).toBe('')
      expect((await request(b.url, 'GET', '/api/v1/me', undefined, credentials)).status).toBe(200)
    })
  },
)
