// A page was left open, and meanwhile something has happened in another tab, or a night has passed:
// whoever sends it goes on, or is told in a sentence what has changed.
import { describe, expect, it } from 'vitest'
import { wordsFor } from '../../support/consents.js'
import { password } from '../../support/host.js'
import { addressOf, consentForm, effectsIn, openSignIn, signIn, signInForm } from './forms.js'
import {
  desktop,
  type MountedHost,
  type MountedSettings,
  queryOf,
  startMounted,
  tracker,
  wiki,
} from './mounted-host.js'
import { formOf, openVisitor, type PageAnswer, type Visitor, wayTo } from './visitor.js'

const inAnHour = 60 * 60

/** Two tabs of one browser at the sign-in page; the other one goes on as somebody. */
async function twoTabs(name: string, change: Readonly<Record<string, string>> = {}) {
  const host = await startMounted()
  const visitor = openVisitor(host)
  const page = await visitor.open(addressOf(host, 'sign-in', queryOf(wiki, change)))
  expect((await signIn(visitor, host, name)).heading).toBe('One moment')
  return { host, visitor, page, session: visitor.cookies.get('mar_session_dev') }
}

const faultIn = ({ text }: PageAnswer) =>
  (/<p id="fault"[^>]*>(.*?)<\/p>/s.exec(text)?.[1] ?? '').replaceAll(/<[^>]+>/g, '')

const codeIn = (answer: PageAnswer) => wayTo(answer)?.searchParams.get('code') ?? null

/** Presses the button of a choice. */
const choose = (visitor: Visitor, page: PageAnswer, choice: string) =>
  visitor.fill(page, { choice })

describe('The sign-in page of a browser that is signed in by now', () => {
  it.each([
    ['the same account', 'alice'],
    ['the same account by another spelling', ' Alice '],
    ['the same account by its e-mail address', 'alice@example.com'],
  ])('leads on with the name of %s, and judges no password', async (_what, username) => {
    const { host, visitor, page, session } = await twoTabs('alice')
    host.users.change('u-alice', { email: 'alice@example.com' })
    const before = host.host().events.length
    const answer = await visitor.fill(page, { username, password: 'not looked at' })
    expect([answer.heading, codeIn(answer)]).toEqual(['One moment', expect.any(String)])
    expect(visitor.cookies.get('mar_session_dev')).toBe(session)
    const types = host
      .host()
      .events.slice(before)
      .map(({ type }) => type)
    expect(types.filter((type) => type !== 'code.issued')).toEqual([])
  })

  it('says who is signed in where another name was typed, and judges no password', async () => {
    const { host, visitor, page, session } = await twoTabs('alice')
    const before = await effectsIn(host)
    const answer = await visitor.fill(page, { username: 'dora', password })
    expect([answer.status, answer.heading]).toEqual([403, 'Sign in'])
    expect(faultIn(answer)).toBe('You are signed in as alice example now.')
    expect(answer.text).toContain('value="dora"')
    expect(answer.text).not.toContain(password)
    expect(await effectsIn(host)).toEqual(before)
    // One press goes on as who she is; the other way is to say so once more.
    const on = await choose(visitor, answer, 'continue')
    expect([on.heading, codeIn(on)]).toEqual(['One moment', expect.any(String)])
    expect(visitor.cookies.get('mar_session_dev')).toBe(session)
    const switched = await visitor.fill(answer, { username: 'dora', password })
    expect(switched.heading).toBe('One moment')
    const { rows } = await effectsIn(host)
    expect(rows.map(({ sessions }) => sessions.length)).toEqual([0, 0, 0, 1])
  })

  it('is not shown again by loading it, or by the button “back”', async () => {
    const { visitor, page } = await twoTabs('alice')
    const { status, headers } = await visitor.get(page.url)
    expect([status, headers.location]).toEqual([303, expect.stringContaining('code=')])
  })

  it.each([{ prompt: 'login' }, { max_age: '0' }])(
    'signs in where the app wants that (%j), with the password that was typed',
    async (change) => {
      const { host, visitor, page, session } = await twoTabs('alice', change)
      expect((await visitor.open(page.url)).heading).toBe('Sign in')
      const answer = await visitor.fill(page, { username: 'alice', password })
      expect([answer.heading, codeIn(answer)]).toEqual(['One moment', expect.any(String)])
      expect(visitor.cookies.get('mar_session_dev')).not.toBe(session)
      expect((await effectsIn(host)).rows[0]?.sessions).toHaveLength(1)
    },
  )

  it('is for whoever asked for another account, who may have a second factor', async () => {
    const { host, visitor } = await twoTabs('alice')
    const page = await openSignIn(visitor, host)
    expect((await visitor.open(page.url)).heading).toBe('Sign in')
    const due = await visitor.fill(page, { username: 'bob', password })
    expect(due.heading).toBe('Confirm that it is you')
    // Left half way, it never becomes a code of hers who is signed in.
    host.clock.advance(5 * 60)
    const late = await visitor.post(due, { code: '123456', username: 'bob' })
    expect([late.heading, codeIn(late)]).toEqual(['Sign in', null])
    expect((await visitor.open(due.url)).heading).toBe('Sign in')
  })

  it('signs in who has signed out again since, with the password that was typed', async () => {
    const { host, visitor, page } = await twoTabs('alice')
    const out = await visitor.open(`${host.base}/oauth/sign-out`)
    expect((await visitor.fill(out, {})).heading).toBe('You are signed out')
    const answer = await visitor.fill(page, { username: 'dora', password })
    expect(answer.heading).toBe('One moment')
  })
})

