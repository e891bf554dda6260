// The wiki beside the example, as two processes: people sign in to it with their chat account.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateClientSecret, type OAuthClient } from 'messaging-auth-router'
import supertest from 'supertest'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { totpCode } from '../../src/testing/testing.js'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import { pkcePair } from '../support/client.js'
import {
  alice,
  bob,
  bobsSecret,
  buildExample,
  type Example,
  environmentIn,
  startExample,
  temporaryFolder,
} from '../support/example.js'
import * as client from '../support/example-client.js'

const program = join(
  fileURLToPath(new URL('../..', import.meta.url)),
  'example-app/build/wiki/wiki.js',
)

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

function launchWiki(env: Record<string, string>) {
  const child = spawn(process.execPath, [program], { env: { PATH: process.env['PATH'], ...env } })
  const output = { text: '' }
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (output.text += chunk))
  return { child, output }
}

const { secret, hash } = generateClientSecret()
/** As it names itself: by the name of the machine, not by its number. */
let chatUrl: string
let wikiUrl: string
let chat: Example
let wiki: ReturnType<typeof launchWiki>

/** What a browser does: follows redirects, and keeps cookies, which all ports of a host share. */
function browse() {
  const cookies = new Map<string, string>()
  async function read(url: string, form?: Record<string, string>): Promise<string> {
    const asked = form === undefined ? supertest(url).get('') : supertest(url).post('').type('form')
    const headers = form === undefined ? opened : { Origin: new URL(url).origin }
    const answer = await asked.set({ ...headers, Cookie: cookieOf(cookies) }).send(form)
    for (const cookie of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    const next = answer.headers['location']
    return next === undefined ? answer.text : read(new URL(next, url).href)
  }
  /** Fills in the form of a page of the chat, and goes where the last page leads by itself. */
  async function submit(page: string, typed: Record<string, string> = {}): Promise<string> {
    const csrf = valueIn(/name="csrf" value="([^"]+)"/, page)
    const action = new URL(valueIn(/<form method="post" action="([^"]+)"/, page), chatUrl)
    const next = await read(action.href, { csrf, ...typed })
    const onward = valueIn(/<meta http-equiv="refresh" content="0; url=([^"]+)"/, next)
    return onward === '' ? next : read(onward)
  }
  return { cookies, read, submit }
}

function valueIn(pattern: RegExp, page: string): string {
  return (pattern.exec(page)?.[1] ?? '').replaceAll('&amp;', '&')
}

/** A link that leads here from another site. */
const opened = {
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Dest': 'document',
}

function cookieOf(cookies: ReadonlyMap<string, string>): string {
  return [...cookies].map((pair) => pair.join('=')).join('; ')
}

/** How many apps alice is signed in to, as her list of devices has them. */
async function countApps(): Promise<number> {
  const headers = await client.signIn(chat.url, alice)
  const { json } = await client.request(
    chat.url,
    'GET',
    '/api/v1/auth/sessions',
    undefined,
    headers,
  )
  return json.data.sessions.filter(({ kind }: { kind: string }) => kind === 'oauth').length
}

/** Where an app sends the browser. */
function authorization(change: Record<string, string>, codeChallenge: string): string {
  const asked = new URLSearchParams({
    client_id: 'wiki',
    response_type: 'code',
    redirect_uri: `${wikiUrl}/callback`,
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
    ...change,
  })
  return `${chatUrl}/api/v1/oauth/authorize?${asked}`
}

