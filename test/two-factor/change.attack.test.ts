import { describe, expect, it } from 'vitest'
import { decodeBase32 } from '../../src/lib/typed-codes.js'
import { bearer, get, logIn, obtainCode, pkcePair, post } from '../support/client.js'
import { password } from '../support/host.js'
import {
  attempt,
  begin,
  change,
  codeOf,
  confirm,
  disabling,
  enrolled,
  expectAnswer,
  expectNoSecrets,
  expectUnharmed,
  methodsOf,
  pendingOf,
  regeneration,
  totp,
  wrongCode,
} from '../support/two-factor.js'

/** Another session of alice's, which has shown the factor. */
async function anotherSession(given: Awaited<ReturnType<typeof enrolled>>) {
  const { authToken } = await logIn(given.host, {
    username: 'alice',
    password,
    code: codeOf(given.host, given.secret),
  })
  given.host.clock.advance(30)
  return authToken
}

describe.each([disabling, regeneration])('POST %s', (path) => {
  it('needs password and code, both of them right', async () => {
    const { host, token, secret, recoveryCodes } = await enrolled()
    const right = codeOf(host, secret)
    expectAnswer(await change(host, path, token, right, 'wrong'), 401, 'Unauthorized')
    expectAnswer(await change(host, path, token, wrongCode(host, secret)), 401, 'totp-invalid')
    expectAnswer(
      await change(host, path, token, 'AAAA-AAAA-AAAA-AAAA-AAAA-AAAA'),
      401,
      'totp-invalid',
    )
    for (const loose of [
      `${right}x`,
      `+${right.slice(1)}`,
      right.slice(1),
      `${right}0`,
      '１２３４５６',
    ]) {
      expectAnswer(await change(host, path, token, loose), 401, 'totp-invalid')
    }
    expect(await host.auth.secondFactors.status('u-alice')).toEqual({
      enabled: true,
      recoveryCodesLeft: 10,
    })
    await expectUnharmed(host, right, secret, ...recoveryCodes)
  })

  it(
    'says of a wrong password nothing about the code: the same bytes with a right and a wrong ' +
      'one',
    async () => {
      const { host, token, secret } = await enrolled()
      const withRight = await change(host, path, token, codeOf(host, secret), 'wrong')
      const withWrong = await change(host, path, token, wrongCode(host, secret), 'wrong')
      expect(withRight.text).toBe(withWrong.text)
      expect(withRight.body).toMatchObject({
        error: 'Unauthorized',
        details: { wrong: 'password' },
      })
      await expectUnharmed(host, codeOf(host, secret), secret)
    },
  )

  it('takes no code twice, nor one of the step of the login before', async () => {
    const { host, token, secret } = await enrolled()
    const code = codeOf(host, secret)
    expectAnswer(await attempt(host, code), 200)
    expectAnswer(await change(host, path, token, code), 401, 'totp-invalid')
    host.clock.advance(30)
    await expectUnharmed(host, codeOf(host, secret), secret)
  })

  it('takes a recovery code, once: the phone is lost', async () => {
    const { host, token, secret, recoveryCodes } = await enrolled()
    const [code = ''] = recoveryCodes
    const done = await change(host, path, token, code.toLowerCase().replaceAll('-', ' '))
    expectAnswer(done, 200)
    const again = await change(host, path, token, code)
    expectAnswer(again, path === disabling ? 409 : 401)
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'recovery-code.used', userId: 'u-alice' }),
    )
    await expectUnharmed(host, done.body.data.recoveryCodes?.[0], secret, ...recoveryCodes)
  })
})

describe('switching TOTP off', () => {
  it('ends the other sessions, keeps the one it came from, and leaves nothing of the factor', async () => {
    const given = await enrolled()
    const { host, token, secret, recoveryCodes } = given
    const other = await anotherSession(given)
    const pkce = await post(host, '/auth/pkce/token', await obtainCode(host, token))
    expectAnswer(await change(host, disabling, token, codeOf(host, secret)), 200)
    for (const dead of [other, pkce.body.access_token])
      expectAnswer(await get(host, '/me', bearer(dead)), 401, 'Unauthorized')
    expect((await get(host, '/me', bearer(token))).status).toBe(200)
    expect(await methodsOf(host.stores.sessions, host.clock())).toEqual([['pwd']])
    const store = host.stores.secondFactors
    expect([
      await store.find('u-alice'),
      await pendingOf(host, token),
      await store.countRecoveryCodes('u-alice'),
    ]).toEqual([null, null, 0])
    // Codes of what was are ignored, as for anybody without a factor.
    await expectUnharmed(host, recoveryCodes[4], secret, ...recoveryCodes)
  })

  it('from a session that a recovery code opened forgets that one too', async () => {
    const { host, secret, recoveryCodes } = await enrolled()
    const { authToken } = await logIn(host, { username: 'alice', password, code: recoveryCodes[0] })
    expectAnswer(await change(host, disabling, authToken, recoveryCodes[1] as string), 200)
    expect(await methodsOf(host.stores.sessions, host.clock())).toEqual([['pwd']])
    const next = await begin(host, authToken)
    await confirm(host, authToken, next)
    expect(await methodsOf(host.stores.sessions, host.clock())).toEqual([['pwd', 'otp']])
    host.clock.advance(30)
    await expectUnharmed(host, codeOf(host, next), secret, next)
  })

  it(
    'and on again asks for another seed: neither the old codes nor the old recovery codes are ' +
      'good',
    async () => {
      const { host, token, secret, recoveryCodes } = await enrolled()
      expectAnswer(await change(host, disabling, token, codeOf(host, secret)), 200)
      const next = await begin(host, token)
      expect(next).not.toBe(secret)
      await confirm(host, token, next)
      host.clock.advance(30)
      for (const old of [codeOf(host, secret), recoveryCodes[1]])
        expectAnswer(await attempt(host, old), 401, 'totp-invalid')
      await expectUnharmed(host, codeOf(host, next), secret, next, ...recoveryCodes)
    },
  )
})

