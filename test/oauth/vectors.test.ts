// Examples and vectors of the standards, over the mounted endpoints.
import { createHash } from 'node:crypto'
import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import type { OAuthClient } from '../../src/index.js'
import { idTokenClaims } from '../../src/oauth/issue-tokens.js'
import { moments, newSession } from '../../src/stores/new-records.js'
import { bearer, logIn, post as postJson } from '../support/client.js'
import {
  clients,
  desktop,
  formOf,
  issuer,
  ledger,
  ownResource,
  partOf,
  requestOf,
  search,
  startRelyingParties,
  wiki,
} from './relying-party.js'

const hashOf = (secret: string) =>
  `sha256:${createHash('sha256').update(secret).digest('base64url')}`

describe('RFC 7636 Appendix B', () => {
  const octets = [
    ...[116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186],
    ...[22, 212, 37, 77, 105, 214, 191, 240, 91, 88, 5, 88, 83, 132, 141, 121],
  ]
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

  it('its verifier is that of its challenge at /oauth, and no other one is', async () => {
    expect(Buffer.from(octets).toString('base64url')).toBe(verifier)
    const { authorize, post, cookie } = await startRelyingParties()
    for (const [code_verifier, status] of [
      [verifier, 200],
      [challenge, 400],
      [verifier.replace('dB', 'DB'), 400],
    ] as const) {
      const { params } = await authorize(formOf(requestOf(desktop, challenge)), cookie)
      const redirect_uri = desktop.redirectUris[0]
      const form = { grant_type: 'authorization_code', code: params['code'], redirect_uri }
      const answer = await post('/oauth/token', desktop, { ...form, code_verifier })
      expect([code_verifier, answer.status]).toEqual([code_verifier, status])
    }
  })

  it('and so at /auth/pkce', async () => {
    const { host } = await startRelyingParties()
    const { authToken } = await logIn(host)
    const asked = { codeChallenge: challenge, codeChallengeMethod: 'S256' }
    const { body } = await postJson(host, '/auth/pkce/authorize', asked, bearer(authToken))
    const { authorizationCode } = body.data
    const exchanged = { authorizationCode, codeVerifier: verifier }
    expect((await postJson(host, '/auth/pkce/token', exchanged)).status).toBe(200)
  })
})

/** That of RFC 6749 §2.3.1 and §4.1. */
const example: OAuthClient = {
  ...wiki,
  id: 's6BhdRkqt3',
  name: 'Example',
  redirectUris: ['https://client.example.com/cb'],
  secretHashes: [hashOf('7Fjfp0ZBr1KtDRbnfVdmIw'), hashOf(' %&+£€')],
}
/** Space, %, &, +, the pound and the euro sign, as Appendix B encodes them. */
const encoded = '+%25%26%2B%C2%A3%E2%82%AC'