/** What the wiki would be given now, had it asked for another scope. */
async function tokensFor(scope: string, cookies: ReadonlyMap<string, string>) {
  const { codeVerifier, codeChallenge } = pkcePair()
  const { headers } = await supertest(authorization({ scope }, codeChallenge))
    .get('')
    .set({ ...opened, Cookie: cookieOf(cookies) })
  const code = new URL(headers['location'] ?? '').searchParams.get('code') ?? ''
  const exchanged = await fetch(`${chatUrl}/api/v1/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: `${wikiUrl}/callback`,
      code_verifier: codeVerifier,
      client_id: 'wiki',
      client_secret: secret,
    }),
  })
  return (await exchanged.json()) as { access_token: string }
}

beforeAll(async () => {
  buildExample()
  wikiUrl = `http://localhost:${await freePort()}`
  const registered: OAuthClient = {
    id: 'wiki',
    name: 'Team wiki',
    type: 'web',
    firstParty: true,
    redirectUris: [`${wikiUrl}/callback`],
    backchannelLogoutUri: `${wikiUrl}/backchannel-logout`,
    postLogoutRedirectUris: [`${wikiUrl}/`],
    scopes: ['openid', 'profile', 'messages:read'],
    secretHashes: [hash],
  }
  chat = await startExample({
    ...environmentIn(temporaryFolder()),
    OAUTH_CLIENTS: JSON.stringify([registered]),
  })
  chatUrl = chat.url.replace('127.0.0.1', 'localhost')
  wiki = launchWiki({ ISSUER: chatUrl, WIKI_URL: wikiUrl, WIKI_SECRET: secret })
  await once(wiki.child.stdout, 'data')
})

afterAll(async () => {
  wiki?.child.kill('SIGKILL')
  await chat?.stop('SIGKILL')
})

