// https://github.com/panva/oauth4webapi, the strictest of them: each step checks what it may of the
// answer, content types and cases of letters included.
import { decodeProtectedHeader } from 'jose'
import * as oauth from 'oauth4webapi'
import { expect, it } from 'vitest'
import { openBrowser } from './support/browser.js'
import { alice, type Provider } from './support/provider.js'
import { books, desktop, reports, reportsKey, wiki } from './support/registrations.js'
import { bothPaths, describeClient } from './support/suites.js'

const insecure = { [oauth.allowInsecureRequests]: true }

async function discover({ issuer }: Provider, algorithm: 'oidc' | 'oauth2' = 'oidc') {
  const url = new URL(issuer)
  const response = await oauth.discoveryRequest(url, { ...insecure, algorithm })
  return oauth.processDiscoveryResponse(url, response)
}

interface Party {
  readonly client: oauth.Client
  readonly how: oauth.ClientAuth
  readonly redirectUri: string
}

const parties: Record<'desktop' | 'wiki' | 'reports' | 'books', Party> = {
  desktop: {
    client: { client_id: desktop.id },
    how: oauth.None(),
    redirectUri: 'http://127.0.0.1:50124/callback',
  },
  wiki: {
    client: { client_id: wiki.id },
    how: oauth.ClientSecretBasic(wiki.secret),
    redirectUri: wiki.redirectUris[0],
  },
  reports: {
    client: { client_id: reports.id },
    how: oauth.PrivateKeyJwt(reportsKey.privateKey),
    redirectUri: reports.redirectUris[0],
  },
  books: {
    client: { client_id: books.id, id_token_signed_response_alg: 'RS256' },
    how: oauth.ClientSecretBasic(books.secret),
    redirectUri: books.redirectUris[0],
  },
}

/** Alice signs in and comes back; everything that the standard lets the client check is checked. */
async function signIn(provider: Provider, { client, how, redirectUri }: Party, maxAge?: number) {
  const server = await discover(provider)
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const nonce = oauth.generateRandomNonce()
  const url = new URL(server.authorization_endpoint ?? '')
  const parameters = {
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid profile email offline_access',
    prompt: 'consent',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...(maxAge === undefined ? {} : { max_age: String(maxAge) }),
  }
  url.search = new URLSearchParams(parameters).toString()
  const back = (await openBrowser(provider).open(url)).url
  const checked = oauth.validateAuthResponse(server, client, back, state)
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    how,
    checked,
    redirectUri,
    verifier,
    insecure,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
    ...(maxAge === undefined ? {} : { maxAge }),
  })
  await oauth.validateApplicationLevelSignature(server, response, insecure)
  return { server, tokens, back, state }
}

describeClient('oauth4webapi', bothPaths, (provider) => {
  it('finds the same metadata by both ways of discovery', async () => {
    const server = await discover(provider())
    expect(server.issuer).toBe(provider().issuer)
    expect(await discover(provider(), 'oauth2')).toEqual(server)
  })

  it.each([
    ['desktop', 'ES256'],
    ['wiki', 'ES256'],
    ['reports', 'ES256'],
    ['books', 'RS256'],
  ] as const)('signs in as %s, with an ID Token of %s that it checks', async (name, algorithm) => {
    const { server, tokens } = await signIn(provider(), parties[name])
    const { client } = parties[name]
    expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({
      iss: server.issuer,
      sub: alice.id,
      aud: client.client_id,
      ...alice.claims,
    })
    expect(decodeProtectedHeader(tokens.id_token ?? '').alg).toBe(algorithm)
    expect(tokens.token_type).toBe('bearer')
    expect(tokens.expires_in).toBeGreaterThan(0)
  })

  it.each(['desktop', 'wiki', 'reports'] as const)('refreshes and revokes as %s', async (name) => {
    const { client, how } = parties[name]
    const { server, tokens } = await signIn(provider(), parties[name])
    const refresh = async (token = '') => {
      const sent = oauth.refreshTokenGrantRequest(server, client, how, token, insecure)
      return oauth.processRefreshTokenResponse(server, client, await sent)
    }
    const fresh = await refresh(tokens.refresh_token)
    expect(oauth.getValidatedIdTokenClaims(fresh)?.sub).toBe(alice.id)
    const last = fresh.refresh_token ?? tokens.refresh_token ?? ''
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, how, last, insecure),
    )
    await expect(refresh(last)).rejects.toMatchObject({ error: 'invalid_grant', status: 400 })
    // RFC 7009 §2.2: a token that is not known is no error.
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, how, 'unknown', insecure),
    )
  })

  it('asks UserInfo, and reads why a wrong token is refused', async () => {
    const { client } = parties.wiki
    const { server, tokens } = await signIn(provider(), parties.wiki)
    const ask = async (token: string) => {
      const response = await oauth.userInfoRequest(server, client, token, insecure)
      return oauth.processUserInfoResponse(server, client, alice.id, response)
    }
    expect(await ask(tokens.access_token)).toMatchObject({ sub: alice.id, ...alice.claims })
    await expect(ask('made-up')).rejects.toMatchObject({
      code: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
      status: 401,
      cause: [{ scheme: 'bearer', parameters: { error: 'invalid_token' } }],
    })
  })

  it('asks by introspection about a token, and about one that nobody has given', async () => {
    const { client, how } = parties.wiki
    const { server, tokens } = await signIn(provider(), parties.wiki)
    const ask = async (token: string) => {
      const response = await oauth.introspectionRequest(server, client, how, token, insecure)
      return oauth.processIntrospectionResponse(server, client, response)
    }
    expect(await ask(tokens.access_token)).toMatchObject({ active: true, sub: alice.id })
    expect(await ask('made-up')).toEqual({ active: false })
  })

  it('is told when the user signed in, where it asks for a maximum age', async () => {
    const { tokens } = await signIn(provider(), parties.wiki, 300)
    const { auth_time = 0 } = oauth.getValidatedIdTokenClaims(tokens) ?? {}
    expect(Math.abs(Date.now() / 1000 - auth_time)).toBeLessThan(30)
  })

  it('refuses another state, and an answer of another issuer', async () => {
    const { client } = parties.desktop
    const { server, back, state } = await signIn(provider(), parties.desktop)
    const check = (url: URL, expected: string) =>
      oauth.validateAuthResponse(server, client, url, expected)
    expect(() => check(back, 'of another sign-in')).toThrow('unexpected "state"')
    const elsewhere = new URL(back)
    elsewhere.searchParams.set('iss', 'https://elsewhere.example.com')
    expect(() => check(elsewhere, state)).toThrow('unexpected "iss"')
  })

  it('refuses a wrong secret by a challenge that it can read', async () => {
    const { client } = parties.wiki
    const server = await discover(provider())
    const how = oauth.ClientSecretBasic('of somebody else')
    const response = await oauth.refreshTokenGrantRequest(server, client, how, 'x', insecure)
    await expect(oauth.processRefreshTokenResponse(server, client, response)).rejects.toMatchObject(
      { status: 401, cause: [{ scheme: 'basic' }] },
    )
  })
})
