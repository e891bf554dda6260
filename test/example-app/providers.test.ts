// Two instances of the example: users of the one sign in with their account of the other.
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import supertest from 'supertest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  alice,
  buildExample,
  type Example,
  environmentIn,
  startExample,
  temporaryFolder,
} from '../support/example.js'

let upstream: Example
let downstream: Example
let issuer: string
let account: string

/** Of alice at the other instance, where nothing says that it is hers. */
const elsewhere = { username: 'user1', password: 'passphrase of user 1' }

beforeAll(async () => {
  buildExample()
  const port = await freePort()
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
    SEED_USERS: '1',
    OAUTH_CLIENTS: JSON.stringify([registered]),
  })
  issuer = upstream.url.replace('127.0.0.1', 'localhost')
  const work = { id: 'work', name: 'Example Ltd', issuer, clientId: 'downstream' }
  downstream = await startExample({
    ...environmentIn(temporaryFolder()),
    PORT: String(port),
    PROVIDERS: JSON.stringify([work]),
  })
}, 300_000)

afterAll(async () => {
  await upstream?.stop('SIGKILL')
  await downstream?.stop('SIGKILL')
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

interface Shown {
  readonly url: string
  readonly text: string
}

/** What a browser does: follows redirects, and keeps cookies, here for each origin. */
function browse() {
  const jars = new Map<string, Map<string, string>>()
  async function read(url: string, form?: Record<string, string>): Promise<Shown> {
    const { origin } = new URL(url)
    const jar = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, jar)
    const asked = form === undefined ? supertest(url).get('') : supertest(url).post('').type('form')
    const Cookie = [...jar].map((pair) => pair.join('=')).join('; ')
    const headers = form === undefined ? opened : { Origin: origin }
    const answer = await asked.set({ ...headers, Cookie }).send(form)
    for (const cookie of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      jar.set(name, value)
    }
    const onward = valueIn(/<meta http-equiv="refresh" content="0; url=([^"]+)"/, answer.text)
    const next = answer.headers['location'] ?? onward
    return next === '' ? { url, text: answer.text } : read(new URL(next, url).href)
  }
  const follow = ({ url, text }: Shown, link: RegExp) =>
    read(new URL(valueIn(link, text), url).href)
  const submit = ({ url, text }: Shown, typed: Record<string, string>) => {
    const csrf = valueIn(/name="csrf" value="([^"]+)"/, text)
    const action = valueIn(/<form method="post" action="([^"]+)"/, text)
    return read(new URL(action, url).href, { csrf, ...typed })
  }
  return { read, follow, submit }
}

/** A link that leads here from another site. */
const opened = {
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Dest': 'document',
}

function valueIn(pattern: RegExp, page: string): string {
  return (pattern.exec(page ?? '')?.[1] ?? '').replaceAll('&amp;', '&')
}

const button = /href="([^"]*\/oauth\/providers\/work[^"]*)"/

/** Chooses the button downstream, and signs in upstream. */
async function signInUpstream(browser: ReturnType<typeof browse>): Promise<Shown> {
  const page = await browser.read(account)
  expect(page.text).toContain('Continue with <bdi>Example Ltd</bdi>')
  const there = await browser.follow(page, button)
  expect(new URL(there.url).origin).toBe(issuer)
  return browser.submit(there, elsewhere)
}

test('alice connects her account of the other instance once, and then signs in by it alone', async () => {
  const browser = browse()
  const consent = await signInUpstream(browser)
  expect(consent.text).toContain('Downstream')
  // Consent that comes faster is refused, as nobody has read the page: `too-soon`.
  await sleep(1100)
  const asked = await browser.submit(consent, { choice: 'allow' })
  expect(new URL(asked.url).origin).toBe(new URL(account).origin)
  expect(asked.text).toContain('name="password"')
  const connected = await browser.submit(asked, alice)
  expect(connected.text).toContain('<bdi><b>Alice</b></bdi>')

  const another = browse()
  const signedIn = await signInUpstream(another)
  expect(signedIn.url).toBe(account)
  expect(signedIn.text).toContain('<bdi><b>Alice</b></bdi>')
  const accounts = await another.follow(signedIn, /href="([^"]+\/account\/identities[^"]*)"/)
  expect(accounts.text).toContain('<bdi>Example Ltd</bdi>')
  expect(accounts.text).toContain('user1@example.com')
}, 60_000)
