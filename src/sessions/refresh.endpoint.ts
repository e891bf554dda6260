import { z } from 'zod'
import { AuthError } from '../errors.js'
import type { Audit, RefreshRefusal, RequestContext } from '../events.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import type { DecideSignIn } from '../sign-in.js'
import type { RefreshState, SessionRecord } from '../stores/contract.js'
import type { AccessTokens } from '../tokens/access-token.js'
import { nobodysRefresh, type RefreshStanding, sessionIdOf, standingOf, succeed } from '../tokens/refresh-token.js'
import type { UserStore } from '../users/contract.js'
import type { Sessions } from './sessions.js'

/** What `POST /auth/refresh` needs. */
export interface RefreshDeps {
  readonly sessions: Sessions
  readonly users: UserStore
  readonly decideSignIn: DecideSignIn
  readonly accessTokens: AccessTokens
  /** Seconds. */
  readonly accessTokenLifetime: number
  /** Seconds. */
  readonly refreshGrace: number
  readonly clock: () => Date
  readonly audit: Audit
}

/** A session that can be refreshed. */
type RefreshableSession = SessionRecord & { readonly refresh: RefreshState }

/** What was found by a token's session id: a session, or nobody's refresh state, which no token is of. */
type Found = { readonly session: RefreshableSession } | { readonly session: null; readonly named: SessionRecord | null }

const text = z.string().min(1)
const schema = z
  .object({ refreshToken: text.optional(), refresh_token: text.optional() })
  .refine(({ refreshToken, refresh_token }) => (refreshToken === undefined) !== (refresh_token === undefined), {
    path: ['refreshToken'],
    message: 'Invalid input: expected refreshToken, a non-empty string',
  })

/** `POST /auth/refresh`, wire §5: a refresh token for a new one and a new access token. */
export function refreshEndpoint(deps: RefreshDeps): Endpoint {
  return async ({ context, readJson }) => {
    const input = parseInput(schema, await readJson()) //                     400, 413, 415
    const presented = (input.refreshToken ?? input.refresh_token) as string
    const found = await findSession(deps, presented, context) //              400, 503
    const { session, standing } = await judge(deps, found, presented, context) // 400, 503
    await decide(deps, session, context) //                                   400, 503
    const refreshToken = standing.is === 'current' ? await rotate(deps, session, presented, context) : standing.successor // 400, 503
    const { token, expiresIn } = await deps.accessTokens.issue(session, deps.accessTokenLifetime, deps.clock())
    deps.audit({ type: 'refresh.succeeded', userId: session.userId, sessionId: session.id }, context)
    return ok({ access_token: token, token_type: 'Bearer', expires_in: expiresIn, refresh_token: refreshToken })
  }
}

async function findSession(deps: RefreshDeps, presented: string, context: RequestContext): Promise<Found> {
  const id = sessionIdOf(presented)
  if (id === null) throw refusal(deps, 'unknown-or-ended', null, context)
  const named = await deps.sessions.findLive(id)
  const refresh = named?.refresh ?? null
  return named === null || refresh === null ? { session: null, named } : { session: { ...named, refresh } }
}

async function decide(deps: RefreshDeps, session: RefreshableSession, context: RequestContext): Promise<void> {
  const user = await deps.users.findById(session.userId)
  const decision = await deps.decideSignIn({ door: 'refresh', user, methods: session.methods, code: undefined, context })
  if (!decision.allowed) throw refusal(deps, decision.reason, session, context)
}

// Before anybody else is asked: an invented token must not reach the host's hooks.
async function judge(
  deps: RefreshDeps,
  found: Found,
  presented: string,
  context: RequestContext,
): Promise<{ session: RefreshableSession; standing: Extract<RefreshStanding, { is: 'current' | 'spent-lately' }> }> {
  const { session } = found
  // Judged for nobody, too, so that it takes as long: a session id is no secret, whether it is of a live one is.
  const state = session === null ? nobodysRefresh : session.refresh
  const standing = standingOf(session?.id ?? '', presented, state, deps.clock(), deps.refreshGrace)
  if (session === null) throw refusal(deps, 'unknown-or-ended', found.named, context)
  if (standing.is === 'current' || standing.is === 'spent-lately') return { session, standing }
  if (standing.is === 'foreign') throw refusal(deps, 'unknown-or-ended', session, context)
  // RFC 9700 §4.14.2: one of the two who hold it has stolen it, and nobody can tell which.
  await deps.sessions.end(session, 'refresh-reused', context)
  deps.audit({ type: 'refresh.reused', userId: session.userId, sessionId: session.id }, context)
  throw refusal(deps, 'reused', session, context)
}

async function rotate(deps: RefreshDeps, session: RefreshableSession, presented: string, context: RequestContext): Promise<string> {
  const { token, refresh } = succeed(session.id, presented, session.refresh, deps.clock(), deps.refreshGrace)
  const { outcome } = await deps.sessions.rotateRefresh(session, session.refresh.hash, refresh, context)
  if (outcome === 'rotated') return token
  if (outcome === 'ended') throw refusal(deps, 'unknown-or-ended', session, context)
  // Somebody was faster with the same token: from here on it is a spent one, and is judged as such.
  const { session: superseded } = await findSession(deps, presented, context)
  if (superseded === null) throw refusal(deps, 'unknown-or-ended', session, context)
  const standing = standingOf(session.id, presented, superseded.refresh, deps.clock(), deps.refreshGrace)
  if (standing.is === 'spent-lately') return standing.successor
  // The store says that another token is current, and then that this one is: a replica lags behind. That is no reason to sign out.
  if (standing.is === 'current')
    throw new AuthError('temporarily-unavailable', { retryAfter: 1, message: 'stale read of a session' })
  throw refusal(deps, 'unknown-or-ended', session, context)
}

// One answer for every reason (RFC 6749 §5.2).
function refusal(
  { audit }: RefreshDeps,
  reason: RefreshRefusal,
  session: SessionRecord | null,
  context: RequestContext,
): AuthError {
  audit({ type: 'refresh.refused', reason, userId: session?.userId ?? null, sessionId: session?.id ?? null }, context)
  return new AuthError('invalid_grant', { message: `refresh refused: ${reason}` })
}
