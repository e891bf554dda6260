// Signing in by a mailed code, on the pages: from the app, and back to it.
import { describe, expect, it } from 'vitest'
import { totpCode } from '../../../src/testing/testing.js'
import { password, totpSecret } from '../../support/host.js'
import { addressOf, openSignIn, signIn } from '../mounted/forms.js'
import { queryOf, recoveryCodes, wiki } from '../mounted/mounted-host.js'
import { openVisitor, type PageAnswer, type Visitor, wayTo } from '../mounted/visitor.js'
import { choicesOn } from './account-visitor.js'
import { linkOn, type MailHost, type MailSettings, startMailPages } from './mail-host.js'

const startCodes = ({ accounts, ...settings }: MailSettings = {}) =>
  startMailPages({ ...settings, accounts: { emailSignIn: true, ...accounts } })

/** Goes from an app to the page where the code is typed. */
async function askFor(
  host: MailHost,
  visitor: Visitor,
  username = 'alice',
  query = queryOf(wiki),
): Promise<PageAnswer> {
  const first = await visitor.open(addressOf(host, 'authorize', query))
  const form = await visitor.open(linkOn(first, 'Sign in by e-mail'))
  return visitor.fill(form, { username })
}

describe('a mailed code', () => {
  it('leads from the sign-in page to the app that had asked', async () => {
    const host = await startCodes()
    const visitor = openVisitor(host)
    const first = await visitor.open(addressOf(host, 'authorize'))
    const form = await visitor.open(linkOn(first, 'Sign in by e-mail'))
    expect([form.status, form.heading]).toEqual([200, 'Sign in by e-mail'])
    const asked = await visitor.fill(form, { username: 'alice' })
    expect([asked.status, asked.heading]).toEqual([200, 'Sign in by e-mail'])
    expect(asked.text).toContain('If this account exists, a code is on its way')
    expect(asked.text).not.toContain('alice')
    const code = (await host.code('sign-in-code')).replace(/(.{4})/, '$1 ')
    const done = await visitor.fill(asked, { code, stay: 'yes' })
    const { origin, searchParams } = wayTo(done) as URL
    expect([origin, searchParams.has('code')]).toEqual(['https://wiki.example.com', true])
    expect(searchParams.get('state')).toBe('af0ifjsldkj')
    // The browser is signed in from then on.
    expect((await visitor.open(`${host.base}/account`)).heading).toBe('Your account')
  })

  it('is followed by the second factor, as a password is', async () => {
    const host = await startCodes()
    const visitor = openVisitor(host)
    const asked = await askFor(host, visitor, 'bob')
    const due = await visitor.fill(asked, { code: await host.code('sign-in-code') })
    expect(due.heading).toBe('Confirm that it is you')
    const wrong = await visitor.fill(due, { code: '000000' })
    expect([wrong.status, wrong.heading]).toEqual([422, 'Confirm that it is you'])
    const done = await visitor.fill(wrong, { code: totpCode(totpSecret, host.clock()) })
    expect(wayTo(done)?.searchParams.has('code')).toBe(true)
  })

  it('is followed by a recovery code', async () => {
    const host = await startCodes()
    const visitor = openVisitor(host)
    const asked = await askFor(host, visitor, 'bob')
    const due = await visitor.fill(asked, { code: await host.code('sign-in-code') })
    const recovery = await visitor.open(due.url.replace('/second-factor?', '/recovery-code?'))
    const done = await visitor.fill(recovery, { code: recoveryCodes[0] as string })
    expect(wayTo(done)?.searchParams.has('code')).toBe(true)
  })

  it('leads a user who must have a second factor to the enrolment', async () => {
    const host = await startCodes()
    host.users.change('u-carol', { email: 'carol@example.com', emailVerified: true })
    const visitor = openVisitor(host)
    const asked = await askFor(host, visitor, 'carol@example.com')
    const done = await visitor.fill(asked, { code: await host.code('sign-in-code') })
    expect(done.heading).toBe('Set up a second factor')
  })

  it('signs in to another account than the one that is signed in', async () => {
    const host = await startCodes()
    const visitor = openVisitor(host)
    await signIn(visitor, host, 'alice')
    const form = await visitor.open(linkOn(await openSignIn(visitor, host), 'Sign in by e-mail'))
    const asked = await visitor.fill(form, { username: 'bob' })
    const due = await visitor.fill(asked, { code: await host.code('sign-in-code') })
    const done = await visitor.fill(due, { code: totpCode(totpSecret, host.clock()) })
    expect(wayTo(done)?.searchParams.has('code')).toBe(true)
    expect((await visitor.open(`${host.base}/account`)).text).toContain('bob')
  })

  it('is in the language of the reader, and back is the password', async () => {
    const host = await startCodes()
    const visitor = openVisitor(host)
    const first = await visitor.open(`${addressOf(host, 'authorize')}&language=de`)
    const form = await visitor.open(linkOn(first, 'Mit E-Mail anmelden'))
    expect(form.heading).toBe('Mit E-Mail anmelden')
    const asked = await visitor.fill(form, { username: 'alice' })
    const back = await visitor.open(linkOn(asked, 'Mit Passwort anmelden'))
    expect(back.heading).toBe('Anmelden')
    const done = await visitor.fill(back, { username: 'alice', password })
    expect(wayTo(done)?.searchParams.has('code')).toBe(true)
  })

  it('says so to a user whose second factor is a code by mail as well', async () => {
    const host = await startCodes({ accounts: { emailSecondFactor: true } })
    host.users.change('u-alice', { emailFactor: true })
    const visitor = openVisitor(host)
    const asked = await askFor(host, visitor)
    const refused = await visitor.fill(asked, { code: await host.code('sign-in-code') })
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('Sign in with your password')
    const signIn = await visitor.open(linkOn(refused, 'Sign in with a password'))
    const due = await visitor.fill(signIn, { username: 'alice', password })
    const done = await visitor.fill(due, { code: await host.code('second-factor-code') })
    expect(wayTo(done)?.searchParams.has('code')).toBe(true)
  })

  it('that did not arrive is asked for again, perhaps for another name', async () => {
    const host = await startCodes()
    const visitor = openVisitor(host)
    const asked = await askFor(host, visitor, 'alcie')
    const wrong = await visitor.fill(asked, { code: '12345678' })
    expect([wrong.status, choicesOn(wrong)]).toEqual([422, ['again']])
    const form = await visitor.fill(wrong, { choice: 'again' })
    const again = await visitor.fill(form, { username: 'alice' })
    const done = await visitor.fill(again, { code: await host.code('sign-in-code') })
    expect(wayTo(done)?.searchParams.has('code')).toBe(true)
  })
})

