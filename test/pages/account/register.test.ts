// A new account, by the pages: a form, a mailed code, and on to the app that had asked.
import { expect, it } from 'vitest'
import { addressOf } from '../mounted/forms.js'
import { queryOf, wiki } from '../mounted/mounted-host.js'
import { openVisitor, wayTo } from '../mounted/visitor.js'
import {
  linkOn,
  type MailHost,
  type MailSettings,
  newPassword,
  startMailPages,
} from './mail-host.js'

const ada = {
  email: 'ada@example.com',
  username: 'Ada',
  name: 'Ada Lovelace',
}

const startOpen = ({ accounts, ...settings }: MailSettings = {}) =>
  startMailPages({ ...settings, accounts: { registration: 'open', ...accounts } })

const usersNamed = ({ users }: MailHost, name: string) =>
  [...users.rows.values()].filter(({ username }) => username === name)

it('leads from the sign-in of an app to a new account, and on to the app', async () => {
  const host = await startOpen()
  const visitor = openVisitor(host)
  const signIn = await visitor.open(addressOf(host, 'authorize'))
  const form = await visitor.open(linkOn(signIn, 'Create an account'))
  expect(form.heading).toBe('Create an account')
  const asked = await visitor.fill(form, ada)
  expect([asked.status, asked.heading]).toEqual([200, 'Type the code'])
  expect(asked.text).toContain('At least <bdi>15</bdi> characters')
  expect(usersNamed(host, 'Ada')).toEqual([])
  const done = await visitor.fill(asked, {
    code: await host.code('register'),
    password: newPassword,
  })
  const { origin, searchParams } = wayTo(done) as URL
  expect([origin, searchParams.get('state')]).toEqual(['https://wiki.example.com', 'af0ifjsldkj'])
  expect(usersNamed(host, 'Ada')).toMatchObject([
    { email: 'ada@example.com', emailVerified: true, name: 'Ada Lovelace', locale: 'en' },
  ])
  // The browser is signed in from then on.
  const account = await visitor.open(`${host.base}/account`)
  expect(account.text).toContain('<bdi><b>Ada Lovelace</b></bdi> <bdi>Ada</bdi>')
})

it('comes at once where an app asks for a new account, which satisfies it', async () => {
  const host = await startOpen()
  const visitor = openVisitor(host)
  const create = queryOf(wiki, { prompt: 'create' })
  const form = await visitor.open(addressOf(host, 'authorize', create))
  expect(form.heading).toBe('Create an account')
  const signIn = await visitor.open(linkOn(form, 'I have an account already'))
  expect(signIn.heading).toBe('Sign in')
  const asked = await visitor.fill(form, ada)
  const done = await visitor.fill(asked, {
    code: await host.code('register'),
    password: newPassword,
  })
  expect(wayTo(done)?.searchParams.has('code')).toBe(true)
})

it('leads without an app to the account page, in the language of its reader', async () => {
  const host = await startOpen()
  const visitor = openVisitor(host)
  const form = await visitor.open(`${host.base}/account/register?&language=de`)
  const asked = await visitor.fill(form, ada)
  const done = await visitor.fill(asked, {
    code: await host.code('register'),
    password: newPassword,
  })
  expect([done.heading, new URL(done.url).pathname]).toEqual(['Dein Konto', '/api/v1/account'])
  expect(usersNamed(host, 'Ada')).toMatchObject([{ locale: 'de' }])
  expect((await host.mailed('register'))[0]?.subject).toMatch(/^Bestätige/)
})

it('says what is wrong, and keeps what was typed', async () => {
  const host = await startOpen()
  const visitor = openVisitor(host)
  const form = await visitor.open(`${host.base}/account/register`)
  for (const [change, text] of [
    [{ email: 'ada' }, 'This is no e-mail address.'],
    [{ username: 'alice' }, 'This user name is taken.'],
    [{ username: 'A\u200bda' }, 'This name cannot be used.'],
    [{ name: '' }, 'This name cannot be used.'],
  ] as const) {
    const page = await visitor.fill(form, { ...ada, ...change })
    expect([page.status, page.heading]).toEqual([422, 'Create an account'])
    expect(page.text).toContain(text)
    expect(page.text).toContain(
      'value="Ada Lovelace"'.replace('Ada Lovelace', change.name ?? ada.name),
    )
  }
  expect(host.mails).toEqual([])
})

