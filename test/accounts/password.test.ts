// A forgotten password, and a changed one.
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { totpCode } from '../../src/testing/testing.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { password, totpSecret } from '../support/host.js'
import { tokenIn } from '../support/mounted-accounts.js'
import { asAlice, newPassword, reset, startAccounts, tokenFor } from './account-host.js'

const digits = createHash('sha1').update(password).digest('hex').toUpperCase()
const suffix = digits.slice(5)

it('a mailed link sets a new password, once, and ends what the old one has opened', async () => {
  const host = await startAccounts()
  const alice = await asAlice(host)
  const { body } = await post(host, '/auth/password/forgot', { username: 'alice' }).expect(202)
  expect(body).toEqual({ status: 'success', data: { expiresIn: 1800 } })
  const [mail] = await host.mailed('reset-password')
  expect(mail).toMatchObject({
    to: 'alice@example.com',
    user: { id: 'u-alice', name: 'Alice A.' },
    because: { ip: '127.0.0.1' },
  })
  const token = tokenIn(mail?.url)
  expect((await reset(host, token).expect(200)).body).toEqual({ status: 'success', data: {} })
  await alice.get('/me').expect(401)
  await post(host, '/login', { username: 'alice', password }).expect(401)
  await logIn(host, { username: 'alice', password: newPassword })
  const again = await reset(host, token, `${newPassword} again`).expect(400)
  expect(again.body).toMatchObject({ error: 'proof-refused', details: { reason: 'used' } })
  expect(host.events.map(({ type }) => type)).toContain('password.reset')
  expect(await host.mailed('password-changed')).toHaveLength(1)
})

it('a reset proves the address that the link went to, where the host allows unproven ones', async () => {
  const host = await startAccounts({ accounts: { resetUnproven: true } })
  host.users.change('u-alice', { emailVerified: false })
  await reset(host, await tokenFor(host)).expect(200)
  expect(host.users.rows.get('u-alice')?.emailVerified).toBe(true)
})

it('a reset leaves the second factor and signs nobody in', async () => {
  const host = await startAccounts()
  await host.auth.secondFactors.importTotp({
    userId: 'u-alice',
    secret: 'GEZDGNBVGY3TQOJQ'.repeat(2),
  })
  await reset(host, await tokenFor(host)).expect(200)
  const { body } = await post(host, '/login', { username: 'alice', password: newPassword }).expect(
    401,
  )
  expect(body.error).toBe('totp-required')
})

it('a password that the rules refuse costs nothing: the same link works with a better one', async () => {
  const host = await startAccounts()
  const token = await tokenFor(host)
  for (const weak of [
    'short',
    'alice@example.com',
    'aaaaaaaaaaaaaaaaaaaa',
    'x'.repeat(300),
    'alice',
  ]) {
    const { body } = await reset(host, token, weak).expect(400)
    expect(body).toMatchObject({ error: 'password-refused', details: { minLength: 15 } })
  }
  await logIn(host)
  await reset(host, token).expect(200)
})

it('a link is void after half an hour, and says so to its holder alone', async () => {
  const host = await startAccounts()
  const token = await tokenFor(host)
  host.clock.advance(1801)
  const { body } = await reset(host, token).expect(400)
  expect(body).toMatchObject({ error: 'proof-refused', details: { reason: 'expired' } })
  const unknown = await reset(host, `mar_pr_${'A'.repeat(43)}`).expect(400)
  expect(unknown.body.details).toBeUndefined()
})

it('a signed-in user changes the password with the old one, and keeps this session alone', async () => {
  const host = await startAccounts()
  const [here, there] = [await asAlice(host), await asAlice(host)]
  const missing = await here.post('/auth/password/change', { newPassword }).expect(403)
  expect(missing.body.error).toBe('reauthentication-required')
  const wrong = await here.post('/auth/password/change', { newPassword, password: 'x' }).expect(401)
  expect(wrong.body.details).toEqual({ wrong: 'password' })
  const { body } = await here.post('/auth/password/change', { newPassword, password }).expect(200)
  expect(body).toEqual({ status: 'success', data: { revoked: 1 } })
  await here.get('/me').expect(200)
  await there.get('/me').expect(401)
  await logIn(host, { username: 'alice', password: newPassword })
  expect(await host.mailed('password-changed')).toHaveLength(1)
})

it('nobody asks whether a new password has leaked before a proof was right', async () => {
  let asked = 0
  const breached = async () => {
    asked += 1
    return []
  }
  const host = await startAccounts({ accounts: { passwordRules: { breached } } })
  const { authToken } = await logIn(host)
  const change = (proof: object) =>
    post(host, '/auth/password/change', { newPassword, ...proof }, bearer(authToken as string))
  await change({}).expect(403)
  await change({ password: 'wrong' }).expect(401)
  expect(asked).toBe(0)
  await change({ password }).expect(200)
  expect(asked).toBe(1)
})

