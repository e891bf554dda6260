// https://github.com/lelylan/simple-oauth2
import { createHash, randomBytes } from 'node:crypto'
import { AuthorizationCode } from 'simple-oauth2'
import { expect, it } from 'vitest'
import { openBrowser } from './support/browser.js'
import { endpointsOf, userInfo } from './support/endpoints.js'
import { alice, type Provider } from './support/provider.js'
import { tracker, wiki } from './support/registrations.js'
import { describeClient } from './support/suites.js'

type Party = typeof wiki | typeof tracker
type Encoding = 'strict' | 'loose'

async function clientFor(provider: Provider, { id, secret }: Party, encoding: Encoding) {
  const endpoints = await endpointsOf(provider)
  const { origin } = new URL(provider.issuer)
  const path = (url: string) => new URL(url).pathname
  return new AuthorizationCode({
    client: { id, secret },
    auth: {
      tokenHost: origin,
      tokenPath: path(endpoints.token_endpoint),
      revokePath: path(endpoints.revocation_endpoint),
      authorizePath: path(endpoints.authorization_endpoint),
    },
    options: {
      credentialsEncodingMode: encoding,
      authorizationMethod: id === tracker.id ? 'body' : 'header',
    },
  })
}

async function signIn(provider: Provider, party: Party, encoding: Encoding = 'strict') {
  const client = await clientFor(provider, party, encoding)
  const [redirect_uri] = party.redirectUris
  const code_verifier = randomBytes(32).toString('base64url')
  const asked = {
    redirect_uri,
    scope: 'openid profile email offline_access',
    state: 'a state',
    prompt: 'consent',
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }
  const { url } = await openBrowser(provider).open(client.authorizeURL(asked))
  expect(url.searchParams.get('state')).toBe('a state')
  const code = url.searchParams.get('code') ?? ''
  // Its types know nothing of PKCE; what it is given it sends.
  const exchanged = { code, redirect_uri, code_verifier }
  return { client, exchanged, token: await client.getToken(exchanged) }
}

const refusal = (error: string) => ({ data: { payload: { error } } })

describeClient('simple-oauth2', [''], (provider) => {
  it.each([
    ['in the header, form-encoded', wiki, 'strict'],
    ['in the header as it is', wiki, 'loose'],
    ['in the body', tracker, 'strict'],
  ] as const)('signs in with the secret %s, and refreshes', async (_how, party, encoding) => {
    const { token } = await signIn(provider(), party, encoding)
    expect(token.token).toMatchObject({ token_type: 'Bearer', scope: expect.any(String) })
    expect(token.expired()).toBe(false)
    const accessToken = String(token.token['access_token'])
    expect(await userInfo(provider(), accessToken)).toMatchObject({ sub: alice.id })
    const fresh = await token.refresh()
    expect(fresh.token['access_token']).not.toBe(accessToken)
  })

  it('revokes both tokens, and reads the empty answer to it', async () => {
    const { token } = await signIn(provider(), wiki)
    await token.revokeAll()
    await expect(token.refresh()).rejects.toMatchObject(refusal('invalid_grant'))
    expect(await userInfo(provider(), String(token.token['access_token']))).toBe(401)
  })

  it('is told that a code is used', async () => {
    const { client, exchanged } = await signIn(provider(), wiki)
    await expect(client.getToken(exchanged)).rejects.toMatchObject(refusal('invalid_grant'))
  })
})
