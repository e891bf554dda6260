import { describe, expect, it } from 'vitest'
import { afterAttack } from '../support/after-attack.js'
import {
  bearer,
  get,
  logIn,
  obtainCode,
  pkcePair,
  post,
  remainingOf,
  uncountedHeadersOf,
} from '../support/client.js'
import { gate } from '../support/gate.js'
import { startHost, type TestHost } from '../support/host.js'

const invalidGrant = {
  success: false,
  status: 'error',
  error: 'invalid_grant',
  message: 'The authorization code or token is not valid.',
  error_description: 'The authorization code or token is not valid.',
}

const signedIn = async (host?: TestHost) => {
  const running = host ?? (await startHost())
  const { authToken } = await logIn(running)
  return { host: running, authToken, code: await obtainCode(running, authToken) }
}

describe('a code', () => {
  it('works once: of 50 redemptions at once exactly one is answered 200', async () => {
    const { host, code } = await signedIn()
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => post(host, '/auth/pkce/token', code)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(
      answers
        .filter(({ status }) => status === 400)
        .every(({ body }) => body.error === 'invalid_grant'),
    ).toBe(true)
    expect(host.events.filter(({ type }) => type === 'code.redeemed')).toHaveLength(1)
    await afterAttack(host, answers, [code.authorizationCode, code.codeVerifier])
  })

  it(
    'shown again within 20 seconds is refused, and what it opened lives: the answer may have ' +
      'been lost',
    async () => {
      const { host, code } = await signedIn()
      const { body } = await post(host, '/auth/pkce/token', code)
      host.clock.advance(20)
      expect((await post(host, '/auth/pkce/token', code)).body).toEqual(invalidGrant)
      expect((await get(host, '/me', bearer(body.access_token))).status).toBe(200)
    },
  )

  it('shown again later ends the session it opened, even with a wrong verifier', async () => {
    const { host, code } = await signedIn()
    const { body } = await post(host, '/auth/pkce/token', code)
    host.clock.advance(21)
    expect(
      (await post(host, '/auth/pkce/token', { ...code, codeVerifier: pkcePair().codeVerifier }))
        .body,
    ).toEqual(invalidGrant)
    expect((await get(host, '/me', bearer(body.access_token))).status).toBe(401)
    expect(host.events.find(({ type }) => type === 'session.ended')).toMatchObject({
      reason: 'code-replayed',
    })
  })

  it('is burnt by a wrong verifier', async () => {
    const { host, code } = await signedIn()
    expect(
      (await post(host, '/auth/pkce/token', { ...code, codeVerifier: pkcePair().codeVerifier }))
        .body,
    ).toEqual(invalidGrant)
    expect((await post(host, '/auth/pkce/token', code)).body).toEqual(invalidGrant)
  })

  it('is void from its 60th second on', async () => {
    const { host, code } = await signedIn()
    host.clock.advance(60)
    expect((await post(host, '/auth/pkce/token', code)).body).toEqual(invalidGrant)
    const late = await obtainCode(host, (await logIn(host)).authToken)
    host.clock.advance(59)
    expect((await post(host, '/auth/pkce/token', late)).status).toBe(200)
  })

  it('dies with the session that asked for it', async () => {
    const { host, authToken, code } = await signedIn()
    await post(host, '/logout', undefined, bearer(authToken))
    expect((await post(host, '/auth/pkce/token', code)).body).toEqual(invalidGrant)
  })

  it('is worth nothing once its user is disabled or gone, or the host objects', async () => {
    const disabled = await signedIn()
    disabled.host.users.change('u-alice', { disabled: true })
    expect((await post(disabled.host, '/auth/pkce/token', disabled.code)).body).toEqual(
      invalidGrant,
    )
    const gone = await signedIn()
    gone.host.users.rows.clear()
    expect((await post(gone.host, '/auth/pkce/token', gone.code)).body).toEqual(invalidGrant)
    const vetoed = await signedIn(
      await startHost({
        options: { beforeLogin: ({ door }) => (door === 'code-exchange' ? 'No.' : undefined) },
      }),
    )
    expect((await post(vetoed.host, '/auth/pkce/token', vetoed.code)).body).toEqual(invalidGrant)
  })

  it('is not accepted by another router, nor in place of a token', async () => {
    const { host, code } = await signedIn()
    const other = await startHost()
    expect((await post(other, '/auth/pkce/token', code)).body).toEqual(invalidGrant)
    expect((await get(host, '/me', bearer(code.authorizationCode))).status).toBe(401)
  })

  it('is refused with the same bytes for every reason', async () => {
    const { host, code } = await signedIn()
    const unknown = await post(host, '/auth/pkce/token', {
      ...code,
      authorizationCode: `mar_ac_${'A'.repeat(43)}`,
    })
    const shapeless = await post(host, '/auth/pkce/token', {
      ...code,
      authorizationCode: 'rubbish',
    })
    const wrongVerifier = await post(host, '/auth/pkce/token', {
      ...code,
      codeVerifier: pkcePair().codeVerifier,
    })
    let left = remainingOf(unknown)
    for (const response of [shapeless, wrongVerifier]) {
      expect(response.text).toBe(unknown.text)
      expect(uncountedHeadersOf(response)).toEqual(uncountedHeadersOf(unknown))
      // One each, whatever the reason: what is left must not tell one from another.
      left -= 1
      expect(remainingOf(response)).toBe(left)
    }
    await afterAttack(host, [unknown, shapeless, wrongVerifier], [code.authorizationCode])
  })

  it('is stored as a hash, and neither it nor the verifier is logged', async () => {
    const { host, code } = await signedIn()
    const saved: unknown[] = []
    const watched = await startHost({
      options: {
        codes: {
          ...host.stores.codes,
          save: async (record) => {
            saved.push(record)
            await host.stores.codes.save(record)
          },
        },
      },
    })
    const second = await obtainCode(watched, (await logIn(watched)).authToken)
    await post(watched, '/auth/pkce/token', { ...second, codeVerifier: pkcePair().codeVerifier })
    expect(saved).toHaveLength(1)
    const written = JSON.stringify([saved, watched.events, watched.log, host.events, host.log])
    for (const secret of [code.authorizationCode, second.authorizationCode, second.codeVerifier]) {
      expect(written).not.toContain(secret.replace('mar_ac_', ''))
    }
  })
})

