// Forms that another site lays before a user, and tokens that are not this form's. Each test sends
// what would be right but for the one thing that it is about.
import { describe, expect, it } from 'vitest'
import { password } from '../../support/host.js'
import {
  addressOf,
  csrfOf,
  effectsIn,
  forms,
  openSignIn,
  secondFactorForm,
  signIn,
  signInForm,
} from './forms.js'
import { queryOf, startMounted, tracker } from './mounted-host.js'
import { type HeaderChange, openVisitor, type PageAnswer, type Visitor } from './visitor.js'

const elsewhere = 'https://evil.example'

/** What browsers say of a form that is not on a page of ours. */
const foreign: Readonly<Record<string, (own: string) => HeaderChange>> = {
  'another site': () => ({ 'Sec-Fetch-Site': 'cross-site', Origin: elsewhere }),
  'another site, in the name of ours': (own) => ({ 'Sec-Fetch-Site': 'cross-site', Origin: own }),
  'a neighbour of the same site': () => ({
    'Sec-Fetch-Site': 'same-site',
    Origin: 'http://127.0.0.1:1',
  }),
  'the address bar': () => ({ 'Sec-Fetch-Site': 'none', Origin: undefined }),
  'an older browser, of another site': () => ({ 'Sec-Fetch-Site': undefined, Origin: elsewhere }),
  'an older browser, of a frame in a sandbox': () => ({
    'Sec-Fetch-Site': undefined,
    Origin: 'null',
  }),
  'an older browser, of another port': () => ({
    'Sec-Fetch-Site': undefined,
    Origin: 'http://127.0.0.1:1',
  }),
  'something that says nothing': () => ({ 'Sec-Fetch-Site': undefined, Origin: undefined }),
  'a referrer that only begins as ours': (own) => ({
    'Sec-Fetch-Site': undefined,
    Origin: undefined,
    Referer: `${own}.evil.example/`,
  }),
  'a referrer with our name as that of a user': (own) => ({
    'Sec-Fetch-Site': undefined,
    Origin: undefined,
    Referer: `${own}@evil.example/`,
  }),
  'another site, with a referrer of ours': (own) => ({
    'Sec-Fetch-Site': undefined,
    Origin: elsewhere,
    Referer: `${own}/`,
  }),
  'a header that says it twice': () => ({ 'Sec-Fetch-Site': 'same-origin, same-origin' }),
  'a header that spells it otherwise': () => ({ 'Sec-Fetch-Site': 'Same-Origin' }),
  'another site that says which host it wants to be': () => ({
    'Sec-Fetch-Site': undefined,
    Origin: elsewhere,
    Host: 'evil.example',
    'X-Forwarded-Host': 'evil.example',
    'X-Forwarded-Proto': 'https',
  }),
}

describe.each(forms)('The form of $page', (form) => {
  it('does nothing where it comes from elsewhere, and works where it comes from here', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const page = await form.reach(visitor, host)
    expect(page.heading).toBe(form.heading)
    const before = await effectsIn(host)
    const kept = new Map(visitor.cookies)
    for (const [from, headers] of Object.entries(foreign)) {
      const typed = form.typed(page, host)
      const answer = await visitor.post(page, typed, headers(host.origin))
      expect([from, answer.status]).toEqual([from, 403])
      expect([answer.headers['set-cookie'], answer.headers.location]).toEqual([[], []].map(none))
      expect(await effectsIn(host), from).toEqual(before)
    }
    expect(visitor.cookies).toEqual(kept)
    const done = await visitor.fill(page, form.typed(page, host))
    expect([done.status, done.heading === form.heading]).toEqual([200, false])
  })

  it('does nothing with a token of another page, browser, request or time', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const page = await form.reach(visitor, host)
    const before = await effectsIn(host)
    const token = csrfOf(page)
    let shown = page
    for (const csrf of await tokensOfOthers(host, visitor, form.page, token)) {
      const answer = await visitor.post(page, { ...form.typed(page, host), csrf })
      expect([answer.status, answer.heading]).toEqual([403, form.heading])
      expect(answer.text).toContain('This page had become too old. Please send it again.')
      expect(await effectsIn(host)).toEqual(before)
      shown = answer
    }
    // The page that says so can be sent.
    const done = await visitor.fill(shown, form.typed(shown, host))
    expect([done.status, done.heading === form.heading]).toEqual([200, false])
  })
})

const none = () => undefined

type Host = Awaited<ReturnType<typeof startMounted>>

async function tokensOfOthers(host: Host, visitor: Visitor, page: string, token: string) {
  const stranger = openVisitor(host)
  const tokens = [
    '',
    token.slice(0, -1),
    token.toLowerCase(),
    `${token}a`,
    csrfOf(await stranger.open(addressOf(host, 'sign-in'))),
    csrfOf(await openSignIn(visitor, host, queryOf(tracker, { state: 'other' }))),
  ]
  if (page !== 'sign-in') tokens.push(csrfOf(await openSignIn(visitor, host)))
  expect(new Set([...tokens, token]).size).toBe(tokens.length + 1)
  return tokens
}