describe('without the option', () => {
  it('the sign-in page does not speak of it, and there is no such page', async () => {
    const host = await startMailPages()
    const visitor = openVisitor(host)
    const first = await visitor.open(addressOf(host, 'authorize'))
    expect(first.text).not.toContain('Sign in by e-mail')
    expect((await visitor.open(addressOf(host, 'code'))).status).toBe(404)
  })
})

describe('an attack', () => {
  it('by a code in another browser comes to nothing: the request is sealed for this one', async () => {
    const host = await startCodes()
    const victim = openVisitor(host)
    const asked = await askFor(host, victim)
    const code = await host.code('sign-in-code')
    const thief = openVisitor(host)
    const stolen = await thief.open(asked.url)
    // The page begins anew there.
    expect(stolen.text).toContain('name="username"')
    expect(stolen.text).not.toContain('name="code"')
    const posted = await thief.post(asked, { code })
    expect([posted.status, posted.headers['set-cookie'] ?? []]).not.toEqual([303, []])
    expect((await host.stores.sessions.listForUser('u-alice', host.clock())).length).toBe(0)
    expect(wayTo(await victim.fill(asked, { code }))?.searchParams.has('code')).toBe(true)
  })

  it('by a form of another site, or without its token, does nothing', async () => {
    const host = await startCodes()
    const visitor = openVisitor(host)
    const first = await visitor.open(addressOf(host, 'authorize'))
    const form = await visitor.open(linkOn(first, 'Sign in by e-mail'))
    const foreign = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }
    expect((await visitor.post(form, { username: 'alice' }, foreign)).status).toBe(403)
    expect((await visitor.send(form.url, 'username=alice')).status).toBe(403)
    expect(await host.mailed('sign-in-code')).toEqual([])
  })

  it('tells nobody who has an account', async () => {
    const host = await startCodes()
    const bodies = new Set<string>()
    for (const username of ['alice', 'nobody', 'carol']) {
      const visitor = openVisitor(host)
      const asked = await askFor(host, visitor, username)
      await host.mailed('sign-in-code')
      const wrong = await visitor.fill(asked, { code: '1234567' })
      for (const { status, text } of [asked, wrong])
        bodies.add(`${status} ${text.replaceAll(/flow=[\w.-]+|value="[\w.-]{20,}"/g, '')}`)
    }
    expect(bodies.size).toBe(2)
  })

  it('by guesses ends after five, whatever comes then', async () => {
    const host = await startCodes()
    const visitor = openVisitor(host)
    let page = await askFor(host, visitor)
    const code = await host.code('sign-in-code')
    const guess = code === '00000000' ? '11111111' : '00000000'
    for (let i = 0; i < 5; i += 1) page = await visitor.fill(page, { code: guess })
    expect([page.status, (await visitor.fill(page, { code })).status]).toEqual([422, 422])
    expect((await host.stores.sessions.listForUser('u-alice', host.clock())).length).toBe(0)
  })

  it('by a name that is none is refused, and too many requests are', async () => {
    const host = await startCodes()
    const visitor = openVisitor(host)
    const wrong = await askFor(host, visitor, ' ')
    expect(wrong.status).toBe(422)
    for (let i = 0; i < 3; i += 1) await askFor(host, visitor)
    expect((await askFor(host, visitor)).status).toBe(429)
  })

  it('by a double click opens one session, and the second answer leads on as well', async () => {
    const host = await startCodes()
    const visitor = openVisitor(host)
    const asked = await askFor(host, visitor)
    const code = await host.code('sign-in-code')
    const [one, other] = await Promise.all([
      visitor.post(asked, { code }),
      visitor.post(asked, { code }),
    ])
    expect([one.status, other.status]).toEqual([303, 303])
    expect((await host.stores.sessions.listForUser('u-alice', host.clock())).length).toBe(1)
  })
})
