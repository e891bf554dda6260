import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { AuthClient } from '../client.js'
import { AuthClientError, noAnswer } from '../errors.js'
import { requireTokens, whoIs } from '../oauth/exchange.js'
import { type Finished, type OAuth, OAuthError, oauth, type StartOptions } from '../oauth/oauth.js'
import { type ClientParts, partsOf } from '../parts.js'
import { keepInPlace } from '../sign-in.js'
import { ofLogin } from '../stored-session.js'
import type { Me } from '../wire.js'

/** Options of {@link signInByBrowser}. */
export interface LoopbackOptions extends StartOptions {
  /** The `id` of the app at the server: a native app with `http://127.0.0.1/callback`. */
  readonly clientId: string
  /** The requested scopes, separated by blanks; see `oauth()`. */
  readonly scope: string
  /** Opens the address in a browser, or shows it to the user. */
  readonly open: (address: string) => Promise<unknown> | unknown
  /** The issuer in the server's tokens. Default: the origin of `baseUrl`. */
  readonly issuer?: string
  /** Path of the redirect URI. Default `/callback`. */
  readonly path?: string
  /** Time limit for the user, in milliseconds. Default 300,000. */
  readonly timeoutMs?: number
  /** Plain text that the browser shows at the end. Default: that the window can be closed. */
  readonly text?: (isSignedIn: boolean) => string
}

/**
 * Signs a user of a tool or a desktop app in by the pages of the server, in the system's browser,
 * which returns to a port of this machine
 * ([RFC 8252 §7.3](https://www.rfc-editor.org/rfc/rfc8252#section-7.3)). Stores the tokens in the
 * client. Throws OAuthError, `no-answer` if the user did not return in time, and AuthClientError.
 *
 * @example
 * ```ts
 * import { createAuthClient } from 'messaging-auth-router/client'
 * import { signInByBrowser } from 'messaging-auth-router/client/loopback'
 *
 * const client = createAuthClient({ baseUrl: 'https://chat.example.com/api/v1' })
 * const { me } = await signInByBrowser(client, {
 *   clientId: 'desktop',
 *   scope: 'openid profile offline_access',
 *   open: (address) => process.stderr.write(`Please open ${address}\n`),
 * })
 * ```
 */
export async function signInByBrowser(
  client: AuthClient,
  options: LoopbackOptions,
): Promise<Finished> {
  const { clientId, scope, issuer, open, path = '/callback', timeoutMs = 300_000 } = options
  const server = createServer()
  // Loopback only, so that other machines cannot reach it.
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const redirectUri = `http://${host}${path}`
  const named = issuer === undefined ? {} : { issuer }
  const app = oauth(client, { clientId, redirectUri, scope, ...named })
  let timer: NodeJS.Timeout | undefined
  try {
    const finished = finishWith(server, app, { host, path, text: options.text ?? closing })
    const late = new Promise<never>((_resolve, reject) => {
      const nobody = new OAuthError('no-answer', 'Nobody came back from the browser.')
      timer = setTimeout(() => reject(nobody), timeoutMs)
    })
    const answer = Promise.race([finished, late])
    // It may reject before the race below listens.
    answer.catch(() => {})
    // Not awaited alone: `open` may resolve only when the browser is closed.
    const opened = Promise.resolve(open(await app.start(options)))
    return await Promise.race([answer, opened.then(() => answer)])
  } finally {
    clearTimeout(timer)
    server.close()
    server.closeAllConnections()
  }
}

const closing = (isSignedIn: boolean) =>
  isSignedIn
    ? 'You are signed in. You can close this window.'
    : 'You are not signed in. You can close this window, and try again.'

interface Answering {
  readonly host: string
  readonly path: string
  readonly text: (isSignedIn: boolean) => string
}

/** Resolves with the first answer that was begun here. Other pages may send requests too. */
function finishWith(server: Server, app: OAuth, answering: Answering): Promise<Finished> {
  return new Promise((resolve, reject) => {
    server.on('request', (request, response) => {
      const address = answerIn(request, app, answering)
      if (address === null) return void say(response, 404, 'There is nothing here.', () => {})
      app.finish(address).then(
        (finished) => say(response, 200, answering.text(true), () => resolve(finished)),
        (error: unknown) => {
          const isOfOthers = error instanceof OAuthError && error.code === 'not-begun'
          const end = isOfOthers ? () => {} : () => reject(error)
          say(response, 400, answering.text(false), end)
        },
      )
    })
  })
}