describe('malformed requests', () => {
  it.each([
    ['no code', { codeVerifier: pkcePair().codeVerifier }, 'authorizationCode'],
    ['no verifier', { authorizationCode: 'x' }, 'codeVerifier'],
    [
      'a number as code',
      { authorizationCode: 1, codeVerifier: pkcePair().codeVerifier },
      'authorizationCode',
    ],
    [
      'a verifier of 42 characters',
      { authorizationCode: 'x', codeVerifier: 'a'.repeat(42) },
      'codeVerifier',
    ],
    [
      'a verifier of 129 characters',
      { authorizationCode: 'x', codeVerifier: 'a'.repeat(129) },
      'codeVerifier',
    ],
    [
      'a verifier with a foreign character',
      { authorizationCode: 'x', codeVerifier: `${'a'.repeat(43)}+` },
      'codeVerifier',
    ],
    [
      'a verifier with a newline at its end',
      { authorizationCode: 'x', codeVerifier: `${'a'.repeat(43)}\n` },
      'codeVerifier',
    ],
  ])('%s: 400 invalid_request, in the words of RFC 6749', async (_name, body, path) => {
    const host = await startHost()
    const response = await post(host, '/auth/pkce/token', body)
    expect(response.status).toBe(400)
    expect(response.body).toMatchObject({
      error: 'invalid_request',
      error_description: response.body.message,
      details: { issues: [{ path, message: expect.any(String) }] },
    })
    await afterAttack(host, response)
  })

  it('a malformed verifier does not burn the code', async () => {
    const { host, code } = await signedIn()
    expect((await post(host, '/auth/pkce/token', { ...code, codeVerifier: 'short' })).status).toBe(
      400,
    )
    expect((await post(host, '/auth/pkce/token', code)).status).toBe(200)
  })

  it.each([
    {},
    { codeChallenge: 'a'.repeat(42) },
    { codeChallenge: 'a'.repeat(44) },
    { codeChallenge: `${'a'.repeat(42)}=` },
    { codeChallenge: ['a'.repeat(43)] },
    { codeChallenge: 'a'.repeat(43), codeChallengeMethod: 'plain' },
    { codeChallenge: 'a'.repeat(43), codeChallengeMethod: '' },
    { codeChallenge: 'a'.repeat(43), codeChallengeMethod: null },
  ])('a challenge that is not S256: %j', async (body) => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const response = await post(host, '/auth/pkce/authorize', body, bearer(authToken))
    expect(response.status).toBe(400)
    expect(response.body.error).toBe('invalid-request')
    await afterAttack(host, response)
  })
})

