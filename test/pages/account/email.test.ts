// A signed-in user confirms or changes the address, by a code that is mailed there.
import { expect, it } from 'vitest'
import { password } from '../../support/host.js'
import { openVisitor, type PageAnswer } from '../mounted/visitor.js'
import { tagsOf } from '../support/markup.js'
import { openAccount } from './account-visitor.js'
import { linkOn, type MailHost, startMailPages } from './mail-host.js'

const contactOf = ({ users }: MailHost) => {
  const { email, emailVerified } = users.rows.get('u-alice') ?? {}
  return [email, emailVerified]
}
const stateOf = ({ status, heading }: PageAnswer) => [status, heading]
const typedIn = ({ text }: PageAnswer, name: string) =>
  tagsOf(text).find(({ attributes }) => attributes['name'] === name)?.attributes['value']

async function openEmail(host: MailHost) {
  const { visitor, page } = await openAccount(host)
  return { visitor, page: await visitor.open(linkOn(page, 'Confirm or change the address')) }
}

it('shows the address on the account page, and whether it is confirmed', async () => {
  const host = await startMailPages()
  const { page } = await openAccount(host)
  expect(page.text).toContain('<bdi>alice@example.com</bdi>, confirmed')
  host.users.change('u-alice', { emailVerified: false })
  expect((await openAccount(host)).page.text).toContain('alice@example.com</bdi>, not confirmed')
  host.users.change('u-alice', { email: null })
  expect((await openAccount(host)).page.text).toContain('Your account has no address.')
})

it('confirms the present address by the code', async () => {
  const host = await startMailPages()
  host.users.change('u-alice', { emailVerified: false })
  const { visitor, page } = await openEmail(host)
  const asked = await visitor.fill(page, { choice: 'verify' })
  expect(stateOf(asked)).toEqual([200, 'Type the code'])
  expect(typedIn(asked, 'code')).toBe('')
  const code = await host.code('verify-address')
  const done = await visitor.fill(asked, { code: `${code.slice(0, 4)} ${code.slice(4)}` })
  expect(stateOf(done)).toEqual([200, 'Your address is confirmed'])
  expect(contactOf(host)).toEqual(['alice@example.com', true])
  const again = await visitor.open(`${host.base}/account/email`)
  expect(again.text).not.toContain('value="verify"')
})

it('changes the address by a code that the new one gets, and tells the former one', async () => {
  const host = await startMailPages()
  const { visitor, page } = await openEmail(host)
  const asked = await visitor.fill(page, { email: ' new@example.org ', present: password })
  expect(stateOf(asked)).toEqual([200, 'Type the code'])
  expect(asked.text).toContain('We have mailed a code to <bdi>new@example.org</bdi>.')
  expect(contactOf(host)).toEqual(['alice@example.com', true])
  const done = await visitor.fill(asked, { code: await host.code('change-address') })
  expect(stateOf(done)).toEqual([200, 'Your address is confirmed'])
  expect(contactOf(host)).toEqual(['new@example.org', true])
  expect((await visitor.open(linkOn(done, 'Back to your account'))).text).toContain(
    '<bdi>new@example.org</bdi>, confirmed',
  )
  const [told] = await host.mailed('address-changed')
  expect(told?.to).toBe('alice@example.com')
  await host.link('address-changed')
})

it('fills the code in where the link of the mail is opened in the browser that asked', async () => {
  const host = await startMailPages()
  const { visitor, page } = await openEmail(host)
  await visitor.fill(page, { email: 'new@example.org', present: password })
  const code = await host.code('change-address')
  const [mail] = await host.mailed('change-address')
  const { url = '', text } = mail ?? {}
  expect(text).toContain(`${code.slice(0, 4)} ${code.slice(4)}\n\nOr open this link in the browser`)
  const landing = await visitor.open(url)
  expect(stateOf(landing)).toEqual([200, 'Type the code'])
  expect(typedIn(landing, 'code')).toBe(`${code.slice(0, 4)} ${code.slice(4)}`)
  expect(contactOf(host)).toEqual(['alice@example.com', true])
  const done = await visitor.fill(landing, { code: typedIn(landing, 'code') ?? '' })
  expect(done.heading).toBe('Your address is confirmed')
  const used = await visitor.open(url)
  expect(stateOf(used)).toEqual([400, 'This link was used already'])
  expect(new URL(linkOn(used, 'Ask for a new link')).pathname).toBe('/api/v1/account/email')
})

