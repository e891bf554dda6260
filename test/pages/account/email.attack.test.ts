// The address of an account, and mailed codes, in the hands of scanners, neighbours and thieves.
import { expect, it } from 'vitest'
import { bearer, logIn, post } from '../../support/client.js'
import { password } from '../../support/host.js'
import { openVisitor, type PageAnswer } from '../mounted/visitor.js'
import { openAccount } from './account-visitor.js'
import { type MailHost, startMailPages } from './mail-host.js'

const emailOf = (host: MailHost) => host.users.rows.get('u-alice')?.email

/** Alice, who has asked for a code at a new address. */
async function asking(host: MailHost) {
  const { visitor } = await openAccount(host)
  const page = await visitor.open(`${host.base}/account/email`)
  const confirm = await visitor.fill(page, { email: 'new@example.org', present: password })
  const code = await host.code('change-address')
  const url = (await host.mailed('change-address')).at(-1)?.url ?? ''
  return { visitor, page, confirm, code, url }
}

it('no scanner that opens the link of a code changes anything, nor uses it up', async () => {
  const host = await startMailPages()
  const { visitor, confirm, code, url } = await asking(host)
  for (const scanner of [openVisitor(host), visitor])
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'GET', 'GET', 'GET'])
      await scanner.get(url, { 'Sec-Purpose': 'prefetch', Purpose: 'prefetch' }, method)
  expect(emailOf(host)).toBe('alice@example.com')
  expect((await visitor.fill(confirm, { code })).heading).toBe('Your address is confirmed')
  await host.link('address-changed')
})

it('a form is taken from its own page in its own browser and session alone', async () => {
  const host = await startMailPages()
  const { visitor, page, confirm, code } = await asking(host)
  const mailsBefore = host.mails.length
  const { visitor: second } = await openAccount(host)
  const { visitor: dora } = await openAccount(host, 'dora')
  const foreign = { 'Sec-Fetch-Site': 'same-site', Origin: 'https://evil.example' }
  for (const one of [page, confirm]) {
    const typed = { code, email: 'thief@example.net' }
    const tries: readonly PageAnswer[] = [
      await visitor.post(one, typed, foreign),
      await visitor.post(one, typed, { 'Sec-Fetch-Site': undefined, Origin: 'null' }),
      await visitor.post(one, { ...typed, csrf: 'x' }),
      await second.post(one, typed),
      await dora.post(one, typed),
    ]
    for (const { status } of tries) expect([400, 403, 200]).toContain(status)
  }
  const stranger = await openVisitor(host).post(confirm, { code })
  expect(stranger.headers['set-cookie']).toBeUndefined()
  expect([emailOf(host), host.mails.length]).toEqual(['alice@example.com', mailsBefore])
  expect((await visitor.fill(confirm, { code })).heading).toBe('Your address is confirmed')
  await host.link('address-changed')
})

it('a form that was shown for one request confirms no other', async () => {
  const host = await startMailPages()
  const { visitor, page, confirm } = await asking(host)
  const other = await visitor.fill(page, { email: 'other@example.org', present: password })
  const csrf = /name="csrf" value="([^"]*)"/.exec(confirm.text)?.[1] ?? ''
  const code = await host.code('change-address')
  expect((await visitor.post(other, { csrf, code })).status).toBe(403)
  expect(emailOf(host)).toBe('alice@example.com')
})

it('five wrong codes are judged, and then not even the right one', async () => {
  const host = await startMailPages()
  const { visitor, confirm, code } = await asking(host)
  const wrong = String((Number(code) + 1) % 100_000_000).padStart(8, '0')
  for (let count = 0; count < 4; count += 1) {
    const again = await visitor.post(confirm, { code: wrong })
    expect([again.status, again.heading]).toEqual([422, 'Type the code'])
    expect(again.text).not.toContain(wrong)
  }
  await visitor.post(confirm, { code: wrong })
  const right = await visitor.post(confirm, { code })
  expect(right.status).toBeGreaterThanOrEqual(400)
  expect(right.status).toBeLessThan(500)
  expect(emailOf(host)).toBe('alice@example.com')
})

