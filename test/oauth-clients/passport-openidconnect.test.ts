// https://github.com/jaredhanson/passport-openidconnect: it has no PKCE, and can send a nonce.
import session from 'express-session'
import passport from 'passport'
import OpenIDConnectStrategy from 'passport-openidconnect'
import { expect, it } from 'vitest'
import { openBrowser } from './support/browser.js'
import { endpointsOf } from './support/endpoints.js'
import { alice, type Provider } from './support/provider.js'
import { forum } from './support/registrations.js'
import { serve } from './support/relying-party.js'
import { bothPaths, describeClient } from './support/suites.js'

const origin = 'https://forum.example.com'

async function startForum(provider: Provider) {
  const endpoints = await endpointsOf(provider)
  const own = new passport.Passport()
  const strategy = new OpenIDConnectStrategy(
    {
      issuer: provider.issuer,
      authorizationURL: endpoints.authorization_endpoint,
      tokenURL: endpoints.token_endpoint,
      userInfoURL: endpoints.userinfo_endpoint,
      clientID: forum.id,
      clientSecret: forum.secret,
      callbackURL: forum.redirectUris[0],
      scope: ['profile', 'email'],
      // Its types have a text here; the code takes anything true.
      nonce: 'true',
      skipUserProfile: false,
    },
    (
      issuer: string,
      { id, displayName, username, emails }: passport.Profile,
      done: (error: null, user: object) => void,
    ) => done(null, { issuer, id, displayName, username, email: emails?.[0]?.value }),
  )
  own.use(strategy)
  const site = await serve((app) => {
    app.use(session({ secret: 'for tests only', resave: false, saveUninitialized: false }))
    app.get('/sign-in', own.authenticate('openidconnect', { session: false }))
    app.get('/callback', own.authenticate('openidconnect', { session: false }), (req, res) => {
      res.json(req.user)
    })
  })
  return () => openBrowser(provider, { sites: { [origin]: site } })
}

describeClient('passport-openidconnect', bothPaths, (provider) => {
  it('signs in with a nonce instead of PKCE, and reads the profile from UserInfo', async () => {
    const browser = (await startForum(provider()))()
    const { status, text } = await browser.open(`${origin}/sign-in`)
    expect([status, JSON.parse(text)]).toEqual([
      200,
      {
        issuer: provider().issuer,
        id: alice.id,
        displayName: alice.claims.name,
        username: alice.claims.preferred_username,
        email: alice.claims.email,
      },
    ])
  })

  it('refuses an answer that another browser asked for', async () => {
    const open = await startForum(provider())
    const asked = await open().ask(`${origin}/sign-in`)
    const { url: back } = await openBrowser(provider()).open(asked)
    expect(await open().open(back)).toMatchObject({ status: 403 })
  })

  it('refuses an ID Token with another nonce', async () => {
    const browser = (await startForum(provider()))()
    const asked = await browser.ask(`${origin}/sign-in`)
    asked.searchParams.set('nonce', 'of another sign-in')
    const { url: back } = await openBrowser(provider()).open(asked)
    expect(await browser.open(back)).toMatchObject({ status: 403 })
  })
})