describe('A token', () => {
  it('is as good the next morning: what it goes by is judged as it is then', async () => {
    const host = await startMounted()
    const visitor = openVisitor(host)
    const page = await signInForm.reach(visitor, host)
    host.clock.advance(15 * 60 * 60)
    const answer = await visitor.post(page, signInForm.typed(page, host))
    expect([answer.status, answer.headers.location]).toEqual([303, expect.any(String)])
    expect((await visitor.open(answer.headers.location as string)).heading).toBe('One moment')
  })
})

describe('Somebody who wants another to be signed in as himself', () => {
  /** A form that a thief was shown, sent by the browser of a victim. */
  async function sent(by: Visitor, page: PageAnswer, fields: Record<string, string>) {
    const answer = await by.post(page, fields)
    expect(answer.headers.location, 'signed in').toBeUndefined()
    return answer
  }

  it('gets nowhere with the form that he was shown himself', async () => {
    const host = await startMounted()
    const [thief, victim] = [openVisitor(host), openVisitor(host)]
    const page = await signInForm.reach(thief, host)
    await signInForm.reach(victim, host)
    const before = await effectsIn(host)
    const answer = await sent(victim, page, { username: 'dora', password })
    expect([answer.status, await effectsIn(host)]).toEqual([403, before])
  })

  it('gets nowhere with the second step of his own sign-in', async () => {
    const host = await startMounted()
    const [thief, victim] = [openVisitor(host), openVisitor(host)]
    const page = await secondFactorForm.reach(thief, host)
    await signInForm.reach(victim, host)
    const before = await effectsIn(host)
    const answer = await sent(victim, page, secondFactorForm.typed(page, host))
    expect([answer.status, answer.heading]).toEqual([422, 'Sign in'])
    expect(await effectsIn(host)).toEqual(before)
    expect((await thief.fill(page, secondFactorForm.typed(page, host))).heading).toBe('One moment')
  })
})

const pre = 'mar_pre_dev'
const session = 'mar_session_dev'

describe('A cookie that was planted', () => {
  it('before the sign-in is not the session that comes of it', async () => {
    const host = await startMounted()
    const [thief, victim] = [openVisitor(host), openVisitor(host)]
    await signInForm.reach(thief, host)
    const planted = thief.cookies.get(pre) as string
    expect(planted).toMatch(/^[\w-]{22}$/)
    victim.cookies.set(pre, planted)
    await signIn(victim, host, 'alice')
    expect(victim.cookies.get(session)).not.toContain(planted)
    thief.cookies.set(session, planted)
    expect((await signInForm.reach(thief, host)).heading).toBe('Sign in')
    // Nor does what the thief knew help with a form of the session.
    thief.cookies.delete(session)
    const consent = await thief.get(addressOf(host, 'consent', queryOf(tracker)))
    expect(consent.headers.location).toContain('/oauth/sign-in?')
  })

  it('as the session of a thief is ended by the victim’s own sign-in, and never becomes hers', async () => {
    const host = await startMounted()
    const [thief, victim] = [openVisitor(host), openVisitor(host)]
    await signIn(thief, host, 'dora')
    const planted = thief.cookies.get(session) as string
    victim.cookies.set(session, planted)
    await signIn(victim, host, 'alice')
    expect(victim.cookies.get(session)).not.toBe(planted)
    const open = await thief.open(addressOf(host, 'authorize'))
    expect(open.heading).toBe('Sign in')
    const { rows } = await effectsIn(host)
    expect(rows.map(({ sessions }) => sessions.length)).toEqual([1, 0, 0, 0])
  })

  it.each([session, pre])(
    'a second time under the name %s makes both of them nothing',
    async (name) => {
      const host = await startMounted()
      const visitor = openVisitor(host)
      if (name === session) await signIn(visitor, host, 'alice')
      const page = await openSignIn(visitor, host)
      const mine = `${name}=${visitor.cookies.get(name)}`
      expect(mine.length).toBeGreaterThan(name.length + 20)
      const before = await effectsIn(host)
      for (const Cookie of [`${mine}; ${name}=AAAAAAAAAAAAAAAAAAAAAA`, `${name}=x;${mine}`]) {
        const answer = await visitor.post(page, { username: 'dora', password }, { Cookie })
        expect([answer.status, answer.heading]).toEqual([403, 'Sign in'])
        const asked = await visitor.get(addressOf(host, 'authorize'), { Cookie })
        expect(asked.headers.location).toContain('/oauth/sign-in?')
        expect(await effectsIn(host)).toEqual(before)
      }
    },
  )
})
