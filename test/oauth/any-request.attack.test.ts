// Requests that no honest app sends, at every mounted endpoint: too long, of the wrong type, with
// bytes that are no text, with names that objects have.
import '../support/steps.js'
import { request as httpRequest } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { OAuthClient } from '../../src/index.js'
import { expectNothingTold } from '../support/after-attack.js'
import { bearer } from '../support/client.js'
import type { TestHost } from '../support/host.js'
import {
  apps,
  authorize,
  authorizeQuery,
  codeIn,
  oauthOf,
  openBrowser,
  sendAs,
  signInTo,
  wiki,
  wikiSecret,
} from '../support/oauth-apps.js'
import { startPages } from '../support/pages.js'
import { stepsOf } from '../support/steps.js'

const forms = ['/oauth/token', '/oauth/revoke', '/oauth/introspect']
const urlencoded = 'application/x-www-form-urlencoded'
const basic = (id: string, secret: string) => ({
  Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})
const asWiki = basic('wiki', wikiSecret.secret)

const start = (clients: { find: (id: string) => Promise<OAuthClient | null> } = storeOfApps) =>
  startPages({ options: { oauth: oauthOf({ clients }) } })
const storeOfApps = { find: async (id: string) => apps.find((one) => one.id === id) ?? null }

interface Sent {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

/** Sends bytes as they are. */
async function send(
  host: TestHost,
  path: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Sent> {
  const answer = await fetch(`${host.url}${path}`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': urlencoded, ...headers },
    redirect: 'manual',
  })
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

/** What an attack must leave behind: no cookie, no stack, no error of the host, nothing told. */
function expectUnharmed(host: TestHost, answers: readonly Sent[]): void {
  for (const { text, headers } of answers) {
    expect([headers.get('set-cookie'), headers.get('cache-control')]).toEqual([null, 'no-store'])
    expect(text).not.toMatch(/\n\s+at |node_modules|\.js:\d+/)
  }
  expect(host.unforeseen).toEqual([])
  expectNothingTold(host, [wikiSecret.secret])
}

/** Sends it to each endpoint for forms, as the wiki. */
async function sendToAll(host: TestHost, body: string | Buffer, headers = {}): Promise<Sent[]> {
  const all = [...forms, '/oauth/authorize']
  return Promise.all(all.map((path) => send(host, path, body, { ...asWiki, ...headers })))
}

const statuses = (answers: readonly Sent[]) => answers.map(({ status }) => status)

describe('a body', () => {
  it('above 8 KiB is 413, counted or not, and one of a megabyte is not read', async () => {
    const host = await start()
    const filled = (bytes: number) => `x=${'a'.repeat(bytes - 2)}`
    const fits = await sendToAll(host, filled(8192))
    for (const { status } of fits) expect(status).toBe(400)
    const answers = [
      ...(await sendToAll(host, filled(8193))),
      ...(await sendToAll(host, 'x&'.repeat(5000))),
    ]
    expect(new Set(statuses(answers))).toEqual(new Set([413]))
    expectUnharmed(host, [...fits, ...answers])
    for (const path of forms) expect(await streamed(host, path)).toBe(413)
  })

  it('of as many parameters as fit is refused as quickly as any', async () => {
    const host = await start()
    const answers = await sendToAll(host, 'a&'.repeat(4096))
    for (const { status } of answers) expect(status).toBeOneOf([400, 303])
    const names = Array.from({ length: 1000 }, (_, i) => `p${i}=`).join('&')
    const many = await sendToAll(host, names)
    for (const { status } of many) expect(status).toBeOneOf([400, 303])
    expectUnharmed(host, [...answers, ...many])
  })

  it('of another type is 415, and of a parameter that is there twice 400', async () => {
    const host = await start()
    const answers: Sent[] = []
    for (const type of [
      'text/plain',
      'multipart/form-data; boundary=x',
      'application/xml',
      `${urlencoded}; charset=utf-16`,
      'application/json; charset=latin1',
      '',
      ',,,',
    ])
      answers.push(...(await sendToAll(host, 'token=a', { 'Content-Type': type })))
    expect(new Set(statuses(answers))).toEqual(new Set([415]))
    for (const name of ['token', 'grant_type', 'client_id', 'code', 'x']) {
      const twice = await sendToAll(host, `${name}=a&${name}=b`)
      expect(statuses(twice)).toEqual([400, 400, 400, 400])
      answers.push(...twice)
    }
    expectUnharmed(host, answers)
  })

  it('that is no text is 400', async () => {
    const host = await start()
    const answers: Sent[] = []
    for (const bytes of ['%ff', '%c3%28', '%ed%a0%80', '\xff', '\xc3\x28']) {
      const body = Buffer.from(
        `grant_type=refresh_token&refresh_token=${bytes}&token=${bytes}`,
        'latin1',
      )
      answers.push(...(await sendToAll(host, body)))
    }
    expect(new Set(statuses(answers))).toEqual(new Set([400]))
    expectUnharmed(host, answers)
  })

  it('with NUL in a value gets what any other unknown value gets', async () => {
    const host = await start()
    const { refresh_token: token } = await signInTo(host, wiki)
    const nul = `${token}%00`
    const refused = await send(
      host,
      '/oauth/token',
      `grant_type=refresh_token&refresh_token=${nul}`,
      asWiki,
    )
    expect([refused.status, JSON.parse(refused.text).error]).toEqual([400, 'invalid_grant'])
    const inactive = await send(host, '/oauth/introspect', `token=${nul}`, asWiki)
    expect([inactive.status, inactive.text]).toEqual([200, '{"active":false}'])
    const revoked = await send(host, '/oauth/revoke', `token=${nul}`, asWiki)
    expect([revoked.status, revoked.text]).toEqual([200, '{}'])
    const nameless = await send(host, '/oauth/token', 'grant_type=refresh_token&client_id=wiki%00')
    expect(nameless.status).toBe(400)
    expectUnharmed(host, [refused, inactive, revoked, nameless])
    // It was another token than the one that is good.
    const form = { grant_type: 'refresh_token', refresh_token: token }
    expect((await sendAs(host, wiki, '/oauth/token', form)).status).toBe(200)
  })
})

/** The status of a body of a megabyte that says nothing of its length. */
function streamed(host: TestHost, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { ...asWiki, 'Content-Type': urlencoded, 'Transfer-Encoding': 'chunked' }
    const sending = httpRequest(`${host.url}${path}`, { method: 'POST', headers })
    sending.once('response', (response) => {
      resolve(response.statusCode ?? 0)
      sending.destroy()
    })
    sending.once('error', reject)
    for (let piece = 0; piece < 64; piece += 1) sending.write('a'.repeat(16 * 1024))
  })
}

