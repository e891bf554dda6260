// What works once works once, however many ask at the same moment, in two processes wherever they
// can share a store.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createClient } from 'redis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type AuthRouterOptions, generateSigningKey, type OAuthOptions } from '../../src/index.js'
import { memoryOAuthStores, memoryStores } from '../../src/stores/memory-stores.js'
import { redisOnceStore, redisStores } from '../../src/stores/redis/redis-stores.js'
import { bearer } from '../support/client.js'
import {
  type DatabaseKind,
  databaseKind,
  openDatabase,
  openSqlite,
  temporaryFolder,
} from '../support/databases.js'
import { everyEngine } from '../support/engines.js'
import { encryptionKey, type TestHost } from '../support/host.js'
import {
  type AppTokens,
  allow,
  apps,
  codeFor,
  courierOf,
  credentialsOf,
  issuer,
  oauthOf,
  openBrowser,
  phone,
  signInTo,
  tracker,
  wiki,
} from '../support/oauth-apps.js'
import { startPages } from '../support/pages.js'
import { randomKey } from '../support/records.js'
import { mysqlUrl, postgresUrl, redisUrl } from '../support/services.js'

const callers = 50
const rounds = 3
const signingKey = await generateSigningKey()
const courier = courierOf('u-alice')

/** Stores of this process, and how others reach the same rows; null: they cannot. */
interface Shared {
  readonly stores: Pick<AuthRouterOptions, 'codes' | 'sessions' | 'tickets'>
  readonly oauthStores: Pick<OAuthOptions, 'consents' | 'once'>
  readonly reached: { engine: string; address: string; prefix: string } | null
}

async function inSql(kind: DatabaseKind, address: string): Promise<Shared> {
  const { stores, oauthStores, prefix, close } = await openDatabase(kind)
  onTestFinished(close)
  const { codes, sessions, tickets } = stores
  const { consents, once: names } = oauthStores
  return {
    stores: { codes, sessions, tickets },
    oauthStores: { consents, once: names },
    reached: { engine: kind.engine, address, prefix },
  }
}

async function inFile(): Promise<Shared> {
  const file = join(temporaryFolder(), 'auth.db')
  const kind = { name: 'file', engine: 'sqlite', isServer: false } as const
  return inSql({ ...kind, open: (settings) => openSqlite(file, settings) }, file)
}

async function inRedis(address: string): Promise<Shared> {
  const client = createClient({ url: address })
  await client.connect()
  onTestFinished(() => void client.destroy())
  const prefix = `apps-${randomKey()}:`
  const { consents } = memoryOAuthStores()
  return {
    stores: redisStores(client, { prefix }),
    oauthStores: { consents, once: redisOnceStore(client, { prefix }) },
    reached: { engine: 'redis', address, prefix },
  }
}

async function inMemory(): Promise<Shared> {
  const { codes, sessions, tickets } = memoryStores()
  const { consents, once: names } = memoryOAuthStores()
  const stores = { codes, sessions, tickets }
  return { stores, oauthStores: { consents, once: names }, reached: null }
}

const kinds: [string, boolean, () => Promise<Shared>][] = [
  ['memory', true, inMemory],
  ['SQLite', true, inFile],
  ['PostgreSQL', postgresUrl !== null, () => inSql(databaseKind('PostgreSQL'), postgresUrl ?? '')],
  [
    'MariaDB',
    everyEngine && mysqlUrl !== null,
    () => inSql(databaseKind('MariaDB'), mysqlUrl ?? ''),
  ],
  ['Redis', redisUrl !== null, () => inRedis(redisUrl ?? '')],
]

/** A host that signs alice in, and the servers whose token endpoints are raced. */
async function start(open: () => Promise<Shared>): Promise<{ host: TestHost; urls: string[] }> {
  const { stores, oauthStores, reached } = await open()
  const { consents } = oauthStores
  await allow(consents, 'u-alice', tracker)
  const host = await startPages({
    options: { ...stores, oauth: oauthOf(oauthStores), storeTimeout: 20_000 },
  })
  if (reached === null) return { host, urls: [host.url] }
  const settings = { ...reached, encryptionKey, signingKey, clients: [...apps, courier] }
  const script = new URL('../support/oauth-process.mjs', import.meta.url)
  const argument = JSON.stringify({ ...settings, baseUrl: `${issuer}/api/v1` })
  const processes = [0, 1].map(() => fork(script, [argument]))
  onTestFinished(async () => {
    await Promise.all(processes.map(endOf))
  })
  return { host, urls: await Promise.all(processes.map(urlOf)) }
}

