// The pages of a registration in other browsers, from other sites, and all at once.
import { expect, it } from 'vitest'
import { openVisitor } from '../mounted/visitor.js'
import { openAccount } from './account-visitor.js'
import { newPassword, startMailPages } from './mail-host.js'

const ada = {
  email: 'ada@example.com',
  username: 'Ada',
  name: 'Ada Lovelace',
}
const password = newPassword

async function startAsked() {
  const host = await startMailPages({ accounts: { registration: 'open' } })
  const visitor = openVisitor(host)
  const form = await visitor.open(`${host.base}/account/register`)
  const asked = await visitor.fill(form, ada)
  return { host, visitor, form, asked, code: await host.code('register') }
}

it('no form of another site or browser is taken, and no GET makes an account', async () => {
  const { host, visitor, form, asked, code } = await startAsked()
  const foreign = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }
  const before = host.users.rows.size
  for (const [page, typed] of [
    [form, ada],
    [asked, { code, password }],
  ] as const) {
    expect((await visitor.post(page, typed, foreign)).status).toBe(403)
    expect((await visitor.post(page, { ...typed, csrf: 'x' })).status).toBe(403)
    expect((await openVisitor(host).post(page, typed)).status).toBe(403)
  }
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT'])
    await visitor.get(`${asked.url}&code=${code}`, {}, method)
  expect([host.users.rows.size, (await host.mailed('register')).length]).toEqual([before, 1])
  expect((await visitor.fill(asked, { code, password })).heading).toBe('Your account')
})

it('fifty forms of one code at once make one account and one session', async () => {
  const { host, visitor, asked, code } = await startAsked()
  const before = host.users.rows.size
  const answers = await Promise.all(
    // Spelt otherwise each time: what is sent twice gets the first answer twice.
    Array.from({ length: 50 }, (_none, at) =>
      visitor.post(asked, { code: code + ' '.repeat(at), password }),
    ),
  )
  expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
  expect(answers.filter(({ status }) => status >= 500)).toEqual([])
  expect(host.users.rows.size).toBe(before + 1)
  const [user] = [...host.users.rows.values()].filter(({ username }) => username === 'Ada')
  const sessions = await host.stores.sessions.listForUser(user?.id ?? '', host.clock())
  expect(sessions).toHaveLength(1)
})

it('a double click gets the first answer twice, and a later one learns that the code is used', async () => {
  const { host, visitor, asked, code } = await startAsked()
  const [first, second] = await Promise.all([
    visitor.post(asked, { code, password }),
    visitor.post(asked, { code, password }),
  ])
  expect([first.status, second.status]).toEqual([303, 303])
  expect(second.headers['set-cookie']).toEqual(first.headers['set-cookie'])
  host.clock.advance(11)
  expect((await visitor.post(asked, { code, password })).status).toBe(422)
})

it('whoever was signed in to the browser is signed out of it', async () => {
  const host = await startMailPages({ accounts: { registration: 'open' } })
  const { visitor } = await openAccount(host)
  const asked = await visitor.fill(await visitor.open(`${host.base}/account/register`), ada)
  const page = await visitor.fill(asked, { code: await host.code('register'), password })
  expect(page.text).toContain('<bdi>Ada</bdi>')
  expect(await host.stores.sessions.listForUser('u-alice', host.clock())).toEqual([])
})

it('a name with markup stays text, and a code works for no other request', async () => {
  const { host, visitor, form, code } = await startAsked()
  const evil = { ...ada, name: '"><script>alert(1)</script>', username: 'alice' }
  const page = await visitor.fill(form, evil)
  expect(page.text).not.toContain('<script>alert')
  const other = await visitor.fill(form, { ...ada, email: 'eve@example.com', username: 'Eve' })
  await host.code('register')
  expect((await visitor.fill(other, { code, password })).status).toBe(422)
})
