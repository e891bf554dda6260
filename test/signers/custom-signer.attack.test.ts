import { describe, expect, it, vi } from 'vitest'
import { type AccessTokenClaims, AuthError, type TokenSigner } from '../../src/index.js'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { password, startHost } from '../support/host.js'

/**
 * A signer of the host's that signs nothing and forgets the times: only the router's own checks are
 * left.
 */
const forgetful: TokenSigner = {
  sign: async (claims) => Buffer.from(JSON.stringify(claims)).toString('base64url'),
  verify: async (token) =>
    JSON.parse(Buffer.from(token, 'base64url').toString()) as AccessTokenClaims,
}

const exchanged = async () => {
  const host = await startHost({
    options: { signer: forgetful },
    now: new Date('2030-01-01T00:00:00Z'),
  })
  const { body } = await post(
    host,
    '/auth/pkce/token',
    await obtainCode(host, (await logIn(host)).authToken),
  )
  const status = async () => (await get(host, '/me', bearer(body.access_token))).status
  return { host, token: body.access_token as string, status }
}

describe('a signer that forgets the times', () => {
  it(
    'lets no token live: the router’s own clock refuses it a minute after its end, used before ' +
      'or not',
    async () => {
      const fresh = await exchanged()
      fresh.host.clock.advance(660)
      expect(await fresh.status()).toBe(401)

      const used = await exchanged()
      for (const seconds of [599, 60]) {
        used.host.clock.advance(seconds)
        expect(await used.status()).toBe(200)
      }
      used.host.clock.advance(1)
      expect(await used.status()).toBe(401)
    },
  )

  it('lets no token in that was issued in the future', async () => {
    const { host, status } = await exchanged()
    host.clock.advance(-60)
    expect(await status()).toBe(200)
    host.clock.advance(-1)
    expect(await status()).toBe(401)
  })

  it('is given an end that is not beyond the session’s', async () => {
    const lifetimes = { sessionIdle: 3600, sessionAbsolute: 3600 }
    const host = await startHost({
      options: { signer: forgetful, lifetimes, pkce: { maxAge: false } },
      now: new Date('2030-01-01T00:00:00Z'),
    })
    const { authToken } = await logIn(host)
    host.clock.advance(3300)
    const { body } = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
    const claims = await forgetful.verify(body.access_token)
    expect(new Date(claims.exp * 1000)).toEqual(new Date('2030-01-01T01:00:00Z'))
    host.clock.advance(300)
    expect((await get(host, '/me', bearer(body.access_token))).status).toBe(401)
  })
})

describe('a signer of the host’s', () => {
  it('is asked once in 30 seconds for a token, whoever shows it how often', async () => {
    const verify = vi.fn(forgetful.verify)
    const host = await startHost({
      options: { signer: { ...forgetful, verify } },
      now: new Date('2030-01-01T00:00:00Z'),
    })
    const { authToken } = await logIn(host)
    const times = async (count: number) => {
      for (let i = 0; i < count; i += 1)
        expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
      return verify.mock.calls.length
    }
    expect(await times(5)).toBe(1)
    host.clock.advance(29.9)
    expect(await times(5)).toBe(1)
    host.clock.advance(0.1)
    expect(await times(5)).toBe(2)
  })

  it.each([
    ['nothing', null],
    ['no subject', { sub: undefined }],
    ['a number as session', { sid: 7 }],
    ['a list of scopes', { scope: ['*'] }],
    ['no end', { exp: undefined }],
    ['an end in the words of ISO 8601', { exp: '2099-01-01T00:00:00Z' }],
    ['a fraction as its beginning', { iat: 1.5 }],
  ])('that answers %s is an outage, neither a pass nor a refusal', async (_what, change) => {
    let isOdd = false
    const verify = async (token: string) => {
      const claims = await forgetful.verify(token)
      return (isOdd ? change && { ...claims, ...change } : claims) as AccessTokenClaims
    }
    const host = await startHost({ options: { signer: { ...forgetful, verify } } })
    const { authToken } = await logIn(host)
    isOdd = true
    expect((await get(host, '/me', bearer(authToken))).status).toBe(503)
    isOdd = false
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
  })

  it('whose key service refuses the server itself is an outage: its users stay signed in', async () => {
    const verify = () =>
      Promise.reject(Object.assign(new Error('key service'), { code: 'Unauthorized', status: 401 }))
    const host = await startHost({ options: { signer: { ...forgetful, verify } } })
    expect((await get(host, '/me', bearer((await logIn(host)).authToken))).status).toBe(503)
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'host.failed', operation: 'signer.verify' }),
    )
  })

  it('that refuses a token is believed: no store is asked about it', async () => {
    const verify = () => Promise.reject(new AuthError('Unauthorized'))
    const host = await startHost({ options: { signer: { ...forgetful, verify } } })
    const { authToken } = await logIn(host)
    const find = vi.spyOn(host.stores.sessions, 'find')
    expect((await get(host, '/me', bearer(authToken))).status).toBe(401)
    expect(find).not.toHaveBeenCalled()
  })

  it.each(['', undefined, 7, {}])('that signs with %j opens no session', async (token) => {
    const host = await startHost({
      options: { signer: { ...forgetful, sign: async () => token as string } },
    })
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(503)
    expect(await host.auth.sessions.list('u-alice')).toEqual([])
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'host.failed', operation: 'signer.sign' }),
    )
  })
})

describe('GET /auth/jwks.json of a signer of the host’s', () => {
  const secret = 'the-private-part-of-the-key'
  const withKeys = (answer: unknown) =>
    startHost({ options: { signer: { ...forgetful, publicKeys: async () => answer as never } } })

  it.each(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'])(
    'gives out nothing private: a key with %s is an outage',
    async (member) => {
      const host = await withKeys({
        keys: [
          { kty: 'EC', kid: 'good' },
          { kty: 'EC', kid: 'whole', [member]: secret },
        ],
      })
      const response = await get(host, '/auth/jwks.json')
      expect(response.status).toBe(503)
      expect(response.text).not.toContain(secret)
      expect(response.text).not.toContain('good')
      expect(JSON.stringify([host.events, host.log])).not.toContain(secret)
    },
  )

  it.each(['yes', true, null, {}, { keys: 'yes' }, { keys: ['yes'] }, { keys: [null] }, []])(
    'is an outage for what is no key set: %j',
    async (answer) => {
      const response = await get(await withKeys(answer), '/auth/jwks.json')
      // Nothing at all is the answer of a signer without keys to publish.
      expect(response.status).toBe(answer === null ? 200 : 503)
      if (answer === null) expect(response.body).toEqual({ keys: [] })
    },
  )

  it('passes on nothing but the keys', async () => {
    const response = await get(
      await withKeys({ keys: [{ kty: 'EC' }], note: secret }),
      '/auth/jwks.json',
    )
    expect(response.body).toEqual({ keys: [{ kty: 'EC' }] })
  })
})
