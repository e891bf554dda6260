// Who sets up a factor on a page gets another cookie: a copy of the one before dies ten seconds
// later, and nothing of hers that was under way is lost.
import { describe, expect, it, vi } from 'vitest'
import { password } from '../../support/host.js'
import { send, startPages } from '../../support/pages.js'
import {
  addressOf,
  consentForm,
  effectsIn,
  enrolmentForm,
  openSignIn,
  secondFactorForm,
  signIn,
} from './forms.js'
import { type MountedHost, queryOf, startMounted, tracker, wiki } from './mounted-host.js'
import { madeFor, startPasskeyPages } from './passkey-host.js'
import { openVisitor, type PageAnswer, type Visitor, wayTo } from './visitor.js'

const name = 'mar_session_dev'
const codesShown = 'Keep your recovery codes'

/** A page on which a factor is set up, by whom, and what does it there. */
interface Way {
  readonly what: string
  readonly userId: string
  start(): Promise<MountedHost>
  reach(visitor: Visitor, host: MountedHost): Promise<PageAnswer>
  typed(page: PageAnswer, host: MountedHost): Readonly<Record<string, string>>
}

async function reachOffer(visitor: Visitor, host: MountedHost, query?: string) {
  const page = await visitor.open(addressOf(host, 'sign-in', query))
  return visitor.fill(page, { username: 'alice', password, capable: 'yes' })
}

const ways: readonly Way[] = [
  { what: 'an authenticator app', userId: 'u-carol', start: startMounted, ...enrolmentForm },
  {
    what: 'a passkey that must be',
    userId: 'u-carol',
    start: startPasskeyPages,
    reach: enrolmentForm.reach,
    typed: (page, host) => ({ passkey: madeFor(host, page) }),
  },
  {
    what: 'a passkey that is offered',
    userId: 'u-alice',
    start: startPasskeyPages,
    reach: reachOffer,
    typed: (page, host) => ({ passkey: madeFor(host, page) }),
  },
]

/** Another browser with the same cookies. */
function copyOf(visitor: Visitor, host: MountedHost): Visitor {
  const copy = openVisitor(host)
  for (const [key, value] of visitor.cookies) copy.cookies.set(key, value)
  return copy
}

/** Where an app's request leads a browser: back to the app, or to the page with this heading. */
async function leadsTo(visitor: Visitor, host: MountedHost): Promise<string> {
  const answer = await visitor.open(addressOf(host, 'authorize', queryOf(wiki)))
  return wayTo(answer)?.searchParams.has('code') === true ? 'the app' : answer.heading
}

/** The form of a page, as that of the consent. */
const forged = ({ text }: PageAnswer) => text.replaceAll('/oauth/continue?', '/oauth/consent?')

const setBy = ({ headers }: PageAnswer) =>
  (headers['set-cookie'] ?? []).filter((cookie) => cookie.startsWith(`${name}=`))

async function reached({ start, reach, typed, userId }: Way) {
  const host = await start()
  const visitor = openVisitor(host)
  const page = await reach(visitor, host)
  const rows = () => host.stores.sessions.listForUser(userId, host.clock())
  return { host, visitor, page, rows, typed: () => typed(page, host) }
}

