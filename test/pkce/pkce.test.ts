import { describe, expect, it } from 'vitest'
import { totpCode } from '../../src/testing/testing.js'
import { bearer, get, logIn, obtainCode, pkcePair, post } from '../support/client.js'
import { password, startHost, totpSecret } from '../support/host.js'

describe('POST /auth/pkce/authorize', () => {
  it('gives a signed-in client a code that lives 60 seconds', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const { codeChallenge } = pkcePair()
    for (const body of [{ codeChallenge }, { codeChallenge, codeChallengeMethod: 'S256' }]) {
      const response = await post(host, '/auth/pkce/authorize', body, bearer(authToken))
      expect(response.status).toBe(200)
      expect(response.body).toEqual({
        status: 'success',
        data: { authorizationCode: expect.stringMatching(/^mar_ac_[\w-]{43}$/), expiresIn: 60 },
      })
    }
  })

  it('asks for a sign-in before it looks at the body', async () => {
    const host = await startHost()
    expect((await post(host, '/auth/pkce/authorize', { codeChallenge: 'short' })).status).toBe(401)
  })
})

describe.each([4, 5] as const)('POST /auth/pkce/token in an Express %i host', (express) => {
  it('exchanges code and verifier for a session of its own', async () => {
    const host = await startHost({ express })
    const { authToken } = await logIn(host)
    const { authorizationCode, codeVerifier } = await obtainCode(host, authToken)
    const response = await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier })
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 600,
      refresh_token: expect.stringMatching(/^mar_rt_[\w-]{22}\.[\w-]{65}$/),
    })
    const { access_token } = response.body
    expect((await get(host, '/me', bearer(access_token))).body).toMatchObject({ _id: 'u-alice' })
    expect(
      (await get(host, '/me', { 'X-User-Id': 'u-alice', 'X-Auth-Token': access_token })).status,
    ).toBe(200)

    await post(host, '/logout', undefined, bearer(authToken))
    expect((await get(host, '/me', bearer(access_token))).status).toBe(200)
  })
})

describe('what an exchange gives', () => {
  it('lives 10 minutes, or as the host says, and never longer than its session', async () => {
    const host = await startHost({
      options: {
        lifetimes: { accessToken: 60, sessionAbsolute: 3600, sessionIdle: 3600, code: 30 },
      },
    })
    const { authToken } = await logIn(host)
    const { body } = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
    expect(body.expires_in).toBe(60)
    host.clock.advance(64)
    expect((await get(host, '/me', bearer(body.access_token))).status).toBe(200)
    host.clock.advance(2)
    expect((await get(host, '/me', bearer(body.access_token))).status).toBe(401)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
  })

  it('remembers when and how the user proved who they are, not when the code was exchanged', async () => {
    const host = await startHost({ options: { pkce: { maxAge: 1000 } } })
    const signedInAt = host.clock()
    const { authToken } = await logIn(host)
    host.clock.advance(1000)
    const { body } = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
    const claims = JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString())
    expect(claims).toEqual({
      iss: 'https://chat.example.com',
      aud: 'chat',
      client_id: 'chat',
      sub: 'u-alice',
      sid: expect.any(String),
      jti: expect.any(String),
      iat: Math.floor(host.clock().getTime() / 1000),
      exp: Math.floor(host.clock().getTime() / 1000) + 600,
      auth_time: Math.floor(signedInAt.getTime() / 1000),
      amr: ['pwd'],
      scope: '*',
    })
    expect(
      JSON.parse(Buffer.from(body.access_token.split('.')[0], 'base64url').toString()),
    ).toEqual({
      alg: 'ES256',
      typ: 'at+jwt',
      kid: expect.any(String),
    })
  })

  it('is told to the audit stream', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
    expect(host.events.map(({ type }) => type)).toEqual([
      'session.started',
      'login.succeeded',
      'code.issued',
      'session.started',
      'code.redeemed',
    ])
  })
})