describe('by HTTP', () => {
  let browser: ReturnType<typeof browse>
  beforeEach(() => {
    browser = browse()
  })
  const typed = { username: alice.username, password: alice.password }

  test('alice signs in on the branded page, and signs out of both', async () => {
    // Of other tests, whichever came before this one.
    const others = await countApps()
    expect(await browser.read(wikiUrl)).toContain('Sign in with Chat')
    const page = await browser.read(`${wikiUrl}/sign-in`)
    expect(page).toContain('<h1>Sign in to <bdi>Chat</bdi></h1>')
    const logo = await fetch(valueIn(/<img src="([^"]+)"/, page))
    expect([logo.status, await logo.text()]).toEqual([200, expect.stringContaining('<svg')])
    expect(await browser.submit(page, typed)).toContain('Hello Alice')

    expect(await browser.read(wikiUrl)).toContain('Hello Alice')
    expect(await countApps()).toBe(others + 1)
    expect(await browser.read(`${wikiUrl}/sign-out`, {})).toContain('Sign in with Chat')
    expect(await countApps()).toBe(others)
    expect(await browser.read(wikiUrl)).toContain('Sign in with Chat')
    // At the chat, too: it was the wiki's own sign-in that she has signed out of.
    expect(await browser.read(`${wikiUrl}/sign-in`)).toContain('name="password"')
    expect(wiki.output.text).toBe(`listening on ${wikiUrl}\n`)
  })

  test('whoever signs out of the chat on all devices is signed out of the wiki', async () => {
    await browser.submit(await browser.read(`${wikiUrl}/sign-in`), typed)
    expect(await browser.read(wikiUrl)).toContain('Hello Alice')
    const forged = await fetch(`${wikiUrl}/backchannel-logout`, {
      method: 'POST',
      body: new URLSearchParams({ logout_token: 'a.b.c' }),
    })
    expect(forged.status).toBe(400)
    const headers = await client.signIn(chat.url, alice)
    await client.request(chat.url, 'DELETE', '/api/v1/auth/sessions', undefined, headers)
    await vi.waitFor(async () => {
      expect(await browser.read(wikiUrl)).toContain('Sign in with Chat')
    }, 5000)
    expect(await browser.read(`${wikiUrl}/sign-in`)).toContain('name="password"')
  })

  test('one sign-in is good for both apps, until she signs out in this browser', async () => {
    await browser.submit(await browser.read(`${wikiUrl}/sign-in`), typed)
    const asked = {
      client_id: 'chat-page',
      redirect_uri: `${chatUrl}/`,
      scope: '* offline_access',
    }
    const { codeChallenge } = pkcePair()
    const question = await browser.read(authorization(asked, codeChallenge))
    // Without TLS nobody can tell whether it is the page: asked about, and not for a password.
    expect(question).toContain('Do you want to continue to <bdi>Chat</bdi> as <bdi>Alice</bdi>?')
    expect(question).not.toContain('name="password"')
    // As long as it takes to read, at the least.
    await new Promise((resolve) => setTimeout(resolve, 500))
    const sent = await browser.submit(question, { choice: 'continue' })
    expect(sent).toContain('<title>Sign in · Chat</title>')

    const leaving = await browser.read(`${chatUrl}/api/v1/oauth/sign-out`)
    expect(await browser.submit(leaving)).toContain('You are signed out')
    expect(await browser.read(`${wikiUrl}/sign-in`)).toContain('name="password"')
  })

  test('bob is asked for his code, and no wrong password gets anybody in', async () => {
    const page = await browser.read(`${wikiUrl}/sign-in`)
    const wrong = await browser.submit(page, { ...typed, password: 'not hers' })
    expect(wrong).toContain('Wrong name or password.')
    const due = await browser.submit(wrong, { username: bob.username, password: bob.password })
    expect(due).toContain('name="code"')
    const asked = authorization({ scope: 'openid' }, pkcePair().codeChallenge)
    expect(await browser.read(asked)).toContain('name="password"')
    const code = totpCode(bobsSecret, new Date())
    expect(await browser.submit(due, { code })).toContain('Hello Bob')
  })

  test('an app reads rooms by its scope, and nothing else is open to it', async () => {
    await browser.submit(await browser.read(`${wikiUrl}/sign-in`), typed)
    const { access_token } = await tokensFor('openid messages:read', browser.cookies)
    const ask = async (method: string, path: string, token: string) => {
      const sent = method === 'POST' ? { text: 'hello' } : undefined
      const headers = { Authorization: `Bearer ${token}` }
      return (await client.request(chat.url, method, `/api/v1${path}`, sent, headers)).status
    }
    expect(await ask('GET', '/rooms', access_token)).toBe(200)
    expect(await ask('GET', '/rooms/general/messages', access_token)).toBe(200)
    expect(await ask('POST', '/rooms/general/messages', access_token)).toBe(403)
    expect(await ask('GET', '/auth/sessions', access_token)).toBe(403)
    const { access_token: narrow } = await tokensFor('openid', browser.cookies)
    expect(await ask('GET', '/rooms', narrow)).toBe(403)
  })

  test('somebody else’s page can neither sign alice in nor hand her its sign-in', async () => {
    const page = await browser.read(`${wikiUrl}/sign-in`)
    const { status } = await fetch(valueIn(/<form method="post" action="([^"]+)"/, page), {
      method: 'POST',
      body: new URLSearchParams({ ...typed, csrf: valueIn(/name="csrf" value="([^"]+)"/, page) }),
      headers: {
        Origin: 'https://elsewhere.example',
        'Sec-Fetch-Site': 'cross-site',
        Cookie: cookieOf(browser.cookies),
      },
    })
    expect(status).toBe(403)
    await browser.submit(page, typed)
    const stranger = browse()
    expect(await stranger.read(`${wikiUrl}/callback?code=stolen&state=x`)).toContain('Sign in with')
  })
})

test('a wiki whose chat is not there says so in one line, and what to do', async () => {
  const issuer = `http://localhost:${await freePort()}`
  const { child, output } = launchWiki({ ISSUER: issuer, WIKI_URL: wikiUrl, WIKI_SECRET: secret })
  const [code] = await once(child, 'close')
  expect([code, output.text.trim().split('\n')]).toEqual([
    1,
    [expect.stringMatching(`^ISSUER: no chat at ${issuer} .*Start it first, or set ISSUER\\.$`)],
  ])
})

test('says how to register it where it has no secret', async () => {
  const { child, output } = launchWiki({ WIKI_URL: wikiUrl })
  expect(await once(child, 'close')).toEqual([1, null])
  const [, json = '', , made = ''] =
    /OAUTH_CLIENTS='(.+)' npm start\n(\n)WIKI_SECRET=(\S+) npm run wiki\n/.exec(output.text) ?? []
  expect(JSON.parse(json)).toMatchObject([{ id: 'wiki', redirectUris: [`${wikiUrl}/callback`] }])
  expect(made).toMatch(/^mar_cs_/)
  expect(json).not.toContain(made)
})

