// Servers that are told when a session has ended: OpenID Connect Back-Channel Logout 1.0. By
// https://github.com/auth0/express-openid-connect, and by a few lines that do what the app of a
// cloud does which understands RS256 alone, https://github.com/nextcloud/user_oidc.
import express, { type Express } from 'express'
import oidc from 'express-openid-connect'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clientOf, type Ours, startOurs } from './provider-ours.js'
import { openBrowser } from './support/browser.js'
import { endpointsOf } from './support/endpoints.js'
import { listen } from './support/listen.js'
import { alice, type IssuerPath } from './support/provider.js'
import { books, type Registration, wiki } from './support/registrations.js'
import { bothPaths } from './support/suites.js'

/** A provider, and the server of a client that it tells. */
async function startBoth(path: IssuerPath, registration: Registration) {
  const app = express().set('trust proxy', 1)
  const origin = await listen(app)
  const client = {
    ...clientOf(registration),
    backchannelLogoutUri: `${origin}/backchannel-logout`,
  }
  const provider = await startOurs(path, [client])
  onTestFinished(() => provider.stop())
  const site = new URL(registration.redirectUris[0] ?? '').origin
  /** As a proxy that does the TLS hands it on. */
  const reach = (request: Request) => {
    const { pathname, search } = new URL(request.url)
    const headers = new Headers(request.headers)
    headers.set('x-forwarded-proto', 'https')
    headers.set('x-forwarded-host', new URL(site).host)
    return fetch(`${origin}${pathname}${search}`, { headers, redirect: 'manual' })
  }
  return { app, provider, site, reach }
}

/** Where a session is kept; what express-session calls a store. */
function storeInMemory() {
  const rows = new Map<string, never>()
  type Done = (error?: Error | null, row?: never) => void
  return {
    get: (id: string, done: Done) => done(null, rows.get(id)),
    set: (id: string, row: never, done: Done) => done(void rows.set(id, row) as never),
    destroy: (id: string, done: Done) => done(void rows.delete(id) as never),
  }
}

async function told({ auth }: Ours, times: number): Promise<void> {
  while (auth.stats().rpLogout.waiting > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  expect(auth.stats().rpLogout).toEqual({ sent: times, failed: 0, waiting: 0 })
}

describe.each(bothPaths)('express-openid-connect, an issuer with the path "%s"', (path) => {
  it('signs its user out when the session here has ended, and in again', async () => {
    const { app, provider, site, reach } = await startBoth(path, wiki)
    app.use(
      oidc.auth({
        clientID: wiki.id,
        clientSecret: wiki.secret,
        idTokenSigningAlg: wiki.idTokenAlgorithm,
        issuerBaseURL: provider.issuer,
        baseURL: site,
        secret: 'a secret of the cookies of tests only',
        authRequired: false,
        backchannelLogout: { store: storeInMemory() },
        authorizationParams: { response_type: 'code', scope: 'openid profile' },
      }),
    )
    app.get('/', (req, res) => void res.json({ user: req.oidc.user?.['sub'] ?? null }))
    const browser = openBrowser(provider, { sites: { [site]: reach } })
    const userOf = async (page: string) => JSON.parse((await browser.open(`${site}${page}`)).text)
    expect(await userOf('/login')).toEqual({ user: alice.id })
    await provider.auth.sessions.revokeAllForUser(alice.id)
    await told(provider, 1)
    expect(await userOf('/')).toEqual({ user: null })
    expect(await userOf('/login')).toEqual({ user: alice.id })
    expect(await userOf('/')).toEqual({ user: alice.id })
  })
})

/** What the cloud knows of a sign-in, and how it ends it: by issuer, subject and `sid`. */
function addCloud(app: Express, { issuer }: Ours, jwksUri: string, sessions: Set<string>) {
  const keys = createRemoteJWKSet(new URL(jwksUri))
  app.post('/backchannel-logout', express.urlencoded({ extended: false }), async (req, res) => {
    const verified = await jwtVerify(req.body.logout_token, keys, { algorithms: ['RS256'] })
    const { aud, iss, sub, sid, events, nonce } = verified.payload
    const isEvent = Object.hasOwn(
      events ?? {},
      'http://schemas.openid.net/event/backchannel-logout',
    )
    if (aud !== books.id || iss !== issuer || !isEvent || nonce !== undefined)
      return void res.status(400).json({ error: 'invalid' })
    const isKnown = sessions.delete(`${sub} ${sid}`)
    res.status(isKnown ? 200 : 400).json(isKnown ? [] : { error: 'no such session' })
  })
}

describe.each(bothPaths)('a cloud that knows RS256 alone, an issuer with the path "%s"', (path) => {
  it('finds the session by the name that its ID Token had', async () => {
    const { app, provider, site, reach } = await startBoth(path, books)
    const sessions = new Set<string>()
    const endpoints = await endpointsOf(provider)
    addCloud(app, provider, endpoints.jwks_uri, sessions)
    app.use(
      oidc.auth({
        clientID: books.id,
        clientSecret: books.secret,
        idTokenSigningAlg: 'RS256',
        issuerBaseURL: provider.issuer,
        baseURL: site,
        secret: 'a secret of the cookies of tests only',
        authorizationParams: { response_type: 'code', scope: 'openid profile' },
        afterCallback: (_req, _res, session) => {
          const [, claims = ''] = session.id_token.split('.')
          const { sub, sid } = JSON.parse(Buffer.from(claims, 'base64url').toString())
          sessions.add(`${sub} ${sid}`)
          return session
        },
      }),
    )
    app.get('/', (_req, res) => void res.send('in'))
    const browser = openBrowser(provider, { sites: { [site]: reach } })
    expect((await browser.open(`${site}/`)).text).toBe('in')
    expect(sessions.size).toBe(1)
    await provider.auth.sessions.revokeAllForUser(alice.id)
    await told(provider, 1)
    expect(sessions.size).toBe(0)
  })
})
