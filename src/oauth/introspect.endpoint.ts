import type { Audit } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { readParameters } from '../http/parameters.js'
import type { LiveSession, LiveSessions } from '../sessions/live-sessions.js'
import type { Sessions } from '../sessions/sessions.js'
import type { OAuthClient } from '../stores/client-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AccessTokens } from '../tokens/access-token.js'
import { classifyRefreshToken, sessionIdOf } from '../tokens/refresh-token.js'
import type { AuthenticateClient, AuthenticatedClient } from './client-auth.js'
import { resourcesOf } from './client-defaults.js'
import { nobodysSession, ownRefresh, presentedToken } from './presented-token.js'

export interface IntrospectDeps {
  readonly authenticateClient: AuthenticateClient
  readonly sessions: Pick<Sessions, 'findLive'>
  readonly liveSessions: Pick<LiveSessions, 'require' | 'forget'>
  readonly accessTokens: Pick<AccessTokens, 'readFor'>
  /** The `iss` of every token: the signer's. */
  readonly issuer: string
  /** The host's own API: the signer's audience. */
  readonly ownResource: string
  /** Seconds during which a used refresh token may be repeated. */
  readonly refreshGrace: number
  readonly throttle: Pick<Throttle, 'countRefusedClient'>
  readonly clock: () => Date
  readonly audit: Audit
}

/**
 * `POST /oauth/introspect` ([RFC 7662](https://www.rfc-editor.org/rfc/rfc7662)): a service asks
 * whether a token is valid; a logout shows at once. A service learns about access tokens for its
 * own APIs and about its own refresh tokens. Every other token is reported as inactive, whatever
 * the reason.
 */
export function introspectEndpoint(deps: IntrospectDeps): Endpoint {
  return async function introspect(request) {
    // 400, 413, 415
    const parameters = await readParameters(request.incoming)
    // 400, 401, 429, 503
    const authenticated = await deps.authenticateClient(request, parameters)
    const { client } = authenticated
    if (!mayIntrospect(authenticated)) {
      const reported = { reason: 'may-not-introspect', clientId: client.id } as const
      deps.audit({ type: 'client.refused', ...reported }, request.context)
      throw await refusal(deps, authenticated, request)
    }
    const found = await find(deps, client, presentedToken(parameters))
    return ok(found === null ? { active: false } : { active: true, ...found })
  }
}

function mayIntrospect({ client, method }: AuthenticatedClient): boolean {
  return method !== 'none' && client.mayIntrospect === true
}

// An authenticated service may learn what is missing. Anybody can claim to be a public client, so
// it is answered and counted like an unauthenticated one.
async function refusal(
  { throttle }: IntrospectDeps,
  { client, method }: AuthenticatedClient,
  request: EndpointRequest,
): Promise<AuthError> {
  if (method === 'none')
    return throttle.countRefusedClient(client.id, request, new AuthError('invalid_client'))
  const headers =
    method === 'client_secret_basic' ? { 'WWW-Authenticate': 'Basic realm="oauth"' } : {}
  const clientMessage = 'This client may not introspect tokens: mayIntrospect is not set.'
  return new AuthError('invalid_client', { clientMessage, headers })
}

/** The introspection response, RFC 7662 §2.2. Times are in seconds since the epoch. */
interface Introspected {
  readonly scope: string
  readonly client_id: string
  readonly username: string
  readonly sub: string
  readonly iss: string
  readonly exp: number
  readonly sid: string
  readonly auth_time: number
  readonly amr: readonly string[]
  readonly aud?: string
  readonly iat?: number
  readonly token_type?: 'Bearer'
}

function find(
  deps: IntrospectDeps,
  client: OAuthClient,
  token: string,
): Promise<Introspected | null> {
  const id = sessionIdOf(token)
  return id === null ? ofAccessToken(deps, client, token) : ofRefreshToken(deps, client, token, id)
}

async function ofAccessToken(
  deps: IntrospectDeps,
  client: OAuthClient,
  token: string,
): Promise<Introspected | null> {
  const { sessions, accessTokens, ownResource, clock } = deps
  const audiences = resourcesOf(client, ownResource)
  const claims = await accessTokens.readFor(audiences, token, clock())
  const session = await sessions.findLive(claims?.sid ?? nobodysSession())
  if (claims === null || session === null || session.userId !== claims.sub) return null
  const live = await findLive(deps, session.id)
  if (live === null) return null
  const { scope, iat, exp, client_id = ownResource, aud = ownResource } = claims
  return { ...whose(deps, live), scope, client_id, aud, iat, exp, token_type: 'Bearer' }
}

async function ofRefreshToken(
  deps: IntrospectDeps,
  client: OAuthClient,
  token: string,
  id: string,
): Promise<Introspected | null> {
  const { sessions, refreshGrace, clock } = deps
  const state = ownRefresh(client, await sessions.findLive(id))
  const { is } = classifyRefreshToken(id, token, state, clock(), refreshGrace)
  if (is !== 'current' && is !== 'spent-lately') return null
  const live = await findLive(deps, id)
  if (live === null) return null
  const { scope, idleExpiresAt } = live.session
  // Its audience is this server, and its type is not among those of RFC 6749 §7.1.
  return { ...whose(deps, live), scope, client_id: client.id, exp: seconds(idleExpiresAt) }
}

// Like a guard, but without the cache. No user has asked, so the session is not recorded as in use.
async function findLive({ liveSessions }: IntrospectDeps, id: string): Promise<LiveSession | null> {
  liveSessions.forget(id)
  try {
    return await liveSessions.require(id, null)
  } catch (error) {
    if (error instanceof AuthError && error.status < 500) return null
    throw error
  }
}

function whose(
  { issuer }: IntrospectDeps,
  { session, user }: LiveSession,
): Pick<Introspected, 'username' | 'sub' | 'iss' | 'sid' | 'auth_time' | 'amr'> {
  const { id: sid, userId: sub, methods: amr, authenticatedAt } = session
  const auth_time = seconds(authenticatedAt)
  return { username: user.username, sub, iss: issuer, sid, auth_time, amr }
}

function seconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1000)
}