describe('new recovery codes', () => {
  it('void the old ones, all of them, also when some were used', async () => {
    const { host, token, secret, recoveryCodes } = await enrolled()
    expectAnswer(await attempt(host, recoveryCodes[0]), 200)
    const { body } = await change(host, regeneration, token, codeOf(host, secret))
    const fresh = body.data.recoveryCodes as string[]
    for (const code of fresh) expect(decodeBase32(code.replaceAll('-', ''))).toHaveLength(15)
    expect((await get(host, totp, bearer(token))).body.data).toEqual({
      enabled: true,
      recoveryCodesLeft: 10,
    })
    for (const old of recoveryCodes.slice(0, 5))
      expectAnswer(await attempt(host, old), 401, 'totp-invalid')
    for (const code of fresh.slice(0, 3)) expectAnswer(await attempt(host, code), 200)
    await expectUnharmed(host, fresh[9], secret, ...fresh, ...recoveryCodes)
  })

  it('end no session: the factor is the same', async () => {
    const given = await enrolled()
    const { host, token, secret } = given
    const other = await anotherSession(given)
    expectAnswer(await change(host, regeneration, token, codeOf(host, secret)), 200)
    for (const alive of [token, other])
      expect((await get(host, '/me', bearer(alive))).status).toBe(200)
    expectNoSecrets(host, secret)
  })
})

describe('before the second factor', () => {
  it('nothing exists that could be used: no session, no code, no token', async () => {
    const { host, token, secret } = await enrolled()
    await post(host, '/logout', undefined, bearer(token))
    const asked = [await attempt(host), await attempt(host, wrongCode(host, secret))]
    for (const answer of asked) {
      expect(answer.status).toBe(401)
      expect(Object.keys(answer.body).sort()).toEqual([
        'details',
        'error',
        'message',
        'status',
        'success',
      ])
      expect(answer.text).not.toMatch(/eyJ|mar_|token/i)
    }
    expect(await host.stores.sessions.listForUser('u-alice', host.clock())).toEqual([])
    const { codeChallenge } = pkcePair()
    await expect(
      host.auth.issueAuthorizationCode({ userId: 'u-alice', codeChallenge }),
    ).rejects.toMatchObject({
      code: 'totp-required',
    })
    await expectUnharmed(host, codeOf(host, secret), secret)
  })
})

describe('a route of the host’s that asks for a fresh sign-in', () => {
  it('lets a fresh two-factor login pass, and no older session, nor one that was refreshed', async () => {
    const given = await enrolled({
      after: (app, auth) => {
        app.get(
          '/pay',
          auth.requireAuth({ maxAge: 300 }),
          (request, response) => void response.json({ methods: request.auth.methods }),
        )
      },
    })
    const { host, token, secret } = given
    const pay = (mine: string) =>
      get({ ...host, url: host.url.replace('/api/v1', '') }, '/pay', bearer(mine))
    const pkce = await post(host, '/auth/pkce/token', await obtainCode(host, token))
    expect((await pay(token)).body).toEqual({ methods: ['pwd', 'otp'] })
    host.clock.advance(271)
    const stale = await pay(token)
    expectAnswer(stale, 403, 'reauthentication-required')
    expect(stale.body.details).toEqual({ maxAge: 300 })
    const refreshed = await post(host, '/auth/refresh', { refreshToken: pkce.body.refresh_token })
    expectAnswer(await pay(refreshed.body.access_token), 403, 'reauthentication-required')
    // Proving both for a change is no sign-in either.
    expectAnswer(await change(host, regeneration, token, codeOf(host, secret)), 200)
    expectAnswer(await pay(token), 403, 'reauthentication-required')
    host.clock.advance(30)
    const { authToken: fresh } = await logIn(host, {
      username: 'alice',
      password,
      code: codeOf(host, secret),
    })
    const passed = await pay(fresh)
    expect([passed.status, passed.body]).toEqual([200, { methods: ['pwd', 'otp'] }])
    host.clock.advance(300)
    expect((await pay(fresh)).status).toBe(200)
    host.clock.advance(1)
    expectAnswer(await pay(fresh), 403, 'reauthentication-required')
  })
})
