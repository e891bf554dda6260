// https://github.com/badgateway/oauth2-client
import { generateCodeVerifier, OAuth2Client } from '@badgateway/oauth2-client'
import { expect, it } from 'vitest'
import { openBrowser } from './support/browser.js'
import { userInfo } from './support/endpoints.js'
import { alice, type Provider } from './support/provider.js'
import { desktop, tracker, wiki } from './support/registrations.js'
import { bothPaths, describeClient } from './support/suites.js'

type Method = 'client_secret_basic' | 'client_secret_post' | 'client_secret_basic_interop'

interface Party {
  readonly id: string
  readonly secret?: string
  readonly redirectUri: string
  readonly method?: Method
}

const [wikiUri] = wiki.redirectUris
const parties: readonly [string, Party][] = [
  ['an app without a secret', { id: desktop.id, redirectUri: 'http://127.0.0.1:50125/callback' }],
  ['a server', { ...wiki, redirectUri: wikiUri, method: 'client_secret_basic' }],
  [
    'a server, half encoded',
    { ...wiki, redirectUri: wikiUri, method: 'client_secret_basic_interop' },
  ],
  [
    'a server, by the body',
    { ...tracker, redirectUri: tracker.redirectUris[0], method: 'client_secret_post' },
  ],
]

function clientFor({ issuer }: Provider, { id, secret, method }: Party) {
  return new OAuth2Client({
    server: issuer,
    discoveryEndpoint: `${issuer}/.well-known/openid-configuration`,
    clientId: id,
    ...(secret === undefined ? {} : { clientSecret: secret }),
    ...(method === undefined ? {} : { authenticationMethod: method }),
  })
}

async function ask(provider: Provider, party: Party) {
  const { authorizationCode } = clientFor(provider, party)
  const { redirectUri } = party
  const checks = { redirectUri, state: 'a state', codeVerifier: await generateCodeVerifier() }
  const url = await authorizationCode.getAuthorizeUri({
    ...checks,
    scope: ['openid', 'profile', 'offline_access'],
    extraParams: { prompt: 'consent' },
  })
  return { authorizationCode, checks, back: (await openBrowser(provider).open(url)).url }
}

async function signIn(provider: Provider, party: Party) {
  const { authorizationCode, checks, back } = await ask(provider, party)
  return authorizationCode.getTokenFromCodeRedirect(back, checks)
}

describeClient('@badgateway/oauth2-client', bothPaths, (provider) => {
  it.each(parties)(
    'finds the endpoints, signs in, refreshes and revokes as %s',
    async (_, party) => {
      const client = clientFor(provider(), party)
      const token = await signIn(provider(), party)
      expect(token.expiresAt ?? 0).toBeGreaterThan(Date.now())
      expect(await userInfo(provider(), token.accessToken)).toMatchObject({ sub: alice.id })
      const fresh = await client.refreshToken(token)
      expect(fresh.accessToken).not.toBe(token.accessToken)
      await client.revoke(fresh, 'refresh_token')
      await expect(client.refreshToken(fresh)).rejects.toMatchObject({
        oauth2Code: 'invalid_grant',
        httpCode: 400,
      })
    },
  )

  it('asks by introspection', async () => {
    const party: Party = { ...wiki, redirectUri: wikiUri }
    const token = await signIn(provider(), party)
    expect(await clientFor(provider(), party).introspect(token)).toMatchObject({
      active: true,
      client_id: wiki.id,
    })
  })

  it('refuses another state', async () => {
    const { authorizationCode, checks, back } = await ask(provider(), {
      ...wiki,
      redirectUri: wikiUri,
    })
    await expect(
      authorizationCode.getTokenFromCodeRedirect(back, { ...checks, state: 'another' }),
    ).rejects.toThrow('state')
  })
})