async function urlOf(process: ChildProcess): Promise<string> {
  const ended = once(process, 'exit').then(() => Promise.reject(new Error('it did not start')))
  const [{ port }] = (await Promise.race([once(process, 'message'), ended])) as [{ port: number }]
  return `http://127.0.0.1:${port}/api/v1`
}

async function endOf(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null) return
  const ended = once(process, 'exit')
  process.disconnect()
  await ended
}

interface Answer {
  readonly status: number
  readonly body: Partial<AppTokens> & { readonly error?: string }
}

async function ask(url: string, form: Record<string, string>): Promise<Answer> {
  const body = new URLSearchParams(form)
  const answer = await fetch(`${url}/oauth/token`, { method: 'POST', body })
  return { status: answer.status, body: (await answer.json()) as Answer['body'] }
}

/** The same form from all of them at once. */
const race = (urls: readonly string[], form: Record<string, string>) =>
  Promise.all(Array.from({ length: callers }, (_, i) => ask(urls[i % urls.length] as string, form)))

/** The session of an access token, unverified. */
const sidIn = (token = '') =>
  (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sid: string })
    .sid

const won = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 200)
/** The different answers, for whoever has to find out why a test fails. */
const told = (answers: readonly Answer[]) =>
  [...new Set(answers.map(({ status, body }) => `${status} ${body.error}`))].join(', ')
const refusals = (answers: readonly Answer[]) =>
  new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.error))

describe.each(kinds)('50 at once on %s', (_name, isThere, open) => {
  it.skipIf(!isThere)(
    'exchange one code: one gets a session, which goes on',
    async () => {
      const { host, urls } = await start(open)
      const cookie = await openBrowser(host)
      for (let round = 0; round < rounds; round += 1) {
        const form = { ...(await codeFor(host, cookie, wiki)) }
        const answers = await race(urls, { ...form, ...(await credentialsOf(wiki, new Date())) })
        expect(won(answers), told(answers)).toHaveLength(1)
        expect(refusals(answers)).toEqual(new Set(['invalid_grant']))
        const headers = bearer(won(answers)[0]?.body.access_token ?? '')
        for (const url of urls)
          expect((await fetch(`${url}/oauth/userinfo`, { headers })).status).toBe(200)
      }
    },
    120_000,
  )

  it.skipIf(!isThere)(
    'show one refresh token: it has one successor, which all of them get',
    async () => {
      const { host, urls } = await start(open)
      for (let round = 0; round < rounds; round += 1) {
        const { refresh_token } = await signInTo(host, phone)
        const form = { grant_type: 'refresh_token', client_id: 'phone' }
        const answers = await race(urls, { ...form, refresh_token })
        const successors = new Set(answers.map(({ body }) => body.refresh_token))
        expect([won(answers).length, successors.size]).toEqual([callers, 1])
        const [successor = ''] = successors
        expect(successor).not.toBe(refresh_token)
        const next = await ask(urls.at(-1) as string, { ...form, refresh_token: successor })
        expect(next.status).toBe(200)
      }
    },
    120_000,
  )

  it.skipIf(!isThere)(
    'show the secret of one service: all get tokens of one session, and of one other after it',
    async () => {
      const { host, urls } = await start(open)
      const seen = new Set<unknown>()
      for (let round = 0; round < rounds; round += 1) {
        const form = { grant_type: 'client_credentials', scope: 'messages:read' }
        const answers = await race(urls, { ...form, ...(await credentialsOf(courier, new Date())) })
        expect(won(answers), told(answers)).toHaveLength(callers)
        const sids = new Set(answers.map(({ body }) => sidIn(body.access_token)))
        expect(sids.size).toBe(1)
        for (const sid of sids) seen.add(sid)
        const listed = await host.auth.sessions.list('u-alice')
        expect(listed.map(({ kind }) => kind)).toEqual(['service'])
        await host.auth.sessions.revokeAllForUser('u-alice')
      }
      expect(seen.size).toBe(rounds)
    },
    120_000,
  )

  it.skipIf(!isThere)(
    'show one assertion: one is believed',
    async () => {
      const { host, urls } = await start(open)
      const { refresh_token } = await signInTo(host, tracker)
      const form = { grant_type: 'refresh_token', refresh_token }
      for (let round = 0; round < rounds; round += 1) {
        const answers = await race(urls, { ...form, ...(await credentialsOf(tracker, new Date())) })
        expect(won(answers), told(answers)).toHaveLength(1)
        // Whoever is refused too often is told so instead.
        for (const error of refusals(answers))
          expect(error).toBeOneOf(['invalid_client', 'too-many-requests'])
      }
    },
    120_000,
  )
})
