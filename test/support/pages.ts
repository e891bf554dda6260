// A host with pages: a form to sign in by, pages that take the cookie, and a way out.
import express from 'express'
import supertest, { type Response } from 'supertest'
import { expect } from 'vitest'
import { AuthError, type AuthRouter } from '../../src/index.js'
import { type HostSettings, password, type Served, startHost, type TestHost } from './host.js'

export const pagesOrigin = 'https://chat.example.com'
export const cookieName = '__Host-Http-mar_session'
/** What a browser says of a form on the host's own page. */
export const ownPage = { 'Sec-Fetch-Site': 'same-origin', Origin: pagesOrigin }

/** Answers an error of ours as a host would. */
function answerError(
  error: unknown,
  _request: express.Request,
  response: express.Response,
  next: express.NextFunction,
): void {
  if (!(error instanceof AuthError) || error.code === 'configuration') next(error)
  else response.status(error.status).json({ error: error.code, details: error.details })
}

/** Adds the routes of pages. */
function addPages(app: express.Express, auth: AuthRouter, withGuards = true): void {
  const body = [express.urlencoded({ extended: false }), express.json()]
  const who = (request: express.Request, response: express.Response) =>
    void response.json({ userId: request.auth?.userId ?? null, kind: request.auth?.kind ?? null })
  app.post('/sign-in', ...body, (request, response, next) => {
    auth.cookie
      .signIn(request, response, request.body, { stay: request.body.stay === 'on' })
      .then((signedIn) => response.json(signedIn), next)
  })
  app.all('/open', ...body, (request, response, next) => {
    auth.cookie.open(request, response, request.body).then((given) => response.json(given), next)
  })
  app.all('/sign-out', (request, response, next) => {
    auth.cookie.signOut(request, response).then((ended) => response.json({ ended }), next)
  })
  app.all('/api', auth.requireAuth(), who)
  app.use(answerError)
  if (!withGuards) return
  app.all('/page', auth.requireAuth({ from: 'cookie' }), who)
  app.all('/either', auth.requireAuth({ from: 'either' }), who)
  app.all('/optional', auth.requireAuth({ from: 'cookie', optional: true }), who)
  app.all('/lenient', auth.requireAuth({ from: 'cookie', optional: 'lenient' }), who)
  app.use(answerError)
}

/** Settings of the host; without pages its forms are there, and no guard that takes a cookie. */
export interface PageSettings extends HostSettings {
  readonly withoutPages?: boolean
}

/** Starts it; its own settings come before the pages. */
export function startPages(settings: PageSettings = {}): Promise<TestHost> {
  const { withoutPages = false, ...others } = settings
  return startHost({
    ...others,
    options: { ...(withoutPages ? {} : { pagesOrigin }), ...settings.options },
    after: (app, auth) => {
      settings.after?.(app, auth)
      addPages(app, auth, !withoutPages)
    },
  })
}

/** Sends a request to a path of the host's own. */
export function send(
  host: Served,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: object,
): Promise<Response> {
  const own = host.url.replace('/api/v1', '')
  const request = supertest(own)[method.toLowerCase() as 'get'](path).set(headers)
  return Promise.resolve(body === undefined ? request : request.send(body))
}

/** The cookie that an answer sets: as it was set, and as it is sent. Null where it sets none. */
export function cookieOf(response: Response, name = cookieName) {
  const set = ([response.headers['set-cookie'] ?? []].flat() as string[]).filter((cookie) =>
    cookie.startsWith(`${name}=`),
  )
  if (set.length === 0) return null
  expect(set).toHaveLength(1)
  const [pair = '', ...attributes] = (set[0] as string).split('; ')
  return { pair, value: pair.slice(name.length + 1), attributes: attributes.toSorted() }
}

/** Signs alice in, or whoever is named, and answers the cookie. */
export async function signInByPage(
  host: TestHost,
  body: object = {},
  headers: Record<string, string> = {},
) {
  const credentials = { username: 'alice', password, ...body }
  const response = await send(host, 'POST', '/sign-in', { ...ownPage, ...headers }, credentials)
  expect([response.status, response.text]).toEqual([200, expect.any(String)])
  const cookie = cookieOf(response)
  if (cookie === null) throw new Error('no cookie was set')
  host.issued.add(cookie.value)
  return { ...cookie, response, Cookie: cookie.pair, session: response.body.session.id as string }
}