describe('issueAuthorizationCode, for a host with a sign-in page of its own', () => {
  it('issues a code that the client exchanges', async () => {
    const host = await startHost()
    const { codeChallenge, codeVerifier } = pkcePair()
    const { authorizationCode, expiresIn } = await host.auth.issueAuthorizationCode({
      userId: 'u-alice',
      codeChallenge,
    })
    expect(expiresIn).toBe(60)
    const { status, body } = await post(host, '/auth/pkce/token', {
      authorizationCode,
      codeVerifier,
    })
    expect(status).toBe(200)
    expect(
      await host.auth.authenticate({
        headersDistinct: { authorization: [`Bearer ${body.access_token}`] },
        headers: {},
        socket: {},
      } as never),
    ).toMatchObject({
      userId: 'u-alice',
      kind: 'pkce',
      scope: ['*'],
      methods: ['host'],
    })
  })

  it('limits what the session may do, when asked to', async () => {
    const host = await startHost()
    const { codeChallenge, codeVerifier } = pkcePair()
    const issued = await host.auth.issueAuthorizationCode({
      userId: 'u-alice',
      codeChallenge,
      scope: ['rooms:read', 'me'],
    })
    const { body } = await post(host, '/auth/pkce/token', {
      authorizationCode: issued.authorizationCode,
      codeVerifier,
    })
    const claims = JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString())
    expect(claims.scope).toBe('rooms:read me')
  })

  it('is no way around the second factor', async () => {
    const host = await startHost()
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    const { codeChallenge, codeVerifier } = pkcePair()
    const issue = (code?: string) =>
      host.auth.issueAuthorizationCode({
        userId: 'u-alice',
        codeChallenge,
        ...(code === undefined ? {} : { code }),
      })
    await expect(issue()).rejects.toMatchObject({ code: 'totp-required', status: 401 })
    await expect(issue('000000')).rejects.toMatchObject({ code: 'totp-invalid', status: 401 })
    const { authorizationCode } = await issue(totpCode(totpSecret, host.clock()))
    expect((await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier })).status).toBe(
      200,
    )
  })

  it.each([
    [{ userId: 'nobody' }, 'Unauthorized'],
    [{ userId: '' }, 'invalid-request'],
    [{ codeChallenge: 'too short' }, 'invalid-request'],
    [{ scope: [] }, 'invalid-request'],
    [{ scope: ['two words'] }, 'invalid-request'],
    [{ scope: Array.from({ length: 130 }, (_, i) => `messages:read:${i}`) }, 'invalid-request'],
    [{ scope: ['x'.repeat(1001)] }, 'invalid-request'],
    [{ surprise: true }, 'invalid-request'],
  ])('rejects %j with %s', async (change, code) => {
    const host = await startHost()
    const request = { userId: 'u-alice', codeChallenge: pkcePair().codeChallenge, ...change }
    await expect(host.auth.issueAuthorizationCode(request as never)).rejects.toMatchObject({
      name: 'AuthError',
      code,
    })
  })

  it('refuses a disabled user, and one the host vetoes', async () => {
    const host = await startHost({
      options: {
        beforeLogin: ({ door }) => (door === 'authorization-code' ? 'Not here.' : undefined),
      },
    })
    const { codeChallenge } = pkcePair()
    await expect(
      host.auth.issueAuthorizationCode({ userId: 'u-alice', codeChallenge }),
    ).rejects.toMatchObject({
      code: 'forbidden',
      clientMessage: 'Not here.',
    })
    host.users.change('u-alice', { disabled: true })
    await expect(
      host.auth.issueAuthorizationCode({ userId: 'u-alice', codeChallenge }),
    ).rejects.toMatchObject({
      code: 'Unauthorized',
    })
  })
})

describe('the second factor behind a code', () => {
  it('is asked for where the user switched it on after signing in', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const { codeChallenge } = pkcePair()
    const before = await obtainCode(host, authToken)
    const { secondFactors } = host.stores
    await secondFactors.activate(
      { userId: 'u-alice', sealedSeed: 'sealed', lastStep: -1, createdAt: host.clock() },
      [],
    )
    const refused = await post(host, '/auth/pkce/authorize', { codeChallenge }, bearer(authToken))
    expect(refused.body.error).toBe('totp-required')
    expect((await post(host, '/auth/pkce/token', before)).body.error).toBe('invalid_grant')

    // Through the router itself, the session does not even outlive the change.
    await secondFactors.deactivate('u-alice')
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    expect(
      (await post(host, '/auth/pkce/authorize', { codeChallenge }, bearer(authToken))).status,
    ).toBe(401)

    const code = totpCode(totpSecret, host.clock())
    const second = await logIn(host, { username: 'alice', password, code })
    expect(
      (await post(host, '/auth/pkce/token', await obtainCode(host, second.authToken))).status,
    ).toBe(200)
  })
})