describe('credentials', () => {
  it('of 15 KiB are refused, in each form, and none is told to anybody', async () => {
    const host = await start()
    const long = 'a'.repeat(15 * 1024)
    const answers: Sent[] = []
    for (const headers of [
      { Authorization: `Basic ${long}` },
      { Authorization: `Bearer ${long}` },
      basic('wiki', long.slice(0, 11_000)),
      basic(long.slice(0, 11_000), 'x'),
      { Authorization: `Basic ${'='.repeat(15 * 1024)}` },
    ])
      for (const path of [...forms, '/oauth/userinfo'])
        answers.push(await send(host, path, 'grant_type=refresh_token', headers))
    for (const { status } of answers) expect(status).toBeOneOf([400, 401, 429])
    expectUnharmed(host, answers)
  })

  it('are read in steps that grow with their length, and not with the square of it', async () => {
    const { readPresentedClient } = await import('../../src/oauth/client-credentials.js')
    const nothing = { one: () => null, all: () => [] }
    const read = (authorization: string) => {
      try {
        readPresentedClient({ headers: { authorization } } as never, nothing)
      } catch {}
    }
    const stepsFor = (header: string) => stepsOf(() => read(header))
    for (const piece of [' ', '=', 'YTph', '%', ':', 'JTI1'])
      for (const scheme of ['Basic ', 'Basic YTpi', '']) {
        const of = (bytes: number) => stepsFor(scheme + piece.repeat(bytes / piece.length))
        of(100)
        expect(of(14_000), `${scheme}${piece}`).toBeLessThan(2.1 * of(7000) + 500)
      }
  })
})