function answerIn(
  { method, url = '', headers }: IncomingMessage,
  app: OAuth,
  { host, path }: Answering,
): string | null {
  // The check of Host prevents DNS rebinding.
  const isHere = method === 'GET' && headers.host === host && url.split('?')[0] === path
  return isHere && app.isAnswer(url) ? url : null
}

function say(response: ServerResponse, status: number, text: string, then: () => void): void {
  response
    .writeHead(status, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Security-Policy': "default-src 'none'",
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      Connection: 'close',
    })
    // `close` also fires if the browser disconnects early.
    .once('close', then)
    .end(text)
}

/** The data that the user must see. */
export interface DeviceShown {
  /** The page, for any browser on any device. */
  readonly address: string
  /** The code to type there. */
  readonly code: string
}

/** Options of {@link signInByDevice}. */
export interface DeviceOptions {
  /** The `id` of the app at the server, whose `grants` have the device grant. */
  readonly clientId: string
  /** The requested scopes, separated by blanks. Must contain `openid`, or `*` for own apps. */
  readonly scope: string
  /** Shows the user where to go, and what to type. */
  readonly show: (shown: DeviceShown) => unknown
}

/**
 * Signs a user of a tool without a browser in: the user types a code into any browser, on any
 * device ([RFC 8628](https://www.rfc-editor.org/rfc/rfc8628)). Stores the tokens in the client.
 * Throws AuthClientError, `access_denied` if the user says no, `expired_token` after ten minutes.
 *
 * @example
 * ```ts
 * import { createAuthClient } from 'messaging-auth-router/client'
 * import { signInByDevice } from 'messaging-auth-router/client/loopback'
 *
 * const client = createAuthClient({ baseUrl: 'https://chat.example.com/api/v1' })
 * const { me } = await signInByDevice(client, {
 *   clientId: 'chat-cli',
 *   scope: 'openid profile',
 *   show: ({ address, code }) => process.stderr.write(`Open ${address} and type ${code}\n`),
 * })
 * ```
 */
export async function signInByDevice(
  client: AuthClient,
  { clientId, scope, show }: DeviceOptions,
): Promise<{ readonly me: Me; readonly scope: readonly string[] }> {
  const parts = partsOf(client)
  const { transport, withRetry } = parts
  const body = { client_id: clientId, scope }
  const request = { method: 'POST', path: '/oauth/device_authorization', body } as const
  const asked = begunOf(await withRetry(() => transport.ask(request)))
  await show({ address: asked.verification_uri, code: asked.user_code })
  const tokens = requireTokens(await untilDecided(parts, clientId, asked))
  const me = await whoIs(parts, tokens, null)
  const { access_token: authToken, expires_in: expiresIn, refresh_token: refreshToken } = tokens
  const refreshable = refreshToken === undefined ? {} : { refreshToken }
  const login = { userId: me._id, me, authToken, expiresIn, ...refreshable }
  const session = { ...ofLogin(login, parts.clock().getTime()), clientId }
  await (await keepInPlace(parts, session))()
  return { me, scope: tokens.scope.split(' ') }
}

/** The answer of RFC 8628 §3.2. */
interface Begun {
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri: string
  readonly interval: number
}

function begunOf(answer: unknown): Begun {
  const { device_code, user_code, verification_uri, interval = 5 } = answer as Partial<Begun>
  const texts = [device_code, user_code, verification_uri]
  if (!texts.every((one) => typeof one === 'string') || !(interval > 0)) throw noAnswer()
  return { ...(answer as Begun), interval }
}

async function untilDecided(
  { transport, withRetry }: ClientParts,
  client_id: string,
  { device_code, interval }: Begun,
): Promise<unknown> {
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
  const body = { grant_type, client_id, device_code }
  let seconds = interval
  for (;;) {
    await pause(seconds * 1000)
    try {
      return await withRetry(() => transport.ask({ method: 'POST', path: '/oauth/token', body }))
    } catch (error) {
      const code = error instanceof AuthClientError ? error.code : ''
      if (code === 'slow_down') seconds += 5
      else if (code !== 'authorization_pending') throw error
    }
  }
}
