// A forgotten password, by the pages: a name, a mail, a new password, and the way back.
import { expect, it } from 'vitest'
import { password } from '../../support/host.js'
import { addressOf } from '../mounted/forms.js'
import { queryOf, startMounted, wiki } from '../mounted/mounted-host.js'
import { openVisitor, wayTo } from '../mounted/visitor.js'
import { tagsOf } from '../support/markup.js'
import { askForLink, linkOn, newPassword, startMailPages } from './mail-host.js'

it('leads from the sign-in of an app to a new password, and back to the app', async () => {
  const host = await startMailPages()
  const visitor = openVisitor(host)
  const signIn = await visitor.open(addressOf(host, 'authorize'))
  const forgot = await visitor.open(linkOn(signIn, 'Forgot your password'))
  expect(forgot.heading).toBe('Forgot your password?')
  const sent = await visitor.fill(forgot, { username: 'alice' })
  expect([sent.status, sent.heading]).toEqual([200, 'Look at your mail'])
  expect((await visitor.open(linkOn(sent, 'Back to the sign-in'))).heading).toBe('Sign in')

  const link = await host.link('reset-password')
  expect(link).toMatch(
    /^http:\/\/127\.0\.0\.1:\d+\/api\/v1\/account\/reset\?token=mar_pr_[\w-]{43}$/,
  )
  const page = await visitor.open(link)
  expect([page.status, page.heading]).toEqual([200, 'Set a new password'])
  const set = await visitor.fill(page, { password: newPassword })
  expect([set.status, set.heading]).toEqual([200, 'Your new password is set'])

  const again = await visitor.open(linkOn(set, 'Sign in'))
  expect(again.text).toContain('Team wiki')
  const back = await visitor.fill(again, { username: 'alice', password: newPassword })
  const { origin, searchParams } = wayTo(back) as URL
  expect([origin, searchParams.get('state')]).toEqual(['https://wiki.example.com', 'af0ifjsldkj'])
})

it('leads back to a page of this origin, and without either to the account page', async () => {
  const host = await startMailPages()
  for (const [query, path] of [
    ['return_to=/api/v1/account', '/api/v1/account'],
    ['', '/api/v1/account'],
  ]) {
    const visitor = openVisitor(host)
    const forgot = await visitor.open(`${host.base}/account/forgot?${query}`)
    await visitor.fill(forgot, { username: 'alice' })
    const page = await visitor.open(await host.link('reset-password'))
    const set = await visitor.fill(page, { password: newPassword })
    const signIn = await visitor.open(linkOn(set, 'Sign in'))
    const done = await visitor.fill(signIn, { username: 'alice', password: newPassword })
    expect([done.heading, new URL(done.url).pathname]).toEqual(['Your account', path])
    host.clock.advance(3600)
  }
})

it('says the rules before, the reasons after, and costs the link nothing', async () => {
  const host = await startMailPages({
    accounts: { passwordRules: { blocklist: new Set(['correct horse battery']) } },
  })
  const visitor = openVisitor(host)
  const page = await visitor.open(await askForLink(host))
  expect(page.text).toContain('At least <bdi>15</bdi> characters')
  const fields = tagsOf(page.text).filter(({ name }) => name === 'input')
  expect(
    fields.map(({ attributes: { name, autocomplete, value } }) => [name, autocomplete, value]),
  ).toEqual([
    ['csrf', undefined, expect.any(String)],
    ['username', 'username', 'alice'],
    ['password', 'new-password', undefined],
  ])
  expect('readonly' in (fields[1]?.attributes ?? {})).toBe(true)
  expect(fields[2]?.attributes['aria-describedby']).toBe('rules')
  for (const [typed, reason] of [
    ['pass99', 'It is too short: use'],
    ['correct horse battery', 'It is one that many people use'],
    ['alice example 12', 'It consists of your name'],
    ['x'.repeat(300), 'It is too long.'],
    ['', 'This password cannot be used.'],
  ] as const) {
    const again = await visitor.fill(page, { password: typed })
    expect([again.status, again.heading]).toEqual([422, 'Set a new password'])
    expect(again.text).toContain(reason)
    expect(again.text).toMatch(/aria-describedby="fault (?:reasons )?rules"/)
    expect(typed !== '' && again.text.includes(typed)).toBe(false)
  }
  expect((await visitor.fill(page, { password: newPassword })).status).toBe(200)
})

