import { z } from 'zod'
import type { Audit, RequestContext } from '../audit/events.js'
import type { RefreshRefusal } from '../audit/refusals.js'
import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { sha256 } from '../lib/digest.js'
import type { PasswordStands } from '../sessions/password-stands.js'
import type { Sessions } from '../sessions/sessions.js'
import type { DecideSignIn } from '../sign-in.js'
import type { RefreshState, SessionRecord } from '../stores/contract.js'
import type { AccessTokens } from '../tokens/access-token.js'
import {
  classifyRefreshToken,
  nobodysRefresh,
  type RefreshTokenClass,
  rotateRefreshToken,
  sessionIdOf,
} from '../tokens/refresh-token.js'
import type { UserStore } from '../users/contract.js'

/** What {@link refreshEndpoint} needs. */
export interface RefreshDeps {
  readonly sessions: Pick<Sessions, 'findLive' | 'rotateRefresh' | 'end'>
  readonly users: Pick<UserStore, 'findById'>
  readonly passwordStands: PasswordStands
  readonly decideSignIn: DecideSignIn
  readonly accessTokens: Pick<AccessTokens, 'issue'>
  /** Seconds. */
  readonly accessTokenLifetime: number
  /** Seconds. */
  readonly refreshGrace: number
  readonly clock: () => Date
  readonly audit: Audit
}

/** A session that can be refreshed. */
type RefreshableSession = SessionRecord & { readonly refresh: RefreshState }

/**
 * What was found by a token's session id: a session that can be refreshed, or none, where `named`
 * is a live session of another kind.
 */
type Found =
  | { readonly session: RefreshableSession }
  | { readonly session: null; readonly named: SessionRecord | null }

const text = z.string().min(1)
const schema = z
  .object({ refreshToken: text.optional(), refresh_token: text.optional() })
  .refine(
    ({ refreshToken, refresh_token }) =>
      (refreshToken === undefined) !== (refresh_token === undefined),
    {
      path: ['refreshToken'],
      message: 'Invalid input: expected refreshToken, a non-empty string',
    },
  )

/** `POST /auth/refresh`: a refresh token for a new one and a new access token. */
export function refreshEndpoint(deps: RefreshDeps): Endpoint {
  return async function refresh({ context, readJson }) {
    // 400, 413, 415
    const input = parseInput(schema, await readJson())
    const presented = (input.refreshToken ?? input.refresh_token) as string
    // 400, 503
    const found = await findSession(deps, presented, context)
    const { session, standing } = await checkToken(deps, found, presented, context)
    await decide(deps, session, context)
    const answer =
      standing.is === 'current'
        ? await rotate(deps, session, presented, context)
        : repeated(session, standing)
    const { token, expiresIn } = await deps.accessTokens.issue(
      answer.session,
      deps.accessTokenLifetime,
      deps.clock(),
    )
    const whose = { userId: session.userId, sessionId: session.id }
    if (answer.isRepeat) deps.audit({ type: 'refresh.repeated', ...whose }, context)
    else deps.audit({ type: 'refresh.succeeded', ...whose }, context)
    return ok({
      access_token: token,
      token_type: 'Bearer',
      expires_in: expiresIn,
      refresh_token: answer.refreshToken,
    })
  }
}

/** The refresh token of an answer, and the session as it is where that token is the current one. */
interface Answer {
  readonly refreshToken: string
  readonly session: RefreshableSession
  readonly isRepeat: boolean
}

// The access token names the refresh token that was issued with it, also if that one is spent.
function repeated(
  session: RefreshableSession,
  { successor }: Extract<RefreshTokenClass, { is: 'spent-lately' }>,
): Answer {
  const refresh = { ...session.refresh, hash: sha256(successor) }
  return { refreshToken: successor, session: { ...session, refresh }, isRepeat: true }
}

