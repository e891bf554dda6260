// Whether a request is one of the host's own pages: every combination of what browsers say of it.
import { request as httpRequest } from 'node:http'
import type express from 'express'
import { describe, expect, it } from 'vitest'
import { afterAttack } from '../support/after-attack.js'
import { bearer, logIn } from '../support/client.js'
import { password, type TestHost } from '../support/host.js'
import {
  cookieName,
  cookieOf,
  ownPage,
  pagesOrigin,
  send,
  signInByPage,
  startPages,
} from '../support/pages.js'

const sites = ['same-origin', 'same-site', 'cross-site', 'none', 'Same-Origin', '', undefined]
const modes = ['navigate', 'no-cors', 'cors', 'same-origin', 'websocket', undefined]
const destinations = ['document', 'iframe', 'image', 'script', 'empty', undefined]
const origins = [
  pagesOrigin,
  `${pagesOrigin}:8443`,
  `${pagesOrigin}/`,
  'http://chat.example.com',
  'https://evil.chat.example.com',
  'https://chat.example.com.evil.example',
  'null',
  '',
  undefined,
]
const referrers = [
  `${pagesOrigin}/`,
  `${pagesOrigin}/sign-in?then=/`,
  pagesOrigin,
  `${pagesOrigin}.evil.example/`,
  `${pagesOrigin}@evil.example/`,
  `${pagesOrigin}:8443/`,
  'http://chat.example.com/',
  'https://evil.example/?https://chat.example.com/',
  undefined,
]

/** All combinations, as headers. */
function* combinations(
  table: Readonly<Record<string, readonly (string | undefined)[]>>,
): Generator<Record<string, string>> {
  const [[name, values] = ['', []], ...rest] = Object.entries(table)
  if (name === '') {
    yield {}
    return
  }
  for (const others of combinations(Object.fromEntries(rest)))
    for (const value of values) yield value === undefined ? others : { ...others, [name]: value }
}

/** Sends them a few at a time, and answers those whose status was this one. */
async function statusesOf(
  host: TestHost,
  method: string,
  path: string,
  table: readonly Record<string, string>[],
  cookie: string,
) {
  const answered: [Record<string, string>, number][] = []
  for (let from = 0; from < table.length; from += 20) {
    const some = table.slice(from, from + 20).map(async (headers) => {
      const { status } = await send(host, method, path, { ...headers, Cookie: cookie })
      return [headers, status] as [Record<string, string>, number]
    })
    answered.push(...(await Promise.all(some)))
  }
  return answered
}

/** The one thing that must be said by a request that changes something. */
const isOwn = (headers: Record<string, string>) =>
  ['Sec-Fetch-Site', 'Origin', 'Referer']
    .filter((name) => headers[name] !== undefined)
    .slice(0, 1)
    .some((name) => {
      const value = headers[name] as string
      if (name === 'Sec-Fetch-Site') return value === 'same-origin'
      return name === 'Origin' ? value === pagesOrigin : new URL(value).origin === pagesOrigin
    })