describe('RFC 6749', () => {
  const start = () => startRelyingParties({ oauth: { clients: [...clients, example] } })
  const errorOf = async (
    { host }: Awaited<ReturnType<typeof start>>,
    headers: Record<string, string>,
    form = 'grant_type=none',
  ) => {
    const sent = supertest(host.url).post('/oauth/token').type('form').set(headers).send(form)
    return (await sent).body.error
  }
  const basic = (text: string) => ({
    Authorization: `Basic ${Buffer.from(text, 'latin1').toString('base64')}`,
  })

  it('§2.3.1: the header of the example is the credentials of its client', async () => {
    const at = await start()
    const Authorization = 'Basic czZCaGRSa3F0Mzo3RmpmcDBaQnIxS3REUmJuZlZkbUl3'
    expect(await errorOf(at, { Authorization })).toBe('unsupported_grant_type')
    const inBody = 'client_id=s6BhdRkqt3&client_secret=7Fjfp0ZBr1KtDRbnfVdmIw&grant_type=none'
    expect(await errorOf(at, {}, inBody)).toBe('unsupported_grant_type')
    const wrong = Authorization.replace('bUl3', 'bUl4')
    expect(await errorOf(at, { Authorization: wrong })).toBe('invalid_client')
  })

  it('§4.1: its request, with a challenge added, is answered as its response is', async () => {
    const { authorize, cookie } = await start()
    const asked =
      'response_type=code&client_id=s6BhdRkqt3&state=xyz' +
      '&redirect_uri=https%3A%2F%2Fclient%2Eexample%2Ecom%2Fcb'
    const added = `&code_challenge=${'A'.repeat(43)}&code_challenge_method=S256&scope=openid`
    const { status, location } = await authorize(asked + added, cookie)
    expect(status).toBe(303)
    expect(location).toMatch(/^https:\/\/client\.example\.com\/cb\?code=[\w-]{50}&state=xyz&iss=/)
  })

  it('Appendix B: its text is the same secret in the header and in the body', async () => {
    const at = await start()
    expect(await errorOf(at, basic(`s6BhdRkqt3:${encoded}`))).toBe('unsupported_grant_type')
    const inBody = `client_id=s6BhdRkqt3&client_secret=${encoded}&grant_type=none`
    expect(await errorOf(at, {}, inBody)).toBe('unsupported_grant_type')
    // `%20` is the same blank; Latin-1 is another text, or none.
    const percent = encoded.replace('+', '%20')
    expect(await errorOf(at, basic(`s6BhdRkqt3:${percent}`))).toBe('unsupported_grant_type')
    expect(await errorOf(at, basic('s6BhdRkqt3:+%25%26%2B%A3'))).toBe('invalid_request')
    const plain = encoded.replace('%2B', '+')
    expect(await errorOf(at, basic(`s6BhdRkqt3:${plain}`))).toBe('invalid_client')
  })

  it('Appendix B: its characters come back in a state, those that may be in one', async () => {
    const { authorize, cookie } = await start()
    const { state: _state, ...asked } = requestOf(wiki)
    for (const method of ['GET', 'POST'] as const) {
      const sent = await authorize(`${formOf(asked)}&state=+%25%26%2B`, cookie, method)
      const { params } =
        method === 'GET' ? sent : await authorize(sent.location.split('?')[1] as string, cookie)
      expect(params).toMatchObject({ state: ' %&+', code: expect.any(String) })
    }
    // VSCHAR of Appendix A.5 has neither sign of money.
    const { params } = await authorize(`${formOf(asked)}&state=${encoded}`, cookie)
    expect(params).toEqual({
      error: 'invalid_request',
      error_description: expect.any(String),
      iss: issuer,
    })
  })
})

describe('RFC 8414 §3.1', () => {
  it('the path of the issuer stands behind the name, byte for byte what tokens say', async () => {
    const own = `${issuer}/issuer1`
    const at = await startRelyingParties({ signer: { issuer: own } })
    const paths = [
      '/.well-known/oauth-authorization-server/issuer1',
      // §5, for what is older than this document; and OpenID Connect Discovery §4.
      '/.well-known/openid-configuration/issuer1',
      '/issuer1/.well-known/openid-configuration',
    ]
    const found = await Promise.all(paths.map((path) => supertest(at.site).get(path)))
    expect(found.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(found.map(({ text }) => text)).size).toBe(1)
    expect(found[0]?.body.issuer).toBe(own)
    expect((await at.flow(wiki)).claims.iss).toBe(own)
    for (const path of [
      '/.well-known/oauth-authorization-server',
      '/.well-known/oauth-authorization-server/',
      '/.well-known/oauth-authorization-server/issuer1/',
      '/.well-known/oauth-authorization-server/issuer2',
      '/issuer1/.well-known/oauth-authorization-server',
    ])
      expect([path, (await supertest(at.site).get(path)).status]).toEqual([path, 404])
  })
})

/** RFC 7638 §3, by hand: the members that a key must have, in their order, without blanks. */
function thumbprintOf(key: Readonly<Record<string, unknown>>): string {
  const required: Record<string, string[]> = {
    EC: ['crv', 'kty', 'x', 'y'],
    OKP: ['crv', 'kty', 'x'],
    RSA: ['e', 'kty', 'n'],
  }
  const members = required[String(key['kty'])]?.map((name) => `"${name}":"${key[name]}"`)
  return createHash('sha256').update(`{${members}}`).digest('base64url')
}