describe('A page that was left open', () => {
  it.each([
    ['over night', 15],
    ['over a weekend', 63],
  ])(
    'for the sign-in is good %s, and the password need not be typed again',
    async (_how, hours) => {
      const host = await startMounted()
      const visitor = openVisitor(host)
      const page = await signInForm.reach(visitor, host)
      host.clock.advance(hours * inAnHour)
      const answer = await visitor.fill(page, { username: 'alice', password })
      expect([answer.heading, codeIn(answer)]).toEqual(['One moment', expect.any(String)])
    },
  )

  it('for the consent is good two hours later', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const page = await consentForm.reach(visitor, host)
    host.clock.advance(2 * inAnHour)
    expect(codeIn(await visitor.fill(page, { choice: 'allow' }))).not.toBeNull()
    expect(await host.oauthStores.consents.find('u-alice', 'tracker')).not.toBeNull()
    // Sent once more, it leads on once more.
    expect(codeIn(await visitor.fill(page, { choice: 'allow' }))).not.toBeNull()
  })

  it.each<[string, (host: MountedHost, visitor: Visitor) => Promise<unknown>]>([
    ['was idle too long', async (host) => host.clock.advance(13 * inAnHour)],
    ['was ended elsewhere', async (host) => host.host().auth.sessions.revokeAllForUser('u-alice')],
    ['has lost its cookies', async (_host, visitor) => visitor.cookies.clear()],
  ])('for the consent says so where the session %s', async (_what, happens) => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const page = await consentForm.reach(visitor, host)
    await happens(host, visitor)
    const answer = await visitor.post(page, { choice: 'allow' })
    expect([answer.status, answer.heading]).toEqual([422, 'Sign in'])
    expect(faultIn(answer)).toBe('You were signed out in the meantime. Sign in to go on.')
    expect(await host.oauthStores.consents.find('u-alice', 'tracker')).toBeNull()
    for (const cookie of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(cookie) ?? []
      visitor.cookies.set(name, value)
    }
    const signedIn = await visitor.fill(answer, { username: 'alice', password })
    expect(signedIn.heading).toBe('Allow access?')
  })
})