it('says in any other browser where to type it', async () => {
  const host = await startMailPages()
  const { visitor, page } = await openEmail(host)
  await visitor.fill(page, { email: 'new@example.org', present: password })
  const code = await host.code('change-address')
  const [mail] = await host.mailed('change-address')
  for (const other of [openVisitor(host), (await openAccount(host)).visitor]) {
    const elsewhere = await other.open(mail?.url ?? '')
    expect(stateOf(elsewhere)).toEqual([200, 'Your code'])
    const said = `Type <bdi><b>${code.slice(0, 4)} ${code.slice(4)}</b></bdi> in the window where`
    expect(elsewhere.text.replaceAll(/<\/?bdi>/g, '')).toContain(said.replaceAll(/<\/?bdi>/g, ''))
    expect(elsewhere.text).not.toContain('<form')
  }
  const german = await openVisitor(host).open(`${mail?.url}&language=de`)
  expect(german.heading).toBe('Dein Code')
})

it('says why nothing was mailed, and keeps what was typed', async () => {
  const host = await startMailPages()
  const { visitor, page } = await openEmail(host)
  for (const email of ['', 'no address', 'alice@example.com', 'a@b\r\nBcc: c@example.org']) {
    const again = await visitor.fill(page, { email, present: password })
    expect(stateOf(again)).toEqual([422, 'E-mail address'])
    expect(again.text).toContain('This is not an address that can be used')
  }
  expect(
    typedIn(await visitor.fill(page, { email: 'no address', present: password }), 'email'),
  ).toBe('no address')
  for (let count = 0; count < 3; count += 1)
    await visitor.fill(page, { email: 'new@example.org', present: password })
  const many = await visitor.post(page, { email: 'new@example.org', present: password })
  expect([many.status, many.headers['retry-after']]).toEqual([429, expect.stringMatching(/^\d+$/)])
  expect(await host.mailed('change-address')).toHaveLength(3)
  await host.code('change-address')
})

it('asks for a fresh sign-in, and says that it is busy while a store is away', async () => {
  const host = await startMailPages()
  const { visitor, page } = await openEmail(host)
  const { updateEmail } = host.users
  const asked = await visitor.fill(page, { email: 'new@example.org', present: password })
  const code = await host.code('change-address')
  host.users.updateEmail = async () => Promise.reject(new Error('the database is away'))
  expect((await visitor.post(asked, { code })).status).toBe(503)
  host.users.updateEmail = updateEmail
  expect((await visitor.fill(asked, { code })).heading).toBe('Your address is confirmed')
  host.clock.advance(601)
  const old = await visitor.get(`${host.base}/account/email`)
  expect([old.status, old.headers.location]).toEqual([303, expect.stringContaining('max_age=600')])
  await host.link('address-changed')
})

it('takes a code that the host has asked for, in any browser of its user', async () => {
  const host = await startMailPages()
  host.users.change('u-alice', { emailVerified: false })
  const sent = await host.host().auth.accounts.sendVerification('u-alice')
  const code = await host.code('verify-address')
  expect((await host.mailed('verify-address')).at(-1)?.url).toBeUndefined()
  const url = `${host.base}/account/confirm?request=${sent?.requestId}`
  const { visitor: dora } = await openAccount(host, 'dora')
  expect((await dora.open(url)).heading).toBe('This link does not work')
  const { visitor } = await openAccount(host)
  const done = await visitor.fill(await visitor.open(url), { code })
  expect(done.heading).toBe('Your address is confirmed')
  expect(contactOf(host)).toEqual(['alice@example.com', true])
})

it('changes one address, of twenty forms of one code at once', async () => {
  const host = await startMailPages()
  const { visitor, page } = await openEmail(host)
  const asked = await visitor.fill(page, { email: 'new@example.org', present: password })
  const code = await host.code('change-address')
  const answers = await Promise.all(Array.from({ length: 20 }, () => visitor.post(asked, { code })))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status >= 500)).toEqual([])
  await host.link('address-changed')
  expect(await host.mailed('address-changed')).toHaveLength(1)
})

it('is not there where users cannot be written, nor without the account page', async () => {
  const host = await startMailPages({
    users: (users) => Object.assign(users, { updateEmail: undefined }),
  })
  const { page } = await openAccount(host)
  expect(page.text).not.toContain('E-mail address')
  const without = await startMailPages({ pages: { account: false } })
  for (const one of [host, without])
    for (const name of ['email', 'confirm'])
      expect((await openVisitor(one).get(`${one.base}/account/${name}`)).status).toBe(404)
})
