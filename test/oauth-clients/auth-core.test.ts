// https://github.com/nextauthjs/next-auth, its core, with a provider of one's own ("generic OIDC").
import { Auth, type AuthConfig, setEnvDefaults } from '@auth/core'
import type { OIDCConfig } from '@auth/core/providers'
import type { Profile } from '@auth/core/types'
import { expect, it } from 'vitest'
import { openBrowser, type Site } from './support/browser.js'
import { alice, type Provider } from './support/provider.js'
import { reports, reportsKey, wiki } from './support/registrations.js'
import { bothPaths, describeClient } from './support/suites.js'

const origin = 'https://wiki.example.com'

type Own = Partial<OIDCConfig<Profile>>
const withSecret: Own = { clientId: wiki.id, clientSecret: wiki.secret }
const withKey: Own = {
  clientId: reports.id,
  client: { token_endpoint_auth_method: 'private_key_jwt' },
  token: { clientPrivateKey: reportsKey.privateKey },
}

/** A site, and the errors that it would log. */
function startSite({ issuer }: Provider, origin: string, { client, ...own }: Own) {
  const errors: string[] = []
  const config: AuthConfig = {
    basePath: '/auth',
    secret: 'a secret of the cookies of tests only',
    trustHost: true,
    logger: { error: (error) => errors.push(error.name), warn: () => {}, debug: () => {} },
    providers: [
      {
        id: 'chat',
        name: 'Chat',
        type: 'oidc',
        issuer,
        ...own,
        client: { ...client, id_token_signed_response_alg: 'ES256' },
        checks: ['pkce', 'state', 'nonce'],
        authorization: { params: { scope: 'openid profile email' } },
      },
    ],
    callbacks: {
      jwt: ({ token, profile }) => ({ ...token, ...(profile?.sub ? { sub: profile.sub } : {}) }),
      session: ({ session, token }) => ({ ...session, sub: token.sub }),
    },
  }
  setEnvDefaults({}, config)
  const site: Site = (request) =>
    new URL(request.url).pathname.startsWith('/auth/')
      ? Auth(request, config)
      : Promise.resolve(new Response('the wiki'))
  return { errors, sites: { [origin]: site } }
}

const startWiki = (provider: Provider) => startSite(provider, origin, withSecret)

describeClient('@auth/core', bothPaths, (provider) => {
  it.each([
    ['a secret', origin, withSecret],
    // Its assertions are for a list: the issuer and the token endpoint.
    ['a signed assertion', 'https://reports.example.com', withKey],
  ])('signs in by %s with PKCE, state and nonce', async (_how, at, own) => {
    const { errors, sites } = startSite(provider(), at, own)
    const browser = openBrowser(provider(), { sites })
    const signedIn = await browser.open(await browser.submit(`${at}/auth/signin`))
    expect([signedIn.url.pathname, errors]).toEqual(['/', []])
    const { text } = await browser.open(`${at}/auth/session`)
    expect(JSON.parse(text)).toMatchObject({
      sub: alice.id,
      user: { name: alice.claims.name, email: alice.claims.email },
    })
  })
  it.each(['state', 'nonce'])('refuses an answer to another %s', async (parameter) => {
    const { errors, sites } = startWiki(provider())
    const browser = openBrowser(provider(), { sites })
    const asked = await browser.submit(`${origin}/auth/signin`)
    asked.searchParams.set(parameter, 'of another sign-in')
    const { url: back } = await openBrowser(provider()).open(asked)
    await browser.open(back)
    expect(errors).toEqual(['CallbackRouteError'])
    expect((await browser.open(`${origin}/auth/session`)).text).toBe('null')
  })
})
