// Users switch codes by mail on and off on the page of the second factor.
import { expect, it } from 'vitest'
import { openVisitor, type PageAnswer, type Visitor } from '../mounted/visitor.js'
import { alice, choicesOn, openAccount, sessionsOf } from './account-visitor.js'
import { linkOn, type MailHost, type MailSettings, startMailPages } from './mail-host.js'

const withCodes = ({ accounts, ...settings }: MailSettings = {}) =>
  startMailPages({ accounts: { emailSecondFactor: true, ...accounts }, ...settings })

const pathOf = ({ base }: MailHost) => `${base}/account/second-factor`
const isOn = (host: MailHost) => host.users.rows.get('u-alice')?.emailFactor === true
const noted = ({ text }: PageAnswer) => /role="status">([^<]*)</.exec(text)?.[1]
const cookieOf = ({ headers }: PageAnswer) => String(headers['set-cookie'])

/** Alice, who has just signed in, on the page of the second factor. */
async function openFactor(host: MailHost) {
  const { visitor } = await openAccount(host)
  return { visitor, page: await visitor.open(pathOf(host)) }
}

/** Alice, whose codes by mail are on, and who has shown one. */
async function openWithCode(host: MailHost) {
  host.users.change('u-alice', { emailFactor: true })
  const visitor = openVisitor(host)
  const factor = await visitor.fill(await visitor.open(pathOf(host)), alice)
  const page = await visitor.fill(factor, { code: await host.code('second-factor-code') })
  return { visitor, page }
}

/** Another browser with the same cookies. */
function copyOf(host: MailHost, { cookies }: Visitor): Visitor {
  const copy = openVisitor(host)
  for (const [name, value] of cookies) copy.cookies.set(name, value)
  return copy
}

it('switches them on, says so, ends other sessions, and asks for a code from then on', async () => {
  const host = await withCodes()
  await openAccount(host)
  const { visitor, page } = await openFactor(host)
  expect(choicesOn(page)).toEqual(['begin', 'email-on'])
  expect(page.text).toContain('Codes by mail are off.')
  const copy = copyOf(host, visitor)
  const on = await visitor.fill(page, { choice: 'email-on' })
  expect([on.status, noted(on)]).toEqual([200, 'You have switched on codes by mail.'])
  expect([on.text.includes('Codes by mail are on.'), choicesOn(on)]).toEqual([
    true,
    ['begin', 'email-off'],
  ])
  expect([isOn(host), (await sessionsOf(host)).length]).toEqual([true, 1])
  expect(cookieOf(on)).toContain('mar_session_dev=')
  const before = copy.cookies.get('mar_session_dev')
  expect(visitor.cookies.get('mar_session_dev')).not.toBe(before)
  expect(await host.mailed('factor-changed')).toHaveLength(1)
  const next = await openAccount(host)
  expect(next.page.heading).toBe('Confirm that it is you')
  const code = await host.code('second-factor-code')
  const account = await next.visitor.fill(next.page, { code })
  expect(account.heading).toBe('Your account')
  expect(account.text).toContain('Codes by mail are on.')
})

it('switches them off, and says so', async () => {
  const host = await withCodes()
  await openWithCode(host)
  const { visitor, page } = await openWithCode(host)
  expect([page.heading, choicesOn(page)]).toEqual(['Second factor', ['begin', 'email-off']])
  const off = await visitor.fill(page, { choice: 'email-off', sure: 'yes' })
  expect([off.status, noted(off)]).toEqual([200, 'You have switched off codes by mail.'])
  expect(choicesOn(off)).toEqual(['begin', 'email-on'])
  expect([isOn(host), (await sessionsOf(host)).length]).toEqual([false, 1])
  expect(cookieOf(off)).toContain('mar_session_dev=')
  expect((await visitor.open(`${host.base}/account`)).heading).toBe('Your account')
  expect((await openAccount(host)).page.heading).toBe('Your account')
})

it('leads to the address where it is not proven, and switches nothing on', async () => {
  const host = await withCodes()
  const { visitor, page } = await openFactor(host)
  host.users.change('u-alice', { emailVerified: false })
  const refused = await visitor.fill(page, { choice: 'email-on' })
  expect([refused.status, isOn(host), choicesOn(refused)]).toEqual([422, false, ['begin']])
  const shown = await visitor.open(pathOf(host))
  expect(choicesOn(shown)).toEqual(['begin'])
  const address = await visitor.open(linkOn(shown, 'confirm your e-mail address'))
  expect(address.heading).toBe('E-mail address')
})

it('lets a user without a proven address switch them off', async () => {
  const host = await withCodes()
  const { visitor, page } = await openWithCode(host)
  host.users.change('u-alice', { emailVerified: false })
  const off = await visitor.fill(page, { choice: 'email-off', sure: 'yes' })
  expect([off.status, isOn(host), choicesOn(off)]).toEqual([200, false, ['begin']])
})

it('asks for a fresh sign-in, and comes back to the page', async () => {
  const host = await withCodes()
  const { visitor, page } = await openFactor(host)
  host.clock.advance(660)
  const asked = await visitor.fill(page, { choice: 'email-on' })
  expect([asked.heading, isOn(host)]).toEqual(['Sign in', false])
  const back = await visitor.fill(asked, alice)
  expect([back.heading, choicesOn(back)]).toEqual(['Second factor', ['begin', 'email-on']])
})

it('is there where codes by mail are the only second factor', async () => {
  const options = { secondFactors: undefined, secondFactor: undefined } as object
  const host = await withCodes({ options })
  const { visitor, page: account } = await openAccount(host)
  const page = await visitor.open(linkOn(account, 'Change the second factor'))
  expect([page.heading, choicesOn(page)]).toEqual(['Second factor', ['email-on']])
  expect(page.text).not.toContain('authenticator')
  expect(choicesOn(await visitor.fill(page, { choice: 'email-on' }))).toEqual(['email-off'])
  expect(isOn(host)).toBe(true)
})

it('is not there without the option, and does nothing', async () => {
  const host = await startMailPages()
  const { visitor, page } = await openFactor(host)
  expect([choicesOn(page), page.text.includes('by mail')]).toEqual([['begin'], false])
  expect((await visitor.open(`${host.base}/account`)).text).not.toContain('Codes by mail')
  await visitor.fill(page, { choice: 'email-on' })
  expect(isOn(host)).toBe(false)
})

it('says that it is busy while the users are away, and has switched nothing on', async () => {
  const host = await withCodes()
  const { visitor, page } = await openFactor(host)
  const { setEmailFactor } = host.users
  host.users.setEmailFactor = async () => Promise.reject(new Error('the database is away'))
  const busy = await visitor.fill(page, { choice: 'email-on' })
  expect([busy.status, isOn(host)]).toEqual([503, false])
  host.users.setEmailFactor = setEmailFactor
  expect(choicesOn(await visitor.fill(busy, { choice: 'email-on' }))).toContain('email-off')
})
