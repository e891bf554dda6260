// What a thief may have of alice's account, and whether it still opens anything.
import { onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { TextMessage } from '../../src/index.js'
import { bearer, get, logIn, obtainCode, pkcePair, post } from '../support/client.js'
import { signer } from '../support/mounted-oauth.js'
import { makeToken } from '../support/named-tokens.js'
import {
  authorize,
  authorizeQuery,
  codeFor,
  oauthOf,
  phone,
  sendAs,
  signInTo,
} from '../support/oauth-apps.js'
import { send, signInByPage, startPages } from '../support/pages.js'
import { type AccountHost, type AccountSettings, startAccounts } from './account-host.js'

/** Every door is open, and sockets at `/ws`. */
export async function startAll(
  options: AccountSettings['options'] = {},
  accounts: AccountSettings['accounts'] = {},
): Promise<HostOfAll> {
  const texts: TextMessage[] = []
  const send = async (message: TextMessage) => void texts.push(message)
  const host = await startAccounts({
    start: startPages,
    accounts: {
      emailSignIn: true,
      phones: { send, countries: ['DE'], signIn: true, secondFactor: true },
      ...accounts,
    },
    now: new Date(),
    options: { signer, oauth: oauthOf(), namedTokens: true, ...options },
  })
  host.auth.sockets.attach(host.server, '/ws', new WebSocketServer({ noServer: true }))
  host.users.change('u-alice', { phone: number, phoneVerified: true })
  return { ...host, texts }
}

/** With each text message that was handed over. */
export interface HostOfAll extends AccountHost {
  readonly texts: readonly TextMessage[]
}

const number = '+4917012345678'

/** Opens a socket; resolves with the promise of the code that it is closed with. */
export async function openSocket(
  host: AccountHost,
  token: string,
): Promise<{ readonly closed: Promise<number> }> {
  const url = new URL('/ws', host.url.replace('http', 'ws'))
  const socket = new WebSocket(url, { headers: bearer(token) })
  onTestFinished(() => socket.terminate())
  const closed = new Promise<number>((resolve) => void socket.once('close', resolve))
  await new Promise((resolve, reject) => void socket.once('open', resolve).once('error', reject))
  return { closed }
}

/** What a thief may have of alice: each opens a door now, and says afterwards with which status. */
export async function thingsOf(host: HostOfAll): Promise<Record<string, () => Promise<number>>> {
  const { authToken } = await logIn(host)
  const pkce = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
  const { access_token, refresh_token } = pkce.body
  const code = await obtainCode(host, authToken)
  const { codeChallenge, codeVerifier } = pkcePair()
  const asked = { userId: 'u-alice', codeChallenge }
  const { authorizationCode } = await host.auth.issueAuthorizationCode(asked)
  const { Cookie } = await signInByPage(host)
  const appCode = await codeFor(host, Cookie, phone)
  const app = await signInTo(host, phone)
  const bot = await makeToken(host, authToken)
  const ticket = await post(host, '/auth/socket-ticket', undefined, bearer(authToken))
  const mailed = await post(host, '/auth/code', { username: 'alice' }).expect(202)
  const { code: digits } = (await host.mailed('sign-in-code')).at(-1) ?? {}
  const byMail = { requestId: mailed.body.data.requestId, code: digits }
  const sent = await post(host, '/auth/code', { phone: number }).expect(202)
  await host.mailed('sign-in-code')
  const byText = { requestId: sent.body.data.requestId, code: host.texts.at(-1)?.code }
  const me = async (token: string) => (await get(host, '/me', bearer(token))).status
  const asApp = async (path: string, form: Record<string, string>) =>
    (await sendAs(host, phone, path, form)).status
  return {
    'the token of a login': () => me(authToken),
    'an access token': () => me(access_token),
    'a named token': () => me(bot.token),
    'a refresh token': async () =>
      (await post(host, '/auth/refresh', { refreshToken: refresh_token })).status,
    'a code for another device': async () => (await post(host, '/auth/pkce/token', code)).status,
    'a code of the host’s': async () =>
      (await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier })).status,
    'the cookie of a page': async () => (await send(host, 'GET', '/page', { Cookie })).status,
    'the cookie at the pages for apps': async () => {
      const { headers } = await authorize(host, Cookie, authorizeQuery(phone).query)
      return headers.get('location')?.includes('code=') ? 200 : 401
    },
    'a code for an app': () => asApp('/oauth/token', appCode),
    'the refresh token of an app': () =>
      asApp('/oauth/token', { grant_type: 'refresh_token', refresh_token: app.refresh_token }),
    'the access token of an app': async () =>
      (await get(host, '/oauth/userinfo', bearer(app.access_token))).status,
    'a mailed code': async () => (await post(host, '/auth/code/login', byMail)).status,
    'a code by text message': async () => (await post(host, '/auth/code/login', byText)).status,
    'a ticket for a socket': () => upgradeWith(host, ticket.body.data.ticket),
  }
}

/** The status of the handshake of a socket. */
function upgradeWith(host: AccountHost, ticket: string): Promise<number> {
  const url = new URL('/ws', host.url.replace('http', 'ws'))
  const socket = new WebSocket(url, ['auth.ticket', ticket])
  onTestFinished(() => socket.terminate())
  return new Promise((resolve) => {
    socket.once('upgrade', ({ statusCode = 0 }) => resolve(statusCode))
    socket.once('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode))
    socket.once('error', () => {})
  })
}

/** Each of them, one after the other. */
export async function tryAll(things: Record<string, () => Promise<number>>) {
  const statuses: Record<string, number> = {}
  for (const [name, use] of Object.entries(things)) statuses[name] = await use()
  return statuses
}

export const isRefused = ([, status]: [string, number]) => status >= 400 && status < 500