describe.each(ways)('Who sets up $what on a page', (way) => {
  it('has another cookie, and a copy of the one before is none ten seconds later', async () => {
    const { host, visitor, page, rows, typed } = await reached(way)
    const thief = copyOf(visitor, host)
    const [before] = await rows()
    const answer = await visitor.post(page, typed())
    expect([answer.status, answer.heading]).toEqual([200, codesShown])
    const [cookie = '', ...others] = setBy(answer)
    expect([others, cookie]).toEqual([
      [],
      expect.stringMatching(/^[^=]+=[\w-]{22}\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
    ])
    expect(visitor.cookies.get(name)).not.toBe(thief.cookies.get(name))
    const [after, ...more] = await rows()
    expect([more, after?.id]).toEqual([[], before?.id])
    expect(after?.secretHash).not.toBe(before?.secretHash)
    expect(await leadsTo(thief, host)).toBe('Continue?')
    host.clock.advance(9.999)
    expect(await leadsTo(thief, host)).toBe('Continue?')
    host.clock.advance(0.001)
    expect(await leadsTo(thief, host)).toBe('Sign in')
    // Nor does it end anything.
    await thief.send(`${host.base}/oauth/sign-out`, 'csrf=x')
    expect(await leadsTo(visitor, host)).toBe('the app')
    host.clock.advance(11 * 3600)
    expect([await leadsTo(thief, host), await leadsTo(visitor, host)]).toEqual([
      'Sign in',
      'the app',
    ])
  })

  it('has nothing changed where the secret cannot be replaced, and tries again', async () => {
    const { host, visitor, page, rows, typed } = await reached(way)
    const { replaceSecret } = host.stores.sessions
    host.stores.sessions.replaceSecret = () => Promise.reject(new Error('away'))
    const [before, kept] = [await effectsIn(host), new Map(visitor.cookies)]
    const busy = await visitor.post(page, typed())
    expect([busy.status, Number(busy.headers['retry-after']) > 0]).toEqual([503, true])
    expect([await effectsIn(host), visitor.cookies]).toEqual([before, kept])
    expect((await rows())[0]?.formerSecret).toBeUndefined()
    Object.assign(host.stores.sessions, { replaceSecret })
    const again = await visitor.post(busy, way.typed(busy, host))
    expect([again.heading, setBy(again)]).toEqual([codesShown, [expect.any(String)]])
    expect(await leadsTo(visitor, host)).toBe('the app')
  })

  it('stays signed in where the factor cannot be stored after that, and tries again', async () => {
    const { host, visitor, page, typed } = await reached(way)
    const { secondFactors } = host.stores
    const passkeys = 'passkeys' in host ? (host.passkeys as { create: unknown }) : null
    const [confirm, create] = [secondFactors.confirm, passkeys?.create]
    secondFactors.confirm = () => Promise.reject(new Error('away'))
    if (passkeys !== null) passkeys.create = () => Promise.reject(new Error('away'))
    const old = copyOf(visitor, host)
    const busy = await visitor.post(page, typed())
    expect([busy.status, setBy(busy)]).toEqual([503, [expect.any(String)]])
    Object.assign(secondFactors, { confirm })
    if (passkeys !== null) passkeys.create = create
    host.clock.advance(10)
    expect(await leadsTo(old, host)).toBe('Sign in')
    const shown = await visitor.open(page.url)
    expect((await visitor.post(shown, way.typed(shown, host))).heading).toBe(codesShown)
    expect(await leadsTo(visitor, host)).toBe('the app')
  })

  it('keeps one cookie of twenty forms at once, and each is answered', async () => {
    const { host, visitor, page, rows } = await reached(way)
    const pages: PageAnswer[] = []
    for (let count = 0; count < 20; count += 1) {
      pages.push(await visitor.get(page.url, { 'Sec-Fetch-Site': 'same-origin' }))
      host.clock.advance(0.001)
    }
    const sent = pages.map((each) => visitor.post(each, way.typed(each, host)))
    const answers = await Promise.all(sent)
    const given = new Set(answers.flatMap(setBy))
    expect(given.size).toBe(1)
    expect(answers.filter(({ status }) => ![200, 303, 422].includes(status))).toEqual([])
    expect(answers.filter(({ heading }) => heading === codesShown)).toHaveLength(1)
    expect(await rows()).toHaveLength(1)
    host.clock.advance(10)
    expect(await leadsTo(visitor, host)).toBe('the app')
  })

  it('is answered the same cookie where the button is pressed twice, by either cookie', async () => {
    const { host, visitor, page, typed } = await reached(way)
    const early = copyOf(visitor, host)
    const form = typed()
    const answers = await Promise.all([visitor.post(page, form), early.post(page, form)])
    host.clock.advance(9)
    answers.push(await visitor.post(page, form))
    expect(answers.map(({ heading }) => heading)).toEqual([codesShown, codesShown, codesShown])
    expect(new Set(answers.flatMap(setBy)).size).toBe(1)
  })
})

describe('A new cookie', () => {
  it('is kept as the one before: until the browser is closed, or for what is left', async () => {
    const host = await startPasskeyPages()
    const visitor = openVisitor(host)
    const signing = await visitor.open(addressOf(host, 'sign-in'))
    const typed = { username: 'alice', password, capable: 'yes', stay: 'on' }
    const first = await visitor.post(signing, typed)
    const offer = await visitor.open(first.headers.location as string)
    host.clock.advance(60)
    const answer = await visitor.post(offer, { passkey: madeFor(host, offer) })
    const seconds = (given: PageAnswer) => Number(/Max-Age=(\d+)/.exec(setBy(given).join())?.[1])
    expect(seconds(answer)).toBe(seconds(first) - 60)
  })

  it('is not given for a wrong code, or a passkey that is none', async () => {
    const host = await startPasskeyPages()
    const visitor = openVisitor(host)
    const page = await enrolmentForm.reach(visitor, host)
    const kept = visitor.cookies.get(name)
    const made = JSON.parse(madeFor(host, page)) as { id: string }
    const forged = JSON.stringify({ ...made, id: `${made.id.slice(1)}A` })
    for (const typed of [{ code: '000000' }, { passkey: '{}' }, { passkey: forged }]) {
      const again = await visitor.post(page, typed)
      expect([again.status, setBy(again)]).toEqual([422, []])
    }
    expect(visitor.cookies.get(name)).toBe(kept)
  })

  it.each([
    { at: 'enrolment', userId: 'u-carol', reach: enrolmentForm.reach, status: 303 },
    // It stays the next one, for whoever has its address.
    { at: 'passkey', userId: 'u-alice', reach: reachOffer, status: 422 },
  ])('is never made of the former one: a copy sets no factor up at $at, and dies', async (way) => {
    const host = await startPasskeyPages()
    const visitor = openVisitor(host)
    const page = await way.reach(visitor, host)
    const thief = copyOf(visitor, host)
    const his = await thief.open(page.url)
    await visitor.post(page, { passkey: madeFor(host, page) })
    const row = async () => (await host.stores.sessions.listForUser(way.userId, host.clock()))[0]
    const { secretHash, formerSecret } = (await row()) ?? {}
    host.clock.advance(5)
    const before = await host.passkeys.listForUser(way.userId)
    const answer = await thief.post(his, { passkey: madeFor(host, his) })
    expect([answer.status, setBy(answer)]).toEqual([way.status, []])
    expect(await host.passkeys.listForUser(way.userId)).toEqual(before)
    const after = await row()
    expect([after?.secretHash, after?.formerSecret]).toEqual([secretHash, formerSecret])
    host.clock.advance(5)
    expect([await leadsTo(thief, host), await leadsTo(visitor, host)]).toEqual([
      'Sign in',
      'the app',
    ])
  })

  it('gives a copy of the former one no code, and no way to allow an app anything', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const page = await enrolmentForm.reach(visitor, host)
    const thief = copyOf(visitor, host)
    await visitor.post(page, enrolmentForm.typed(page, host))
    const before = await effectsIn(host)
    for (const query of [queryOf(wiki), queryOf(tracker)]) {
      const shown = await thief.open(addressOf(host, 'authorize', query))
      expect(shown.heading).toBe('Continue?')
      const pressed = await thief.fill(shown, { choice: 'continue' })
      expect([pressed.heading, wayTo(pressed)]).toEqual(['Continue?', null])
      const allowed = await thief.fill({ ...shown, text: forged(shown) }, { choice: 'allow' })
      expect(wayTo(allowed)).toBeNull()
      const silent = await thief.open(addressOf(host, 'authorize', `${query}&prompt=none`))
      expect(wayTo(silent)?.searchParams.get('error')).toBe('consent_required')
    }
    expect(await effectsIn(host)).toEqual(before)
  })

  it('takes who was on her way there in another tab, once a button is pressed', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const page = await enrolmentForm.reach(visitor, host)
    const tab = copyOf(visitor, host)
    await visitor.post(page, enrolmentForm.typed(page, host))
    // Sent before the answer has come.
    const shown = await tab.open(addressOf(host, 'authorize', queryOf(wiki)))
    expect(shown.heading).toBe('Continue?')
    const there = await visitor.fill(shown, { choice: 'continue' })
    expect(wayTo(there)?.searchParams.get('code')).toMatch(/^mar_oc_/)
  })

  it('leaves another tab where it was: a consent goes through, and asks for nothing', async () => {
    const host = await startPasskeyPages()
    const visitor = openVisitor(host)
    const query = queryOf(tracker, { prompt: 'login' })
    const tab = await signIn(visitor, host, 'alice', query)
    expect(tab.heading).toBe(consentForm.heading)
    // The offer of the same sign-in, in another tab.
    const offer = await visitor.open(tab.url.replace('/consent?', '/passkey?'))
    expect(offer.heading).toBe('Add a passkey?')
    await visitor.post(offer, { passkey: madeFor(host, offer) })
    host.clock.advance(60)
    expect((await visitor.open(tab.url)).heading).toBe(consentForm.heading)
    const last = await visitor.fill(tab, consentForm.typed(tab, host))
    expect(wayTo(last)?.searchParams.get('code')).toMatch(/^mar_oc_/)
  })

  it('leaves a tab half way: the code of another account signs in there', async () => {
    const host = await startPasskeyPages()
    const visitor = openVisitor(host)
    const offer = await reachOffer(visitor, host)
    const other = await openSignIn(visitor, host)
    const half = await visitor.fill(other, { username: 'bob', password })
    expect(half.heading).toBe(secondFactorForm.heading)
    await visitor.post(offer, { passkey: madeFor(host, offer) })
    host.clock.advance(60)
    const last = await visitor.fill(half, secondFactorForm.typed(half, host))
    expect(wayTo(last)?.searchParams.get('code')).toMatch(/^mar_oc_/)
    expect(await host.stores.sessions.listForUser('u-bob', host.clock())).toHaveLength(1)
  })

  it('opens no flow that a dead copy has begun', async () => {
    const host = await startPasskeyPages()
    const visitor = openVisitor(host)
    const offer = await reachOffer(visitor, host)
    const thief = copyOf(visitor, host)
    await visitor.post(offer, { passkey: madeFor(host, offer) })
    host.clock.advance(10)
    // Half way through signing in as bob, in the hope that she goes on.
    const query = queryOf(wiki, { prompt: 'login' })
    const asked = await thief.open(addressOf(host, 'sign-in', query))
    const half = await thief.post(asked, { username: 'bob', password })
    const trap = half.headers.location as string
    expect((await thief.open(trap)).heading).toBe('Confirm that it is you')
    expect((await visitor.open(trap)).heading).not.toBe('Confirm that it is you')
  })
})