describe('RFC 7638', () => {
  it('the served keys have the names that §3 says, as its example and that of RFC 8037 have', async () => {
    const ofRsa = {
      kty: 'RSA',
      n:
        '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1' +
        'L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4' +
        'QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbO' +
        'pbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csF' +
        'Cur-kEgU8awapJzKnqDKgw',
      e: 'AQAB',
      alg: 'RS256',
      kid: '2011-04-29',
    }
    expect(thumbprintOf(ofRsa)).toBe('NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs')
    const ofEd = {
      kty: 'OKP',
      crv: 'Ed25519',
      x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
    }
    expect(thumbprintOf(ofEd)).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k')

    const { host } = await startRelyingParties()
    const { body } = await supertest(host.url).get('/auth/jwks.json')
    expect(body.keys.map(({ kty }: { kty: string }) => kty)).toEqual(['EC', 'RSA'])
    for (const key of body.keys) expect(key.kid).toBe(thumbprintOf(key))
  })
})

describe('RFC 9068 §2', () => {
  it('access tokens have its header and its claims, of a code and of a refresh token', async () => {
    const { flow, post, clock } = await startRelyingParties()
    const iat = clock().getTime() / 1000
    const { tokens, claims } = await flow(desktop, { scope: 'openid messages:read' })
    const first = tokens['access_token']
    expect(partOf(first, 0)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) })
    const said = {
      iss: issuer,
      exp: iat + (tokens['expires_in'] as number),
      aud: ownResource,
      sub: claims.sub,
      client_id: 'desktop',
      iat,
      jti: expect.stringMatching(/^[\w.-]{20,}$/),
      auth_time: claims['auth_time'],
      amr: ['pwd'],
      scope: tokens['scope'],
      sid: expect.any(String),
    }
    expect(partOf(first, 1)).toEqual(said)

    clock.advance(100)
    const form = { grant_type: 'refresh_token', refresh_token: String(tokens['refresh_token']) }
    const { body } = await post('/oauth/token', desktop, form)
    // §2.2.1: a refresh is no sign-in, so its time stays.
    const later = { ...said, iat: iat + 100, exp: said.exp + 100 }
    expect(partOf(body['access_token'], 1)).toEqual(later)
    expect(partOf(body['access_token'], 1)['jti']).not.toBe(partOf(first, 1)['jti'])
  })

  it('§3: the audience is the resource that was asked for, one at a time', async () => {
    const { flow } = await startRelyingParties()
    for (const resource of [ownResource, search]) {
      const { tokens } = await flow(desktop, { resource })
      expect(partOf(tokens['access_token'], 1)['aud']).toBe(resource)
    }
  })
})

describe('OpenID Connect Core §3.1.3.6', () => {
  // The first is of its appendix A.3; the other is that of a library which others check theirs by.
  it.each([
    ['jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y', '77QmUPtjPfzWtF2AnpK9RQ'],
    [
      'YmJiZTAwYmYtMzgyOC00NzhkLTkyOTItNjJjNDM3MGYzOWIy9sFhvH8K_x8UIHj1osisS57f5DduL',
      'xsZZrUssMXjL3FBlzoSh2g',
    ],
  ])('at_hash of %s', (accessToken, atHash) => {
    const claims = idTokenClaims({
      session: newSession(moments(), {}),
      clientId: 'wiki',
      accessToken,
      acr: 'urn:mar:1fa',
      nonce: null,
      claims: {},
      now: new Date(0),
    })
    expect(claims['at_hash']).toBe(atHash)
  })

  it.each([wiki, ledger])(
    'binds the ID token of $id to the access token beside it',
    async (client) => {
      const { flow, post, verifiedIdToken } = await startRelyingParties()
      const { tokens, claims } = await flow(client, { scope: 'openid offline_access' })
      const halfOf = (token: unknown) =>
        createHash('sha256').update(String(token)).digest().subarray(0, 16).toString('base64url')
      expect(claims['at_hash']).toBe(halfOf(tokens['access_token']))
      const form = { grant_type: 'refresh_token', refresh_token: String(tokens['refresh_token']) }
      const { body } = await post('/oauth/token', client, form)
      const refreshed = await verifiedIdToken(body['id_token'], client)
      expect(refreshed.payload['at_hash']).toBe(halfOf(body['access_token']))
    },
  )
})
