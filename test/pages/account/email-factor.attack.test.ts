// Codes by mail are switched by their user alone, on the page, and once.
import { expect, it } from 'vitest'
import { openVisitor } from '../mounted/visitor.js'
import { openAccount } from './account-visitor.js'
import { type MailHost, startMailPages } from './mail-host.js'

const isOn = (host: MailHost) => host.users.rows.get('u-alice')?.emailFactor === true

async function openFactor() {
  const host = await startMailPages({ accounts: { emailSecondFactor: true } })
  const { visitor } = await openAccount(host)
  return { host, visitor, page: await visitor.open(`${host.base}/account/second-factor`) }
}

it('no GET, and no form of another site, browser or user, or without token, switches', async () => {
  const { host, visitor, page } = await openFactor()
  const choice = 'email-on'
  const { visitor: dora } = await openAccount(host, 'dora')
  await visitor.open(`${page.url}&choice=${choice}`)
  const foreign = { 'Sec-Fetch-Site': 'same-site', Origin: 'https://evil.example' }
  expect((await visitor.post(page, { choice }, foreign)).status).toBe(403)
  expect((await visitor.post(page, { choice, csrf: 'x' })).status).toBe(403)
  expect((await openVisitor(host).post(page, { choice })).status).toBe(303)
  expect((await dora.post(page, { choice })).status).toBe(403)
  expect(isOn(host)).toBe(false)
  expect((await visitor.fill(page, { choice })).status).toBe(200)
  expect(isOn(host)).toBe(true)
})

it('a copy of the cookie from before the change does nothing', async () => {
  const { host, visitor, page } = await openFactor()
  const thief = openVisitor(host)
  for (const [name, value] of visitor.cookies) thief.cookies.set(name, value)
  await visitor.fill(page, { choice: 'email-on' })
  const answer = await thief.post(page, { choice: 'email-off', sure: 'yes' })
  expect([answer.headers['set-cookie'], isOn(host)]).toEqual([undefined, true])
  host.clock.advance(11)
  expect((await thief.post(page, { choice: 'email-off', sure: 'yes' })).headers.location).toContain(
    '/sign-in',
  )
  expect(isOn(host)).toBe(true)
})

it('a session that has not shown a code switches nothing off', async () => {
  const { host, visitor, page } = await openFactor()
  const on = await visitor.fill(page, { choice: 'email-on' })
  const off = await visitor.post(on, { choice: 'email-off', sure: 'yes' })
  expect([off.headers.location?.includes('/sign-in'), isOn(host)]).toEqual([true, true])
})

it('of twenty forms at once one switches, and none fails', async () => {
  const { host, visitor, page } = await openFactor()
  const cookies = [...visitor.cookies]
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => {
      const tab = openVisitor(host)
      for (const [name, value] of cookies) tab.cookies.set(name, value)
      return tab.post(page, { choice: 'email-on' })
    }),
  )
  expect(answers.filter(({ text }) => text.includes('You have switched on'))).toHaveLength(1)
  expect(answers.filter(({ status }) => status >= 500)).toEqual([])
  expect(isOn(host)).toBe(true)
})

it('mails that a thief of the password has used up leave the owner the code in the mailbox', async () => {
  const host = await startMailPages({
    accounts: { emailSecondFactor: true },
    options: { throttle: {} },
  })
  host.users.change('u-alice', { emailFactor: true })
  for (let i = 0; i < 3; i += 1) await openAccount(host)
  const { visitor, page } = await openAccount(host)
  expect([page.status, page.heading]).toEqual([200, 'Confirm that it is you'])
  expect(page.text).toContain('A code was sent to you.')
  expect(await host.mailed('second-factor-code')).toHaveLength(3)
  const account = await visitor.fill(page, { code: await host.code('second-factor-code') })
  expect(account.heading).toBe('Your account')
})
