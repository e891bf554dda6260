// Addresses are proven and changed by codes, and a change can be undone.
import { expect, it } from 'vitest'
import { bearer, logIn, post } from '../support/client.js'
import { password, passwordHash } from '../support/host.js'
import { accountsOptions, tokenIn } from '../support/mounted-accounts.js'
import { asAlice, newPassword, startAccounts, undo } from './account-host.js'

it('a code proves the present address', async () => {
  const host = await startAccounts()
  host.users.change('u-alice', { emailVerified: false })
  const alice = await asAlice(host)
  expect((await alice.get('/auth/email').expect(200)).body.data).toEqual({
    email: 'alice@example.com',
    verified: false,
  })
  const { body } = await alice.post('/auth/email/verify').expect(202)
  expect(body.data).toEqual({ requestId: expect.any(String), expiresIn: 600 })
  const code = (await host.mailed('verify-address'))[0]?.code ?? ''
  expect(code).toMatch(/^\d{8}$/)
  const { requestId } = body.data
  const shown = `${code.slice(0, 4)} ${code.slice(4)}`
  await alice.post('/auth/email/confirm', { requestId, code: shown }).expect(200)
  expect((await alice.get('/auth/email')).body.data.verified).toBe(true)
  expect((await alice.post('/auth/email/verify').expect(409)).body.error).toBe('already-verified')
  expect(
    (await alice.post('/auth/email/confirm', { requestId, code }).expect(400)).body.error,
  ).toBe('proof-refused')
})

it('a new address replaces the old one when its code is confirmed, and the old one is told', async () => {
  const host = await startAccounts()
  const alice = await asAlice(host)
  const asked = await alice
    .post('/auth/email/change', { email: 'new@Example.org', password })
    .expect(202)
  expect(host.users.rows.get('u-alice')?.email).toBe('alice@example.com')
  const [mail] = await host.mailed('change-address')
  expect(mail?.to).toBe('new@example.org')
  const { requestId } = asked.body.data
  await alice.post('/auth/email/confirm', { requestId, code: mail?.code ?? '' }).expect(200)
  expect((await alice.get('/auth/email')).body.data).toEqual({
    email: 'new@example.org',
    verified: true,
  })
  const [told] = await host.mailed('address-changed')
  expect(told?.to).toBe('alice@example.com')
  await undo(host, tokenIn(told?.url)).expect(200)
  expect(host.users.rows.get('u-alice')?.email).toBe('alice@example.com')
  await alice.get('/me').expect(401)
  await post(host, '/login', { username: 'alice', password }).expect(401)
  await logIn(host, { username: 'alice', password: newPassword })
  expect((await host.mailed('address-undone')).map(({ to }) => to)).toEqual(['new@example.org'])
  const again = await undo(host, tokenIn(told?.url)).expect(400)
  expect(again.body.details).toEqual({ reason: 'used' })
})

it('an address that somebody else has is answered alike, and its owner is told', async () => {
  const host = await startAccounts()
  host.users.add({ id: 'u-bob', email: 'bob@example.com' })
  const alice = await asAlice(host)
  const { body } = await alice
    .post('/auth/email/change', { email: 'bob@example.com', password })
    .expect(202)
  expect(Object.keys(body.data)).toEqual(['requestId', 'expiresIn'])
  expect(await host.mailed('change-address')).toEqual([])
  expect((await host.mailed('address-taken'))[0]).toMatchObject({
    to: 'bob@example.com',
    user: null,
  })
  const { requestId } = body.data
  for (const code of ['00000000', ''.padEnd(8, '9')])
    await alice.post('/auth/email/confirm', { requestId, code }).expect(400)
})

it('an address is taken only as what it is', async () => {
  const host = await startAccounts()
  const alice = await asAlice(host)
  for (const email of ['x', 'a@b@c', 'a b@example.com', 'a@example.com\r\nBcc: b@example.com'])
    await alice.post('/auth/email/change', { email, password }).expect(400)
  expect(
    (await alice.post('/auth/email/change', { email: 'alice@example.com', password }).expect(409))
      .body.error,
  ).toBe('already-verified')
  expect(host.mails).toEqual([])
})

it('a change needs a fresh sign-in', async () => {
  const host = await startAccounts()
  const alice = await asAlice(host)
  host.clock.advance(601)
  const { body } = await alice.post('/auth/email/change', { email: 'new@example.org' }).expect(403)
  expect(body.error).toBe('reauthentication-required')
  await logIn(host)
})

it('the host mails a code after a sign-up, and any session of that user confirms it', async () => {
  const host = await startAccounts()
  host.users.change('u-alice', { emailVerified: false })
  host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
  const sent = await host.auth.accounts.sendVerification('u-alice')
  expect(sent).toEqual({ requestId: expect.any(String), expiresIn: 600 })
  const [mail] = await host.mailed('verify-address')
  expect(mail).toMatchObject({ to: 'alice@example.com', because: { ip: null } })
  const given = { requestId: sent?.requestId, code: mail?.code }
  const { authToken } = await logIn(host, { username: 'bob', password })
  await post(host, '/auth/email/confirm', given, bearer(authToken)).expect(400)
  await (await asAlice(host)).post('/auth/email/confirm', given).expect(200)
  expect(host.users.rows.get('u-alice')?.emailVerified).toBe(true)
})

it('the host learns why no code was mailed', async () => {
  const host = await startAccounts()
  const { sendVerification } = host.auth.accounts
  expect(await sendVerification('nobody')).toBeNull()
  await expect(sendVerification('u-alice')).rejects.toMatchObject({ code: 'already-verified' })
  host.users.change('u-alice', { email: null, emailVerified: false })
  await expect(sendVerification('u-alice')).rejects.toMatchObject({ code: 'invalid-request' })
  await expect(sendVerification(1 as never)).rejects.toMatchObject({ code: 'invalid-request' })
  host.users.change('u-alice', { email: 'alice@example.com' })
  const statuses = await Promise.allSettled([1, 2, 3, 4].map(() => sendVerification('u-alice')))
  expect(statuses.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
})

it("a mailed code comes with a link to the host's page, if there is one", async () => {
  const given = accountsOptions().accounts?.links
  const confirm = 'https://chat.example.com/#/confirm/{token}'
  for (const links of [{ ...given }, { ...given, confirm }]) {
    const host = await startAccounts({ accounts: { links } })
    const alice = await asAlice(host)
    const { body } = await alice.post('/auth/email/change', { email: 'new@example.org', password })
    const [mail] = await host.mailed('change-address')
    const { requestId } = body.data
    const linked = `https://chat.example.com/#/confirm/${requestId}.${mail?.code}`
    expect(mail?.url).toBe('confirm' in links ? linked : undefined)
    expect(mail?.text.includes(linked)).toBe('confirm' in links)
  }
})

it('no other session uses up the tries of a code', async () => {
  const host = await startAccounts()
  const alice = await asAlice(host)
  const { body } = await alice.post('/auth/email/change', { email: 'new@example.org', password })
  const code = (await host.mailed('change-address'))[0]?.code ?? ''
  const given = { requestId: body.data.requestId, code }
  const elsewhere = await asAlice(host)
  for (let count = 0; count < 6; count += 1)
    await elsewhere.post('/auth/email/confirm', given).expect(400)
  await alice.post('/auth/email/confirm', given).expect(200)
})
