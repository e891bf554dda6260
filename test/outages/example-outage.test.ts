import { setTimeout as pause } from 'node:timers/promises'
import Libsql from 'libsql'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  alice,
  buildExample,
  environmentIn,
  startExample,
  temporaryFolder,
} from '../support/example.js'
import { type Credentials, request, signIn } from '../support/example-client.js'
import { type FreshDatabase, freshMysql, freshPostgres } from '../support/fresh-database.js'
import { mysqlUrl, postgresUrl, redisUrl } from '../support/services.js'
import { layWire, type Wire } from '../support/wire.js'

async function startBehind(env: Record<string, string>) {
  const app = await startExample({ ...environmentIn(temporaryFolder()), ...env })
  onTestFinished(async () => void (await app.stop('SIGKILL')))
  return app
}

const databases = [
  { name: 'PostgreSQL', fresh: freshPostgres, isMissing: postgresUrl === null },
  { name: 'MariaDB', fresh: freshMysql, isMissing: mysqlUrl === null },
].filter(({ isMissing }) => !isMissing)

beforeAll(buildExample, 60_000)

const read = (url: string, credentials: Credentials) =>
  request(url, 'GET', '/api/v1/rooms/general/messages', undefined, credentials)

async function untilAnswered(url: string): Promise<void> {
  while ((await request(url, 'POST', '/api/v1/login', alice)).status === 503) await pause(200)
}

/** What `GET /health` says once it has that status. */
async function untilHealth(url: string, wanted: number) {
  for (;;) {
    const { status, json } = await request(url, 'GET', '/health')
    if (status === wanted) return json
    await pause(200)
  }
}

describe.each(databases)('an outage of $name', ({ fresh }) => {
  async function startOn(): Promise<{
    url: string
    wire: Wire
    stop: () => Promise<number | null>
  }> {
    const database: FreshDatabase = await fresh()
    onTestFinished(() => database.drop())
    const wire = await layWire(database.url)
    onTestFinished(() => wire.cut().catch(() => {}))
    const { url, stop } = await startBehind({ DATABASE_URL: wire.url })
    return { url, wire, stop }
  }

  test('is answered 503, and is over when it is over', async () => {
    const { url, wire } = await startOn()
    const credentials = await signIn(url, alice)
    // Several times: a connection can be lost between being taken from the pool and being used,
    // which would end the process.
    for (let round = 0; round < 5; round += 1) {
      expect((await read(url, credentials)).status).toBe(200)
      const underWay = Promise.all(Array.from({ length: 2 * round }, () => read(url, credentials)))
      await wire.cut()
      for (const { status } of await underWay) expect([200, 503]).toContain(status)
      expect(await read(url, credentials)).toMatchObject({
        status: 503,
        json: { error: 'temporarily-unavailable' },
      })
      expect((await request(url, 'POST', '/api/v1/login', alice)).status).toBe(503)
      expect(await untilHealth(url, 503)).toMatchObject({
        ok: false,
        stores: { sessions: { ok: false } },
        keys: { ok: true },
      })
      await wire.mend()
      await untilAnswered(url)
      expect(await untilHealth(url, 200)).toMatchObject({
        ok: true,
        stores: { sessions: { ok: true } },
      })
    }
    expect((await read(url, credentials)).status).toBe(200)
  })

  test('that says nothing is answered 503 in time, and does not hold up the end', async () => {
    const { url, wire, stop } = await startOn()
    const credentials = await signIn(url, alice)
    await read(url, credentials)
    wire.silence()
    const began = performance.now()
    expect((await read(url, credentials)).status).toBe(503)
    expect(performance.now() - began).toBeLessThan(5000)
    const stopped = performance.now()
    expect(await stop()).toBe(0)
    expect(performance.now() - stopped).toBeLessThan(4000)
  })
})

describe('an SQLite file that another process does not let go of', () => {
  test('is answered 503 in time, and is over when it is over', async () => {
    const env = environmentIn(temporaryFolder())
    const { url } = await startBehind(env)
    const other = new Libsql(String(env['DATABASE_URL']).slice('sqlite:'.length))
    onTestFinished(() => void other.close())
    other.exec('begin immediate')
    const began = performance.now()
    expect((await request(url, 'POST', '/api/v1/login', alice)).status).toBe(503)
    expect(performance.now() - began).toBeLessThan(4000)
    other.exec('rollback')
    expect((await request(url, 'POST', '/api/v1/login', alice)).status).toBe(200)
  })
})

describe.skipIf(redisUrl === null)('an outage of Redis', () => {
  test(
    'is answered 503 at once where sign-ins are counted, hurts nobody who is signed in, and is ' +
      'over when it is over',
    async () => {
      const wire = await layWire(`${redisUrl}/7`)
      onTestFinished(() => wire.cut().catch(() => {}))
      const { url } = await startBehind({ REDIS_URL: wire.url })
      const credentials = await signIn(url, alice)
      await wire.cut()
      const began = performance.now()
      expect((await request(url, 'POST', '/api/v1/login', alice)).status).toBe(503)
      expect(performance.now() - began).toBeLessThan(1000)
      const posted = await request(
        url,
        'POST',
        '/api/v1/rooms/general/messages',
        { text: 'still here' },
        credentials,
      )
      expect(posted.status).toBe(201)
      // Nobody who is signed in must lose the process because of it.
      expect(await request(url, 'GET', '/health')).toMatchObject({
        status: 200,
        json: { ok: true, stores: { codes: { ok: false } } },
      })
      await wire.mend()
      await untilAnswered(url)
    },
  )

  test('that says nothing is answered 503 in time', async () => {
    const wire = await layWire(`${redisUrl}/7`)
    onTestFinished(() => wire.cut().catch(() => {}))
    const { url, stop } = await startBehind({ REDIS_URL: wire.url })
    wire.silence()
    expect((await request(url, 'POST', '/api/v1/login', alice)).status).toBe(503)
    const stopped = performance.now()
    expect(await stop()).toBe(0)
    expect(performance.now() - stopped).toBeLessThan(4000)
  })
})