it('an address that another account has is answered like any other, and never confirmed', async () => {
  const host = await startMailPages()
  const { visitor } = await openAccount(host)
  const page = await visitor.open(`${host.base}/account/email`)
  const taken = await visitor.post(page, { email: 'bob@example.com', present: password })
  const free = await visitor.post(page, { email: 'new@example.org', present: password })
  const strip = ({ status, headers }: PageAnswer) => [
    status,
    headers.location?.replace(/request=.*/, ''),
  ]
  expect(strip(taken)).toEqual(strip(free))
  const code = await host.code('change-address')
  const confirm = await visitor.open(taken.headers.location ?? '')
  expect((await visitor.post(confirm, { code })).status).toBe(422)
  expect(emailOf(host)).toBe('alice@example.com')
  expect((await host.mailed('address-taken')).map(({ to }) => to)).toEqual(['bob@example.com'])
})

it('says nothing that others have written into a link, and looks up nothing endless', async () => {
  const host = await startMailPages()
  const { visitor } = await openAccount(host)
  for (const code of ['call+0800+1234', '<b>x</b>', '1234567', '123456789', '１２３４５６７８', ''])
    for (const one of [openVisitor(host), visitor]) {
      const query = `request=${'x'.repeat(43)}&code=${encodeURIComponent(code)}`
      const answer = await one.open(`${host.base}/account/confirm?${query}`)
      expect([answer.status, answer.heading]).toEqual([400, 'This link does not work'])
    }
  for (const query of ['', 'request=', `request=${'x'.repeat(3000)}`, 'request=%00', 'flow=x'])
    expect((await visitor.open(`${host.base}/account/confirm?${query}`)).status).toBe(400)
})

it('the code leaves by no referrer, file or event', async () => {
  const host = await startMailPages()
  const { visitor, code, url } = await asking(host)
  const requestId = new URL(url).searchParams.get('request') ?? ''
  const landing = await visitor.open(url)
  const elsewhere = await openVisitor(host).open(url)
  for (const one of [landing, elsewhere, await visitor.post(landing, { code: '1' })]) {
    expect(one.headers['referrer-policy']).toBe('strict-origin')
    expect(one.headers['cache-control']).toBe('no-store')
  }
  host.users.change('u-alice', { email: 'changed@example.net' })
  const late = await visitor.post(landing, { code })
  expect([late.status, late.headers.location]).toEqual([303, `${host.base}/account/email`])
  expect(late.headers['referrer-policy']).toBe('strict-origin')
  const told = JSON.stringify(host.host().events)
  for (const secret of [code, requestId, 'new@example.org', 'alice@example.com'])
    expect(told).not.toContain(secret)
})

it('a mail that an app has asked for has no link to a page', async () => {
  const host = await startMailPages()
  const headers = bearer((await logIn(host.host())).authToken)
  await post(
    host.host(),
    '/auth/email/change',
    { email: 'new@example.org', password },
    headers,
  ).expect(202)
  const code = await host.code('change-address')
  const [mail] = await host.mailed('change-address')
  expect([mail?.code, mail?.url]).toEqual([code, undefined])
})

it('a session that has ended elsewhere gets no code, and confirms none', async () => {
  const host = await startMailPages()
  const { visitor, page, confirm, code } = await asking(host)
  await host.host().auth.sessions.revokeAllForUser('u-alice')
  const mailsBefore = host.mails.length
  for (const one of [
    await visitor.post(page, { email: 'more@example.org' }),
    await visitor.post(confirm, { code }),
  ])
    expect(one.status).not.toBe(500)
  expect([emailOf(host), host.mails.length]).toEqual(['alice@example.com', mailsBefore])
})
