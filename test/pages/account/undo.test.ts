// A change of the address is taken back by the link that the former address got.
import { expect, it } from 'vitest'
import { newPassword } from '../../accounts/account-host.js'
import { bearer, logIn, post } from '../../support/client.js'
import { password } from '../../support/host.js'
import { openVisitor } from '../mounted/visitor.js'
import { openAccount } from './account-visitor.js'
import { type MailHost, startMailPages } from './mail-host.js'

/** Alice’s address is changed; returns the link that undoes it. */
async function changed(host: MailHost): Promise<string> {
  const running = host.host()
  const headers = bearer((await logIn(running)).authToken)
  const email = 'new@example.org'
  const asked = await post(running, '/auth/email/change', { email, password }, headers).expect(202)
  const code = (await host.mailed('change-address')).at(-1)?.code ?? ''
  running.issued.add(code)
  const { requestId } = asked.body.data
  await post(running, '/auth/email/confirm', { requestId, code }, headers).expect(200)
  return host.link('address-changed')
}

const emailOf = (host: MailHost) => host.users.rows.get('u-alice')?.email

it('asks first, then brings the address back, ends every device, and sets a new password', async () => {
  const host = await startMailPages()
  const { visitor } = await openAccount(host)
  const link = await changed(host)
  expect(link).toContain(`${host.base}/account/undo?token=mar_eu_`)
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT']) await visitor.get(link, {}, method)
  expect(emailOf(host)).toBe('new@example.org')
  const page = await visitor.open(link)
  expect([page.status, page.heading]).toEqual([200, 'Take the change back?'])
  expect(page.text).toContain('then belongs to <bdi>alice@example.com</bdi> again.')
  // Its reader need not be the one who has the new address.
  expect(page.text).not.toContain('new@example.org')
  const refused = await visitor.fill(page, { password: 'short' })
  expect([refused.status, emailOf(host)]).toEqual([422, 'new@example.org'])
  const done = await visitor.fill(refused, { password: newPassword })
  expect([done.status, done.heading]).toEqual([200, 'The change is taken back'])
  expect(emailOf(host)).toBe('alice@example.com')
  expect((await visitor.open(`${host.base}/account`)).heading).toBe('Sign in')
  await logIn(host.host(), { username: 'alice', password: newPassword })
  const used = await visitor.open(link)
  expect([used.status, used.heading]).toEqual([400, 'This link was used already'])
})

it('is done by no form of another site or browser, and by no link for a password', async () => {
  const host = await startMailPages()
  const link = await changed(host)
  const visitor = openVisitor(host)
  const page = await visitor.open(link)
  const foreign = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }
  expect((await visitor.post(page, {}, foreign)).status).toBe(403)
  expect((await visitor.post(page, { csrf: 'x' })).status).toBe(403)
  expect((await openVisitor(host).post(page, {})).status).toBe(403)
  const elsewhere = await visitor.open(link.replace('/undo?', '/reset?'))
  expect([elsewhere.status, elsewhere.heading]).toEqual([400, 'This link does not work'])
  expect(emailOf(host)).toBe('new@example.org')
})

it('works for a disabled user, as the endpoint does', async () => {
  const host = await startMailPages()
  const link = await changed(host)
  host.users.change('u-alice', { disabled: true })
  const visitor = openVisitor(host)
  const done = await visitor.fill(await visitor.open(link), { password: newPassword })
  expect(done.heading).toBe('The change is taken back')
  expect(emailOf(host)).toBe('alice@example.com')
})