describe.skipIf(chromiumPath === null)('in Chromium', () => {
  test('alice signs in once, on the pages, and is signed in to the chat and to the wiki', async () => {
    const browser = await launchChromium()
    try {
      const context = await browser.newContext()
      const page = await context.newPage()
      const offences: string[] = []
      const addresses: string[] = []
      page.on('pageerror', (error) => offences.push(error.message))
      page.on('framenavigated', (frame) => addresses.push(frame.url()))
      page.on('console', (message) => {
        // Of the icon, which the wiki has not.
        const isExpected = message.text().startsWith('Failed to load resource')
        if (message.type() === 'error' && !isExpected) offences.push(message.text())
      })
      // By the number of the machine, though the pages are at its name.
      await page.goto(`${chat.url}/#random`)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      // The chat's own page has the same heading.
      await page.getByLabel('E-mail or user name').waitFor()
      await page.getByRole('heading', { name: 'Sign in to Chat' }).waitFor()
      const isDrawn = "document.querySelector('header img').naturalWidth > 0"
      await page.waitForFunction(isDrawn)
      await page.getByLabel('E-mail or user name').fill(alice.username)
      await page.getByLabel('Password').fill(alice.password)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByText('Signed in as').waitFor()
      expect(page.url()).toBe(`${chatUrl}/#random`)
      await page.reload()
      await page.getByText('Signed in as').waitFor()
      await page.getByLabel('Your message').fill('by the pages')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.locator('#messages').getByText('by the pages').waitFor()
      expect(await page.evaluate('sessionStorage.length')).toBe(0)

      await page.goto(wikiUrl)
      await page.getByRole('link', { name: 'Sign in with Chat' }).click()
      await page.getByRole('heading', { name: 'Hello Alice' }).waitFor()
      expect(page.url()).toBe(`${wikiUrl}/`)
      const wikiTab = await context.newPage()
      await wikiTab.goto(wikiUrl)
      await wikiTab.getByRole('heading', { name: 'Hello Alice' }).waitFor()

      await page.goto(chatUrl)
      await page.getByRole('button', { name: 'Log out of Chat only' }).click()
      await page.getByText('This browser is still signed in.').waitFor()
      await wikiTab.reload()
      await wikiTab.getByRole('heading', { name: 'Hello Alice' }).waitFor()
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      // Without TLS nobody can tell whether it is the page.
      const goOn = page.getByRole('button', { name: 'Continue', exact: true })
      await goOn.or(page.getByText('Signed in as')).first().waitFor()
      if (await goOn.isVisible()) await goOn.click()
      await page.getByText('Signed in as').waitFor()
      // Of the browser as well: whoever sits down next is asked for a password.
      await page.getByRole('button', { name: 'Log out', exact: true }).click()
      await page.getByText('You have logged out.').waitFor()
      // The wiki beside it, too: the chat has told it.
      const isOut = async () => {
        await wikiTab.reload()
        return wikiTab.getByRole('link', { name: 'Sign in with Chat' }).isVisible()
      }
      await expect.poll(isOut).toBe(true)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByLabel('E-mail or user name').waitFor()
      await page.getByRole('button', { name: 'Cancel and go back to Chat' }).click()
      await page.getByText('You have not signed in.').waitFor()
      expect(page.url()).toBe(`${chatUrl}/`)
      expect(addresses.filter((address) => /mar_(?!oc_)/.test(address))).toEqual([])
      expect(offences).toEqual([])
    } finally {
      await browser.close()
    }
  })

  test('an answer that this tab has not asked for signs nobody in', async () => {
    const browser = await launchChromium()
    try {
      const page = await browser.newPage()
      await page.goto(`${chatUrl}/?code=mar_oc_stolen&state=x&iss=${encodeURIComponent(chatUrl)}`)
      await page.getByText('That sign-in was not begun in this tab.').waitFor()
      expect(page.url()).toBe(`${chatUrl}/`)
    } finally {
      await browser.close()
    }
  })
})
