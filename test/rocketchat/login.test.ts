import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import { bcryptHasher, combinedHasher, preDigestedBcrypt } from '../../src/index.js'
import { pbkdf2 } from '../../src/passwords/readers/pbkdf2.js'
import { rocketChat } from '../../src/rocketchat/rocketchat.js'
import { expectCommon } from '../support/after-attack.js'
import { get, logIn, post } from '../support/client.js'
import { password, type TestHost, workerUrl } from '../support/host.js'
import { digestOf, meteorHasher, startRocketHost } from '../support/rocketchat.js'
import { codeOf, enrolled } from '../support/two-factor.js'

const alice = {
  _id: 'u-alice',
  name: 'Alice A.',
  username: 'alice',
  status: 'offline',
  active: true,
  roles: ['user'],
  emails: [{ address: 'alice@example.com', verified: true }],
  settings: { preferences: {} },
}

const form = (host: TestHost, fields: Record<string, string>) =>
  supertest(host.url).post('/login').type('form').send(fields)

const startWithCode = (before?: Parameters<typeof startRocketHost>[1]) =>
  enrolled({
    ...before,
    before: (app, auth) => void app.use('/api/v1', rocketChat(auth)),
  })

describe('POST /login of rocketChat', () => {
  it.each([4, 5] as const)('takes every way to name a user, in Express %i', async (express) => {
    const host = await startRocketHost({}, { express })
    for (const named of [
      { user: 'alice' },
      { user: 'Alice@example.com'.toLowerCase() },
      { username: 'ALICE' },
      { email: 'alice@example.com' },
      { user: { username: 'alice' } },
      { user: { email: 'alice@example.com' } },
      { username: 'alice', email: 'Alice@Example.com' },
      { user: { username: 'alice', email: 'alice@example.com' } },
    ]) {
      const response = await post(host, '/login', { ...named, password })
      expectCommon(response)
      expect({ named, status: response.status, body: response.body }).toEqual({
        named,
        status: 200,
        body: {
          status: 'success',
          data: { userId: 'u-alice', authToken: expect.any(String), me: alice },
        },
      })
    }
  })

  it('takes forms as well as JSON, also those that the host has parsed', async () => {
    const odd = 'p+ä s&=%'
    const host = await startRocketHost()
    host.users.change('u-alice', { passwordHash: await host.auth.hashPassword(odd) })
    const { status, body } = await form(host, { username: 'alice', password: odd })
    expect([status, body.data?.userId]).toEqual([200, 'u-alice'])
    const { default: express } = await import('express')
    const parsing = await startRocketHost(
      {},
      { before: (app) => void app.use(express.urlencoded({ extended: true })) },
    )
    expect((await form(parsing, { user: 'alice', password })).status).toBe(200)
  })

  it('answers me, and guarded routes, with what describeUser adds', async () => {
    const host = await startRocketHost()
    const { authToken, userId } = await logIn(host)
    const headers = { 'X-Auth-Token': authToken, 'X-User-Id': userId }
    expect((await get(host, '/me', headers)).body).toEqual({ ...alice, success: true })
    for (const method of ['get', 'post'] as const) {
      const { authToken: token } = await logIn(host)
      const asked = supertest(host.url)[method]('/logout')
      const { status, body } = await asked.set({ 'X-Auth-Token': token, 'X-User-Id': userId })
      expect({ status, body }).toEqual({
        status: 200,
        body: { status: 'success', data: { message: "You've been logged out!" } },
      })
      const again = await get(host, '/me', { 'X-Auth-Token': token, 'X-User-Id': userId })
      expect(again.status).toBe(401)
    }
  })

  it('resumes a token: the same one, and no new session', async () => {
    const host = await startRocketHost()
    const { authToken } = await logIn(host)
    const response = await post(host, '/login', { resume: authToken })
    expectCommon(response)
    expect(response.body).toEqual({
      status: 'success',
      data: { userId: 'u-alice', authToken, me: alice },
    })
    expect(await host.auth.sessions.list('u-alice')).toHaveLength(1)
  })

  it('asks for the code by 401, as published, and by 400 whoever opens only 400', async () => {
    const { host, secret } = await startWithCode()
    const details = {
      method: 'totp',
      codeGenerated: false,
      availableMethods: ['totp', 'recovery'],
    }
    for (const [accept, status] of [
      ['*/*', 401],
      ['application/json, text/plain, */*', 401],
      ['application/json', 400],
    ] as const) {
      const headers = { Accept: accept }
      const asked = await post(host, '/login', { user: 'alice', password }, headers)
      expectCommon(asked)
      expect([asked.status, asked.body.error, asked.body.details]).toEqual([
        status,
        'totp-required',
        details,
      ])
      const wrong = await post(
        host,
        '/login',
        { user: 'alice', password, code: codeOf(host, secret, 40) },
        headers,
      )
      expect([wrong.status, wrong.body.error]).toEqual([status, 'totp-invalid'])
      // A wrong password is a 401 for everybody.
      const refused = await post(host, '/login', { user: 'alice', password: 'no' }, headers)
      expect([refused.status, refused.body.error]).toEqual([401, 'Unauthorized'])
      // Published clients compare this text.
      expect(refused.body.message).toBe('Unauthorized')
    }
  })

  it('takes the code in the body, in totp, and in the header', async () => {
    const { host, secret } = await startWithCode()
    const login = { user: { username: 'alice' }, password }
    const ways = [
      (code: string) => post(host, '/login', { ...login, code }),
      (code: string) => post(host, '/login', { totp: { login, code } }),
      (code: string) => post(host, '/login', login, { 'x-2fa-code': code, 'x-2fa-method': 'totp' }),
      (code: string) => form(host, { username: 'alice', password, code }),
    ]
    for (const way of ways) {
      expect((await way(codeOf(host, secret))).status).toBe(200)
      host.clock.advance(30)
    }
  })

  it('says in the older names what the limits say', async () => {
    const host = await startRocketHost()
    const wrong = () => post(host, '/login', { user: 'alice', password: 'wrong' })
    const first = await wrong()
    expect(first.headers).toMatchObject({
      'ratelimit-limit': first.headers['x-ratelimit-limit'],
      'ratelimit-remaining': first.headers['x-ratelimit-remaining'],
    })
    const reset = Number(first.headers['x-ratelimit-reset']) - Date.now()
    expect(reset).toBeGreaterThan(0)
    expect(reset).toBeLessThan(16 * 60_000)
    for (let count = 1; count < 5; count += 1) await wrong()
    const limited = await wrong()
    expectCommon(limited)
    expect([limited.status, limited.body.error]).toEqual([429, 'error-login-blocked-for-user'])
    expect(limited.headers['x-ratelimit-remaining']).toBe('0')
    for (let count = 0; count < 100; count += 1)
      await post(host, '/login', { user: `nobody-${count}`, password: 'wrong' })
    const byNetwork = await post(host, '/login', { user: 'somebody', password: 'wrong' })
    expect([byNetwork.status, byNetwork.body.error]).toEqual([429, 'error-login-blocked-for-ip'])
  })

  it('tells the version the host names, and else leaves /info to the host', async () => {
    const told = await startRocketHost({ version: '7.1.0' })
    expect((await get(told, '/info')).body).toEqual({
      success: true,
      version: '7.1.0',
      info: { version: '7.1.0' },
    })
    const silent = await startRocketHost()
    expect((await get(silent, '/info')).status).toBe(404)
    expect((await get(silent, '/users.getPersonalAccessTokens')).status).toBe(404)
  })

  it('lets in pages of the origins it names, with their code in a header', async () => {
    const origin = 'https://app.example.com'
    const host = await startRocketHost({ cors: { origins: [origin] } })
    const preflight = await supertest(host.url)
      .options('/login')
      .set({ Origin: origin, 'Access-Control-Request-Method': 'POST' })
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([
      204,
      origin,
    ])
    expect(preflight.headers['access-control-allow-headers']).toContain('X-2fa-Code')
    const body = { user: 'alice', password }
    const { headers } = await post(host, '/login', body, { Origin: origin })
    expect(headers['access-control-allow-origin']).toBe(origin)
  })
})

