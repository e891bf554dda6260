// https://github.com/panva/openid-client
import * as oidc from 'openid-client'
import { expect, it } from 'vitest'
import { openBrowser } from './support/browser.js'
import { checks, discover, exchange } from './support/openid-client.js'
import { alice, type Provider } from './support/provider.js'
import { calendar, desktop, reports, reportsKey, tracker, wiki } from './support/registrations.js'
import { bothPaths, describeClient } from './support/suites.js'

/** Asks with PKCE, state and nonce; alice signs in; answers the URL that she comes back with. */
async function ask(
  provider: Provider,
  config: oidc.Configuration,
  redirectUri: string,
  { verifier, state, nonce }: ReturnType<typeof checks>,
  agrees = true,
) {
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid profile email offline_access',
    prompt: 'consent',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  })
  return (await openBrowser(provider, { agrees }).open(url)).url
}

async function signIn(provider: Provider, config: oidc.Configuration, redirectUri: string) {
  const sent = checks()
  return exchange(config, await ask(provider, config, redirectUri, sent), sent)
}

describeClient('openid-client', bothPaths, (provider) => {
  const loopback = 'http://127.0.0.1:50123/callback'

  it('finds the same metadata by both ways of discovery', async () => {
    const [byOidc, byOauth] = await Promise.all([
      discover(provider(), desktop.id, oidc.None()),
      discover(provider(), desktop.id, oidc.None(), 'oauth2'),
    ])
    expect(byOidc.serverMetadata()).toMatchObject({
      issuer: provider().issuer,
      authorization_response_iss_parameter_supported: true,
      code_challenge_methods_supported: ['S256'],
    })
    expect(byOauth.serverMetadata()).toEqual(byOidc.serverMetadata())
  })

  it('signs in an app by a loopback port, asks UserInfo, refreshes and revokes', async () => {
    const config = await discover(provider(), desktop.id, oidc.None())
    const tokens = await signIn(provider(), config, loopback)
    expect(tokens.claims()).toMatchObject({ sub: alice.id, aud: desktop.id, ...alice.claims })
    expect(tokens.expiresIn()).toBeGreaterThan(0)
    const about = await oidc.fetchUserInfo(config, tokens.access_token, alice.id)
    expect(about).toMatchObject({ sub: alice.id, ...alice.claims })

    const fresh = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(fresh.access_token).not.toBe(tokens.access_token)
    const refreshToken = fresh.refresh_token ?? tokens.refresh_token ?? ''
    await oidc.tokenRevocation(config, refreshToken)
    await expect(oidc.refreshTokenGrant(config, refreshToken)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })

  it.each([
    ['a secret in the header', wiki, () => oidc.ClientSecretBasic(wiki.secret)],
    ['a secret in the body', tracker, () => oidc.ClientSecretPost(tracker.secret)],
    ['a signed assertion', reports, () => oidc.PrivateKeyJwt(reportsKey.privateKey)],
  ])('signs in, refreshes and revokes as a server with %s', async (_how, client, how) => {
    const config = await discover(provider(), client.id, how())
    const tokens = await signIn(provider(), config, client.redirectUris[0])
    expect(tokens.claims()).toMatchObject({ sub: alice.id, aud: client.id })
    const fresh = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(fresh.claims()).toMatchObject({ sub: alice.id })
    const refreshToken = fresh.refresh_token ?? tokens.refresh_token ?? ''
    await oidc.tokenRevocation(config, refreshToken, { token_type_hint: 'refresh_token' })
    await expect(oidc.refreshTokenGrant(config, refreshToken)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })

  it('is told by introspection that a token is active, and that it is not any more', async () => {
    const config = await discover(provider(), wiki.id, oidc.ClientSecretBasic(wiki.secret))
    const tokens = await signIn(provider(), config, wiki.redirectUris[0])
    expect(await oidc.tokenIntrospection(config, tokens.access_token)).toMatchObject({
      active: true,
      client_id: wiki.id,
      sub: alice.id,
    })
    await oidc.tokenRevocation(config, tokens.access_token)
    expect(await oidc.tokenIntrospection(config, tokens.access_token)).toEqual({ active: false })
  })

  it('is told that alice does not agree', async () => {
    const how = oidc.ClientSecretBasic(calendar.secret)
    const config = await discover(provider(), calendar.id, how)
    const sent = checks()
    const back = await ask(provider(), config, calendar.redirectUris[0], sent, false)
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      iss: provider().issuer,
      state: sent.state,
    })
    await expect(exchange(config, back, sent)).rejects.toMatchObject({ error: 'access_denied' })
  })

  it('refuses an answer with another state, another nonce or another issuer', async () => {
    const config = await discover(provider(), desktop.id, oidc.None())
    const sent = checks()
    const back = await ask(provider(), config, loopback, sent)
    const of = (change: (query: URLSearchParams) => void) => {
      const url = new URL(back)
      change(url.searchParams)
      return url
    }
    const state = of((query) => query.set('state', 'of another sign-in'))
    const issuer = of((query) => query.set('iss', 'https://elsewhere.example.com'))
    const anonymous = of((query) => query.delete('iss'))
    for (const url of [state, issuer, anonymous]) {
      await expect(exchange(config, url, sent)).rejects.toMatchObject({
        code: 'OAUTH_INVALID_RESPONSE',
      })
    }
    await expect(
      exchange(config, back, { ...sent, nonce: oidc.randomNonce() }),
    ).rejects.toMatchObject({ code: 'OAUTH_JWT_CLAIM_COMPARISON_FAILED' })
  })

  it('is told that it has to send a challenge', async () => {
    const config = await discover(provider(), wiki.id, oidc.ClientSecretBasic(wiki.secret))
    const sent = checks()
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: wiki.redirectUris[0],
      scope: 'openid',
      state: sent.state,
    })
    const { url: back } = await openBrowser(provider()).open(url)
    await expect(exchange(config, back, sent)).rejects.toMatchObject({ error: 'invalid_request' })
  })

  it.each([
    ['of another server', wiki, 'https://elsewhere.example.com/callback'],
    ['that begins like its own', wiki, `${wiki.redirectUris[0]}/../elsewhere`],
    ['of the loopback interface with another path', desktop, 'http://127.0.0.1:50123/elsewhere'],
    ['of the loopback interface by another name', desktop, 'http://localhost:50123/callback'],
  ])('leads nowhere with a redirect URI %s', async (_what, { id }, redirectUri) => {
    const config = await discover(provider(), id, oidc.None())
    const asked = ask(provider(), config, redirectUri, checks())
    await expect(asked).rejects.toThrow('answered 400')
  })

  it('is refused with another verifier, with a code that is used, and with a wrong secret', async () => {
    const config = await discover(provider(), wiki.id, oidc.ClientSecretBasic(wiki.secret))
    const refused = { error: 'invalid_grant' }
    const sent = checks()
    const back = await ask(provider(), config, wiki.redirectUris[0], sent)
    const other = { ...sent, verifier: oidc.randomPKCECodeVerifier() }
    await expect(exchange(config, back, other)).rejects.toMatchObject(refused)

    const again = checks()
    const used = await ask(provider(), config, wiki.redirectUris[0], again)
    await exchange(config, used, again)
    await expect(exchange(config, used, again)).rejects.toMatchObject(refused)

    const liar = await discover(provider(), wiki.id, oidc.ClientSecretBasic('of somebody else'))
    // RFC 6749 §5.2: whoever used the header is answered with a challenge of the same scheme.
    await expect(exchange(liar, used, again)).rejects.toMatchObject({
      status: 401,
      cause: [{ scheme: 'basic' }],
    })
  })
})