describe('a refused code', () => {
  const wrong = () => pkcePair().codeVerifier
  const refusals = ({ events }: TestHost) => events.filter(({ type }) => type === 'code.refused')

  it('is told to the audit stream with its reason, and with its user where there is one', async () => {
    const { host, authToken, code } = await signedIn()
    await post(host, '/auth/pkce/token', { ...code, authorizationCode: `mar_ac_${'A'.repeat(43)}` })
    await post(host, '/auth/pkce/token', { ...code, codeVerifier: wrong() })
    await post(host, '/auth/pkce/token', code)
    const orphan = await obtainCode(host, authToken)
    await post(host, '/logout', undefined, bearer(authToken))
    await post(host, '/auth/pkce/token', orphan)
    expect(refusals(host)).toMatchObject([
      { reason: 'unknown', userId: null },
      { reason: 'wrong-verifier', userId: 'u-alice' },
      { reason: 'replayed', userId: 'u-alice' },
      { reason: 'issuing-session-ended', userId: 'u-alice' },
    ])
    // Not even one that is ended at once: its owner would be told of a device that never was.
    expect(host.events.filter(({ type }) => type === 'session.started')).toHaveLength(1)
  })

  it('that was used, or is past its time, does not reach the hooks of the host', async () => {
    const asked: string[] = []
    const { host, authToken, code } = await signedIn(
      await startHost({
        options: { beforeLogin: ({ door }) => void asked.push(door) as undefined },
      }),
    )
    await post(host, '/auth/pkce/token', code)
    const late = await obtainCode(host, authToken)
    host.clock.advance(60)
    asked.length = 0
    for (const dead of [code, late])
      expect((await post(host, '/auth/pkce/token', dead)).body).toEqual(invalidGrant)
    expect(asked).toEqual([])
  })

  it('whose time runs out while the host thinks opens nothing', async () => {
    const host: TestHost = await startHost({
      options: {
        beforeLogin: ({ door }) =>
          void (door === 'code-exchange' && host.clock.advance(60)) as undefined,
      },
    })
    const { code } = await signedIn(host)
    expect((await post(host, '/auth/pkce/token', code)).body).toEqual(invalidGrant)
    expect(refusals(host)).toMatchObject([{ reason: 'unknown', userId: 'u-alice' }])
    expect(await host.auth.sessions.list('u-alice')).toHaveLength(1)
  })

  it(
    'whose wrong verifier comes second, and late, ends the session that the right one has ' +
      'opened',
    async () => {
      const { host, code } = await signedIn()
      const { consume } = host.stores.codes
      const door = gate()
      host.stores.codes.consume = async (...given) => {
        await door.pass()
        return consume(...given)
      }
      const arrived = door.shut()
      const thief = post(host, '/auth/pkce/token', { ...code, codeVerifier: wrong() }).then(
        (response) => response,
      )
      await arrived
      host.stores.codes.consume = consume
      const { body } = await post(host, '/auth/pkce/token', code)
      host.clock.advance(21)
      door.open()
      expect((await thief).body).toEqual(invalidGrant)
      expect(refusals(host)).toMatchObject([{ reason: 'replayed', userId: 'u-alice' }])
      expect((await get(host, '/me', bearer(body.access_token))).status).toBe(401)
    },
  )
})
