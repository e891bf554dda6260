// The requests of apps, for call-sites.ts: which parts of the host each calls, nobody writes down.

import supertest from 'supertest'
import type { OAuthClient } from '../../src/index.js'
import type { Ask, Outcome, Scene } from './call-sites.js'
import { bearer, logIn } from './client.js'
import { password } from './host.js'
import {
  type AppTokens,
  allow,
  authorize,
  authorizeQuery,
  codeFor,
  courierOf,
  issuer,
  openBrowser,
  phone,
  sendAs,
  signInTo,
  terminal,
  tracker,
  visit,
  wiki,
} from './oauth-apps.js'

/** Of an answer to a browser. */
export async function outcomeOf(sent: Promise<Response>): Promise<Outcome> {
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

/** A program of a user's own, so that no limit of another one's is reached. */
const terminalOf = ({ user }: Scene): OAuthClient => ({ ...terminal, id: `terminal-${user.id}` })

async function beginDevice(scene: Scene) {
  const form = { scope: 'openid messages:read' }
  const answer = await sendAs(scene.host, terminalOf(scene), '/oauth/device_authorization', form)
  const asked = (await answer.json()) as { device_code: string; user_code: string }
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(asked)}`)
  scene.host.issued.add(asked.device_code)
  return asked
}

/** A page in the browser of a signed-in user: sends forms, with what it has hidden in them. */
export async function openFormPage({ host, user }: Scene, path: string) {
  const url = `${host.url}${path}`
  const session = await openBrowser(host, user.id)
  const navigation = { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate' }
  const page = await supertest(url)
    .get('')
    .set({ Cookie: session, ...navigation })
  const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(page.text) ?? []
  const set = ([page.headers['set-cookie'] ?? []].flat() as string[]).map(
    (one) => one.split(';')[0],
  )
  const headers = {
    Cookie: [session, ...set].join('; '),
    Origin: issuer,
    'Sec-Fetch-Site': 'same-origin',
  }
  return (form: Record<string, string>) =>
    fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers,
      body: new URLSearchParams({ csrf, ...form }),
    })
}

/** What browsers and apps ask. A posted request of a browser is handed on, and calls nothing. */
export const oauthRequests: Readonly<Record<string, (scene: Scene) => Promise<Ask>>> = {
  'GET /oauth/authorize': async (scene) => {
    const { id_token } = await signedInTo(scene, tracker)
    const cookie = await openBrowser(scene.host, scene.user.id)
    const { query } = authorizeQuery(tracker, { id_token_hint: id_token })
    return () => outcomeOf(authorize(scene.host, cookie, query))
  },
  'GET /oauth/logout': async (scene) => {
    const { host, user } = scene
    await allowed(scene, tracker)
    const cookie = await openBrowser(host, user.id)
    const exchange = await sendAs(
      host,
      tracker,
      '/oauth/token',
      await codeFor(host, cookie, tracker),
    )
    const { id_token } = (await exchange.json()) as AppTokens
    return () => outcomeOf(visit(host, cookie, `/oauth/logout?id_token_hint=${id_token}`))
  },
  'POST /oauth/token with a code and an assertion': exchanging(tracker),
  'POST /oauth/token with a code of a public client': exchanging(phone),
  'POST /oauth/token with a refresh token that is kept': refreshing(wiki),
  'POST /oauth/token with a refresh token that is replaced': refreshing(phone),
  'POST /oauth/device_authorization': async (scene) => {
    const form = { scope: 'openid' }
    return () =>
      outcomeOf(sendAs(scene.host, terminalOf(scene), '/oauth/device_authorization', form))
  },
  'POST /oauth/register': async ({ host }) => {
    const body = JSON.stringify({ redirect_uris: ['http://127.0.0.1/callback'] })
    const headers = { 'content-type': 'application/json' }
    return () => outcomeOf(fetch(`${host.url}/oauth/register`, { method: 'POST', headers, body }))
  },
  'POST /oauth/device with a code': async (scene) => {
    const { user_code } = await beginDevice(scene)
    const send = await openFormPage(scene, '/oauth/device')
    return () => outcomeOf(send({ user_code }))
  },
  'POST /oauth/device with an approval': async (scene) => {
    const { user_code } = await beginDevice(scene)
    const send = await openFormPage(scene, '/oauth/device')
    return () => outcomeOf(send({ user_code, step: 'decide', seen: 'yes' }))
  },
  'POST /oauth/device with a refusal': async (scene) => {
    const { user_code } = await beginDevice(scene)
    const send = await openFormPage(scene, '/oauth/device')
    return () => outcomeOf(send({ user_code, choice: 'deny' }))
  },
  'POST /oauth/token with a code of a device': async (scene) => {
    const { user_code, device_code } = await beginDevice(scene)
    const approved = await (await openFormPage(scene, '/oauth/device'))({
      user_code,
      step: 'decide',
      seen: 'yes',
    })
    if (approved.status !== 200) throw new Error(`${approved.status} ${await approved.text()}`)
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
    return () => {
      // At its pace.
      scene.host.clock.advance(5)
      return outcomeOf(
        sendAs(scene.host, terminalOf(scene), '/oauth/token', { grant_type, device_code }),
      )
    }
  },
  'POST /oauth/token of a service': async (scene) => {
    const courier = courierOf(scene.user.id)
    const form = { grant_type: 'client_credentials', scope: 'messages:read' }
    return () => outcomeOf(sendAs(scene.host, courier, '/oauth/token', form))
  },
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
