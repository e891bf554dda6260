// What a user must do first, on the pages of a sign-in, each by itself and all after each other.
import { describe, expect, it } from 'vitest'
import type { Mail } from '../../../src/index.js'
import { totpCode } from '../../../src/testing/testing.js'
import { password, totpSecret } from '../../support/host.js'
import { newPassword } from '../account/mail-host.js'
import { addressOf, signIn } from './forms.js'
import { queryOf, startMounted, tracker, wiki } from './mounted-host.js'
import { givePasskey, signedFor, startPasskeyPages } from './passkey-host.js'
import {
  anotherPassword,
  enrol,
  hasCode,
  headings,
  startRequired,
  toldBy,
  typeMailedCode,
} from './required-host.js'
import { openVisitor, type PageAnswer } from './visitor.js'

const mustChange = { alice: { mustChangePassword: true } }
const unproven = { provenAddress: true, alice: { emailVerified: false } }
const documents = { documents: true }

describe('/oauth/new-password', () => {
  it('sets another password, and then the client has its code', async () => {
    const host = await startRequired(mustChange)
    const visitor = openVisitor(host)
    const page = await signIn(visitor, host, 'alice')
    expect(page.heading).toBe(headings.password)
    expect(page.text).toContain('You must set another password before you go on.')
    expect(hasCode(await visitor.fill(page, anotherPassword))).toBe(true)
    expect(host.alice().mustChangePassword).toBe(false)
    const later = openVisitor(host)
    const asked = await later.open(addressOf(host, 'authorize'))
    expect((await later.fill(asked, { username: 'alice', password })).heading).toBe('Sign in')
    const typed = { username: 'alice', password: newPassword }
    expect(hasCode(await later.fill(asked, typed))).toBe(true)
  })

  it('sets a temporary password of the desk anew', async () => {
    const host = await startRequired()
    const made = await host.host().auth.accounts.setTemporaryPassword('u-alice', { by: 'desk' })
    const temporary = made?.password ?? ''
    const visitor = openVisitor(host)
    const asked = await visitor.open(addressOf(host, 'authorize'))
    const page = await visitor.fill(asked, { username: 'alice', password: temporary })
    expect(page.heading).toBe(headings.password)
    const same = await visitor.fill(page, { present: temporary, password: temporary })
    expect(same.text).toContain('It is the one that you must change.')
    const done = await visitor.fill(same, { present: temporary, password: newPassword })
    expect(hasCode(done)).toBe(true)
    expect(host.alice().passwordUntil).toBe(null)
  })

  it('asks a user in a remembered browser for the second factor', async () => {
    const options = { secondFactor: { remember: { days: 30 } } }
    const host = await startRequired({ options })
    const visitor = openVisitor(host)
    const code = () => {
      host.clock.advance(30)
      return totpCode(totpSecret, host.clock())
    }
    const first = await signIn(visitor, host, 'bob')
    expect(hasCode(await visitor.fill(first, { code: code(), remember: 'yes' }))).toBe(true)
    expect(hasCode(await signIn(visitor, host, 'bob', queryOf(wiki)))).toBe(true)
    host.users.change('u-bob', { mustChangePassword: true })
    host.clock.advance(60)
    // Also in the session that is there, which has shown no second factor.
    for (const from of ['sign-in', 'authorize']) {
      const page = await visitor.open(addressOf(host, from))
      expect(page.heading).toBe('Sign in')
      const asked = await visitor.fill(page, { username: 'bob', password })
      expect(asked.heading).toBe('Confirm that it is you')
    }
    const asked = await signIn(visitor, host, 'bob')
    const page = await visitor.fill(asked, { code: code() })
    expect(page.heading).toBe(headings.password)
    expect(hasCode(await visitor.fill(page, anotherPassword))).toBe(true)
  })
})

