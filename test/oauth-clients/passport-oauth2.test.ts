// https://github.com/jaredhanson/passport-oauth2: it sends its secret in the body.
import session from 'express-session'
import passport from 'passport'
import OAuth2Strategy from 'passport-oauth2'
import { expect, it } from 'vitest'
import { openBrowser } from './support/browser.js'
import { endpointsOf, userInfo } from './support/endpoints.js'
import { alice, type Provider } from './support/provider.js'
import { tracker } from './support/registrations.js'
import { serve } from './support/relying-party.js'
import { describeClient } from './support/suites.js'

const origin = 'https://tracker.example.com'
type Verified = (error: unknown, user?: object) => void

async function startTracker(provider: Provider) {
  const endpoints = await endpointsOf(provider)
  const strategy = new OAuth2Strategy(
    {
      authorizationURL: endpoints.authorization_endpoint,
      tokenURL: endpoints.token_endpoint,
      clientID: tracker.id,
      clientSecret: tracker.secret,
      callbackURL: tracker.redirectUris[0],
      scope: ['openid', 'profile', 'offline_access'],
      state: true,
      pkce: true,
    },
    (accessToken: string, refreshToken: string, _profile: unknown, done: Verified) => {
      userInfo(provider, accessToken).then((about) => {
        done(null, { about, refreshable: typeof refreshToken === 'string' })
      }, done)
    },
  )
  strategy.authorizationParams = () => ({ prompt: 'consent' })
  const own = new passport.Passport()
  own.use(strategy)
  const site = await serve((app) => {
    app.use(session({ secret: 'for tests only', resave: false, saveUninitialized: false }))
    app.get('/sign-in', own.authenticate('oauth2', { session: false }))
    app.get('/callback', own.authenticate('oauth2', { session: false }), (req, res) => {
      res.json(req.user)
    })
  })
  return () => openBrowser(provider, { sites: { [origin]: site } })
}

describeClient('passport-oauth2', [''], (provider) => {
  it('signs in with state and PKCE, and is given a refresh token', async () => {
    const browser = (await startTracker(provider()))()
    const { status, text } = await browser.open(`${origin}/sign-in`)
    expect([status, JSON.parse(text)]).toMatchObject([
      200,
      { about: { sub: alice.id, name: alice.claims.name }, refreshable: true },
    ])
  })

  it('refuses an answer that another browser asked for', async () => {
    const open = await startTracker(provider())
    const asked = await open().ask(`${origin}/sign-in`)
    const { url: back } = await openBrowser(provider()).open(asked)
    expect(back.searchParams.get('code')).toEqual(expect.any(String))
    expect(await open().open(back)).toMatchObject({ status: 403 })
  })
})
