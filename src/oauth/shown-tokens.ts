import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { type RequestParameters, readParameters } from '../http/input.js'
import { lazily } from '../lib/async.js'
import { randomId } from '../lib/secrets.js'
import type { SessionName } from '../sessions/ending.js'
import type { LiveSession } from '../sessions/live-sessions.js'
import type { OAuthClient } from '../stores/client-contract.js'
import type { RefreshState, SessionRecord } from '../stores/contract.js'
import { classifyRefreshToken, nobodysRefresh, sessionIdOf } from '../tokens/refresh-token.js'
import type { AppsKit } from './apps-kit.js'
import { type AuthenticatedClient, authenticateClient } from './client-auth.js'
import { resourcesOf } from './client-schema.js'

// Clients that show a token: to revoke it, or to ask whether it is valid.

/**
 * `POST /oauth/revoke` ([RFC 7009](https://www.rfc-editor.org/rfc/rfc7009)): a client ends the
 * session of its token, a refresh token or an access token; a single access token cannot be
 * revoked. A token of another client, or one already ended, gets the same answer, and nothing
 * happens.
 */
export function revokeEndpoint(kit: AppsKit): Endpoint {
  return async function revoke(request) {
    // 400, 413, 415
    const parameters = await readParameters(request.incoming)
    // 400, 401, 429, 503
    const { client } = await authenticateClient(kit, request, parameters)
    const session = await sessionToEnd(kit, client, presentedToken(parameters))
    if (session !== null) await kit.sessions.end(session, 'revoked', request.context)
    // Clients expect JSON, although RFC 7009 §2.2 needs no body.
    return ok({})
  }
}

function sessionToEnd(
  kit: AppsKit,
  client: OAuthClient,
  token: string,
): Promise<SessionName | null> {
  const id = sessionIdOf(token)
  return id === null
    ? endedByAccessToken(kit, client, token)
    : endedByRefreshToken(kit, client, token, id)
}

// A used token ends the session as well: the answer with its successor may have been lost.
async function endedByRefreshToken(
  { sessions, clock }: AppsKit,
  client: OAuthClient,
  token: string,
  id: string,
): Promise<SessionName | null> {
  const session = await sessions.findLive(id)
  const { is } = classifyRefreshToken(id, token, ownRefresh(client, session), clock(), 0)
  return is === 'foreign' ? null : session
}

async function endedByAccessToken(
  { sessions, accessTokens, ownResource, clock }: AppsKit,
  client: OAuthClient,
  token: string,
): Promise<SessionName | null> {
  const audiences = [ownResource, ...resourcesOf(client, ownResource)]
  const claims = await accessTokens.readWhenever(token, clock(), audiences)
  const session = await sessions.findLive(claims?.sid ?? nobodysSession())
  return session?.clientId === client.id && session.userId === claims?.sub ? session : null
}

/**
 * `POST /oauth/introspect` ([RFC 7662](https://www.rfc-editor.org/rfc/rfc7662)): a service asks
 * whether a token is valid; a logout shows at once. A service learns about access tokens for its
 * own APIs and about its own refresh tokens. Every other token is reported as inactive, whatever
 * the reason.
 */
export function introspectEndpoint(kit: AppsKit): Endpoint {
  return async function introspect(request) {
    // 400, 413, 415
    const parameters = await readParameters(request.incoming)
    // 400, 401, 429, 503
    const authenticated = await authenticateClient(kit, request, parameters)
    const { client } = authenticated
    if (!mayIntrospect(authenticated)) {
      const reported = { reason: 'may-not-introspect', clientId: client.id } as const
      kit.audit({ type: 'client.refused', ...reported }, request.context)
      throw await refusal(kit, authenticated, request)
    }
    const found = await find(kit, client, presentedToken(parameters))
    return ok(found === null ? { active: false } : { active: true, ...found })
  }
}