const inherited = ['__proto__', 'prototype', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']

describe('a name that every object has', () => {
  // As a host that looks its clients up in an object would have it.
  const table: Record<string, OAuthClient> = Object.fromEntries(apps.map((one) => [one.id, one]))
  const stores: [string, { find: (id: string) => Promise<OAuthClient | null> }][] = [
    ['a list', storeOfApps],
    ['an object', { find: async (id) => table[id] ?? null }],
  ]

  it.each(stores)('is no client of %s, whatever it asks', async (_name, store) => {
    const host = await start(store)
    const cookie = await openBrowser(host)
    const answers: Sent[] = []
    for (const id of inherited) {
      for (const path of forms) {
        answers.push(await send(host, path, `client_id=${id}&grant_type=refresh_token&token=x`))
        answers.push(await send(host, path, 'token=x', basic(id, 'x')))
      }
      const { query } = authorizeQuery(wiki, { client_id: id })
      const asked = await authorize(host, cookie, query)
      expect([id, asked.headers.get('location')]).toEqual([id, null])
      expect(asked.status).toBe(400)
    }
    // A refusal too many is 429.
    for (const { status } of answers) expect(status).toBeOneOf([401, 429])
    expectUnharmed(host, answers)
  })

  it('is no grant, no scope and no parameter', async () => {
    const host = await start()
    const cookie = await openBrowser(host)
    const answers: Sent[] = []
    for (const name of inherited) {
      const unknown = await send(host, '/oauth/token', `grant_type=${name}`, asWiki)
      expect(JSON.parse(unknown.text).error).toBe('unsupported_grant_type')
      const beside = await send(host, '/oauth/revoke', `${name}=a&token=x`, asWiki)
      expect([beside.status, beside.text]).toEqual([200, '{}'])
      answers.push(unknown, beside)
      const { query } = authorizeQuery(wiki, { scope: name })
      const location = (await authorize(host, cookie, query)).headers.get('location')
      expect(codeIn(location)).toBeNull()
      expect(new URL(location ?? '').searchParams.get('error')).toBe('invalid_scope')
    }
    expectUnharmed(host, answers)
  })
})

describe('an id in other letters', () => {
  it('is another client, also where the store compares loosely', async () => {
    const find = async (id: string) => apps.find((one) => one.id === id.toLowerCase()) ?? null
    const host = await start({ find })
    const cookie = await openBrowser(host)
    for (const id of ['Wiki', 'WIKI', 'wiki ', 'wıki']) {
      const body = new URLSearchParams({ client_id: id, client_secret: wikiSecret.secret })
      const refused = await send(host, '/oauth/token', `${body}&grant_type=x`)
      // A letter that no id can have is told so, as NUL is.
      expect([id, refused.status]).toEqual([id, id === 'wıki' ? 400 : 401])
      const { query } = authorizeQuery(wiki, { client_id: id })
      expect((await authorize(host, cookie, query)).status).toBe(400)
    }
    expect((await sendAs(host, wiki, '/oauth/revoke', { token: 'x' })).status).toBe(200)
    expectUnharmed(host, [])
  })
})

describe('another method', () => {
  const endpoints: [string, string, string][] = [
    ['/oauth/authorize', 'own', 'GET, POST'],
    ['/oauth/token', 'every', 'POST'],
    ['/oauth/revoke', 'every', 'POST'],
    ['/oauth/introspect', 'own', 'POST'],
    ['/oauth/userinfo', 'every', 'GET, POST'],
  ]
  const Origin = 'https://evil.example'

  it.each(endpoints)('than those of %s is 405; HEAD and OPTIONS do nothing', async (path) => {
    const host = await start()
    const allowed = endpoints.find(([one]) => one === path)?.[2] as string
    for (const method of ['PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']) {
      const answer = await fetch(`${host.url}${path}`, { method, redirect: 'manual' })
      const isRead = method === 'HEAD' && path === '/oauth/userinfo'
      expect([method, answer.status]).toEqual([method, isRead ? 401 : 405])
      if (!isRead) expect(answer.headers.get('allow')?.replace(', HEAD', '')).toBe(allowed)
      expect(answer.headers.get('set-cookie')).toBeNull()
    }
    expect(host.events.filter(({ type }) => type === 'code.issued')).toEqual([])
  })

  it.each(endpoints)('%s lets in pages of %s origin, without cookies', async (path, from) => {
    const host = await start()
    const asked = { Origin, 'Access-Control-Request-Method': 'POST' }
    const preflight = await fetch(`${host.url}${path}`, { method: 'OPTIONS', headers: asked })
    const refused = await send(host, path, 'x=y', { Origin, ...bearer('x') })
    const expected = from === 'every' ? '*' : null
    for (const { headers } of [preflight, refused]) {
      expect(headers.get('access-control-allow-origin')).toBe(expected)
      expect(headers.get('access-control-allow-credentials')).toBeNull()
    }
    expect(preflight.status).toBe(from === 'every' ? 204 : 405)
  })
})
