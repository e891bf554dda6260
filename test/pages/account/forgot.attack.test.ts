// Mailed links and their pages in the hands of scanners, neighbours and thieves.
import { expect, it } from 'vitest'
import { password } from '../../support/host.js'
import { addressOf } from '../mounted/forms.js'
import { queryOf, wiki } from '../mounted/mounted-host.js'
import { openVisitor, type PageAnswer } from '../mounted/visitor.js'
import { tagsOf } from '../support/markup.js'
import {
  askForLink,
  linkOn,
  type MailHost,
  newPassword,
  startMailPages,
  tokenOf,
} from './mail-host.js'

const hashOf = (host: MailHost) => host.users.rows.get('u-alice')?.passwordHash

it('no scanner that opens a link changes anything, however often', async () => {
  const host = await startMailPages()
  const link = await askForLink(host)
  const before = hashOf(host)
  const scanner = openVisitor(host)
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])
    for (const url of [link, `${link}&password=${'x'.repeat(20)}`, `${link}&choice=continue`])
      await scanner.get(url, { 'Sec-Purpose': 'prefetch', Purpose: 'prefetch' }, method)
  for (let round = 0; round < 20; round += 1) await scanner.get(link)
  expect(hashOf(host)).toBe(before)
  const owner = openVisitor(host)
  const set = await owner.fill(await owner.open(link), { password: newPassword })
  expect(set.status).toBe(200)
})

it('a form is taken from its own page in its own browser alone', async () => {
  const host = await startMailPages()
  const visitor = openVisitor(host)
  const link = await askForLink(host)
  const other = await askForLink(host)
  const before = hashOf(host)
  const page = await visitor.open(link)
  const forgot = await visitor.open(`${host.base}/account/forgot`)
  const typed = { password: newPassword, username: 'alice' }
  const mailsBefore = host.mails.length
  const thief = openVisitor(host)
  await thief.open(`${host.base}/account/forgot`)
  for (const one of [page, forgot]) {
    const foreign = { 'Sec-Fetch-Site': 'same-site', Origin: 'https://evil.example' }
    const tries: readonly PageAnswer[] = [
      await visitor.post(one, typed, foreign),
      await visitor.post(one, typed, { 'Sec-Fetch-Site': undefined, Origin: 'null' }),
      await visitor.post(one, { ...typed, csrf: 'x' }),
      await openVisitor(host).post(one, typed),
      await thief.post(one, typed),
    ]
    expect(tries.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
  }
  // A form that was shown for one link sets no password by another.
  const csrf = /name="csrf" value="([^"]*)"/.exec(page.text)?.[1] ?? ''
  const elsewhere = await visitor.open(other)
  expect((await visitor.post(elsewhere, { ...typed, csrf })).status).toBe(403)
  expect([hashOf(host), (await host.mailed('reset-password')).length]).toEqual([
    before,
    mailsBefore,
  ])
  expect((await visitor.fill(page, typed)).status).toBe(200)
})

it('a browser without cookies is told so', async () => {
  const host = await startMailPages()
  const visitor = openVisitor(host)
  const page = await visitor.open(await askForLink(host))
  visitor.cookies.clear()
  const answer = await visitor.post(page, { password: newPassword })
  expect([answer.status, answer.text.includes('takes no cookies')]).toEqual([403, true])
})

it('what is answered tells nobody who has an account', async () => {
  const host = await startMailPages()
  host.users.add({ id: 'u-x', username: 'disabled', name: 'x', disabled: true })
  const answers: string[] = []
  for (const username of ['alice', 'dora', 'disabled', 'nobody', 'no@example.org', ' alice ']) {
    const visitor = openVisitor(host)
    const page = await visitor.open(`${host.base}/account/forgot?${queryOf(wiki)}`)
    const { status, text, headers } = await visitor.post(page, { username })
    const { date: _date, 'x-request-id': _id, ...told } = headers
    answers.push(JSON.stringify([status, text, told]))
  }
  expect(new Set(answers).size).toBe(1)
  expect((await host.mailed('reset-password')).length).toBe(2)
})

it('too many requests for one name are told to whoever types it, account or not', async () => {
  const host = await startMailPages()
  const visitor = openVisitor(host)
  const page = await visitor.open(`${host.base}/account/forgot`)
  const last = new Map<string, PageAnswer>()
  for (const username of ['alice', 'nobody'])
    for (let count = 0; count < 4; count += 1)
      last.set(username, await visitor.post(page, { username }))
  const strip = (one?: PageAnswer) => [one?.status, one?.heading, one?.headers['retry-after']]
  expect(strip(last.get('alice'))).toEqual(strip(last.get('nobody')))
  expect(last.get('alice')?.status).toBe(429)
  expect((await host.mailed('reset-password')).length).toBe(3)
})

it('fifty forms of one link at once set one password', async () => {
  const host = await startMailPages()
  const visitor = openVisitor(host)
  const page = await visitor.open(await askForLink(host))
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_none, at) =>
      visitor.post(page, { password: `${newPassword} ${at}` }),
    ),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status >= 500)).toEqual([])
})