describe('What was shown to one account', () => {
  /** Alice is asked; then dora signs in in another tab. */
  async function meanwhile(client = tracker, settings: MountedSettings = {}) {
    const host = await startMounted(settings)
    const visitor = openVisitor(host)
    const page = await signIn(visitor, host, 'alice', queryOf(client))
    await signIn(visitor, host, 'dora', queryOf(wiki))
    return { host, visitor, page }
  }

  it('is not allowed by another, who is told who is signed in', async () => {
    const { host, visitor, page } = await meanwhile()
    const before = await effectsIn(host)
    const answer = await visitor.post(page, { choice: 'allow' })
    expect([answer.status, answer.heading]).toEqual([403, 'Allow access?'])
    expect(faultIn(answer)).toBe('You are signed in as dora example now.')
    expect(await effectsIn(host)).toEqual(before)
    const other = await choose(visitor, answer, 'other')
    expect(other.heading).toBe('Sign in')
    const back = await visitor.fill(other, { username: 'alice', password })
    expect([back.heading, back.text.includes('alice example')]).toEqual(['Allow access?', true])
  })

  it('does not go on as another who has allowed it before, without a word', async () => {
    const { host, visitor, page } = await meanwhile()
    const now = host.clock()
    const scopes = wordsFor(tracker, 'chat')
    const consent = { userId: 'u-dora', clientId: 'tracker', scopes, grantedAt: now }
    await host.oauthStores.consents.grant({ ...consent, updatedAt: now })
    const before = await effectsIn(host)
    const answer = await visitor.post(page, { choice: 'allow' })
    expect([answer.status, answer.heading]).toEqual([403, 'Continue?'])
    expect(faultIn(answer)).toBe('You are signed in as dora example now.')
    expect(await effectsIn(host)).toEqual(before)
    expect(codeIn(await choose(visitor, answer, 'continue'))).not.toBeNull()
  })

  it('is the account that was asked whether she goes on, and no other', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    await signIn(visitor, host, 'alice')
    const page = await visitor.open(addressOf(host, 'authorize', queryOf(desktop)))
    expect(page.heading).toBe('Continue?')
    await signIn(visitor, host, 'dora')
    host.clock.advance(1)
    const answer = await visitor.post(page, { choice: 'continue' })
    expect([answer.status, answer.heading]).toEqual([403, 'Continue?'])
    expect(faultIn(answer)).toBe('You are signed in as dora example now.')
    host.clock.advance(1)
    expect(codeIn(await choose(visitor, answer, 'continue'))).not.toBeNull()
  })

  it('is hers again once she has signed in anew', async () => {
    const { host, visitor, page } = await meanwhile()
    await signIn(visitor, host, 'alice')
    host.clock.advance(1)
    expect(codeIn(await visitor.fill(page, { choice: 'allow' }))).not.toBeNull()
    expect(await host.oauthStores.consents.find('u-alice', 'tracker')).not.toBeNull()
    expect(await host.oauthStores.consents.find('u-dora', 'tracker')).toBeNull()
  })

  it('of signing out is told as well, and ends nobody', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    await signIn(visitor, host, 'alice')
    const page = await visitor.open(`${host.base}/oauth/sign-out`)
    await signIn(visitor, host, 'dora')
    const answer = await visitor.post(page, {})
    expect([answer.status, faultIn(answer)]).toEqual([
      403,
      'You are signed in as dora example now.',
    ])
    expect((await effectsIn(host)).rows[3]?.sessions).toHaveLength(1)
  })
})

describe('The ways out', () => {
  const pages = ['second-factor', 'recovery-code', 'enrolment', 'consent', 'continue', 'sign-in']

  it.each(pages)('of %s need no page that is of now', async (page) => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const body = (choice: string) => `choice=${choice}&csrf=of+yesterday`
    const address = addressOf(host, page, queryOf(wiki))
    const cancelled = await visitor.send(address, body('cancel'))
    const way = wayTo(cancelled)
    expect([cancelled.status, way?.origin]).toEqual([200, 'https://wiki.example.com'])
    expect(way?.searchParams.get('error')).toBe('access_denied')
    const other = await visitor.send(address, body('other'))
    expect((await visitor.open(other.headers.location as string)).heading).toBe('Sign in')
  })

  it('are on the pages of the second factor and of the enrolment', async () => {
    const host = await startMounted()
    for (const name of ['bob', 'carol']) {
      const visitor = openVisitor(host)
      const page = await signIn(visitor, host, name)
      const other = await choose(visitor, page, 'other')
      expect([name, other.heading]).toEqual([name, 'Sign in'])
      expect((await visitor.fill(other, { username: 'alice', password })).heading).toBe(
        'One moment',
      )
      const cancelled = await choose(visitor, page, 'cancel')
      expect(wayTo(cancelled)?.searchParams.get('error')).toBe('access_denied')
    }
  })
})

describe('A browser without cookies', () => {
  it('is told so at the sign-in, and one with another cookie is not', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const page = await signInForm.reach(visitor, host)
    const typed = { username: 'alice', password }
    const none = await visitor.post(page, typed, { Cookie: undefined })
    expect([none.status, faultIn(none)]).toEqual([
      403,
      'Your browser takes no cookies from this site. Allow them, then sign in.',
    ])
    expect(none.text).toContain('value="alice"')
    const Cookie = 'mar_pre_dev=AAAAAAAAAAAAAAAAAAAAAA'
    const another = await visitor.post(page, typed, { Cookie })
    expect([another.status, faultIn(another)]).toEqual([
      403,
      'This page had become too old. Please send it again.',
    ])
  })
})

describe('A page without a request', () => {
  const paths = ['sign-in', 'sign-in?', 'sign-in?language=de', 'consent', 'second-factor']

  it.each(paths)('(%s) leads to the host’s own first page', async (path) => {
    const home = 'https://chat.example.com/'
    const host = await startMounted({ options: { pages: { home } } })
    const answer = await openVisitor(host).get(`${host.base}/oauth/${path}`)
    expect([answer.status, answer.headers.location]).toEqual([303, home])
  })

  it('says where to begin, where the host has none', async () => {
    const host = await startMounted()
    const answer = await openVisitor(host).get(`${host.base}/oauth/sign-in`)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain(
      'This page was opened without an app. Begin where you wanted to sign in.',
    )
    expect(() => formOf(answer)).toThrow()
  })
})
