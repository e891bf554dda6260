// The plan `oidcc-config` of the OpenID conformance suite: what discovery must say.
import supertest from 'supertest'
import { expect, test } from 'vitest'
import { issuer, startRelyingParties } from './relying-party.js'

const inOrigin = expect.stringMatching(/^https:\/\/chat\.example\.com\/api\/v1\/[a-z./]+$/)

test('oidcc-discovery-endpoint-verification', async () => {
  const { site, host, metadata } = await startRelyingParties()
  const { status, headers, body } = await supertest(site).get('/.well-known/openid-configuration')
  expect([status, headers['content-type']]).toEqual([200, 'application/json'])
  expect(body).toEqual(await metadata())
  expect(body.issuer).toBe(issuer)
  // OpenID Connect Discovery §3: what is required of everybody.
  expect(body).toMatchObject({
    authorization_endpoint: expect.any(String),
    token_endpoint: expect.any(String),
    userinfo_endpoint: expect.any(String),
    jwks_uri: expect.any(String),
    response_types_supported: expect.arrayContaining(['code']),
    subject_types_supported: expect.arrayContaining(['public']),
    id_token_signing_alg_values_supported: expect.arrayContaining(['RS256']),
    scopes_supported: expect.arrayContaining(['openid']),
    claims_supported: expect.arrayContaining(['sub']),
  })
  const members = Object.entries(body as Record<string, unknown>)
  for (const [name, value] of members) {
    if (/_(endpoint|uri)$/.test(name)) expect([name, value]).toEqual([name, inOrigin])
    // What may be empty is left out (RFC 8414 §3.2).
    if (name.endsWith('_values_supported') || Array.isArray(value))
      expect([name, value]).toEqual([name, expect.arrayContaining([expect.any(String)])])
  }

  const { keys } = (await supertest(host.url).get('/auth/jwks.json')).body
  for (const key of keys)
    expect(key).toMatchObject({ use: 'sig', kid: expect.any(String), alg: expect.any(String) })
  expect(new Set(keys.map(({ kid }: { kid: string }) => kid)).size).toBe(keys.length)
})
