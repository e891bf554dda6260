import { describe, expect, it } from 'vitest'
import type { AccessTokenClaims, TokenSigner } from '../../src/index.js'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { startHost } from '../support/host.js'

/** A signer of the host's that signs nothing and forgets the times: only the router's own checks are left. */
const forgetful: TokenSigner = {
  sign: async (claims) => Buffer.from(JSON.stringify(claims)).toString('base64url'),
  verify: async (token) => JSON.parse(Buffer.from(token, 'base64url').toString()) as AccessTokenClaims,
}

const exchanged = async () => {
  const host = await startHost({ options: { signer: forgetful }, now: new Date('2030-01-01T00:00:00Z') })
  const { body } = await post(host, '/auth/pkce/token', await obtainCode(host, (await logIn(host)).authToken))
  const status = async () => (await get(host, '/me', bearer(body.access_token))).status
  return { host, token: body.access_token as string, status }
}

describe('a signer that forgets the times', () => {
  it('lets no token live: the router’s own clock refuses it a minute after its end, used before or not', async () => {
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
  })

  it('lets no token in that was issued in the future', async () => {
    const { host, status } = await exchanged()
    host.clock.advance(-60)
    expect(await status()).toBe(200)
    host.clock.advance(-1)
    expect(await status()).toBe(401)
  })

  it('is given an end that is not beyond the session’s', async () => {
    const lifetimes = { sessionIdle: 3600, sessionAbsolute: 3600 }
    const host = await startHost({ options: { signer: forgetful, lifetimes }, now: new Date('2030-01-01T00:00:00Z') })
    const { authToken } = await logIn(host)
    host.clock.advance(3300)
    const { body } = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
    const claims = await forgetful.verify(body.access_token)
    expect(new Date(claims.exp * 1000)).toEqual(new Date('2030-01-01T01:00:00Z'))
    host.clock.advance(300)
    expect((await get(host, '/me', bearer(body.access_token))).status).toBe(401)
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
    const response = await get(await withKeys({ keys: [{ kty: 'EC' }], note: secret }), '/auth/jwks.json')
    expect(response.body).toEqual({ keys: [{ kty: 'EC' }] })
  })
})