it('says plainly that a link is used, too old, or none', async () => {
  const host = await startMailPages()
  const visitor = openVisitor(host)
  const link = await askForLink(host)
  const other = await askForLink(host)
  const page = await visitor.open(link)
  const late = await visitor.open(other)
  await visitor.fill(page, { password: newPassword })
  for (const used of [
    await visitor.open(link),
    await visitor.fill(late, { password: newPassword }),
  ])
    expect([used.status, used.heading]).toEqual([400, 'This link was used already'])
  const third = await askForLink(host, 'bob')
  host.clock.advance(1801)
  const old = await visitor.open(third)
  expect([old.status, old.heading]).toEqual([400, 'This link is too old'])
  for (const query of ['', 'token=', 'token=mar_pr_x', `token=${'x'.repeat(3000)}`, 'flow=x']) {
    const none = await visitor.open(`${host.base}/account/reset?${query}`)
    expect([none.status, none.heading]).toEqual([400, 'This link does not work'])
    expect(none.text).not.toContain('alice')
    const forgot = await visitor.open(linkOn(none, 'Ask for a new link'))
    expect(forgot.heading).toBe('Forgot your password?')
  }
})

it('signs nobody in, ends every device, and takes no second factor away', async () => {
  const host = await startMailPages()
  const visitor = openVisitor(host)
  const asked = await visitor.open(`${host.base}/account`)
  expect((await visitor.fill(asked, { username: 'alice', password })).heading).toBe('Your account')
  const link = await askForLink(host)
  await visitor.fill(await visitor.open(link), { password: newPassword })
  expect((await visitor.open(`${host.base}/account`)).heading).toBe('Sign in')

  const bob = await visitor.open(await askForLink(host, 'bob'))
  // He has a second factor.
  expect(bob.text).toContain('At least <bdi>8</bdi> characters')
  const set = await visitor.fill(bob, { password: newPassword })
  const signIn = await visitor.open(linkOn(set, 'Sign in'))
  const factor = await visitor.fill(signIn, { username: 'bob', password: newPassword })
  expect(factor.heading).toBe('Confirm that it is you')
})

it('says that it is busy while the store is down, and the same link works afterwards', async () => {
  const host = await startMailPages()
  const visitor = openVisitor(host)
  const page = await visitor.open(await askForLink(host))
  const { updatePasswordHash } = host.users
  host.users.updatePasswordHash = () => Promise.reject(new Error('gone'))
  const busy = await visitor.fill(page, { password: newPassword })
  expect([busy.status, busy.heading]).toEqual([503, 'Set a new password'])
  expect(busy.headers['retry-after']).toBeDefined()
  host.users.updatePasswordHash = updatePasswordHash
  expect((await visitor.fill(busy, { password: newPassword })).status).toBe(200)
})

it('is in German as well, and keeps a chosen language with its link', async () => {
  const host = await startMailPages()
  const visitor = openVisitor(host)
  const page = await visitor.open(`${await askForLink(host)}&language=de`)
  expect(page.heading).toBe('Neues Passwort setzen')
  const set = await visitor.fill(page, { password: newPassword })
  expect((await visitor.open(linkOn(set, 'Sign in'))).heading).toBe('Anmelden')
})

it('lets the host’s own pages win, and is linked where there is none', async () => {
  const links = { forgotPassword: 'https://account.example.com/forgot' }
  const reset = 'https://chat.example.com/#/reset/{token}'
  const host = await startMailPages({ pages: { links }, accounts: { links: { reset } } })
  const visitor = openVisitor(host)
  const signIn = await visitor.open(addressOf(host, 'authorize'))
  expect(linkOn(signIn, 'Forgot your password')).toBe(
    `https://account.example.com/forgot?${queryOf(wiki)}`,
  )
  await visitor.fill(await visitor.open(`${host.base}/account/forgot`), { username: 'alice' })
  const [mail] = await host.mailed('reset-password')
  expect(mail?.url).toMatch(/^https:\/\/chat\.example\.com\/#\/reset\/mar_pr_/)
  host.host().issued.add(mail?.url?.split('/').at(-1) ?? 'none')
})

it('is not there without the option accounts, but is without the account page', async () => {
  const without = await startMounted()
  const stranger = openVisitor(without)
  for (const name of ['forgot', 'reset', 'undo', 'password'])
    expect((await stranger.get(`${without.base}/account/${name}`)).status).toBe(404)
  const signIn = await stranger.open(addressOf(without, 'authorize'))
  expect(signIn.text).not.toContain('Forgot your password')
  const host = await startMailPages({ pages: { account: false } })
  const visitor = openVisitor(host)
  expect((await visitor.get(`${host.base}/account/password`)).status).toBe(404)
  const set = await visitor.fill(await visitor.open(await askForLink(host)), {
    password: newPassword,
  })
  expect(linkOn(set, 'Sign in')).toContain('/oauth/sign-in?return_to=/')
})
