// The path after a sign-in comes from the address of the page, which anybody can write: it must
// never lead to another origin, and never change on the way.
import { describe, expect, it } from 'vitest'
import { AuthError } from '../../../src/index.js'
import { password } from '../../support/host.js'
import { addressOf, secondFactorForm, signIn } from './forms.js'
import { type MountedHost, queryOf, wiki } from './mounted-host.js'
import { accept, openRoom, startRooms } from './own-pages.js'
import { formOf, openVisitor, type PageAnswer, type Visitor, wayTo } from './visitor.js'

const alice = { username: 'alice', password }

/** Whether an answer, followed by a browser, stays at this origin. */
function staysHere({ headers: { location = '' } }: PageAnswer, { origin }: MountedHost): boolean {
  return location === '' || new URL(location, origin).origin === origin
}

/** The code of the error that a call throws; null for none. */
function codeOf(call: () => unknown): string | null {
  try {
    call()
    return null
  } catch (error) {
    return error instanceof AuthError ? error.code : String(error)
  }
}

/** Spellings of another origin, as the value of `return_to` before it is encoded. */
const elsewhere: readonly (readonly [what: string, path: string])[] = [
  ['no scheme', '//evil.example/'],
  ['three slashes', '///evil.example/'],
  ['a backslash', '/\\evil.example/'],
  ['two backslashes', '\\\\evil.example/'],
  ['a backslash and a slash', '\\/evil.example/'],
  ['a scheme', 'https://evil.example/'],
  ['a scheme without slashes', 'https:evil.example'],
  ['a scheme with one slash', 'https:/evil.example/'],
  ['a scheme in capitals', 'HTTPS://EVIL.EXAMPLE/'],
  ['a script', 'javascript:alert(1)'],
  ['data', 'data:text/html,evil'],
  ['our origin as the user of another', 'http://127.0.0.1@evil.example/'],
  ['an @ where the port would be', '@evil.example/'],
  ['a port', ':80@evil.example/'],
  ['the rest of a longer host', '.evil.example/'],
  ['a tab', '/\t/evil.example/'],
  ['a line feed', '/\n/evil.example/'],
  ['a carriage return', '/\r/evil.example/'],
  ['a header', '/rooms\r\nSet-Cookie: mar_session_dev=evil'],
  ['a NUL', '/\u0000/evil.example/'],
  ['a blank first', ' //evil.example/'],
  ['a dot between', '/.//evil.example/'],
  ['a step back', '/x/..//evil.example/'],
  ['an encoded dot between', '/%2e//evil.example/'],
  ['half a character', '/\ud800'],
  ['nothing', ''],
  ['no slash', 'rooms'],
  ['2,001 characters', `/${'r'.repeat(2000)}`],
  ['what grows too long when it is encoded', `/${'ä'.repeat(700)}`],
]

/** Those that a browser resolves to this origin, and where. */
const here: readonly (readonly [path: string, goal: string])[] = [
  ['/%2f%2fevil.example', '/%2f%2fevil.example'],
  ['/%5cevil.example', '/%5cevil.example'],
  ['/https://evil.example', '/https://evil.example'],
  ['/@evil.example', '/@evil.example'],
  ['/x/../rooms', '/rooms'],
  ['/?next=//evil.example', '/?next=//evil.example'],
  ['/#//evil.example', '/#//evil.example'],
]

