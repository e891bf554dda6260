// Codes by mail as a second factor: switched on by the user, asked for after a right password.
import { expect, it } from 'vitest'
import { logIn, obtainCode, post } from '../support/client.js'
import { password, startHost } from '../support/host.js'
import { passkeyOptions } from '../support/mounted-passkeys.js'
import { attempt, begin, codeOf, confirm, expectAnswer } from '../support/two-factor.js'
import { asAlice, startAccounts } from './account-host.js'
import { codeFor, factorPath, withEmailFactor, withFactor } from './email-factor-host.js'
import { addPasskey } from './passkey-host.js'

it('a user switches it on; from then on a login needs the code of its mail', async () => {
  const host = await withFactor()
  const alice = await asAlice(host)
  const other = await asAlice(host)
  const before = (await alice.get('/auth/email').expect(200)).body.data
  expect(before).toEqual({ email: 'alice@example.com', verified: true, secondFactor: false })
  await alice.post(factorPath, { enabled: true }).expect(200)
  expect((await alice.get('/auth/email')).body.data.secondFactor).toBe(true)
  await other.get('/me').expect(401)
  const asked = await attempt(host)
  expectAnswer(asked, 401, 'totp-required')
  expect(asked.body.details).toEqual({
    method: 'email',
    codeGenerated: true,
    availableMethods: ['email'],
  })
  const [mail] = await host.mailed('second-factor-code')
  expect(mail).toMatchObject({ to: 'alice@example.com', because: { ip: '127.0.0.1' } })
  expect(mail?.text).toContain(mail?.code?.replace(/(\d{4})/, '$1 ') ?? 'no code')
  expectAnswer(await attempt(host, mail?.code), 200)
  expect(host.events.at(-1)).toMatchObject({ type: 'login.succeeded', methods: ['pwd', 'otp'] })
})

it('the code may be typed in parts, as the mail shows it', async () => {
  const host = await withEmailFactor()
  const code = await codeFor(host)
  expectAnswer(await attempt(host, ` ${code.slice(0, 4)} ${code.slice(4)} `), 200)
})

it('a user is told by mail when it is switched on, and when it is switched off', async () => {
  const host = await withFactor()
  await (await asAlice(host)).post(factorPath, { enabled: true }).expect(200)
  expect(await host.mailed('factor-changed')).toHaveLength(1)
  const { authToken } = await logIn(host, {
    username: 'alice',
    password,
    code: await codeFor(host),
  })
  const headers = { Authorization: `Bearer ${authToken}` }
  await post(host, factorPath, { enabled: false }, headers).expect(200)
  expect(await host.mailed('factor-changed')).toHaveLength(2)
  expectAnswer(await attempt(host), 200)
  const types = host.events.filter(({ type }) => type.startsWith('second-factor.'))
  expect(types).toContainEqual(
    expect.objectContaining({ type: 'second-factor.enabled', method: 'email' }),
  )
  expect(types).toContainEqual(
    expect.objectContaining({ type: 'second-factor.disabled', method: 'email' }),
  )
})

it('the session that switches it on stays signed in, and its tokens are refreshed', async () => {
  const host = await withFactor()
  const { body } = await post(
    host,
    '/auth/pkce/token',
    await obtainCode(host, (await logIn(host)).authToken),
  )
  const headers = { Authorization: `Bearer ${body.access_token}` }
  await post(host, factorPath, { enabled: true }, headers).expect(200)
  await post(host, '/auth/refresh', { refreshToken: body.refresh_token }).expect(200)
})

it('a user with TOTP is asked for that alone, and for mails again once it is off', async () => {
  const host = await withEmailFactor()
  const { authToken } = await logIn(host, {
    username: 'alice',
    password,
    code: await codeFor(host),
  })
  const secret = await begin(host, authToken)
  await confirm(host, authToken, secret)
  const asked = await attempt(host)
  expect(asked.body.details).toEqual({
    method: 'totp',
    codeGenerated: false,
    availableMethods: ['totp', 'recovery'],
  })
  host.clock.advance(30)
  const code = codeOf(host, secret)
  const headers = { Authorization: `Bearer ${authToken}` }
  await post(host, '/auth/totp/disable', { password, code }, headers).expect(200)
  expect((await attempt(host)).body.details.availableMethods).toEqual(['email'])
})

it('a user who must have a second factor may choose this one', async () => {
  const host = await withFactor({
    options: { secondFactor: () => 'required', secondFactors: undefined as never },
  })
  const { authToken, ...answer } = await logIn(host)
  expect(answer).toMatchObject({ enrolmentRequired: true })
  const headers = { Authorization: `Bearer ${authToken}` }
  await post(host, factorPath, { enabled: true }, headers).expect(200)
  // The password alone has been shown here.
  await post(host, '/auth/email/verify', {}, headers).expect(403)
  const complete = await logIn(host, { username: 'alice', password, code: await codeFor(host) })
  expect(complete).not.toHaveProperty('enrolmentRequired')
})

it('without the option there is no such request and no such factor', async () => {
  const host = await startAccounts()
  host.users.change('u-alice', { emailFactor: true })
  const alice = await asAlice(host)
  expect((await alice.get('/auth/email')).body.data).not.toHaveProperty('secondFactor')
  await alice.post(factorPath, { enabled: true }).expect(404)
})

it('the option needs users that keep it, and no factor of the same name', async () => {
  const { users } = await startHost()
  const { setEmailFactor: _left, ...without } = users
  const own = { name: 'email', isEnabled: async () => true, verify: async () => ({}) } as never
  await expect(withFactor({ options: { users: without } })).rejects.toThrow(/setEmailFactor/)
  await expect(withFactor({ options: { otherFactors: [own] } })).rejects.toThrow(/named email/)
})

it('a user whose passkey a sign-in demands is asked for that alone', async () => {
  const host = await withEmailFactor({ options: passkeyOptions({ asSecondFactor: 'always' }) })
  const code = await codeFor(host)
  const { authToken } = await logIn(host, { username: 'alice', password, code })
  await addPasskey(host, authToken)
  const asked = await attempt(host)
  expectAnswer(asked, 401, 'totp-required')
  expect(asked.body.details.availableMethods).toEqual(['passkey', 'recovery'])
  expect(await host.mailed('second-factor-code')).toHaveLength(1)
})
