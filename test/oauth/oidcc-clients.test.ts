// The rest of the plan `oidcc-basic`, of the OpenID conformance suite: how clients show who they
// are, what they may leave out, refreshing; and where this server differs from what is tested.
import { describe, expect, test } from 'vitest'
import { byPages } from './by-pages.js'
import {
  desktop,
  formOf,
  issuer,
  ledger,
  legacy,
  requestOf,
  secret,
  startRelyingParties,
  wiki,
} from './relying-party.js'

test('oidcc-server-client-secret-post', async () => {
  const { codeFor, post, verifiedIdToken } = await startRelyingParties()
  const shown = { client_id: 'wiki', client_secret: secret.secret }
  const form = { ...(await codeFor(wiki)), ...shown }
  const { status, body } = await post('/oauth/token', wiki, form, {})
  expect(status).toBe(200)
  expect((await verifiedIdToken(body['id_token'], wiki)).payload.sub).toBe('u-alice')
})

/** `alg: none`, as the suite sends it. */
const unsigned = (claims: object) =>
  [{ alg: 'none' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .concat('')
    .join('.')

test.each([
  'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
  'oidcc-ensure-request-object-with-redirect-uri',
])('%s', async () => {
  const { authorize, cookie } = await startRelyingParties()
  const elsewhere = { ...requestOf(wiki), redirect_uri: 'https://evil.example/callback' }
  for (const claims of [requestOf(wiki), elsewhere]) {
    const asked = { ...requestOf(wiki), request: unsigned(claims) }
    const { status, location, params } = await authorize(formOf(asked), cookie)
    expect([status, params['error'], params['state']]).toEqual([
      303,
      'request_not_supported',
      'af0ifjsldkj',
    ])
    expect(location.startsWith(`${wiki.redirectUris[0]}?`)).toBe(true)
  }
})

test.each([wiki, ledger, desktop])('oidcc-refresh-token: $id', async (client) => {
  const { flow, post, userinfo, verifiedIdToken, clock } = await startRelyingParties()
  const { tokens, claims } = await flow(client, { scope: 'openid profile offline_access' })
  clock.advance(300)
  const form = { grant_type: 'refresh_token', refresh_token: String(tokens['refresh_token']) }
  const { status, body } = await post('/oauth/token', client, form)
  expect([status, body['scope']]).toEqual([200, tokens['scope']])
  expect(body['access_token']).not.toBe(tokens['access_token'])
  // OpenID Connect Core §12.2.
  const { payload } = await verifiedIdToken(body['id_token'], client)
  const { iss, sub, aud, auth_time, sid } = claims
  expect(payload).toMatchObject({
    iss,
    sub,
    aud,
    auth_time,
    sid,
    iat: (claims.iat as number) + 300,
  })
  expect(payload).not.toHaveProperty('nonce')
  expect((await userinfo(body['access_token'])).body).toMatchObject({ sub: 'u-alice' })
  // Another client cannot use it.
  const other = client === wiki ? ledger : wiki
  const stolen = { grant_type: 'refresh_token', refresh_token: String(body['refresh_token']) }
  expect((await post('/oauth/token', other, stolen)).body['error']).toBe('invalid_grant')
})

// A change here is a change of what clients may rely on.
describe('unlike the conformance suite, the server', () => {
  test('wants PKCE of every client, but of one whose nonce the host takes instead', async () => {
    const { authorize, cookie, flow, codeFor, post } = await startRelyingParties()
    const without = { code_challenge: undefined, code_challenge_method: undefined }
    const refused = await authorize(formOf({ ...requestOf(wiki), ...without }), cookie)
    expect(refused.params).toMatchObject({ error: 'invalid_request', iss: issuer })
    const { claims } = await flow(legacy, without)
    expect(claims['nonce']).toBe('n-0S6_WzA2Mj')
    const bare = { ...requestOf(legacy), ...without, nonce: undefined }
    const { params } = await authorize(formOf(bare), cookie)
    expect(params['error']).toBe('invalid_request')
    // RFC 9700 §4.8.2: a verifier shows that a challenge was taken out on the way.
    const code = await codeFor(legacy, without)
    const downgraded = await post('/oauth/token', legacy, {
      ...code,
      code_verifier: 'v'.repeat(43),
    })
    expect(downgraded.body['error']).toBe('invalid_grant')
  })

  test('reads no access token from a body (oidcc-userinfo-post-body is a warning there)', async () => {
    const { flow, post } = await startRelyingParties()
    const { tokens } = await flow(wiki)
    const form = { access_token: String(tokens['access_token']) }
    const { status, headers } = await post('/oauth/userinfo', wiki, form, {})
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })

  test('reads `claims`, even one that is no JSON, without effect', async () => {
    const { flow, userinfo } = await startRelyingParties()
    const asked = '{"id_token":{"email":{"essential":true},"sub":{"value":"u-bob"}}}'
    for (const claims of [asked, '{"userinfo":{"email":null}}', 'none']) {
      const { tokens, claims: told } = await flow(wiki, { claims })
      expect([told.sub, told['email']]).toEqual(['u-alice', undefined])
      expect((await userinfo(tokens['access_token'])).body).toEqual({ sub: 'u-alice' })
    }
  })

  test('signs ID tokens with RS256 for the clients alone that want it', async () => {
    const { flow } = await startRelyingParties()
    expect((await flow(wiki)).header.alg).toBe('ES256')
    expect((await flow(ledger)).header.alg).toBe('RS256')
  })

  test('has no registration: who is to create an account is asked to sign in', async () => {
    const at = await startRelyingParties()
    const { flow, openBrowser } = byPages(at)
    expect((await at.metadata())['prompt_values_supported']).not.toContain('create')
    const { claims, seen } = await flow(wiki, { prompt: 'create' }, openBrowser())
    expect([claims.sub, seen]).toEqual(['u-alice', ['sign-in']])
  })

  test('forgives the second use of a code for 20 seconds: what it has opened goes on', async () => {
    const { flow, post, userinfo, clock } = await startRelyingParties()
    const { form, tokens } = await flow(wiki)
    clock.advance(20)
    expect((await post('/oauth/token', wiki, form)).body['error']).toBe('invalid_grant')
    expect((await userinfo(tokens['access_token'])).status).toBe(200)
  })
})
