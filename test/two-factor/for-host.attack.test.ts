import { describe, expect, it } from 'vitest'
import type { SecondFactorStore, SessionStore } from '../../src/index.js'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { startHost, totpSecret } from '../support/host.js'
import {
  attempt,
  begin,
  breakDown,
  codeOf,
  confirmation,
  enrolled,
  expectAnswer,
  expectUnharmed,
  replace,
  wrongCode,
} from '../support/two-factor.js'

const outage = { code: 'temporarily-unavailable', status: 503 }

describe('a reset by the support desk', () => {
  it(
    'takes the factor away, ends every session and says so; the password alone opens the next ' +
      'one',
    async () => {
      const { host, token, secret, recoveryCodes } = await enrolled()
      const pkce = await post(host, '/auth/pkce/token', await obtainCode(host, token))
      expect(await host.auth.secondFactors.reset('u-alice')).toEqual({ hadFactor: true })
      for (const dead of [token, pkce.body.access_token])
        expectAnswer(await get(host, '/me', bearer(dead)), 401, 'Unauthorized')
      expectAnswer(
        await post(host, '/auth/refresh', { refreshToken: pkce.body.refresh_token }),
        400,
        'invalid_grant',
      )
      expect(await host.auth.secondFactors.status('u-alice')).toEqual({
        enabled: false,
        recoveryCodesLeft: 0,
      })
      const told = { type: 'second-factor.reset', userId: 'u-alice', hadFactor: true, ip: null }
      expect(host.events).toContainEqual(expect.objectContaining(told))
      expect(
        host.events.filter(
          (event) => event.type === 'session.ended' && event.reason === 'factor-changed',
        ),
      ).toHaveLength(2)
      await expectUnharmed(host, undefined, secret, ...recoveryCodes)
    },
  )

  it('may be made again, and of a user who never had one', async () => {
    const { host } = await enrolled()
    expect(await host.auth.secondFactors.reset('u-alice')).toEqual({ hadFactor: true })
    expect(await host.auth.secondFactors.reset('u-alice')).toEqual({ hadFactor: false })
    expect(await host.auth.secondFactors.reset('u-nobody')).toEqual({ hadFactor: false })
    const resets = host.events.filter(({ type }) => type === 'second-factor.reset')
    expect(resets).toHaveLength(3)
  })

  it('signs nobody in, and leaves an enrolment that was under way without effect', async () => {
    const host = await startHost()
    const { authToken: token } = await logIn(host)
    const secret = await begin(host, token)
    await host.auth.secondFactors.reset('u-alice')
    const { authToken: next } = await logIn(host)
    expectAnswer(
      await post(host, confirmation, { code: codeOf(host, secret) }, bearer(token)),
      401,
      'Unauthorized',
    )
    expectAnswer(
      await post(host, confirmation, { code: codeOf(host, secret) }, bearer(next)),
      409,
      'totp-not-enabled',
    )
    await expectUnharmed(host, undefined, secret)
  })

  it('lets a user in again whose codes were guessed at', async () => {
    const { host, secret } = await enrolled()
    for (let i = 0; i < 11; i += 1) await attempt(host, wrongCode(host, secret))
    await host.auth.secondFactors.reset('u-alice')
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    await expectUnharmed(host, codeOf(host, totpSecret), secret)
  })

  it.each(['deactivate', 'endAllForUser'])(
    'that fails at %s rejects; made again, it finishes',
    async (name) => {
      const { host, token } = await enrolled()
      const { sessions, secondFactors } = host.stores
      const mend =
        name === 'deactivate'
          ? breakDown<SecondFactorStore>(secondFactors, 'deactivate')
          : breakDown<SessionStore>(sessions, name as 'endAllForUser')
      await expect(host.auth.secondFactors.reset('u-alice')).rejects.toMatchObject(outage)
      // It is not so yet.
      const told = host.events.filter(({ type }) => type === 'second-factor.reset')
      expect(told).toHaveLength(0)
      mend()
      await host.auth.secondFactors.reset('u-alice')
      expectAnswer(await get(host, '/me', bearer(token)), 401, 'Unauthorized')
      expect(host.events.some(({ type }) => type === 'second-factor.reset')).toBe(true)
      await expectUnharmed(host, undefined)
    },
  )
})

