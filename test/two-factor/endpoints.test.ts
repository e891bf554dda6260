import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import type { SecondFactorStore } from '../../src/index.js'
import { totpCode } from '../../src/testing/testing.js'
import { bearer, get, logIn, pkcePair, post } from '../support/client.js'
import { type HostSettings, password, passwordHash, startHost } from '../support/host.js'
import {
  attempt,
  begin,
  breakDown,
  change,
  codeOf,
  confirmation,
  disabling,
  enrolled,
  expectAnswer,
  expectNoSecrets,
  noon,
  regeneration,
  totp,
  wrongCode,
} from '../support/two-factor.js'

const recoveryCode = /^([A-Z2-7]{4}-){5}[A-Z2-7]{4}$/

async function signedIn(settings: HostSettings = {}) {
  const host = await startHost({ now: noon, ...settings })
  const { authToken: token } = await logIn(host)
  return { host, token }
}

describe.each([4, 5] as const)('TOTP on Express %i', (express) => {
  it(
    'is set up, used, given new recovery codes and switched off, each with exactly the body ' +
      'that is promised',
    async () => {
      const { host, token } = await signedIn({ express })
      const status = async () => {
        const response = await get(host, totp, bearer(token))
        expectAnswer(response, 200)
        return response.body
      }
      expect(await status()).toEqual({
        status: 'success',
        data: { enabled: false, recoveryCodesLeft: 0 },
      })

      const begun = await post(host, totp, { password }, bearer(token))
      expectAnswer(begun, 200)
      const { secret } = begun.body.data
      expect(secret).toMatch(/^[A-Z2-7]{32}$/)
      const parameters = `secret=${secret}&issuer=Messaging&algorithm=SHA1&digits=6&period=30`
      const otpauthUri = `otpauth://totp/Messaging:alice?${parameters}`
      expect(begun.body).toEqual({
        status: 'success',
        data: { secret, otpauthUri, expiresIn: 600 },
      })
      expect(await status()).toEqual({
        status: 'success',
        data: { enabled: false, recoveryCodesLeft: 0 },
      })

      const confirmed = await post(
        host,
        confirmation,
        { code: codeOf(host, secret) },
        bearer(token),
      )
      expectAnswer(confirmed, 200)
      const { recoveryCodes } = confirmed.body.data as { recoveryCodes: string[] }
      expect(confirmed.body).toEqual({ status: 'success', data: { recoveryCodes } })
      expect(recoveryCodes).toHaveLength(10)
      for (const code of recoveryCodes) expect(code).toMatch(recoveryCode)
      expect(await status()).toEqual({
        status: 'success',
        data: { enabled: true, recoveryCodesLeft: 10 },
      })

      expectAnswer(await attempt(host), 401, 'totp-required')
      host.clock.advance(30)
      expectAnswer(await attempt(host, codeOf(host, secret)), 200)
      expectAnswer(await attempt(host, recoveryCodes[0]), 200)
      expect(await status()).toEqual({
        status: 'success',
        data: { enabled: true, recoveryCodesLeft: 9 },
      })

      host.clock.advance(30)
      const replaced = await change(host, regeneration, token, codeOf(host, secret))
      expectAnswer(replaced, 200)
      const newCodes = replaced.body.data.recoveryCodes as string[]
      expect(replaced.body).toEqual({ status: 'success', data: { recoveryCodes: newCodes } })
      expect(new Set([...recoveryCodes, ...newCodes]).size).toBe(20)

      host.clock.advance(30)
      const off = await change(host, disabling, token, codeOf(host, secret))
      expectAnswer(off, 200)
      expect(off.body).toEqual({
        status: 'success',
        data: { message: 'Two-factor authentication is off.' },
      })
      expect(await status()).toEqual({
        status: 'success',
        data: { enabled: false, recoveryCodesLeft: 0 },
      })
      expectAnswer(await attempt(host), 200)
      expectNoSecrets(host, secret, ...recoveryCodes, ...newCodes)
      const types = host.events
        .map(({ type }) => type)
        .filter((type) => /^(second|recovery)/.test(type))
      expect(types).toEqual([
        'second-factor.begun',
        'second-factor.enabled',
        'recovery-code.used',
        'recovery-codes.replaced',
        'second-factor.disabled',
      ])
    },
  )
})

const posts = [totp, confirmation, disabling, regeneration]

