// https://github.com/nextauthjs/next-auth, its core, with a provider of one's own ("generic OIDC").
import { Auth, type AuthConfig, setEnvDefaults } from '@auth/core'
import { expect, it } from 'vitest'
import { openBrowser, type Site } from './support/browser.js'
import { alice, type Provider } from './support/provider.js'
import { wiki } from './support/registrations.js'
import { bothPaths, describeClient } from './support/suites.js'

const origin = 'https://wiki.example.com'

/** The wiki, and the errors that it would log. */
function startWiki({ issuer }: Provider) {
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
        clientId: wiki.id,
        clientSecret: wiki.secret,
        client: { id_token_signed_response_alg: wiki.idTokenAlgorithm },
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

describeClient('@auth/core', bothPaths, (provider) => {
  it('signs in with PKCE, state and nonce', async () => {
    const { errors, sites } = startWiki(provider())
    const browser = openBrowser(provider(), { sites })
    const signedIn = await browser.open(await browser.submit(`${origin}/auth/signin`))
    expect([signedIn.url.pathname, errors]).toEqual(['/', []])
    const { text } = await browser.open(`${origin}/auth/session`)
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