describe('a request that changes something', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'by %s must be one of an own page, by Sec-Fetch-Site, else by Origin, else by Referer',
    async (method) => {
      const host = await startPages()
      const { Cookie } = await signInByPage(host)
      const all = [
        ...combinations({ 'Sec-Fetch-Site': sites, Origin: origins, Referer: referrers }),
      ]
      expect(all).toHaveLength(7 * 9 * 9)
      // Whichever the method, the same rule: all of it by one, every seventh by the others.
      const table = method === 'POST' ? all : all.filter((_, at) => at % 7 === 3)
      for (const [headers, status] of await statusesOf(host, method, '/page', table, Cookie))
        expect([headers, status]).toEqual([headers, isOwn(headers) ? 200 : 403])
      await afterAttack(host, await send(host, 'POST', '/page', { Cookie }), [Cookie])
    },
  )

  it.each<[Record<string, string>, number]>([
    [{ 'Sec-Fetch-Site': 'same-origin' }, 200],
    [{ Origin: pagesOrigin }, 200],
    [{ Referer: `${pagesOrigin}/form` }, 200],
    [{}, 403],
    [{ Origin: 'null' }, 403],
    [{ Origin: 'null', Referer: `${pagesOrigin}/form` }, 403],
    [{ 'Sec-Fetch-Site': 'none', Origin: pagesOrigin }, 403],
    [{ 'Sec-Fetch-Site': 'same-site', Origin: pagesOrigin }, 403],
    [{ 'Sec-Fetch-Site': 'cross-site', Referer: `${pagesOrigin}/form` }, 403],
    [{ Host: 'chat.example.com', 'X-Forwarded-Host': 'chat.example.com' }, 403],
  ])('that says %j is answered %i', async (headers, status) => {
    const host = await startPages({ options: { allowedOrigins: ['https://evil.example'] } })
    const { Cookie } = await signInByPage(host)
    expect((await send(host, 'POST', '/page', { ...headers, Cookie })).status).toBe(status)
  })

  it('says each of it once: repeated, it says nothing', async () => {
    const host = await startPages()
    const { Cookie } = await signInByPage(host)
    const own = `${pagesOrigin}/form`
    for (const headers of [
      { 'Sec-Fetch-Site': ['same-origin', 'same-origin'] },
      { 'Sec-Fetch-Site': ['same-origin', 'cross-site'] },
      { Origin: [pagesOrigin, 'https://evil.example'] },
      { Origin: [pagesOrigin, pagesOrigin] },
      { Referer: [own, 'https://evil.example/'] },
      { Referer: [own, own] },
    ])
      expect([headers, await rawStatus(host, { ...headers, Cookie })]).toEqual([headers, 403])
    expect(await rawStatus(host, { Referer: own, Cookie })).toBe(200)
  })

  it('is refused before anything is read, with or without a cookie, also where strangers may', async () => {
    const host = await startPages()
    let reads = 0
    const { find } = host.stores.sessions
    host.stores.sessions.find = (id) => {
      reads += 1
      return find(id)
    }
    const { Cookie } = await signInByPage(host)
    const before = [reads, host.events.length]
    for (const path of ['/page', '/either', '/optional', '/lenient', '/sign-out', '/open'])
      for (const headers of [{ Cookie }, {}, { Cookie: `${cookieName}=x` }]) {
        const evil = { 'Sec-Fetch-Site': 'cross-site', ...headers }
        const { status, headers: set } = await send(host, 'POST', path, evil, {})
        expect([path, status, set['set-cookie']]).toEqual([path, 403, undefined])
      }
    expect(reads).toBe(before[0])
    const told = host.events.slice(before[1])
    expect(told).toHaveLength(18)
    for (const event of told)
      expect(event).toMatchObject({
        type: 'request.refused',
        reason: 'request of a page of another origin',
      })
  })

  it('needs none of that with a token in a header, which no page can send by itself', async () => {
    const host = await startPages()
    const { authToken } = await logIn(host)
    const { Cookie } = await signInByPage(host)
    const headers = { ...bearer(authToken), 'Sec-Fetch-Site': 'cross-site', Cookie }
    const answer = await send(host, 'POST', '/either', headers)
    expect([answer.status, answer.body.kind]).toEqual([200, 'login'])
  })
})