describe('digestLogins', () => {
  it('signs in by the digest, and by the password, and rehashes neither away', async () => {
    const host = await startRocketHost(
      { digestLogins: true },
      { options: { passwords: meteorHasher } },
    )
    const stored = await host.auth.hashPassword(password)
    host.users.change('u-alice', { passwordHash: stored })
    const user = { username: 'alice' }
    const upper = { ...digestOf(password), digest: digestOf(password).digest.toUpperCase() }
    for (const shown of [digestOf(password), upper, password])
      expect((await post(host, '/login', { user, password: shown })).status).toBe(200)
    for (const shown of [digestOf('other'), digestOf(digestOf(password).digest)])
      expect((await post(host, '/login', { user, password: shown })).status).toBe(401)
    // The digest is no password.
    const { status } = await post(host, '/login', { user, password: digestOf(password).digest })
    expect(status).toBe(401)
    expect(host.users.rows.get('u-alice')?.passwordHash).toBe(stored)
  })

  it('reads the hashes of a table of Meteor', async () => {
    // bcrypt of the SHA-256 of "password", in hexadecimal
    const host = await startRocketHost(
      { digestLogins: true },
      { options: { passwords: meteorHasher } },
    )
    const plain = bcryptHasher({
      cost: 4,
      threads: 1,
      dangerouslyAllowLowCost: true,
      workerUrl,
    })
    const passwordHash = await plain.hash(digestOf(password).digest)
    await plain.close()
    host.users.change('u-alice', { passwordHash })
    for (const shown of [digestOf(password), password])
      expect((await post(host, '/login', { user: 'alice', password: shown })).status).toBe(200)
  })

  it('leaves a cheap hash as it is, until the password itself is seen', async () => {
    const current = bcryptHasher({
      preDigest: 'sha256-hex',
      cost: 5,
      threads: 1,
      dangerouslyAllowLowCost: true,
      workerUrl,
    })
    const passwords = combinedHasher({ current, legacy: [pbkdf2({ iterations: [1000] })] })
    const host = await startRocketHost({ digestLogins: true }, { options: { passwords } })
    const stored = () => host.users.rows.get('u-alice')?.passwordHash
    const cheap = await meteorHasher.hash(password)
    host.users.change('u-alice', { passwordHash: cheap })
    const shown = (body: unknown) => post(host, '/login', { user: 'alice', password: body })
    expect((await shown(digestOf(password))).status).toBe(200)
    expect(stored()).toBe(cheap)
    expect((await shown(password)).status).toBe(200)
    expect(stored()).toMatch(/^\$2b\$05\$/)
    expect((await shown(digestOf(password))).status).toBe(200)
    await passwords.close()
  })

  it('is refused at the start where passwords are hashed in another way', async () => {
    const refused = {
      name: 'AuthConfigError',
      option: 'rocketChat.digestLogins',
      remedy: expect.stringContaining("preDigest: 'sha256-hex'"),
    }
    await expect(startRocketHost({ digestLogins: true })).rejects.toMatchObject(refused)
    const passwords = combinedHasher({
      current: bcryptHasher({ workerUrl }),
      legacy: [preDigestedBcrypt('sha256-hex')],
    })
    const settings = { options: { passwords } }
    await expect(startRocketHost({ digestLogins: true }, settings)).rejects.toMatchObject(refused)
  })
})
