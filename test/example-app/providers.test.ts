// Two instances of the example: users of the one sign in with their account of the other.
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  alice,
  buildExample,
  type Example,
  environmentIn,
  startExample,
  temporaryFolder,
} from '../support/example.js'
import { browse, type Shown } from '../support/example-browser.js'
import { type FreshDatabase, freshMysql, freshPostgres } from '../support/fresh-database.js'
import { mysqlUrl, postgresUrl } from '../support/services.js'

let upstream: Example
let issuer: string
let port: number
let account: string

beforeAll(async () => {
  buildExample()
  port = await freePort()
  account = `http://localhost:${port}/api/v1/account`
  const registered = {
    id: 'downstream',
    name: 'Downstream',
    type: 'native',
    redirectUris: [`http://localhost:${port}/api/v1/auth/providers/work/callback`],
    scopes: ['openid', 'profile', 'email'],
  }
  upstream = await startExample({
    ...environmentIn(temporaryFolder()),
    SEED_USERS: '3',
    OAUTH_CLIENTS: JSON.stringify([registered]),
  })
  issuer = upstream.url.replace('127.0.0.1', 'localhost')
})

afterAll(() => upstream?.stop('SIGKILL'))

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function startDownstream(fresh: (() => Promise<FreshDatabase>) | null): Promise<void> {
  const database = await fresh?.()
  onTestFinished(async () => void (await database?.drop()))
  const work = { id: 'work', name: 'Example Ltd', issuer, clientId: 'downstream' }
  const downstream = await startExample({
    ...environmentIn(temporaryFolder()),
    ...(database && { DATABASE_URL: database.url }),
    PORT: String(port),
    PROVIDERS: JSON.stringify([work]),
  })
  onTestFinished(async () => void (await downstream.stop('SIGKILL')))
}

const button = /href="([^"]*\/oauth\/providers\/work[^"]*)"/

/** Chooses the button downstream, and signs in upstream. */
async function signInUpstream(browser: ReturnType<typeof browse>, name: string): Promise<Shown> {
  const page = await browser.read(account)
  expect(page.text).toContain('Continue with <bdi>Example Ltd</bdi>')
  const there = await browser.follow(page, button)
  expect(new URL(there.url).origin).toBe(issuer)
  const [, number = ''] = /(\d)$/.exec(name) ?? []
  return browser.submit(there, { username: name, password: `passphrase of user ${number}` })
}

/** The database downstream, and alice's name upstream, where nothing says that it is hers. */
const setups = [
  { on: 'SQLite', fresh: null, isThere: true, elsewhere: 'user1' },
  { on: 'PostgreSQL', fresh: freshPostgres, isThere: postgresUrl !== null, elsewhere: 'user2' },
  { on: 'MariaDB', fresh: freshMysql, isThere: mysqlUrl !== null, elsewhere: 'user3' },
]

for (const { on, fresh, isThere, elsewhere } of setups)
  test.skipIf(!isThere)(
    `with ${on}, alice connects her account elsewhere once, and then signs in by it alone`,
    async () => {
      await startDownstream(fresh)
      const browser = browse()
      const consent = await signInUpstream(browser, elsewhere)
      expect(consent.text).toContain('Downstream')
      // Consent that comes faster is refused, as nobody has read the page: `too-soon`.
      await sleep(1100)
      const asked = await browser.submit(consent, { choice: 'allow' })
      expect(new URL(asked.url).origin).toBe(new URL(account).origin)
      expect(asked.text).toContain('name="password"')
      const question = await browser.submit(asked, alice)
      expect(question.text).toContain('Example Ltd')
      await sleep(1100)
      const connected = await browser.submit(question, { choice: 'connect' })
      expect(connected.text).toContain('<bdi><b>Alice</b></bdi>')

      const another = browse()
      const signedIn = await signInUpstream(another, elsewhere)
      expect(signedIn.url).toBe(account)
      expect(signedIn.text).toContain('<bdi><b>Alice</b></bdi>')
      const accounts = await another.follow(signedIn, /href="([^"]+\/account\/identities[^"]*)"/)
      expect(accounts.text).toContain('<bdi>Example Ltd</bdi>')
      expect(accounts.text).toContain(`${elsewhere}@example.com`)
    },
    300_000,
  )
