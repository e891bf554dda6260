// Logout tokens are signed as ID tokens are, and are none.
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { generateSigningKey, joseSigner, type LogoutTokenClaims } from '../../src/index.js'
import { rsaKey } from '../support/rsa-key.js'

const issuer = 'https://chat.example.com'
const claims: LogoutTokenClaims = {
  sub: 'u-ada',
  aud: 'wiki',
  sid: 's-1',
  iat: Math.floor(Date.now() / 1000),
  exp: Math.floor(Date.now() / 1000) + 120,
  jti: 'j-1',
  events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
}
const key = await generateSigningKey('ES256')
const signer = joseSigner({ issuer, audience: 'chat', keys: [key], rs256: [rsaKey] })
const sign = (algorithm: 'ES256' | 'RS256') =>
  (signer.signLogoutToken as NonNullable<typeof signer.signLogoutToken>)(claims, { algorithm })

describe.each(['ES256', 'RS256'] as const)('a logout token with %s', (algorithm) => {
  it('is proven by the published keys, and says what it is', async () => {
    const keys = createLocalJWKSet((await signer.publicKeys?.()) as unknown as JSONWebKeySet)
    const checks = { issuer, audience: 'wiki', algorithms: [algorithm], typ: 'logout+jwt' }
    const { payload, protectedHeader } = await jwtVerify(await sign(algorithm), keys, checks)
    expect(payload).toEqual({ ...claims, iss: issuer })
    expect(Object.keys(protectedHeader).toSorted()).toEqual(['alg', 'kid', 'typ'])
  })

  it('passes neither as an ID token nor as an access token', async () => {
    const token = await sign(algorithm)
    const refusal = { code: 'Unauthorized' }
    const readings = [
      () => signer.verifyIdToken?.(token, { audience: 'wiki' }),
      () => signer.verify(token, { audiences: ['wiki'] }),
      () => signer.verifyExpired?.(token, { audiences: ['wiki'] }),
    ]
    for (const read of readings) await expect(read()).rejects.toMatchObject(refusal)
  })
})

it('a signer of RS256 alone signs none with ES256', async () => {
  const rsaAlone = joseSigner({
    issuer,
    audience: 'chat',
    keys: [await generateSigningKey('EdDSA')],
    rs256: [rsaKey],
  })
  await expect(rsaAlone.signLogoutToken?.(claims, { algorithm: 'ES256' })).rejects.toThrow(
    'signs no ID tokens with ES256',
  )
})