describe('return_to', () => {
  it.each(elsewhere)('refuses %s, before anybody signs in', async (_what, path) => {
    const host = await startRooms()
    expect(codeOf(() => host.host().auth.pages.signInUrl({ returnTo: path }))).toBe(
      'invalid-request',
    )
    const visitor = openVisitor(host)
    await signIn(visitor, host, 'alice')
    for (const encoded of [encodedOnce(path), encodedOnce(encodedOnce(path))])
      for (const page of ['sign-in', 'authorize', 'second-factor', 'continue']) {
        const answer = await visitor.get(addressOf(host, page, `return_to=${encoded}`))
        // What is encoded twice is decoded once: it is a path here, or none.
        expect(staysHere(answer, host), `${page} ${encoded}`).toBe(true)
        if (encoded === encodedOnce(path)) expect([answer.status, page]).toEqual([400, page])
        expect(answer.headers['set-cookie'] ?? []).toEqual([])
      }
  })

  it.each(here)('leads with %s to where a browser resolves it: here', async (path, goal) => {
    const host = await startRooms()
    const visitor = openVisitor(host)
    await signIn(visitor, host, 'alice')
    const url = host.host().auth.pages.signInUrl({ returnTo: path })
    expect((await visitor.open(url)).headers.location).toBe(`${host.origin}${goal}`)
  })

  it('refuses what is no text, and a list, in signInUrl', async () => {
    const { auth } = (await startRooms()).host()
    for (const returnTo of [undefined, null, 5, ['/rooms'], { toString: () => '/rooms' }])
      expect(codeOf(() => auth.pages.signInUrl({ returnTo } as never))).toBe('invalid-request')
    expect(codeOf(() => auth.pages.signInUrl(undefined as never))).toBe('invalid-request')
  })

  it('given twice, or beside anything else, is no path', async () => {
    const host = await startRooms()
    const visitor = openVisitor(host)
    await signIn(visitor, host, 'alice')
    for (const query of [
      'return_to=/rooms&return_to=//evil.example',
      'return_to=/rooms&x=1',
      'x=1&return_to=/rooms',
      'return_to[]=/rooms',
      '%72eturn_to=/rooms',
      'return_to=/rooms&max_age=-1',
      'return_to=/rooms&max_age=1e3',
      'return_to=/rooms&max_age=1234567',
      'max_age=0&return_to=/rooms',
    ])
      expect([(await visitor.get(addressOf(host, 'sign-in', query))).status, query]).toEqual([
        400,
        query,
      ])
    // In the request of an app it is a parameter of the app's.
    const query = `${queryOf(wiki)}&return_to=//evil.example`
    const answer = await visitor.open(addressOf(host, 'sign-in', query))
    expect(wayTo(answer)?.host).toBe('wiki.example.com')
  })
})

describe('the path of a sign-in', () => {
  it('cannot be changed in a form, nor the flow be used for another path', async () => {
    const host = await startRooms()
    const visitor = openVisitor(host)
    const page = await visitor.fill(await openRoom(visitor, host), { username: 'bob', password })
    expect(page.heading).toBe(secondFactorForm.heading)
    const typed = secondFactorForm.typed(page, host)
    const { action, fields } = formOf(page)
    const moved = action.replace('return_to=/rooms', 'return_to=/admin')
    const body = new URLSearchParams({ ...fields, ...typed }).toString()
    const answer = await visitor.send(moved, body)
    // The form belongs to another path, and nobody is half-way there.
    expect(answer.status).toBe(422)
    expect(await host.host().auth.sessions.list('u-bob')).toEqual([])
    const { location } = (await visitor.get(page.url.replace('/rooms', '/admin'))).headers
    expect(location).toContain('/oauth/sign-in?return_to=/admin')
    // The honest form still works.
    expect((await visitor.fill(page, typed)).headers.location).toBe(`${host.origin}/rooms`)
  })

  it('takes no form of another site, of another browser, or of an app’s request', async () => {
    const host = await startRooms()
    const visitor = openVisitor(host)
    const page = await openRoom(visitor, host)
    const foreign = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }
    expect((await visitor.post(page, alice, foreign)).status).toBe(403)
    expect((await openVisitor(host).post(page, alice)).status).toBe(403)
    const ofApp = await visitor.open(addressOf(host, 'authorize'))
    const { fields } = formOf(ofApp)
    const body = new URLSearchParams({ ...fields, ...alice }).toString()
    expect((await visitor.send(formOf(page).action, body)).status).toBe(403)
    expect(await host.host().auth.sessions.list('u-alice')).toEqual([])
    expect((await visitor.fill(page, alice)).headers.location).toBe(`${host.origin}/rooms`)
  })

  it('does not answer the request of an app: that one asks for its own sign-in', async () => {
    const host = await startRooms()
    const visitor = openVisitor(host)
    const room = await visitor.fill(await openRoom(visitor, host), { username: 'bob', password })
    const flow = new URL(room.url).searchParams.get('flow')
    const query = `${queryOf(wiki)}&flow=${flow}`
    expect((await visitor.open(addressOf(host, 'second-factor', query))).heading).toBe('Sign in')
    expect(host.host().events.map(({ type }) => type)).not.toContain('code.issued')
  })

  it('needs a session that lives, of a user who may sign in', async () => {
    const host = await startRooms()
    const visitor = openVisitor(host)
    await visitor.fill(await openRoom(visitor, host), alice)
    host.users.change('u-alice', { disabled: true })
    host.clock.advance(60)
    const page = await openRoom(visitor, host)
    expect([page.status, page.heading]).toEqual([200, 'Sign in'])
    const again = await visitor.fill(page, alice)
    expect([again.status, again.heading]).toEqual([422, 'Sign in'])
  })
})

