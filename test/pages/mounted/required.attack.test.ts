// What the pages of required actions refuse, and whom they keep from everything else.
import { describe, expect, it } from 'vitest'
import { password, passwordHash } from '../../support/host.js'
import { newPassword } from '../account/mail-host.js'
import { addressOf, csrfOf, openSignIn, signIn } from './forms.js'
import { queryOf, wiki } from './mounted-host.js'
import {
  anotherPassword,
  hasCode,
  headings,
  type RequiredHost,
  type RequiredSettings,
  startRequired,
  toldBy,
  typeMailedCode,
} from './required-host.js'
import { openVisitor, type PageAnswer, type Visitor } from './visitor.js'

const mustChange = { alice: { mustChangePassword: true } }
const unproven = { provenAddress: true, alice: { emailVerified: false } }
const documents = { documents: true }
const accepted = { choice: 'accept' }

/** A page, and what its form does. */
interface Required {
  readonly page: string
  readonly heading: string
  readonly settings: RequiredSettings
  readonly typed: Readonly<Record<string, string>>
  /** Does what it asks for, until the client has its code. */
  finish(visitor: Visitor, host: RequiredHost, page: PageAnswer): Promise<PageAnswer>
}

const pages: readonly Required[] = [
  {
    page: 'new-password',
    heading: headings.password,
    settings: mustChange,
    typed: anotherPassword,
    finish: (visitor, _host, page) => visitor.fill(page, anotherPassword),
  },
  {
    page: 'address',
    heading: headings.address,
    settings: unproven,
    typed: { choice: 'verify' },
    finish: async (visitor, host, page) =>
      typeMailedCode(visitor, host, await visitor.fill(page, { choice: 'verify' })),
  },
  {
    page: 'acceptance',
    heading: headings.acceptance,
    settings: documents,
    typed: accepted,
    finish: (visitor, _host, page) => visitor.fill(page, accepted),
  },
]

async function reach({ settings, heading }: Pick<Required, 'settings' | 'heading'>) {
  const host = await startRequired(settings)
  const visitor = openVisitor(host)
  const page = await signIn(visitor, host, 'alice')
  expect(page.heading).toBe(heading)
  return { host, visitor, page, before: host.alice() }
}

const stale = 'This page had become too old. Please send it again.'

describe.each(pages)('The page $page', (form) => {
  it('does nothing for a form of another site, or with the token of another browser', async () => {
    const { host, visitor, page, before } = await reach(form)
    const elsewhere = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }
    expect((await visitor.post(page, form.typed, elsewhere)).status).toBe(403)
    const stranger = openVisitor(host)
    const csrf = csrfOf(await signIn(stranger, host, 'alice'))
    const answer = await visitor.post(page, { ...form.typed, csrf })
    expect([answer.status, answer.heading]).toEqual([403, form.heading])
    expect(answer.text).toContain(stale)
    expect(host.alice()).toEqual(before)
    expect(await host.mailed('verify-address')).toEqual([])
    expect(hasCode(await form.finish(visitor, host, answer))).toBe(true)
  })

  it('can be reloaded, and is over once it is done: "back" leads on', async () => {
    const { host, visitor, page } = await reach(form)
    const reloaded = await visitor.open(page.url)
    expect(reloaded.heading).toBe(form.heading)
    const last = await form.finish(visitor, host, reloaded)
    expect(hasCode(last)).toBe(true)
    expect(hasCode(await visitor.open(page.url))).toBe(true)
    const { accepted: stored, passwordHash: hash } = host.alice()
    expect(hasCode(await visitor.fill(page, form.typed))).toBe(true)
    expect(host.alice()).toMatchObject({ ...(stored && { accepted: stored }), passwordHash: hash })
  })

  it('can be left: the app learns it, or another account signs in', async () => {
    const { host, visitor, page, before } = await reach(form)
    const told = toldBy(await visitor.fill(page, { choice: 'cancel' }))
    expect(told).toMatchObject({ error: 'access_denied' })
    expect(host.alice()).toEqual(before)
    host.users.change('u-dora', {
      email: 'dora@example.com',
      emailVerified: true,
      accepted: [
        { id: 'terms', version: '1' },
        { id: 'privacy', version: '1' },
      ],
    })
    const other = await visitor.fill(page, { choice: 'other' })
    expect(other.heading).toBe('Sign in')
    expect(hasCode(await visitor.fill(other, { username: 'dora', password }))).toBe(true)
    // The form of alice does nothing for dora.
    const late = await visitor.post(page, form.typed)
    expect([late.status, late.text.includes('dora example')]).toEqual([403, true])
    expect(host.alice()).toEqual(before)
  })

  it('keeps its user from every page of the account', async () => {
    const { host, visitor, before } = await reach(form)
    const paths = ['', '/password', '/email', '/second-factor', '/delete']
    for (const path of paths) {
      const answer = await visitor.open(`${host.base}/account${path}`)
      const expected = form.page === 'acceptance' ? [form.heading, 'Sign in'] : ['Sign in']
      if (answer.status !== 404) expect(expected).toContain(answer.heading)
    }
    expect(host.alice()).toEqual(before)
  })

  it('begins anew for a user whose session has ended meanwhile', async () => {
    const { host, visitor, page, before } = await reach(form)
    await host.host().auth.accounts.endEverything('u-alice')
    const answer = await visitor.fill(page, form.typed)
    expect(answer.heading).toBe('Sign in')
    expect(host.alice()).toEqual(before)
    const again = await visitor.fill(answer, { username: 'alice', password })
    expect(again.heading).toBe(form.heading)
    expect(hasCode(await form.finish(visitor, host, again))).toBe(true)
  })
})

