import { setTimeout as pause } from 'node:timers/promises'
import type { AuthClient } from '../client.js'
import { AuthClientError, noAnswer } from '../errors.js'
import { requireTokens, whoIs } from '../oauth/exchange.js'
import { type ClientParts, partsOf } from '../parts.js'
import { keepInPlace } from '../sign-in.js'
import { ofLogin } from '../stored-session.js'
import type { Me } from '../wire.js'

/** What the user must see. */
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