describe('a request that is no navigation of a stranger', () => {
  const refused = async (visitor: Visitor, url: string, headers: object, method = 'GET') => {
    const answer = await visitor.get(url, { ...accept, ...headers } as never, method)
    return [answer.status, answer.headers.location, answer.headers['content-type']]
  }
  const json = [401, undefined, 'application/json']

  it('gets JSON: a script, an image, a frame’s fetch, another method, another type', async () => {
    const host = await startRooms()
    const visitor = openVisitor(host)
    const url = `${host.origin}/rooms`
    for (const headers of [
      { 'Sec-Fetch-Mode': 'cors' },
      { 'Sec-Fetch-Mode': 'no-cors' },
      { 'Sec-Fetch-Mode': 'websocket' },
      { Accept: 'application/json' },
      { Accept: '*/*' },
      { Accept: 'text/htmlx' },
      { Accept: 'text/html;q=0' },
      { Accept: `${'a/b,'.repeat(200)}text/html` },
      { Accept: undefined },
    ])
      expect(await refused(visitor, url, headers), JSON.stringify(headers)).toEqual(json)
    const own = { 'Sec-Fetch-Site': 'same-origin', Origin: host.origin }
    for (const method of ['POST', 'DELETE', 'OPTIONS'])
      expect(await refused(visitor, url, own, method), method).toEqual(json)
    const asked = await visitor.get(url, { ...accept, 'Sec-Fetch-Mode': undefined })
    expect([asked.status, asked.headers.location]).toEqual([
      303,
      `${host.base}/oauth/sign-in?return_to=/rooms`,
    ])
    const { headers, text } = await visitor.get(url, accept, 'HEAD')
    expect([headers.location, headers['cache-control'], headers.vary, text]).toEqual([
      `${host.base}/oauth/sign-in?return_to=/rooms`,
      'no-store',
      'Cookie',
      '',
    ])
  })

  it('gets JSON for a target that leads elsewhere, or is too long to come back to', async () => {
    const host = await startRooms()
    const visitor = openVisitor(host)
    expect(await refused(visitor, `${host.origin}/rooms${'r'.repeat(2000)}`, {})).toEqual(json)
    const inQuery = await visitor.get(`${host.origin}/rooms?to=//evil.example&x=%0d%0a`, accept)
    expect(inQuery.headers.location).toBe(
      `${host.base}/oauth/sign-in?return_to=/rooms%3Fto%3D//evil.example%26x%3D%250d%250a`,
    )
  })

  it('gets JSON where it is signed in and may not come in, and where a store is down', async () => {
    const host = await startRooms()
    const visitor = openVisitor(host)
    await visitor.fill(await openRoom(visitor, host), alice)
    const own = { 'Sec-Fetch-Site': 'same-origin', 'X-HTTP-Method-Override': 'POST' }
    expect((await visitor.get(`${host.origin}/rooms`, { ...accept, ...own })).status).toBe(200)
    host.stores.sessions.find = () => Promise.reject(new Error('gone'))
    host.clock.advance(60)
    expect(await refused(visitor, `${host.origin}/rooms`, {})).toEqual([
      503,
      undefined,
      'application/json',
    ])
  })
})

function encodedOnce(path: string): string {
  return /\p{Surrogate}/u.test(path) ? '/%ED%A0%80' : encodeURIComponent(path)
}