describe('a GET', () => {
  const isReadable = ({
    'Sec-Fetch-Site': site,
    'Sec-Fetch-Mode': mode,
    'Sec-Fetch-Dest': destination,
    Origin: origin,
  }: Record<string, string>) => {
    if (site === 'same-origin') return true
    if (origin !== undefined && origin !== pagesOrigin) return false
    // No browser sends the others without it: so whoever does is none.
    if (site === undefined || site === 'none') return true
    return mode === 'navigate' && destination === 'document'
  }

  it.each(['GET', 'HEAD'])(
    'by %s has no cookie unless it is of an own page, of nobody’s, or opens a page',
    async (method) => {
      const host = await startPages()
      const { Cookie } = await signInByPage(host)
      const some = [pagesOrigin, 'https://evil.example', 'null', undefined]
      const all = [
        ...combinations({
          'Sec-Fetch-Site': sites,
          'Sec-Fetch-Mode': modes,
          'Sec-Fetch-Dest': destinations,
          Origin: some,
        }),
      ]
      const table = method === 'GET' ? all : all.filter((_, at) => at % 7 === 3)
      for (const [headers, status] of await statusesOf(host, method, '/page', table, Cookie))
        expect([headers, status]).toEqual([headers, isReadable(headers) ? 200 : 401])
    },
  )

  it.each([
    ['an image of another site', 'cross-site', 'no-cors', 'image', null],
    ['a script of a neighbour', 'same-site', 'no-cors', 'script', null],
    ['a frame of another site', 'cross-site', 'navigate', 'iframe', null],
    ['an object of another site', 'cross-site', 'navigate', 'object', null],
    ['a fetch of a neighbour', 'same-site', 'cors', 'empty', null],
    ['a link of another site', 'cross-site', 'navigate', 'document', 'u-alice'],
    ['a bookmark', 'none', 'navigate', 'document', 'u-alice'],
    ['an own image', 'same-origin', 'no-cors', 'image', 'u-alice'],
  ])('that is %s is answered to who that is', async (_what, site, mode, destination, userId) => {
    const host = await startPages()
    const { Cookie } = await signInByPage(host)
    const said = { 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': mode, 'Sec-Fetch-Dest': destination }
    const { body } = await send(host, 'GET', '/lenient', { ...said, Cookie })
    expect(body.userId).toBe(userId)
  })
})

describe('a method that was overridden on the way', () => {
  const overriding = (isSaid: boolean) =>
    startPages({
      before: (app) =>
        app.use((request: express.Request & { originalMethod?: string }, _response, next) => {
          const wanted = request.get('x-http-method-override')
          if (isSaid) request.originalMethod = request.method
          if (wanted !== undefined) request.method = wanted
          next()
        }),
    })

  it.each([
    ['and said so', true],
    ['without a word, by the Origin that no link sends', false],
  ])('makes nothing safe, %s', async (_how, isSaid) => {
    const host = await overriding(isSaid)
    const { Cookie } = await signInByPage(host)
    const form = {
      'X-HTTP-Method-Override': 'GET',
      'Sec-Fetch-Site': 'same-site',
      'Sec-Fetch-Mode': 'navigate',
      'Sec-Fetch-Dest': 'document',
      Origin: 'https://neighbour.example.com',
      Cookie,
    }
    expect((await send(host, 'POST', '/page', form)).status).toBe(isSaid ? 403 : 401)
    expect((await send(host, 'POST', '/page', { ...form, Origin: 'null' })).status).toBe(
      isSaid ? 403 : 401,
    )
    expect((await send(host, 'POST', '/page', { ...form, ...ownPage })).status).toBe(200)
  })

  it('makes a GET no safe one either', async () => {
    const host = await overriding(true)
    const { Cookie } = await signInByPage(host)
    const link = {
      'X-HTTP-Method-Override': 'DELETE',
      'Sec-Fetch-Site': 'cross-site',
      'Sec-Fetch-Mode': 'navigate',
      'Sec-Fetch-Dest': 'document',
      Cookie,
    }
    expect((await send(host, 'GET', '/page', link)).status).toBe(403)
  })
})

describe('signing a browser in', () => {
  it('from another page is refused, so that nobody is signed in as somebody else', async () => {
    const host = await startPages()
    const credentials = { username: 'alice', password }
    for (const said of [
      { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' },
      { 'Sec-Fetch-Site': 'same-site', Origin: 'https://neighbour.example.com' },
      { 'Sec-Fetch-Site': 'none' },
      { Origin: 'https://evil.example', Referer: `${pagesOrigin}/sign-in` },
      { Origin: 'null' },
      {},
    ]) {
      const forged = await send(host, 'POST', '/sign-in', said, credentials)
      expect([said, forged.status, forged.body.error, cookieOf(forged)]).toEqual([
        said,
        403,
        'forbidden',
        null,
      ])
    }
    // Nothing was looked up, and nothing counted.
    expect(host.events.map(({ type }) => type)).toEqual(Array(6).fill('request.refused'))
    expect(await host.stores.sessions.listForUser('u-alice', host.clock())).toEqual([])
    await afterAttack(host, [])
  })

  it('by a link is refused as well, for whom the host vouches, and signing out', async () => {
    const host = await startPages()
    const { Cookie } = await signInByPage(host)
    for (const site of ['cross-site', 'none'])
      for (const path of ['/open', '/sign-out']) {
        const link = {
          'Sec-Fetch-Site': site,
          'Sec-Fetch-Mode': 'navigate',
          'Sec-Fetch-Dest': 'document',
          Cookie,
        }
        const refused = await send(host, 'GET', path, link)
        expect([refused.status, cookieOf(refused)]).toEqual([403, null])
      }
    expect((await send(host, 'GET', '/page', { Cookie })).status).toBe(200)
  })
})

/** The status of a POST whose headers may be repeated. */
function rawStatus(host: TestHost, headers: Record<string, string | string[]>): Promise<number> {
  const url = host.url.replace('/api/v1', '/page')
  return new Promise((resolve, reject) => {
    httpRequest(url, { method: 'POST', headers }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
      .on('error', reject)
      .end()
  })
}
