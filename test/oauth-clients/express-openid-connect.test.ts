// https://github.com/auth0/express-openid-connect
import oidc from 'express-openid-connect'
import { expect, it } from 'vitest'
import { openBrowser } from './support/browser.js'
import { alice, type Provider } from './support/provider.js'
import { books, reports, reportsKey, wiki } from './support/registrations.js'
import { serve } from './support/relying-party.js'
import { bothPaths, describeClient } from './support/suites.js'

const withSecret = ({ id, secret, idTokenAlgorithm }: typeof wiki | typeof books) => ({
  clientID: id,
  clientSecret: secret,
  idTokenSigningAlg: idTokenAlgorithm,
})

async function start(provider: Provider, origin: string, own: oidc.ConfigParams) {
  const site = await serve((app) => {
    app.use(
      oidc.auth({
        ...own,
        issuerBaseURL: provider.issuer,
        baseURL: origin,
        secret: 'a secret of the cookies of tests only',
        authorizationParams: {
          response_type: 'code',
          scope: 'openid profile email offline_access',
          prompt: 'consent',
        },
      }),
    )
    app.get('/', async (req, res) => {
      const before = req.oidc.accessToken?.access_token
      const fresh = await req.oidc.accessToken?.refresh()
      const about = await req.oidc.fetchUserInfo()
      res.json({ user: req.oidc.user, about, refreshed: fresh?.access_token !== before })
    })
  })
  return () => openBrowser(provider, { sites: { [origin]: site } })
}

describeClient('express-openid-connect', bothPaths, (provider) => {
  it.each([
    ['a secret', 'https://wiki.example.com', withSecret(wiki)],
    ['a secret and ID Tokens of RS256', 'https://books.example.com', withSecret(books)],
    [
      'a signed assertion',
      'https://reports.example.com',
      {
        clientID: reports.id,
        clientAssertionSigningKey: reportsKey.privateKey,
        clientAssertionSigningAlg: 'ES256' as const,
        idTokenSigningAlg: 'ES256',
      },
    ],
  ])('signs in by %s, refreshes, and asks UserInfo', async (_how, origin, own) => {
    const { status, text } = await (await start(provider(), origin, own))().open(`${origin}/`)
    expect([status, JSON.parse(text)]).toMatchObject([
      200,
      {
        user: { sub: alice.id, ...alice.claims },
        about: { sub: alice.id, ...alice.claims },
        refreshed: true,
      },
    ])
  })

  it('refuses an answer that another browser asked for', async () => {
    const origin = 'https://wiki.example.com'
    const open = await start(provider(), origin, withSecret(wiki))
    const asked = await open().ask(`${origin}/`)
    const { url: back } = await openBrowser(provider()).open(asked)
    expect(await open().open(back)).toMatchObject({ status: 400 })
  })

  it('refuses an ID Token with another nonce', async () => {
    const origin = 'https://wiki.example.com'
    const browser = (await start(provider(), origin, withSecret(wiki)))()
    const asked = await browser.ask(`${origin}/`)
    asked.searchParams.set('nonce', 'of another sign-in')
    const { url: back } = await openBrowser(provider()).open(asked)
    expect(await browser.open(back)).toMatchObject({ status: 400 })
  })
})
