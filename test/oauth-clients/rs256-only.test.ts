// Servers that understand ID Tokens of RS256 alone: there are such wikis and clouds, and they hold
// a few lines like these.
import { createHash, randomBytes } from 'node:crypto'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { expect, it } from 'vitest'
import { openBrowser } from './support/browser.js'
import { endpointsOf } from './support/endpoints.js'
import { alice, type Provider } from './support/provider.js'
import { books, wiki } from './support/registrations.js'
import { bothPaths, describeClient } from './support/suites.js'

async function signIn(provider: Provider, client: typeof books | typeof wiki) {
  const { issuer } = provider
  const endpoints = await endpointsOf(provider)
  const [redirect_uri] = client.redirectUris
  const nonce = randomBytes(16).toString('base64url')
  const code_verifier = randomBytes(32).toString('base64url')
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
  const asked = {
    client_id: client.id,
    redirect_uri,
    response_type: 'code',
    scope: 'openid',
    nonce,
  }
  const challenge = { code_challenge, code_challenge_method: 'S256' }
  const query = new URLSearchParams({ ...asked, ...challenge })
  const { url } = await openBrowser(provider).open(`${endpoints.authorization_endpoint}?${query}`)
  const code = url.searchParams.get('code') ?? ''
  const credentials = Buffer.from(`${client.id}:${client.secret}`).toString('base64')
  const response = await fetch(endpoints.token_endpoint, {
    method: 'POST',
    headers: { Authorization: `Basic ${credentials}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri,
      code_verifier,
    }),
  })
  const { id_token } = (await response.json()) as { id_token: string }
  const keys = createRemoteJWKSet(new URL(endpoints.jwks_uri))
  const checks = { issuer, audience: client.id, algorithms: ['RS256'] }
  const { payload } = await jwtVerify(id_token, keys, checks)
  if (payload['nonce'] !== nonce) throw new Error('an ID Token of another sign-in')
  return payload
}

describeClient('a client that knows RS256 only', bothPaths, (provider) => {
  it('signs in where it is registered so, and finds the key by its id', async () => {
    expect(await signIn(provider(), books)).toMatchObject({ sub: alice.id })
  })

  it('refuses the ID Token of a client that is not', async () => {
    await expect(signIn(provider(), wiki)).rejects.toThrow('"alg" (Algorithm) Header Parameter')
  })
})
