// https://github.com/mulesoft-labs/js-client-oauth2
import { createHash, randomBytes } from 'node:crypto'
import ClientOAuth2 from 'client-oauth2'
import { expect, it } from 'vitest'
import { openBrowser } from './support/browser.js'
import { endpointsOf, userInfo } from './support/endpoints.js'
import { alice, type Provider } from './support/provider.js'
import { calendar, wiki } from './support/registrations.js'
import { describeClient } from './support/suites.js'

/** Asks as `party`; PKCE is what the documents of this client call parameters of one's own. */
async function ask(provider: Provider, party: typeof wiki | typeof calendar, agrees = true) {
  const endpoints = await endpointsOf(provider)
  const verifier = randomBytes(32).toString('base64url')
  const client = new ClientOAuth2({
    clientId: party.id,
    clientSecret: party.secret,
    authorizationUri: endpoints.authorization_endpoint,
    accessTokenUri: endpoints.token_endpoint,
    redirectUri: party.redirectUris[0],
    scopes: ['openid', 'profile', 'offline_access'],
    state: 'a state',
  })
  const url = client.code.getUri({
    query: {
      prompt: 'consent',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    },
  })
  const { url: back } = await openBrowser(provider, { agrees }).open(url)
  const exchange = (url = back, verifies = verifier) =>
    client.code.getToken(url.href, { body: { code_verifier: verifies } })
  return { back, exchange }
}

describeClient('client-oauth2', [''], (provider) => {
  it('signs in, calls with the token, and refreshes', async () => {
    const { exchange } = await ask(provider(), wiki)
    const token = await exchange()
    expect(token.expired()).toBe(false)
    const { userinfo_endpoint: url } = await endpointsOf(provider())
    // It puts the token into the header only where the type of the token is right.
    const signed = token.sign({ method: 'GET', url }) as object as {
      headers: Record<string, string>
    }
    expect(signed.headers['Authorization']).toBe(`Bearer ${token.accessToken}`)
    expect(await userInfo(provider(), token.accessToken)).toMatchObject({ sub: alice.id })
    const fresh = await token.refresh()
    expect(fresh.accessToken).not.toBe(token.accessToken)
  })

  it('is told why it gets nothing', async () => {
    const used = await ask(provider(), wiki)
    await used.exchange()
    await expect(used.exchange()).rejects.toMatchObject({ body: { error: 'invalid_grant' } })
    const { back, exchange } = await ask(provider(), wiki)
    const another = randomBytes(32).toString('base64url')
    await expect(exchange(back, another)).rejects.toMatchObject({
      body: { error: 'invalid_grant' },
    })
    const declined = await ask(provider(), calendar, false)
    await expect(declined.exchange()).rejects.toMatchObject({ body: { error: 'access_denied' } })
  })

  it('refuses another state', async () => {
    const { back, exchange } = await ask(provider(), wiki)
    back.searchParams.set('state', 'another')
    await expect(exchange(back)).rejects.toThrow('Invalid state')
  })
})