it('asks for another name without another mail, if somebody was quicker', async () => {
  const host = await startOpen()
  const visitor = openVisitor(host)
  const asked = await visitor.fill(await visitor.open(`${host.base}/account/register`), ada)
  const code = await host.code('register')
  host.users.add({ id: 'u-other', username: 'ada', email: 'other@example.com' })
  const password = newPassword
  const again = await visitor.fill(asked, { code, password })
  expect([again.status, again.heading]).toEqual([422, 'Type the code'])
  expect(again.text).toContain('This user name is taken.')
  const short = await visitor.fill(again, { code, username: 'Ada2', password: 'short' })
  expect([short.status, short.text.includes('It is too short')]).toEqual([422, true])
  expect(short.text).toContain('value="Ada2"')
  const done = await visitor.fill(short, { code, username: 'Ada2', password })
  expect(done.heading).toBe('Your account')
  expect(await host.mailed('register')).toHaveLength(1)
})

it('takes a code that was mistyped once more, and tells nobody whether an address is known', async () => {
  const host = await startOpen()
  const visitor = openVisitor(host)
  const form = await visitor.open(`${host.base}/account/register`)
  const known = await visitor.fill(form, { ...ada, email: 'alice@example.com' })
  const unknown = await visitor.fill(form, ada)
  expect([known.status, known.heading]).toEqual([unknown.status, unknown.heading])
  const code = await host.code('register')
  expect(await host.mailed('address-taken')).toHaveLength(1)
  const password = newPassword
  const wrong = await visitor.fill(unknown, { code: '00000000', password })
  expect([wrong.status, wrong.heading]).toEqual([422, 'Type the code'])
  expect((await visitor.fill(known, { code: '00000000', password })).text).toContain('This code')
  expect((await visitor.fill(wrong, { code, password })).heading).toBe('Your account')
})

it('is for whoever is invited, where the host wants that, with the address of the invitation', async () => {
  const host = await startOpen({ accounts: { registration: 'invited' } })
  const visitor = openVisitor(host)
  const closed = await visitor.open(`${host.base}/account/register`)
  expect([closed.status, closed.heading]).toEqual([403, 'You need an invitation'])
  const signIn = await visitor.open(addressOf(host, 'authorize'))
  expect(signIn.text).not.toContain('Create an account')
  const { url, token } = await host.host().auth.accounts.invite({ email: 'ada@example.com' })
  host.host().issued.add(token)
  const form = await visitor.open(url)
  expect(form.text).toContain('value="ada@example.com"')
  const asked = await visitor.fill(form, { ...ada, email: 'ada@example.com' })
  const done = await visitor.fill(asked, {
    code: await host.code('register'),
    password: newPassword,
  })
  expect(done.heading).toBe('Your account')
  const used = await openVisitor(host).open(url)
  expect([used.status, used.heading]).toEqual([400, 'This link was used already'])
})

it('needs no password where codes by mail sign users in', async () => {
  const host = await startOpen({ accounts: { emailSignIn: true } })
  const visitor = openVisitor(host)
  const form = await visitor.open(`${host.base}/account/register`)
  const asked = await visitor.fill(form, ada)
  expect(asked.text).toContain('You can leave the password empty')
  const code = await host.code('register')
  const refused = await visitor.fill(asked, { code, password: 'short' })
  expect(refused.text).toContain('It is too short')
  const done = await visitor.fill(refused, { code, password: '' })
  expect(done.heading).toBe('Your account')
  expect(usersNamed(host, 'Ada')).toMatchObject([{ passwordHash: null }])
})

it('leads a new user who must have a second factor to its enrolment', async () => {
  const secondFactor = { policy: () => 'required' as const }
  const host = await startOpen({ options: { secondFactor } })
  const visitor = openVisitor(host)
  const asked = await visitor.fill(
    await visitor.open(`${host.base}/account/register?${queryOf(wiki)}`),
    ada,
  )
  const done = await visitor.fill(asked, {
    code: await host.code('register'),
    password: newPassword,
  })
  expect(done.heading).toBe('Set up a second factor')
})

it('is not there without the option', async () => {
  const host = await startMailPages()
  for (const page of ['register', 'register/confirm', 'invitation'])
    expect((await openVisitor(host).get(`${host.base}/account/${page}`)).status).toBe(404)
})