it('a new password that the rules refuse uses up no code of the second factor', async () => {
  const host = await startAccounts()
  await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
  const proof = { password, code: totpCode(totpSecret, host.clock()) }
  const { authToken } = await logIn(host, { username: 'alice', ...proof })
  host.clock.advance(60)
  const next = { password, code: totpCode(totpSecret, host.clock()) }
  const change = (given: string) =>
    post(
      host,
      '/auth/password/change',
      { newPassword: given, ...next },
      bearer(authToken as string),
    )
  expect((await change('1234567').expect(400)).body.error).toBe('password-refused')
  await change(newPassword).expect(200)
  await logIn(host, {
    username: 'alice',
    password: newPassword,
    code: totpCode(totpSecret, new Date(host.clock().getTime() + 30_000)),
  })
})

it('a change that another one has overtaken is 409, and changes nothing', async () => {
  const host = await startAccounts()
  const alice = await asAlice(host)
  const real = host.users.updatePasswordHash
  host.users.updatePasswordHash = async () => false
  const { body } = await alice.post('/auth/password/change', { newPassword, password }).expect(409)
  expect(body.error).toBe('superseded')
  host.users.updatePasswordHash = real
  await alice.get('/me').expect(200)
})

it('a user without a password sets the first one with a fresh sign-in', async () => {
  const host = await startAccounts({
    after: (app, auth) =>
      void app.post('/magic/:id', async (request, response) => {
        const { id: userId } = request.params
        response.json(await auth.sessions.open({ userId, request }))
      }),
  })
  host.users.add({ id: 'u-bob', username: 'bob', emailVerified: true })
  const url = `${host.url.replace('/api/v1', '')}/magic/u-bob`
  const opened = (await (await fetch(url, { method: 'POST' })).json()) as { token: string }
  const headers = { Authorization: `Bearer ${opened.token}` }
  host.clock.advance(601)
  await post(host, '/auth/password/change', { newPassword }, headers).expect(403)
  host.clock.advance(-300)
  await post(host, '/auth/password/change', { newPassword }, headers).expect(200)
  await logIn(host, { username: 'bob', password: newPassword })
})

it('the support desk mails a link, and ends everything of a user', async () => {
  const host = await startAccounts()
  const alice = await asAlice(host)
  expect(await host.auth.accounts.sendPasswordReset('u-alice', { by: 'support:ada' })).toBe(true)
  expect(await host.auth.accounts.sendPasswordReset('u-nobody')).toBe(false)
  const token = tokenIn((await host.mailed('reset-password'))[0]?.url)
  expect(await host.auth.accounts.endEverything('u-alice')).toBe(1)
  await alice.get('/me').expect(401)
  await reset(host, token).expect(400)
})

it('the rules are there for forms of the host as well', async () => {
  const host = await startAccounts()
  expect(await host.auth.passwords.check('short', { userId: 'u-alice' })).toEqual({
    reasons: ['too-short'],
    minLength: 15,
  })
  expect((await host.auth.passwords.check(newPassword)).reasons).toEqual([])
  await expect(host.auth.passwords.check(newPassword, { userId: 'x' })).rejects.toMatchObject({
    code: 'invalid-request',
  })
})

it('without the option there is no route, and the functions say what is missing', async () => {
  const { startHost } = await import('../support/host.js')
  const host = await startHost()
  await post(host, '/auth/password/forgot', { username: 'alice' }).expect(404)
  await get(host, '/auth/email').expect(404)
  await expect(host.auth.accounts.sendPasswordReset('u-alice')).rejects.toMatchObject({
    option: 'accounts',
  })
})

it('a leaked password of a login is reported once a day, and signs in all the same', async () => {
  const asked: string[] = []
  const host = await startAccounts({
    accounts: {
      passwordRules: {
        checkAtLogin: true,
        breached: async (prefix5) => {
          asked.push(prefix5)
          return ['BF48A8C44E2A3B4B1C7A27B7F5A29B2B4A1:3', `${suffix}:7`]
        },
      },
    },
  })
  await logIn(host)
  await logIn(host)
  await host.mailed('reset-password')
  expect(asked).toEqual([digits.slice(0, 5)])
  expect(host.events.filter(({ type }) => type === 'password.breached')).toHaveLength(1)
  host.clock.advance(86_401)
  await logIn(host)
  await host.mailed('reset-password')
  expect(host.events.filter(({ type }) => type === 'password.breached')).toHaveLength(2)
})
