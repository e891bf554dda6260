// Signers of the host's that forget for which API a token is: an app that was given one for its own
// would have all of the account here.
import { describe, expect, it } from 'vitest'
import {
  type AccessTokenClaims,
  AuthError,
  generateSigningKey,
  joseSigner,
  type TokenSigner,
} from '../../src/index.js'
import { probeSignerAudience } from '../../src/tokens/check-signer.js'
import { afterAttack } from '../support/after-attack.js'
import { bearer, get, logIn } from '../support/client.js'
import { startHost } from '../support/host.js'

const search = 'https://search.example.com/'
const read = (token: string) =>
  JSON.parse(Buffer.from(token, 'base64url').toString()) as AccessTokenClaims
const write = (claims: object) => Buffer.from(JSON.stringify(claims)).toString('base64url')

/** Signs nothing, and never looks at the audience, which it tells. */
const careless: TokenSigner = {
  audience: 'chat',
  sign: async (claims) => write(claims),
  verify: async (token) => read(token),
  verifyExpired: async (token) => read(token),
}
/** Keeps to itself for which API a token is. */
const silent: TokenSigner = {
  ...careless,
  verify: async (token) => {
    const { aud: _forgotten, ...claims } = read(token)
    return claims
  },
}
const refusing = (signer: TokenSigner): TokenSigner['verify'] => {
  return async (token) => {
    const claims = read(token)
    if ((claims.aud ?? signer.audience) !== signer.audience) throw new AuthError('Unauthorized')
    return claims
  }
}
/** As the contract has it. */
const careful: TokenSigner = {
  ...careless,
  verify: refusing(careless),
  verifyExpired: refusing(careless),
}
const shipped = joseSigner({
  issuer: 'https://chat.example.com',
  audience: 'chat',
  keys: [await generateSigningKey()],
})

describe('a token for another API, of a signer that does not look', () => {
  it('is no token here, for as long as the signer tells that it is for another', async () => {
    const host = await startHost({ options: { signer: careless } })
    const { authToken } = await logIn(host)
    const foreign = write({ ...read(authToken), aud: search })
    host.issued.add(foreign)
    const answer = await get(host, '/me', bearer(foreign))
    expect(answer.status).toBe(401)
    // Nor once it was seen, from memory.
    expect((await get(host, '/me', bearer(foreign))).status).toBe(401)
    await expect(host.auth.authenticateToken(foreign)).rejects.toMatchObject({ status: 401 })
    await afterAttack(host, answer, [foreign])
  })

  it('signs nobody out, expired or not', async () => {
    for (const signer of [careless, { ...careless, verifyExpired: undefined as never }]) {
      const host = await startHost({ options: { signer } })
      const { authToken } = await logIn(host)
      const foreign = write({ ...read(authToken), aud: search })
      expect(await host.auth.sessions.revokeByToken(foreign)).toBe(false)
      expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
      expect(await host.auth.sessions.revokeByToken(authToken)).toBe(true)
    }
  })

  it('is told from one that names our own API, and from one of before there were others', async () => {
    for (const signer of [careless, { ...careless, audience: undefined as never }]) {
      const host = await startHost({ options: { signer } })
      const { authToken } = await logIn(host)
      const named = write({ ...read(authToken), aud: 'chat' })
      expect((await get(host, '/me', bearer(named))).status).toBe(200)
      expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    }
  })
})

describe('the look at a signer, before it signs for other APIs', () => {
  const now = new Date()

  it('finds nothing wrong with the shipped one, nor with one that refuses', async () => {
    await expect(probeSignerAudience(shipped, now)).resolves.toBeUndefined()
    await expect(probeSignerAudience(careful, now)).resolves.toBeUndefined()
    const { verifyExpired: _none, ...shorter } = careful
    await expect(probeSignerAudience(shorter, now)).resolves.toBeUndefined()
  })

  it.each<[string, TokenSigner, RegExp]>([
    ['takes them for its own', careless, /takes a token for another API/],
    ['takes them, and does not tell', silent, /takes a token for another API/],
    [
      'takes them once they have expired',
      { ...careful, verifyExpired: careless.verifyExpired as never },
      /takes a token for another API/,
    ],
    [
      'signs them for its own',
      { ...careful, sign: async ({ aud: _left, ...claims }) => write(claims) },
      /takes a token for another API/,
    ],
    ['has no audience', { ...careful, audience: undefined as never }, /has no audience/],
  ])('names one that %s, and what to do', async (_what, signer, problem) => {
    const found = await probeSignerAudience(signer, now).catch((error) => error)
    expect(found).toMatchObject({
      name: 'AuthConfigError',
      option: 'signer',
      problem: expect.stringMatching(problem),
      remedy: expect.stringMatching(/joseSigner/),
    })
  })

  it('takes no outage for a refusal', async () => {
    const down = async () => Promise.reject(new Error('key service'))
    for (const odd of [{ sign: down }, { verify: down }, { verifyExpired: down }])
      await expect(probeSignerAudience({ ...careful, ...odd }, now)).rejects.toThrow('key service')
  })
})