describe('/oauth/address', () => {
  it('proves the address by a mailed code, and then the client has its code', async () => {
    const host = await startRequired(unproven)
    const visitor = openVisitor(host)
    const page = await signIn(visitor, host, 'alice')
    expect(page.heading).toBe(headings.address)
    expect(page.text).toContain('You need a confirmed address before you go on.')
    const asked = await visitor.fill(page, { choice: 'verify' })
    expect(asked.heading).toBe(headings.code)
    expect(hasCode(await typeMailedCode(visitor, host, asked))).toBe(true)
    expect(host.alice().emailVerified).toBe(true)
  })

  it('sets another address for a user who has none, or a wrong one', async () => {
    for (const email of [null, 'alice@exmaple.com']) {
      const host = await startRequired({ ...unproven, alice: { email, emailVerified: false } })
      const visitor = openVisitor(host)
      const page = await signIn(visitor, host, 'alice')
      const typed = { email: 'new@example.com', present: password }
      const asked = await visitor.fill(page, typed)
      expect(asked.heading).toBe(headings.code)
      expect(hasCode(await typeMailedCode(visitor, host, asked, 'change-address'))).toBe(true)
      expect(host.alice()).toMatchObject({ email: 'new@example.com', emailVerified: true })
    }
  })

  it('leads back from the code to the address, for another one', async () => {
    const host = await startRequired(unproven)
    const visitor = openVisitor(host)
    const page = await signIn(visitor, host, 'alice')
    const asked = await visitor.fill(page, { choice: 'verify' })
    const back = await visitor.fill(asked, { choice: 'again' })
    expect(back.heading).toBe(headings.address)
    const again = await visitor.fill(back, { email: 'new@example.com', present: password })
    expect(hasCode(await typeMailedCode(visitor, host, again, 'change-address'))).toBe(true)
  })

  it('asks a user without a password for a new sign-in where the last is ten minutes old', async () => {
    const mails: Mail[] = []
    const accounts = {
      mail: { send: async (mail: Mail) => void mails.push(mail) },
      provenAddress: true,
    }
    const host = await startPasskeyPages({ options: { accounts } })
    host.users.change('u-alice', { passwordHash: null, email: null })
    const passkey = await givePasskey(host, 'u-alice')
    const visitor = openVisitor(host)
    const show = (at: PageAnswer) => visitor.fill(at, { passkey: signedFor(host, at, passkey) })
    const page = await show(await visitor.open(addressOf(host, 'authorize')))
    expect(page.heading).toBe(headings.address)
    expect(page.text).not.toContain('type="password"')
    host.clock.advance(11 * 60)
    const again = await visitor.fill(page, { email: 'new@example.com' })
    expect(again.heading).toBe('Sign in')
    const now = await show(again)
    expect(now.heading).toBe(headings.address)
    const asked = await visitor.fill(now, { email: 'new@example.com' })
    await expect.poll(() => mails.length).toBe(1)
    const code = mails[0]?.code ?? ''
    host.host().issued.add(code)
    expect(hasCode(await visitor.fill(asked, { code }))).toBe(true)
  })

  it('changes it in a remembered browser once the second factor is shown', async () => {
    const options = { secondFactor: { remember: { days: 30 } } }
    const host = await startRequired({ provenAddress: true, options })
    const visitor = openVisitor(host)
    const code = () => {
      host.clock.advance(30)
      return totpCode(totpSecret, host.clock())
    }
    const first = await signIn(visitor, host, 'bob')
    expect(hasCode(await visitor.fill(first, { code: code(), remember: 'yes' }))).toBe(true)
    host.users.change('u-bob', { emailVerified: false })
    visitor.cookies.delete('mar_session_dev')
    const page = await signIn(visitor, host, 'bob')
    expect(page.heading).toBe(headings.address)
    const typed = { email: 'new@example.com', present: password }
    const again = await visitor.fill(page, typed)
    expect(again.heading).toBe('Sign in')
    const asked = await visitor.fill(again, { username: 'bob', password })
    const now = await visitor.fill(asked, { code: code() })
    expect(now.heading).toBe(headings.address)
    const mailed = await visitor.fill(now, typed)
    expect(hasCode(await typeMailedCode(visitor, host, mailed, 'change-address'))).toBe(true)
  })
})

