// Mailed links in the wrong hands, at the wrong time, and all at once.
import { expect, it } from 'vitest'
import { AuthError } from '../../src/index.js'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { password, passwordHash } from '../support/host.js'
import { tokenIn } from '../support/mounted-accounts.js'
import {
  type AccountHost,
  asAlice,
  newPassword,
  reset,
  startAccounts,
  tokenFor,
} from './account-host.js'

const refused = { success: false, status: 'error', error: 'proof-refused' }

it('fifty requests with one link at once set one password', async () => {
  const host = await startAccounts()
  const token = await tokenFor(host)
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_none, i) => reset(host, token, `${newPassword} ${i}`)),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ body }) => body.error === 'proof-refused')).toHaveLength(49)
  const winner = answers.findIndex(({ status }) => status === 200)
  await logIn(host, { username: 'alice', password: `${newPassword} ${winner}` })
})

it('fifty requests with one link and one password are answered 200 once', async () => {
  const host = await startAccounts()
  const token = await tokenFor(host)
  const answers = await Promise.all(Array.from({ length: 50 }, () => reset(host, token)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  await logIn(host, { username: 'alice', password: newPassword })
})

it.each<[string, (host: AccountHost, token: string) => Promise<unknown>]>([
  [
    'a change of the password',
    async (host) =>
      (await asAlice(host)).post('/auth/password/change', { newPassword, password }).expect(200),
  ],
  [
    'a new hash that the host has stored',
    async (host) => host.users.change('u-alice', { passwordHash: `${passwordHash}x` }),
  ],
  ['another reset', async (host) => reset(host, await tokenFor(host)).expect(200)],
  ['the end of everything', async (host) => host.auth.accounts.endEverything('u-alice')],
  ['disabling the user', async (host) => host.users.change('u-alice', { disabled: true })],
  ['deleting the user', async (host) => host.users.rows.delete('u-alice')],
])('a link is worth nothing after %s', async (_what, happens) => {
  const host = await startAccounts()
  const token = await tokenFor(host)
  await happens(host, token)
  const before = host.users.rows.get('u-alice')?.passwordHash
  const { body } = await reset(host, token, 'quite another phrase, typed by a thief').expect(400)
  expect(body).toMatchObject(refused)
  expect(host.users.rows.get('u-alice')?.passwordHash).toBe(before)
})

it('an outage while the password is written costs no mail: the same link works a second later', async () => {
  const host = await startAccounts()
  const token = await tokenFor(host)
  const real = host.users.updatePasswordHash
  host.users.updatePasswordHash = async () => {
    throw new Error('the database is gone')
  }
  await reset(host, token).expect(503)
  host.users.updatePasswordHash = real
  await logIn(host)
  await reset(host, token).expect(200)
})

it.each(['consume', 'voidForUser'] as const)(
  'a crash after the password was written, at %s, is completed by the same link',
  async (method) => {
    const host = await startAccounts()
    const alice = await asAlice(host)
    const token = await tokenFor(host)
    const { proofs } = host.stores
    const real = { ...proofs }
    const cut = async () => {
      throw new Error('the connection is cut')
    }
    Object.assign(proofs, { [method]: cut })
    await reset(host, token).expect(503)
    Object.assign(proofs, real)
    await alice.get('/me').expect(401)
    await reset(host, token).expect(200)
    await logIn(host, { username: 'alice', password: newPassword })
    await reset(host, token).expect(400)
  },
)

it('a crash before the sessions ended is completed by the same link, and by no other password', async () => {
  const host = await startAccounts()
  const alice = await asAlice(host)
  const token = await tokenFor(host)
  const real = host.stores.sessions.endAllForUser
  host.stores.sessions.endAllForUser = async () => {
    throw new Error('the connection is cut')
  }
  await reset(host, token).expect(503)
  host.stores.sessions.endAllForUser = real
  await alice.get('/me').expect(200)
  await reset(host, token, 'quite another phrase, typed by a thief').expect(400)
  await reset(host, token).expect(200)
  await alice.get('/me').expect(401)
})

it('a change whose sessions could not be ended is completed with the new password as proof', async () => {
  const host = await startAccounts()
  const [here, there] = [await asAlice(host), await asAlice(host)]
  const { sessions } = host.stores
  const real = sessions.endAllForUser
  sessions.endAllForUser = async () => {
    throw new Error('the connection is cut')
  }
  const change = (shown: string) =>
    here.post('/auth/password/change', { newPassword, password: shown })
  await change(password).expect(503)
  sessions.endAllForUser = real
  await there.get('/me').expect(200)
  await change(password).expect(401)
  await change(newPassword).expect(200)
  await there.get('/me').expect(401)
  await here.get('/me').expect(200)
})

it('no GET, HEAD or OPTIONS uses a link up', async () => {
  const host = await startAccounts()
  const token = await tokenFor(host)
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT'])
    for (const path of ['reset', 'forgot', 'change'])
      expect(
        (await fetch(`${host.url}/auth/password/${path}?token=${token}`, { method })).status,
      ).toBe(405)
  await reset(host, token).expect(200)
})

it('a token of one purpose opens no other, and is not used up there', async () => {
  const host = await startAccounts()
  const alice = await asAlice(host)
  const asked = await alice
    .post('/auth/email/change', { email: 'new@example.org', password })
    .expect(202)
  const { requestId } = asked.body.data
  const token = await tokenFor(host)
  await post(host, '/auth/email/undo', { token }).expect(400)
  await post(host, '/auth/email/undo', { token: token.replace('mar_pr_', 'mar_eu_') }).expect(400)
  await reset(host, requestId).expect(400)
  await reset(host, `mar_pr_${requestId}`).expect(400)
  await alice.post('/auth/email/confirm', { requestId: token, code: '12345678' }).expect(400)
  await alice
    .post('/auth/email/confirm', { requestId: token.slice(7), code: '12345678' })
    .expect(400)
  const code = (await host.mailed('change-address'))[0]?.code
  await reset(host, token).expect(200)
  expect(code).toMatch(/^\d{8}$/)
})

it('links lead where the host has said, whatever the request calls the host', async () => {
  const host = await startAccounts()
  await post(
    host,
    '/auth/password/forgot',
    { username: 'alice' },
    { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example' },
  ).expect(202)
  const [mail] = await host.mailed('reset-password')
  expect(mail?.url).toMatch(/^https:\/\/chat\.example\.com\/#\/reset\/mar_pr_[\w-]{43}$/)
})

it('a reset ends refreshes, codes and sessions that are under way', async () => {
  const host = await startAccounts()
  const { authToken } = await logIn(host)
  const code = await obtainCode(host, authToken)
  const pair = await post(host, '/auth/pkce/token', await obtainCode(host, authToken)).expect(200)
  await reset(host, await tokenFor(host)).expect(200)
  await post(host, '/auth/pkce/token', code).expect(400)
  await post(host, '/auth/refresh', { refreshToken: pair.body.refresh_token }).expect(400)
  await get(host, '/me', bearer(pair.body.access_token)).expect(401)
})

it('neither an absurd password nor an absurd token is read', async () => {
  const host = await startAccounts()
  const token = await tokenFor(host)
  for (const bad of ['', '\ud800', 5, null, ['x'], 'x'.repeat(9000)]) {
    expect((await reset(host, token, bad as string)).status).toBeGreaterThanOrEqual(400)
    expect((await reset(host, bad as string)).status).toBeGreaterThanOrEqual(400)
  }
  await reset(host, token, `${newPassword}\0`).expect(400)
  await reset(host, token).expect(200)
})

it('a mailbox that fails changes no answer and is told to the operator', async () => {
  const failing = [
    () => {
      throw new Error('no connection to mail.example.com for alice@example.com')
    },
    () => Promise.reject(new AuthError('Unauthorized')),
    () => new Promise<never>(() => {}),
  ]
  for (const send of failing) {
    const host = await startAccounts({ accounts: { mail: { send } } })
    await post(host, '/auth/password/forgot', { username: 'alice' }).expect(202)
    if (send === failing[2]) continue
    await host.mailed('reset-password')
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'mail.failed', kind: 'reset-password', userId: 'u-alice' }),
    )
    await logIn(host)
  }
})

it('an old link cannot be used to try passwords without end', async () => {
  const host = await startAccounts()
  const token = await tokenFor(host)
  host.users.change('u-alice', { passwordHash: `${passwordHash.slice(0, -1)}H` })
  for (let i = 0; i < 8; i += 1) await reset(host, token, `${newPassword} ${i}`).expect(400)
  host.users.change('u-alice', { passwordHash })
  await reset(host, token).expect(400)
  expect(tokenIn('x/y')).toBe('y')
})