async function findSession(
  deps: RefreshDeps,
  presented: string,
  context: RequestContext,
): Promise<Found> {
  const id = sessionIdOf(presented)
  if (id === null) throw refusal(deps, 'unknown-or-ended', null, context)
  const named = await deps.sessions.findLive(id)
  const refresh = named?.refresh ?? null
  return named === null || refresh === null
    ? { session: null, named }
    : { session: { ...named, refresh } }
}

async function decide(
  deps: RefreshDeps,
  session: RefreshableSession,
  context: RequestContext,
): Promise<void> {
  const user = await deps.users.findById(session.userId)
  if (user !== null && !(await deps.passwordStands(session, user)))
    throw refusal(deps, 'unknown-or-ended', session, context)
  const decision = await deps.decideSignIn({
    door: 'refresh',
    user,
    methods: session.methods,
    code: undefined,
    context,
  })
  if (!decision.allowed) throw refusal(deps, decision.reason, session, context)
}

// Before the sign-in decision: an invented token must not reach the host's hooks.
async function checkToken(
  deps: RefreshDeps,
  found: Found,
  presented: string,
  context: RequestContext,
): Promise<{
  session: RefreshableSession
  standing: Extract<RefreshTokenClass, { is: 'current' | 'spent-lately' }>
}> {
  const { session } = found
  // Also checked without a session, so that it takes as long: a session id is no secret, but
  // whether that session lives is.
  const state = session === null ? nobodysRefresh : session.refresh
  const standing = classifyRefreshToken(
    session?.id ?? '',
    presented,
    state,
    deps.clock(),
    deps.refreshGrace,
  )
  if (session === null) throw refusal(deps, 'unknown-or-ended', found.named, context)
  if (standing.is === 'current' || standing.is === 'spent-lately') return { session, standing }
  if (standing.is === 'foreign') throw refusal(deps, 'unknown-or-ended', session, context)
  // RFC 9700 §4.14.2: one of its two holders has stolen it, and nobody can tell which.
  const ended = await deps.sessions.end(session, 'refresh-reused', context)
  // Reported once, however many show it at the same time.
  if (ended)
    deps.audit({ type: 'refresh.reused', userId: session.userId, sessionId: session.id }, context)
  throw refusal(deps, 'reused', session, context)
}

async function rotate(
  deps: RefreshDeps,
  session: RefreshableSession,
  presented: string,
  context: RequestContext,
): Promise<Answer> {
  const { token: refreshToken, refresh } = rotateRefreshToken(
    session.id,
    presented,
    session.refresh,
    deps.clock(),
    deps.refreshGrace,
  )
  const { outcome } = await deps.sessions.rotateRefresh(
    session,
    session.refresh.hash,
    refresh,
    context,
  )
  if (outcome === 'rotated')
    return { refreshToken, session: { ...session, refresh }, isRepeat: false }
  if (outcome === 'ended') throw refusal(deps, 'unknown-or-ended', session, context)
  // Another request was faster with the same token, which is a spent one now.
  const { session: superseded } = await findSession(deps, presented, context)
  if (superseded === null) throw refusal(deps, 'unknown-or-ended', session, context)
  const standing = classifyRefreshToken(
    session.id,
    presented,
    superseded.refresh,
    deps.clock(),
    deps.refreshGrace,
  )
  if (standing.is === 'spent-lately') return repeated(superseded, standing)
  // The store said that another token is current, and now that this one is: a replica lags behind.
  // That is no reason to end the session.
  if (standing.is === 'current')
    throw new AuthError('temporarily-unavailable', {
      retryAfter: 1,
      message: 'stale read of a session',
    })
  throw refusal(deps, 'unknown-or-ended', session, context)
}

// One answer for every reason (RFC 6749 §5.2).
function refusal(
  { audit }: RefreshDeps,
  reason: RefreshRefusal,
  session: SessionRecord | null,
  context: RequestContext,
): AuthError {
  audit(
    {
      type: 'refresh.refused',
      reason,
      userId: session?.userId ?? null,
      sessionId: session?.id ?? null,
    },
    context,
  )
  return new AuthError('invalid_grant', { message: `refresh refused: ${reason}` })
}