describe('/oauth/acceptance', () => {
  it('stores what the user accepts, and then the client has its code', async () => {
    const host = await startRequired(documents)
    const visitor = openVisitor(host)
    const page = await signIn(visitor, host, 'alice')
    expect(page.heading).toBe(headings.acceptance)
    for (const link of ['https://example.com/terms', 'https://example.com/privacy'])
      expect(page.text).toContain(`<a href="${link}" target="_blank" rel="noopener">`)
    expect(hasCode(await visitor.fill(page, { choice: 'accept' }))).toBe(true)
    expect(host.alice().accepted).toMatchObject([
      { id: 'terms', version: '1' },
      { id: 'privacy', version: '1' },
    ])
    expect(hasCode(await signIn(openVisitor(host), host, 'alice'))).toBe(true)
  })

  it('is what a session meets when terms are new, without another sign-in', async () => {
    const host = await startRequired(documents)
    const visitor = openVisitor(host)
    await visitor.fill(await signIn(visitor, host, 'alice'), { choice: 'accept' })
    await host.publish('2')
    const page = await visitor.open(addressOf(host, 'authorize'))
    expect(page.heading).toBe(headings.acceptance)
    expect(page.text).not.toContain('https://example.com/privacy')
    const last = await visitor.fill(page, { choice: 'accept' })
    expect(hasCode(last)).toBe(true)
    // Browsers block a redirect to another site after a form: a page leads there.
    expect(last.status).toBe(200)
    expect(last.heading).toBe('One moment')
  })
})

describe('All of it', () => {
  const all = {
    documents: true,
    provenAddress: true,
    alice: { mustChangePassword: true, emailVerified: false },
    options: { secondFactor: () => 'required' as const },
  }

  it.each([{}, { prompt: 'login' }, { max_age: '0' }])(
    'comes after each other in one sign-in: %j',
    async (change) => {
      const host = await startRequired(all)
      const visitor = openVisitor(host)
      let page = await signIn(visitor, host, 'alice', queryOf(tracker, change))
      const shown = [page.heading]
      const go = async (next: Promise<typeof page>) => {
        page = await next
        shown.push(page.heading)
      }
      await go(visitor.fill(page, anotherPassword))
      await go(visitor.fill(page, { choice: 'verify' }))
      await go(typeMailedCode(visitor, host, page))
      await go(enrol(visitor, host, page))
      await go(visitor.fill(page, { choice: 'accept' }))
      const { password: set, address, code, enrolment, acceptance } = headings
      expect(shown).toEqual([set, address, code, enrolment, acceptance, 'Allow access?'])
      expect(hasCode(await visitor.fill(page, { choice: 'allow' }))).toBe(true)
    },
  )

  it('goes on without another sign-in after two changes that each renew the cookie', async () => {
    const host = await startRequired({ ...all, provenAddress: false })
    const visitor = openVisitor(host)
    const first = await signIn(visitor, host, 'alice', queryOf(wiki, { prompt: 'login' }))
    const enrolment = await visitor.fill(first, anotherPassword)
    expect(enrolment.heading).toBe(headings.enrolment)
    const page = await enrol(visitor, host, enrolment)
    expect(page.heading).toBe(headings.acceptance)
    expect(hasCode(await visitor.fill(page, { choice: 'accept' }))).toBe(true)
  })

  it('leads to a page of the host as well', async () => {
    const host = await startRequired({ ...all, options: {} })
    const visitor = openVisitor(host)
    const asked = await visitor.open(`${host.base}/account`)
    let page = await visitor.fill(asked, { username: 'alice', password })
    page = await visitor.fill(page, anotherPassword)
    page = await visitor.fill(page, { choice: 'verify' })
    page = await typeMailedCode(visitor, host, page)
    page = await visitor.fill(page, { choice: 'accept' })
    expect(page.heading).toBe('Your account')
  })

  it('is interaction_required for an app that wants no page', async () => {
    for (const settings of [mustChange, unproven, documents]) {
      const host = await startRequired(settings)
      const visitor = openVisitor(host)
      await signIn(visitor, host, 'alice')
      const silent = addressOf(host, 'authorize', queryOf(wiki, { prompt: 'none' }))
      expect(toldBy(await visitor.get(silent))['error']).toBe('interaction_required')
    }
  })
})

it('a host that sets no passwords tells the client that the user may not go on', async () => {
  const users = (table: Parameters<NonNullable<Settings['users']>>[0]) =>
    table.change('u-alice', { mustChangePassword: true })
  const host = await startMounted({ users })
  const last = await signIn(openVisitor(host), host, 'alice')
  expect(toldBy(last)).toMatchObject({ error: 'access_denied' })
})

type Settings = NonNullable<Parameters<typeof startMounted>[0]>
