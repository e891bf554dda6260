// The requests of apps, for call-sites.ts: which parts of the host each calls, nobody writes down.
import type { OAuthClient } from '../../src/index.js'
import type { Ask, Outcome, Scene } from './call-sites.js'
import { bearer, logIn } from './client.js'
import { password } from './host.js'
import {
  allow,
  authorize,
  authorizeQuery,
  codeFor,
  openBrowser,
  phone,
  sendAs,
  signInTo,
  tracker,
  wiki,
} from './oauth-apps.js'

async function outcomeOf(sent: Promise<Response>): Promise<Outcome> {
  const answer = await sent
  const location = answer.headers.get('location') ?? ''
  return {
    status: answer.status,
    text: location + (await answer.text()),
    retryAfter: Number(answer.headers.get('retry-after') ?? 0),
  }
}

const allowed = (scene: Scene, app: OAuthClient) => allow(scene.consents, scene.user.id, app)

async function signedInTo(scene: Scene, app: OAuthClient) {
  await allowed(scene, app)
  return signInTo(scene.host, app, scene.user.id)
}

const exchanging = (app: OAuthClient) => async (scene: Scene) => {
  await allowed(scene, app)
  const code = await codeFor(scene.host, await openBrowser(scene.host, scene.user.id), app)
  return () => outcomeOf(sendAs(scene.host, app, '/oauth/token', code))
}

const refreshing = (app: OAuthClient) => async (scene: Scene) => {
  const { refresh_token } = await signedInTo(scene, app)
  const form = { grant_type: 'refresh_token', refresh_token }
  return () => outcomeOf(sendAs(scene.host, app, '/oauth/token', form))
}

const showing =
  (path: string, token: 'access_token' | 'refresh_token', app = wiki) =>
  async (scene: Scene) => {
    const tokens = await signedInTo(scene, app)
    return () => outcomeOf(sendAs(scene.host, app, path, { token: tokens[token] }))
  }

const owning = (method: 'GET' | 'DELETE', path: string) => async (scene: Scene) => {
  const { host, user } = scene
  await signedInTo(scene, tracker)
  const { authToken } = await logIn(host, { username: user.name, password })
  return () => outcomeOf(fetch(`${host.url}${path}`, { method, headers: bearer(authToken) }))
}

/** What browsers and apps ask. A posted authorization request is handed on, and calls nothing. */
export const oauthRequests: Readonly<Record<string, (scene: Scene) => Promise<Ask>>> = {
  'GET /oauth/authorize': async (scene) => {
    const { id_token } = await signedInTo(scene, tracker)
    const cookie = await openBrowser(scene.host, scene.user.id)
    const { query } = authorizeQuery(tracker, { id_token_hint: id_token })
    return () => outcomeOf(authorize(scene.host, cookie, query))
  },
  'POST /oauth/token with a code and an assertion': exchanging(tracker),
  'POST /oauth/token with a code of a public client': exchanging(phone),
  'POST /oauth/token with a refresh token that is kept': refreshing(wiki),
  'POST /oauth/token with a refresh token that is replaced': refreshing(phone),
  'POST /oauth/revoke with a refresh token': showing('/oauth/revoke', 'refresh_token'),
  'POST /oauth/revoke with an access token': showing('/oauth/revoke', 'access_token'),
  'POST /oauth/introspect with a refresh token': showing('/oauth/introspect', 'refresh_token'),
  'POST /oauth/introspect with an access token': showing('/oauth/introspect', 'access_token'),
  'GET /oauth/userinfo': async (scene) => {
    const { access_token } = await signedInTo(scene, tracker)
    const headers = bearer(access_token)
    return () => outcomeOf(fetch(`${scene.host.url}/oauth/userinfo`, { headers }))
  },
  'GET /auth/consents': owning('GET', '/auth/consents'),
  'DELETE /auth/consents/:clientId': owning('DELETE', '/auth/consents/tracker'),
}
