// A wiki that knows nothing of passwords: people sign in with their chat account. All of it is what
// any app does that speaks OpenID Connect.
import { randomUUID } from 'node:crypto'
import express, { type ErrorRequestHandler, type Request, type Response } from 'express'
import * as oidc from 'openid-client'
import { createReadLogoutToken } from './logout-token.js'
import { home, problem } from './pages.js'
import { readSettings } from './settings.js'

const { issuer, wikiUrl, secret } = readSettings(process.env)
// Without TLS on one's own machine alone.
const options = issuer.startsWith('http:') ? { execute: [oidc.allowInsecureRequests] } : {}
const chat = await oidc
  .discovery(new URL(issuer), 'wiki', secret, undefined, options)
  .catch((error: unknown) => {
    const why = error instanceof Error ? error.message : 'no answer'
    process.stderr.write(`ISSUER: no chat at ${issuer} (${why}). Start it first, or set ISSUER.\n`)
    process.exit(1)
  })

/** A browser: on its way to the chat and back, or signed in. */
interface Visitor {
  readonly checks?: { readonly pkceCodeVerifier: string; readonly expectedState: string }
  readonly name?: string
  /** What the chat calls the session of which this is one. */
  readonly sid?: string
  readonly idToken?: string
}

// In memory: a restart signs everybody out. A real wiki has them in its database, and an end.
const visitors = new Map<string, Visitor>()
// Whoever opens /sign-in again and again takes the places of the oldest, and no more memory.
const mostVisitors = 10_000
const idOf = ({ headers }: Request) => /(?:^|; )wiki=([\w-]{36})/.exec(headers.cookie ?? '')?.[1]
const visitorOf = (request: Request) => visitors.get(idOf(request) ?? '') ?? {}

// Under a new id each time: one that somebody has planted in the browser is worth nothing.
function keep(request: Request, response: Response, visitor: Visitor): void {
  visitors.delete(idOf(request) ?? '')
  const id = randomUUID()
  visitors.set(id, visitor)
  for (const oldest of visitors.keys()) {
    if (visitors.size <= mostVisitors) break
    visitors.delete(oldest)
  }
  const secure = wikiUrl.startsWith('https:')
  response.cookie('wiki', id, { httpOnly: true, sameSite: 'lax', secure })
}

const app = express().disable('x-powered-by')
app.get('/', (request, response) => {
  response.send(home(visitorOf(request).name))
})

app.get('/sign-in', async (request, response) => {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  const expectedState = oidc.randomState()
  const asked = {
    redirect_uri: `${wikiUrl}/callback`,
    // Without offline_access: what signs the browser out of the chat signs it out here as well.
    scope: 'openid profile',
    state: expectedState,
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  }
  keep(request, response, { checks: { pkceCodeVerifier, expectedState } })
  response.redirect(303, oidc.buildAuthorizationUrl(chat, asked).href)
})

app.get('/callback', async (request, response) => {
  const url = new URL(request.originalUrl, wikiUrl)
  // Whoever has not set out from here has no checks, and is let in by none.
  const { checks } = visitorOf(request)
  if (checks === undefined) return response.redirect(303, '/')
  const tokens = await oidc.authorizationCodeGrant(chat, url, { ...checks, idTokenExpected: true })
  const claims = tokens.claims()
  const [name, sid] = [String(claims?.['name']), String(claims?.['sid'])]
  keep(request, response, { name, sid, idToken: String(tokens.id_token) })
  response.redirect(303, '/')
})

// And at the chat, which then sends the browser back.
app.post('/sign-out', async (request, response) => {
  const { idToken } = visitorOf(request)
  if (idToken === undefined) return response.redirect(303, '/')
  keep(request, response, {})
  const asked = { id_token_hint: idToken, post_logout_redirect_uri: `${wikiUrl}/` }
  response.redirect(303, oidc.buildEndSessionUrl(chat, asked).href)
})

// The chat has ended the session. The browser notices with its next page.
const readLogoutToken = createReadLogoutToken(chat)
const form = express.urlencoded({ extended: false, limit: '16kb' })
app.post('/backchannel-logout', form, async (request, response) => {
  const ended = await readLogoutToken(request.body?.logout_token)
  response.set('Cache-Control', 'no-store')
  if (ended === null) return void response.status(400).json({ error: 'invalid_request' })
  for (const [id, { sid }] of visitors) if (sid === ended) visitors.delete(id)
  response.end()
})

const onError: ErrorRequestHandler = (error, _request, response, _next) => {
  process.stderr.write(`${String(error)}\n`)
  response.status(502).send(problem)
}
app.use(onError)

app.listen(Number(new URL(wikiUrl).port), '127.0.0.1', () => {
  process.stdout.write(`listening on ${wikiUrl}\n`)
})