describe.each(pages.slice(0, 2))('The page $page', (form) => {
  it('opens only right after a sign-in: a session alone may be stolen', async () => {
    const { host, visitor, page, before } = await reach(form)
    const plain = addressOf(host, form.page)
    expect((await visitor.open(plain)).heading).toBe('Sign in')
    const thief = { ...page, text: page.text.replaceAll(/&amp;flow=[^"&]*/g, '') }
    const answer = await visitor.fill(thief, form.typed)
    expect(answer.heading).toBe('Sign in')
    expect(host.alice()).toEqual(before)
    expect(await host.mailed('verify-address')).toEqual([])
  })

  it('asks for another sign-in where that was more than ten minutes ago', async () => {
    const { host, visitor, page } = await reach(form)
    host.clock.advance(11 * 60)
    const typed = form.page === 'address' ? { email: 'new@example.com', present: password } : {}
    const answer = await visitor.fill(page, { ...form.typed, choice: '', ...typed })
    expect(answer.heading).toBe('Sign in')
    const again = await visitor.fill(answer, { username: 'alice', password })
    expect(again.heading).toBe(form.heading)
    expect(hasCode(await form.finish(visitor, host, again))).toBe(true)
  })
})

describe('/oauth/new-password', () => {
  it('takes neither a wrong present password nor one that the rules refuse', async () => {
    const { host, visitor, page, before } = await reach(pages[0] as Required)
    const wrong = 'The current password is not right.'
    const refused = [
      [{ present: 'another', password: newPassword }, wrong],
      [{ present: '', password: newPassword }, wrong],
      [{ present: password, password }, 'It is the one that you must change.'],
      [{ present: password, password: 'short' }, 'It is too short'],
    ] as const
    for (const [typed, reason] of refused) {
      const answer = await visitor.fill(page, typed)
      expect([answer.status, answer.heading]).toEqual([422, headings.password])
      expect(answer.text).toContain(reason)
    }
    expect(host.alice()).toEqual(before)
  })

  it('ends other sessions, and a copy of the cookie from before sets nothing', async () => {
    const { host, visitor, page } = await reach(pages[0] as Required)
    const other = openVisitor(host)
    await signIn(other, host, 'alice')
    const thief = openVisitor(host)
    for (const [name, value] of visitor.cookies) thief.cookies.set(name, value)
    expect(hasCode(await visitor.fill(page, anotherPassword))).toBe(true)
    const { passwordHash: hash } = host.alice()
    const typed = { present: newPassword, password: `${newPassword} of a thief` }
    expect(hasCode(await thief.fill(page, typed))).toBe(false)
    expect(hasCode(await thief.open(addressOf(host, 'authorize')))).toBe(false)
    expect(host.alice().passwordHash).toBe(hash)
    expect((await other.open(addressOf(host, 'authorize'))).heading).toBe('Sign in')
  })

  it('does not count the temporary password after its time as another one', async () => {
    const { host, visitor, page } = await reach(pages[0] as Required)
    host.users.change('u-alice', { passwordUntil: new Date(host.clock().getTime() - 1) })
    const answer = await visitor.fill(page, { present: password, password })
    expect(answer.status).toBe(422)
    expect(host.alice().passwordHash).toBe(passwordHash)
  })
})

describe('/oauth/address', () => {
  const change = { email: 'new@example.com', present: password }

  it('takes no wrong address and no wrong password', async () => {
    const { host, visitor, page, before } = await reach(pages[1] as Required)
    const notOne = 'This is not an address that can be used'
    const wrong = 'The current password is not right.'
    const refused = [
      [{ ...change, email: 'nobody' }, notOne],
      [{ ...change, email: '' }, notOne],
      [{ ...change, present: 'another' }, wrong],
      [{ email: change.email }, wrong],
    ] as const
    for (const [typed, reason] of refused) {
      const answer = await visitor.fill(page, typed)
      expect([answer.status, answer.heading]).toEqual([422, headings.address])
      expect(answer.text).toContain(reason)
      if (typed.email !== '') expect(answer.text).toContain(`value="${typed.email}"`)
    }
    expect(host.alice()).toEqual(before)
    expect(await host.mailed('change-address')).toEqual([])
  })

  it('does not tell that an address is of somebody else, and no code sets it', async () => {
    const { host, visitor, page, before } = await reach(pages[1] as Required)
    const asked = await visitor.fill(page, { ...change, email: 'bob@example.com' })
    expect(asked.heading).toBe(headings.code)
    expect(await host.mailed('address-taken')).toHaveLength(1)
    const answer = await visitor.fill(asked, { code: '12345678' })
    expect([answer.status, answer.heading]).toEqual([422, headings.code])
    expect(host.alice()).toEqual(before)
  })

  it('has nothing to prove for a user without an address', async () => {
    const alice = { email: null, emailVerified: false }
    const form = { ...(pages[1] as Required), settings: { ...unproven, alice } }
    const { visitor, page } = await reach(form)
    expect(page.text).toContain('Your account has no address.')
    expect(page.text).not.toContain('value="verify"')
    const answer = await visitor.fill(page, { choice: 'verify' })
    expect([answer.status, answer.heading]).toEqual([422, headings.address])
  })

  it('takes the right code after a wrong one, and none after too many', async () => {
    for (const [guesses, isOver] of [
      [1, false],
      [20, true],
    ] as const) {
      const { host, visitor, page } = await reach(pages[1] as Required)
      const asked = await visitor.fill(page, { choice: 'verify' })
      const right = await host.code('verify-address')
      for (let guess = 0; guess < guesses; guess += 1) {
        const answer = await visitor.fill(asked, { code: '00000000' })
        expect(answer.heading).toBe(headings.code)
        expect([422, 429]).toContain(answer.status)
      }
      expect(hasCode(await visitor.fill(asked, { code: right }))).toBe(!isOver)
      expect(host.alice().emailVerified).toBe(!isOver)
    }
  })

  it('takes no code that was mailed for another sign-in', async () => {
    const { host, visitor, page } = await reach(pages[1] as Required)
    const other = openVisitor(host)
    await other.fill(await signIn(other, host, 'alice'), { choice: 'verify' })
    const code = await host.code('verify-address')
    const asked = await visitor.fill(page, { choice: 'verify' })
    await host.mailed('verify-address')
    expect((await visitor.fill(asked, { code })).status).toBe(422)
    expect(host.alice().emailVerified).toBe(false)
  })

  it('comes again where the address has changed since the code was mailed', async () => {
    const { host, visitor, page } = await reach(pages[1] as Required)
    const asked = await visitor.fill(page, change)
    host.users.change('u-alice', { email: 'by-the-host@example.com' })
    const answer = await typeMailedCode(visitor, host, asked, 'change-address')
    expect(answer.heading).toBe(headings.address)
    expect(answer.text).toContain('by-the-host@example.com')
  })
})

describe('/oauth/acceptance', () => {
  it('is shown again where another version is published since', async () => {
    const { host, visitor, page } = await reach(pages[2] as Required)
    await host.publish('2')
    const answer = await visitor.fill(page, accepted)
    expect([answer.status, answer.heading]).toEqual([422, headings.acceptance])
    expect(answer.text).toContain(stale)
    expect(host.alice().accepted).toBeUndefined()
    expect(hasCode(await visitor.fill(answer, accepted))).toBe(true)
    expect(host.alice().accepted).toContainEqual(
      expect.objectContaining({ id: 'terms', version: '2' }),
    )
  })

  it('accepts nothing but what the host has published', async () => {
    const { host, visitor, page } = await reach(pages[2] as Required)
    const others = ['', 'null', '{}', '[null]', '[{"id":"terms"}]', '[{"id":"a","version":"1"}]']
    for (const given of [...others, JSON.stringify(Array(11).fill({}))]) {
      const answer = await visitor.fill(page, { ...accepted, documents: given })
      expect([given, answer.status, answer.heading]).toEqual([given, 422, headings.acceptance])
    }
    const none = await visitor.fill(page, { ...accepted, documents: '[]' })
    expect([none.status, none.heading]).toEqual([200, headings.acceptance])
    expect((await visitor.fill(page, { choice: 'else' })).status).toBe(422)
    expect(host.alice().accepted).toBeUndefined()
  })

  it('accepts nothing sooner than it can be read', async () => {
    const host = await startRequired(documents)
    const visitor = openVisitor(host, 0.1)
    const page = await signIn(visitor, host, 'alice')
    const answer = await visitor.fill(page, accepted)
    expect([answer.status, answer.heading]).toEqual([422, headings.acceptance])
    expect(host.alice().accepted).toBeUndefined()
  })

  it('is not asked of whoever signs in to another account', async () => {
    const { host, visitor } = await reach(pages[2] as Required)
    const page = await openSignIn(visitor, host, queryOf(wiki))
    expect(page.heading).toBe('Sign in')
  })
})
