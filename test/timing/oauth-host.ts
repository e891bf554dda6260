// A host with OAuth, whose stores take the same time for what is there and what is not, and tokens
// of its sessions in every state that an answer must not tell of.
import { randomBytes } from 'node:crypto'
import type {
  AuthRouterOptions,
  OAuthClient,
  SessionRecord,
  ThrottleOptions,
} from '../../src/index.js'
import { newSession } from '../../src/stores/new-records.js'
import { newRefreshToken } from '../../src/tokens/refresh-token.js'
import type { TestHost } from '../support/host.js'
import { memoryLimiter } from '../support/memory-limiter.js'
import { oauthOptions, signer, wikiSecret } from '../support/mounted-oauth.js'
import type { Ask } from './measure.js'
import { evenStores, startTimedHost, unlimited } from './timed-host.js'

/** So many random characters of base64url. */
export const text = (characters: number): string =>
  randomBytes(characters).toString('base64url').slice(0, characters)

const searchApi = 'https://search.example.com/'
const client = (id: string, more: Partial<OAuthClient> = {}): OAuthClient => ({
  id,
  name: 'An app',
  type: 'web',
  redirectUris: ['https://app.example.com/callback'],
  scopes: ['openid', 'messages:read'],
  secretHashes: [wikiSecret.hash],
  ...more,
})

/** `search` may introspect and has an API of its own; the others have ids of the same length. */
const clients = [
  client('search', { mayIntrospect: true, resources: [searchApi] }),
  client('others'),
  client('fallen', { disabled: true }),
]

type Sessions = AuthRouterOptions['sessions']

/** What the tests ask of the host. */
export interface OAuthHost {
  readonly host: TestHost
  readonly sessions: Sessions
}

/** Starts it, and refuses a client as often as is asked; `change` may replace its sessions. */
export async function startTimedOAuth(
  change: (sessions: Sessions) => Sessions = (sessions) => sessions,
): Promise<OAuthHost> {
  const stores = await evenStores()
  const sessions = change(stores.sessions)
  const limiter: ThrottleOptions['limiter'] = (settings) =>
    memoryLimiter({ ...settings, points: 1_000_000 })
  const throttle = { ...unlimited, limiter }
  const options = { ...stores, sessions, throttle, ...oauthOptions({ clients }) }
  return { host: await startTimedHost({ options }), sessions }
}

/** Opens a session of `search`, of whom is named, or of another kind; answers its tokens. */
export async function openSession(
  { host, sessions }: OAuthHost,
  change: Partial<SessionRecord> = {},
) {
  const id = text(22)
  const { token: refreshToken, refresh } = newRefreshToken(id)
  const at = (seconds: number) => new Date(host.clock().getTime() + seconds * 1000)
  const session = newSession(at, {
    id,
    userId: 'u-alice',
    kind: 'oauth',
    scope: 'openid',
    ...(change.kind === undefined && { clientId: 'search' }),
    refresh,
    ...change,
  })
  await sessions.create(session)
  return { session, refreshToken, accessToken: await accessTokenOf(session) }
}

/** An access token of a session for the API of `search`; by default it is good for 300 seconds. */
export function accessTokenOf(
  { id, userId, methods, scope }: SessionRecord,
  { aud = searchApi, lifetime = 300, sid = id } = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  return signer.sign({
    sub: userId,
    sid,
    iat: now - 400,
    exp: now + lifetime,
    jti: text(22),
    auth_time: now - 400,
    amr: methods,
    scope,
    client_id: 'search',
    aud,
  })
}

/** A session that has ended. */
export async function endedSession(on: OAuthHost, change: Partial<SessionRecord> = {}) {
  const opened = await openSession(on, change)
  await on.sessions.end(opened.session.id, 'logout', on.host.clock())
  return opened
}

/** A refresh token of no session. */
export const unknownRefreshToken: string = `mar_rt_${text(22)}.${text(65)}`

/** Asks an endpoint about a token, as the client `search`. */
export function about(endpoint: 'introspect' | 'revoke', token: string): Ask {
  return { path: `/oauth/${endpoint}`, body: asClient('search', { token }) }
}

/** A form of a client that shows its secret, or another one. */
export function asClient(
  id: string,
  parameters: Record<string, string>,
  secret: string = wikiSecret.secret,
): URLSearchParams {
  return new URLSearchParams({ client_id: id, client_secret: secret, ...parameters })
}