describe('an import of a seed', () => {
  const imported = { userId: 'u-alice', secret: totpSecret }

  it('ends the user’s sessions, which have not shown it, and tells the audit stream', async () => {
    const host = await startHost()
    const { authToken: token } = await logIn(host)
    const { recoveryCodes } = await host.auth.secondFactors.importTotp(imported)
    expect(recoveryCodes).toHaveLength(10)
    expect(await host.auth.secondFactors.status('u-alice')).toEqual({
      enabled: true,
      recoveryCodesLeft: 10,
    })
    expectAnswer(await get(host, '/me', bearer(token)), 401, 'Unauthorized')
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'second-factor.imported', userId: 'u-alice' }),
    )
    expectAnswer(await attempt(host), 401, 'totp-required')
    await expectUnharmed(host, codeOf(host, totpSecret), totpSecret, ...recoveryCodes)
  })

  it('made twice is refused the second time, and ends nothing then', async () => {
    const { host, token, secret } = await enrolled()
    await expect(host.auth.secondFactors.importTotp(imported)).rejects.toMatchObject({
      code: 'totp-already-enabled',
    })
    expect((await get(host, '/me', bearer(token))).status).toBe(200)
    await expectUnharmed(host, codeOf(host, secret), secret)
  })

  it.each([
    ['endAllForUser', 'sessions'],
    ['find', 'secondFactors'],
    ['activate', 'secondFactors'],
  ] as const)('that fails at %s changes nothing, and can be made again', async (name, store) => {
    const host = await startHost()
    const { authToken: token } = await logIn(host)
    const mend = breakDown(host.stores[store], name as never)
    await expect(host.auth.secondFactors.importTotp(imported)).rejects.toMatchObject(outage)
    mend()
    expect((await host.auth.secondFactors.status('u-alice')).enabled).toBe(false)
    const { recoveryCodes } = await host.auth.secondFactors.importTotp(imported)
    expectAnswer(await get(host, '/me', bearer(token)), 401, 'Unauthorized')
    await expectUnharmed(host, recoveryCodes[0], totpSecret, ...recoveryCodes)
  })

  it(
    'is not undone when the sessions cannot be ended a second time: its recovery codes are ' +
      'shown',
    async () => {
      const host = await startHost()
      let calls = 0
      const { endAllForUser } = host.stores.sessions
      replace(host.stores.sessions, 'endAllForUser', async (...given: never[]) => {
        calls += 1
        // Each end asks the store twice.
        if (calls === 3) throw new Error('the database is away')
        return (endAllForUser as (...all: never[]) => Promise<unknown>)(...given)
      })
      const { recoveryCodes } = await host.auth.secondFactors.importTotp(imported)
      expect(calls).toBe(3)
      await expectUnharmed(host, recoveryCodes[0])
    },
  )

  it('supersedes an enrolment that was under way', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const secret = await begin(host, authToken)
    const { recoveryCodes } = await host.auth.secondFactors.importTotp(imported)
    const { authToken: next } = await logIn(host, {
      username: 'alice',
      password: 'correct horse battery staple',
      code: recoveryCodes[0],
    })
    expectAnswer(
      await post(host, confirmation, { code: codeOf(host, secret) }, bearer(next)),
      409,
      'totp-already-enabled',
    )
    expectAnswer(await attempt(host, codeOf(host, secret)), 401, 'totp-invalid')
    await expectUnharmed(host, codeOf(host, totpSecret), secret)
  })

  it.each([
    '',
    'GEZDGNBVGY3TQOJQ',
    'not base32!',
    '0'.repeat(32),
    totpSecret.slice(0, 24),
    `${totpSecret}=`,
    `${totpSecret}GE==`,
    `${totpSecret.slice(1)}\u017F`,
    undefined,
    null,
    7,
    Buffer.alloc(20),
    {},
  ])('of %j is refused, and nothing is said of it', async (secret) => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    await expect(
      host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: secret as string }),
    ).rejects.toMatchObject({
      code: 'invalid-request',
    })
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    await expectUnharmed(
      host,
      undefined,
      ...(typeof secret === 'string' && secret !== '' ? [secret] : []),
    )
  })
})

describe('the functions for the host', () => {
  it.each([undefined, null, '', 7, {}])('refuse the user id %j', async (userId) => {
    const { auth } = await startHost()
    for (const ask of [
      () => auth.secondFactors.reset(userId as string),
      () => auth.secondFactors.status(userId as string),
      () => auth.secondFactors.importTotp({ userId: userId as string, secret: totpSecret }),
    ]) {
      await expect(ask()).rejects.toMatchObject({ code: 'invalid-request' })
    }
  })

  it.each(['find', 'countRecoveryCodes'] as const)(
    'answer no status while the store fails at %s',
    async (name) => {
      const host = await startHost()
      const mend = breakDown<SecondFactorStore>(host.stores.secondFactors, name)
      await expect(host.auth.secondFactors.status('u-alice')).rejects.toMatchObject(outage)
      mend()
      expect(await host.auth.secondFactors.status('u-alice')).toEqual({
        enabled: false,
        recoveryCodesLeft: 0,
      })
    },
  )

  it('name the option where the host keeps no second factors', async () => {
    const { auth } = await startHost({ options: { secondFactors: undefined as never } })
    for (const ask of [
      () => auth.secondFactors.reset('u-alice'),
      () => auth.secondFactors.status('u-alice'),
    ]) {
      await expect(ask()).rejects.toMatchObject({
        name: 'AuthConfigError',
        option: 'secondFactors',
      })
    }
  })
})
