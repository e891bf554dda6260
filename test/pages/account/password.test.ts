// A signed-in user changes the password, on the account page.
import { expect, it } from 'vitest'
import { totpCode } from '../../../src/testing/testing.js'
import { password, totpSecret } from '../../support/host.js'
import { openVisitor, type PageAnswer } from '../mounted/visitor.js'
import { openAccount, sessionsOf } from './account-visitor.js'
import { linkOn, type MailHost, newPassword, startMailPages } from './mail-host.js'

async function openPassword(host: MailHost) {
  const { visitor, page } = await openAccount(host)
  return { visitor, page: await visitor.open(linkOn(page, 'Change the password')) }
}

const hashOf = (host: MailHost) => host.users.rows.get('u-alice')?.passwordHash
const stateOf = ({ status, heading }: PageAnswer) => [status, heading]

it('asks for the present one, ends other devices, and tells the user by mail', async () => {
  const host = await startMailPages()
  const other = await openAccount(host)
  const { visitor, page } = await openPassword(host)
  const done = await visitor.fill(page, { present: password, password: newPassword })
  expect(stateOf(done)).toEqual([200, 'Your account'])
  expect((await other.visitor.open(`${host.base}/account`)).heading).toBe('Sign in')
  expect(await sessionsOf(host)).toHaveLength(1)
  expect(await host.mailed('password-changed')).toHaveLength(1)
  const again = openVisitor(host)
  const signIn = await again.open(`${host.base}/account`)
  expect((await again.fill(signIn, { username: 'alice', password: newPassword })).heading).toBe(
    'Your account',
  )
})

it('is refused without the present one, with a wrong one, and by the rules', async () => {
  const host = await startMailPages()
  const { visitor, page } = await openPassword(host)
  const before = hashOf(host)
  for (const [typed, said] of [
    [{ password: newPassword }, 'The current password is not right.'],
    [{ present: 'wrong', password: newPassword }, 'The current password is not right.'],
    [{ present: password, password: 'pass99' }, 'It is too short: use'],
  ] as const) {
    const again = await visitor.fill(page, typed)
    expect(stateOf(again)).toEqual([422, 'Change the password'])
    expect(again.text).toContain(said)
  }
  expect(hashOf(host)).toBe(before)
})

it('is changed by no form of another site, no old sign-in, and no half of one', async () => {
  const host = await startMailPages()
  const { visitor, page } = await openPassword(host)
  const before = hashOf(host)
  const typed = { present: password, password: newPassword }
  const foreign = { 'Sec-Fetch-Site': 'same-site', Origin: 'https://evil.example' }
  expect((await visitor.post(page, typed, foreign)).status).toBe(403)
  expect((await visitor.post(page, { ...typed, csrf: 'x' })).status).toBe(403)
  expect((await openVisitor(host).post(page, typed)).status).toBe(303)
  host.clock.advance(660)
  expect((await visitor.post(page, typed)).headers.location).toContain('max_age=600')
  const bob = await openAccount(host, 'bob')
  expect(bob.page.heading).toBe('Confirm that it is you')
  expect((await bob.visitor.post(page, typed)).status).toBe(303)
  expect(hashOf(host)).toBe(before)
})

it('is changed by a user with a second factor, who has shown it to sign in', async () => {
  const host = await startMailPages()
  const { visitor, page } = await openAccount(host, 'bob')
  await visitor.fill(page, { code: totpCode(totpSecret, host.clock()) })
  const form = await visitor.open(`${host.base}/account/password`)
  const done = await visitor.fill(form, { present: password, password: newPassword })
  expect(done.heading).toBe('Your account')
})

it('gives the browser another cookie, and a copy of the former one dies', async () => {
  const host = await startMailPages()
  const { visitor, page } = await openPassword(host)
  const thief = openVisitor(host)
  for (const [name, value] of visitor.cookies) thief.cookies.set(name, value)
  await visitor.fill(page, { present: password, password: newPassword })
  const after = hashOf(host)
  const stolen = { present: newPassword, password: `${newPassword} of a thief` }
  expect((await thief.post(page, stolen)).headers['set-cookie']).toBeUndefined()
  host.clock.advance(11)
  expect((await thief.open(`${host.base}/account`)).heading).toBe('Sign in')
  expect(hashOf(host)).toBe(after)
  expect((await visitor.open(`${host.base}/account`)).heading).toBe('Your account')
})