describe('Two processes over one store', () => {
  it('take the new cookie at once, and the former for ten seconds, whatever they remember', async () => {
    const host = await startMounted()
    const { stores, users, clock, origin } = host
    const other = await startPages({
      options: { ...stores, users, clock, pagesOrigin: origin },
    })
    const visitor = openVisitor(host)
    const page = await enrolmentForm.reach(visitor, host)
    const asks = async (value: string | undefined) =>
      (await send(other, 'GET', '/page', { Cookie: `${name}_${new URL(origin).port}=${value}` }))
        .status
    const former = visitor.cookies.get(name)
    // It is remembered there now.
    expect([await asks(former), await asks(former)]).toEqual([200, 200])
    await visitor.post(page, enrolmentForm.typed(page, host))
    const now = visitor.cookies.get(name)
    const answers = await Promise.all(Array.from({ length: 20 }, () => asks(now)))
    expect(new Set(answers)).toEqual(new Set([200]))
    // From then on it is remembered, as the former was.
    const read = vi.spyOn(stores.sessions, 'find')
    for (const value of [now, now, former, now]) expect(await asks(value)).toBe(200)
    expect(read).not.toHaveBeenCalled()
    // Read anew by the former one, just before it is over.
    clock.advance(9.9)
    expect([await asks(former), await asks(now)]).toEqual([200, 200])
    clock.advance(0.1)
    expect([await asks(former), await asks(now)]).toEqual([401, 200])
  })

  it('do not take the former one longer where it alone has been shown', async () => {
    const host = await startMounted()
    const { stores, users, clock, origin } = host
    const other = await startPages({
      options: { ...stores, users, clock, pagesOrigin: origin },
    })
    const visitor = openVisitor(host)
    const page = await enrolmentForm.reach(visitor, host)
    const former = `${name}_${new URL(origin).port}=${visitor.cookies.get(name)}`
    const asks = async () => (await send(other, 'GET', '/page', { Cookie: former })).status
    expect(await asks()).toBe(200)
    await visitor.post(page, enrolmentForm.typed(page, host))
    for (const seconds of [1, 3, 3, 2.9]) {
      clock.advance(seconds)
      expect(await asks()).toBe(200)
    }
    clock.advance(0.1)
    expect(await asks()).toBe(401)
  })
})