it('a mail that a stranger has asked for leads its owner to no app', async () => {
  const host = await startMailPages()
  const thief = openVisitor(host)
  const forgot = await thief.open(`${host.base}/account/forgot?${queryOf(wiki)}`)
  await thief.fill(forgot, { username: 'alice' })
  const owner = openVisitor(host)
  await owner.open(`${host.base}/account/forgot`)
  const page = await owner.open(await host.link('reset-password'))
  const set = await owner.fill(page, { password: newPassword })
  expect(linkOn(set, 'Sign in')).toBe(`${host.base}/oauth/sign-in?return_to=/api/v1/account`)
})

it('a polluted Object.prototype leads nobody to an app after a reset', async () => {
  const host = await startMailPages()
  const owner = openVisitor(host)
  await owner.open(`${host.base}/account/forgot`)
  const page = await owner.open(await askForLink(host))
  const inherited = { request: queryOf(wiki), browser: owner.cookies.get('mar_pre_dev') ?? '' }
  expect(inherited.browser).not.toBe('')
  for (const [name, value] of Object.entries(inherited))
    Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true })
  let set: PageAnswer
  try {
    set = await owner.fill(page, { password: newPassword })
  } finally {
    for (const name of Object.keys(inherited)) Reflect.deleteProperty(Object.prototype, name)
  }
  expect(linkOn(set, 'Sign in')).toBe(`${host.base}/oauth/sign-in?return_to=/api/v1/account`)
})

it('the token leaves by no referrer, redirect, file, event or link', async () => {
  const host = await startMailPages()
  const visitor = openVisitor(host)
  const link = await askForLink(host)
  const page = await visitor.open(link)
  const short = await visitor.post(page, { password: 'x' })
  const set = await visitor.post(page, { password: newPassword })
  const used = await visitor.get(link)
  for (const one of [page, short, set, used]) {
    expect(one.headers['referrer-policy']).toBe('strict-origin')
    expect(one.headers['cache-control']).toBe('no-store')
    expect(one.headers.location).toBeUndefined()
    const loaded = tagsOf(one.text).flatMap(({ name, attributes }) =>
      ['link', 'script', 'img'].includes(name) ? [attributes['href'] ?? attributes['src']] : [],
    )
    for (const file of loaded) expect(file).toMatch(new RegExp(`^${host.base}/oauth/assets/`))
  }
  const links = tagsOf(page.text).filter(({ name }) => name === 'a')
  const foreign = links.filter(({ attributes: { href = '' } }) => !href.startsWith(host.base))
  expect(JSON.stringify(foreign)).not.toContain(tokenOf(link))
  expect(JSON.stringify(host.host().events)).not.toContain(tokenOf(link))
  expect(JSON.stringify(host.host().events)).not.toContain('alice@example.com')
})

it('neither an absurd name nor an absurd password does harm, and no 5xx comes of it', async () => {
  const host = await startMailPages()
  const visitor = openVisitor(host)
  const forgot = await visitor.open(`${host.base}/account/forgot`)
  for (const username of ['', ' ', 'x'.repeat(5000), '\u0000', '@', 'a\r\nBcc: b@example.org'])
    expect((await visitor.post(forgot, { username })).status).toBeLessThan(500)
  const page = await visitor.open(await askForLink(host))
  for (const typed of ['\u0000'.repeat(20), 'x'.repeat(5000)])
    expect((await visitor.post(page, { password: typed })).status).toBe(422)
  expect((await visitor.post(page, { password: 'x'.repeat(200_000) })).status).toBe(413)
  expect((await visitor.post(page, { password: newPassword })).status).toBe(200)
})

it('a link leads where the host has said, whatever the request calls the host', async () => {
  const host = await startMailPages()
  const visitor = openVisitor(host)
  const page = await visitor.open(`${host.base}/account/forgot`)
  const named = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example' }
  await visitor.post(page, { username: 'alice' }, named)
  expect((await host.link('reset-password')).startsWith(`${host.base}/account/reset?token=`)).toBe(
    true,
  )
})

it('a session that is signed in plays no part at a link', async () => {
  const host = await startMailPages()
  const visitor = openVisitor(host)
  const asked = await visitor.open(addressOf(host, 'authorize'))
  await visitor.fill(asked, { username: 'dora', password })
  const link = await askForLink(host)
  await visitor.fill(await visitor.open(link), { password: newPassword })
  expect((await visitor.open(`${host.base}/account`)).text).toContain('dora example')
})

it('guesses at links are limited by network, whether a link is opened or used', async () => {
  const host = await startMailPages({
    options: { throttle: { endpoints: { points: 3, duration: 900 } } },
  })
  const visitor = openVisitor(host)
  const link = await askForLink(host)
  const guess = (at: number) => visitor.get(link.replace(/.{43}$/, String(at).padStart(43, 'x')))
  const answers = [await guess(1), await guess(2), await guess(3), await guess(4), await guess(5)]
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 429, 429])
  const refusals = host.host().events.filter(({ type }) => type === 'proof.refused')
  expect(refusals).toHaveLength(5)
  expect((await visitor.open(link)).status).toBe(200)
})