function mayIntrospect({ client, method }: AuthenticatedClient): boolean {
  return method !== 'none' && client.mayIntrospect === true
}

// An authenticated service may learn the missing part. Anybody can claim to be a public client, so
// such a client is answered and counted like an unauthenticated client.
async function refusal(
  { throttle }: AppsKit,
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
  /** Who acts for the user, RFC 8693 §4.1. */
  readonly act?: { readonly sub: string }
}

function find(kit: AppsKit, client: OAuthClient, token: string): Promise<Introspected | null> {
  const id = sessionIdOf(token)
  return id === null ? ofAccessToken(kit, client, token) : ofRefreshToken(kit, client, token, id)
}

async function ofAccessToken(
  kit: AppsKit,
  client: OAuthClient,
  token: string,
): Promise<Introspected | null> {
  const { sessions, accessTokens, ownResource, clock } = kit
  const audiences = resourcesOf(client, ownResource)
  const claims = await accessTokens.readFor(audiences, token, clock())
  const session = await sessions.findLive(claims?.sid ?? nobodysSession())
  if (claims === null || session === null || session.userId !== claims.sub) return null
  const live = await findLive(kit, session.id)
  if (live === null) return null
  const { scope, iat, exp, client_id = ownResource, aud = ownResource } = claims
  return { ...whose(kit, live), scope, client_id, aud, iat, exp, token_type: 'Bearer' }
}

async function ofRefreshToken(
  kit: AppsKit,
  client: OAuthClient,
  token: string,
  id: string,
): Promise<Introspected | null> {
  const { sessions, refreshGrace, clock } = kit
  const state = ownRefresh(client, await sessions.findLive(id))
  const { is } = classifyRefreshToken(id, token, state, clock(), refreshGrace)
  if (is !== 'current' && is !== 'spent-lately') return null
  const live = await findLive(kit, id)
  if (live === null) return null
  const { scope, idleExpiresAt } = live.session
  // Its audience is this server, and its type is not among those of RFC 6749 §7.1.
  return { ...whose(kit, live), scope, client_id: client.id, exp: seconds(idleExpiresAt) }
}

// Like a guard, but without the cache. No user has asked, so the session is not recorded as in use.
async function findLive({ liveSessions }: AppsKit, id: string): Promise<LiveSession | null> {
  liveSessions.forget(id)
  try {
    return await liveSessions.require(id, null)
  } catch (error) {
    if (error instanceof AuthError && error.status < 500) return null
    throw error
  }
}

function whose(
  { issuer }: AppsKit,
  { session, user }: LiveSession,
): Pick<Introspected, 'username' | 'sub' | 'iss' | 'sid' | 'auth_time' | 'amr' | 'act'> {
  const { id: sid, userId: sub, methods: amr, authenticatedAt, actorId } = session
  const auth_time = seconds(authenticatedAt)
  const act = actorId === undefined ? {} : { act: { sub: actorId } }
  return { username: user.username, sub, iss: issuer, sid, auth_time, amr, ...act }
}

function seconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1000)
}

/**
 * The parameter `token`. `token_type_hint` is not read: each token shows its own type. Throws 400
 * if it is missing.
 */
function presentedToken(parameters: RequestParameters): string {
  const token = parameters.one('token')
  if (token === null) throw new AuthError('invalid-request', { clientMessage: 'token is missing.' })
  return token
}

/**
 * An id without a session, looked up in the place of a real id, so that the time does not tell
 * whether the token of another client is valid.
 */
const nobodysSession: () => string = lazily(randomId)

/**
 * The state to compare a refresh token with: the state of the client's own session, or a dummy
 * state for any other session. A current token is recognised faster than others. The time must not
 * tell that about the session of another client.
 */
function ownRefresh(client: OAuthClient, session: SessionRecord | null): RefreshState {
  return (session?.clientId === client.id ? session.refresh : null) ?? nobodysRefresh()
}