describe('the endpoints of TOTP', () => {
  it.each(posts)(
    'POST %s: nobody but who is signed in, with a token that may do everything',
    async (path) => {
      const { host, token } = await signedIn()
      const body = { password, code: '123456' }
      const stranger = await post(host, path, body)
      expectAnswer(stranger, 401, 'Unauthorized')
      expect(stranger.headers['www-authenticate']).toBe('Bearer')
      expectAnswer(await post(host, path, body, bearer(`${token}x`)), 401, 'Unauthorized')
      expectAnswer(
        await post(host, path, body, {
          ...bearer(token),
          'X-User-Id': 'u-alice',
          'X-Auth-Token': token,
        }),
        400,
      )
      await post(host, '/logout', undefined, bearer(token))
      expectAnswer(await post(host, path, body, bearer(token)), 401, 'Unauthorized')
    },
  )

  it.each([['GET', totp] as const, ...posts.map((path) => ['POST', path] as const)])(
    '%s %s: a token with a limited scope is 403, whatever it knows',
    async (method, path) => {
      const { host } = await signedIn()
      const { codeVerifier, codeChallenge } = pkcePair()
      const { authorizationCode } = await host.auth.issueAuthorizationCode({
        userId: 'u-alice',
        codeChallenge,
        scope: ['rooms:read'],
      })
      const { body } = await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier })
      const limited = bearer(body.access_token)
      const ask =
        method === 'GET'
          ? get(host, path, limited)
          : post(host, path, { password, code: '123456' }, limited)
      expectAnswer(await ask, 403, 'forbidden')
      expect(host.events.some(({ type }) => type === 'second-factor.begun')).toBe(false)
    },
  )

  it('take X-User-Id and X-Auth-Token as well, if they belong together', async () => {
    const { host, token } = await signedIn()
    const mine = { 'X-User-Id': 'u-alice', 'X-Auth-Token': token }
    const begun = await post(host, totp, { password }, mine)
    expectAnswer(begun, 200)
    expectAnswer(
      await post(host, confirmation, { code: codeOf(host, begun.body.data.secret) }, mine),
      200,
    )
    expect((await get(host, totp, mine)).body.data).toEqual({
      enabled: true,
      recoveryCodesLeft: 10,
    })
    host.clock.advance(30)
    const body = { password, code: codeOf(host, begun.body.data.secret) }
    const foreign = { ...mine, 'X-User-Id': 'u-bob' }
    for (const path of posts)
      expectAnswer(await post(host, path, body, foreign), 401, 'Unauthorized')
    expectAnswer(await post(host, disabling, body, mine), 200)
  })

  it.each([
    [totp, {}, ['password']],
    [totp, { password: '' }, ['password']],
    [totp, { password: 5 }, ['password']],
    [totp, { password: { $ne: '' } }, ['password']],
    [confirmation, {}, ['code']],
    [confirmation, { code: 123456 }, ['code']],
    [confirmation, { code: ['123456'] }, ['code']],
    [confirmation, { code: '' }, ['code']],
    [confirmation, { code: '1'.repeat(65) }, ['code']],
    [disabling, {}, ['password', 'code']],
    [disabling, { password }, ['code']],
    [disabling, { code: '123456' }, ['password']],
    [regeneration, { password: null, code: null }, ['password', 'code']],
  ])('POST %s with %j names the fields at fault', async (path, body, fields) => {
    const { host, token } = await signedIn()
    const response = await post(host, path, body, bearer(token))
    expectAnswer(response, 400, 'invalid-request')
    expect(response.body.details.issues.map((issue: { path: string }) => issue.path)).toEqual(
      fields,
    )
    expectNoSecrets(host)
  })

  it.each(posts)(
    'POST %s: 413 above 8 KiB, 415 for anything but JSON, 400 for JSON that is none',
    async (path) => {
      const { host, token } = await signedIn()
      expectAnswer(
        await post(host, path, { password: 'x'.repeat(9000) }, bearer(token)),
        413,
        'payload-too-large',
      )
      const send = (type: string, text: string) =>
        supertest(host.url).post(path).set(bearer(token)).set('Content-Type', type).send(text)
      expectAnswer(
        await send('application/x-www-form-urlencoded', 'password=x&code=123456'),
        415,
        'unsupported-media-type',
      )
      expectAnswer(await send('application/json', '{"password":'), 400, 'invalid-request')
      expectAnswer(await send('application/json', '["x"]'), 400, 'invalid-request')
    },
  )

  it.each([
    [totp, 'GET, HEAD, POST'],
    [confirmation, 'POST'],
    [disabling, 'POST'],
    [regeneration, 'POST'],
  ])('%s: another method is 405, and Allow says which are not', async (path, allow) => {
    const { host, token } = await signedIn()
    const response = await supertest(host.url).delete(path).set(bearer(token))
    expectAnswer(response, 405, 'method-not-allowed')
    expect(response.headers['allow']).toBe(allow)
    if (path !== totp) expectAnswer(await get(host, path, bearer(token)), 405, 'method-not-allowed')
  })

  it('answer 409 to what does not fit the state, and only to who knows the password', async () => {
    const { host, token } = await signedIn()
    expectAnswer(
      await post(host, confirmation, { code: '123456' }, bearer(token)),
      409,
      'totp-not-enabled',
    )
    for (const path of [disabling, regeneration]) {
      const wrong = await change(host, path, token, '123456', 'wrong')
      expectAnswer(wrong, 401, 'Unauthorized')
      expect(wrong.body.details).toEqual({ wrong: 'password' })
      expectAnswer(await change(host, path, token, '123456'), 409, 'totp-not-enabled')
    }
    const { host: on, token: mine, secret } = await enrolled()
    expectAnswer(await post(on, totp, { password: 'wrong' }, bearer(mine)), 401, 'Unauthorized')
    expectAnswer(await post(on, totp, { password }, bearer(mine)), 409, 'totp-already-enabled')
    expectAnswer(
      await post(on, confirmation, { code: codeOf(on, secret) }, bearer(mine)),
      409,
      'totp-already-enabled',
    )
  })

  it('answer 401 totp-invalid to a wrong code, always with details', async () => {
    const { host, token } = await signedIn()
    const secret = await begin(host, token)
    const details = { method: 'totp', codeGenerated: false, availableMethods: ['totp', 'recovery'] }
    // What confirms is the app itself: there are no recovery codes yet.
    const first = { ...details, availableMethods: ['totp'] }
    const wrong = await post(host, confirmation, { code: wrongCode(host, secret) }, bearer(token))
    expectAnswer(wrong, 401, 'totp-invalid')
    expect(wrong.body.details).toEqual(first)
    await post(host, confirmation, { code: codeOf(host, secret) }, bearer(token))
    for (const path of [disabling, regeneration]) {
      const response = await change(host, path, token, wrongCode(host, secret))
      expectAnswer(response, 401, 'totp-invalid')
      expect(response.body.details).toEqual(details)
    }
    expect(host.events.filter(({ type }) => type === 'second-factor.refused')).toHaveLength(3)
  })

  it.each([
    ['GET', totp, 'find'],
    ['GET', totp, 'countRecoveryCodes'],
    ['POST', totp, 'find'],
    ['POST', totp, 'savePending'],
    ['POST', confirmation, 'findPending'],
    ['POST', disabling, 'find'],
    ['POST', regeneration, 'find'],
  ] as const)(
    '%s %s: 503 while the store fails at %s, and as ever afterwards',
    async (method, path, name) => {
      const { host, token } = await signedIn()
      const ask = () =>
        method === 'GET'
          ? get(host, path, bearer(token))
          : post(host, path, { password, code: '123456' }, bearer(token))
      const before = (await ask()).status
      const mend = breakDown<SecondFactorStore>(host.stores.secondFactors, name)
      expectAnswer(await ask(), 503, 'temporarily-unavailable')
      mend()
      expect((await ask()).status).toBe(before)
      expectNoSecrets(host)
    },
  )

  it('are not there without a store for second factors: the host answers', async () => {
    const { host, token } = await signedIn({
      options: { secondFactors: undefined as never },
      after: (app) =>
        void app.use((_request, response) => void response.status(404).json({ host: 'says so' })),
    })
    for (const path of [totp, ...posts]) {
      const response = await post(host, path, { password, code: '123456' }, bearer(token))
      expect([response.status, response.body]).toEqual([404, { host: 'says so' }])
    }
    expect((await get(host, totp, bearer(token))).body).toEqual({ host: 'says so' })
  })

  it('are about whoever asks: another user’s factor is neither seen nor touched', async () => {
    const { host, secret } = await enrolled()
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    const bob = await logIn(host, { username: 'bob', password })
    const asAlice = {
      userId: 'u-alice',
      username: 'alice',
      password,
      code: totpCode(secret, host.clock()),
    }
    expect((await get(host, totp, bearer(bob.authToken))).body.data.enabled).toBe(false)
    expectAnswer(
      await post(host, disabling, asAlice, bearer(bob.authToken)),
      409,
      'totp-not-enabled',
    )
    expect(await host.auth.secondFactors.status('u-alice')).toEqual({
      enabled: true,
      recoveryCodesLeft: 10,
    })
  })
})
