import type { Audit, RequestContext } from '../audit/events.js'
import type { RefreshRefusal } from '../audit/refusals.js'
import { AuthError } from '../errors.js'
import { sha256 } from '../lib/digest.js'
import type { PasswordStands } from '../sessions/password-stands.js'
import type { Sessions } from '../sessions/sessions.js'
import type { DecideSignIn } from '../sign-in.js'
import type { RefreshState, SessionRecord } from '../stores/contract.js'
import {
  classifyRefreshToken,
  nobodysRefresh,
  type RefreshTokenClass,
  rotateRefreshToken,
  sessionIdOf,
} from '../tokens/refresh-token.js'
import type { AuthUser, UserStore } from '../users/contract.js'

/** How to exchange a refresh token. */
export interface Refreshing<Tokens> {
  readonly presented: string
  /**
   * Whether this endpoint refreshes such sessions. Tokens of other sessions are refused as unknown.
   */
  readonly admits: (session: SessionRecord) => boolean
  /** Whether the refresh token is rotated. */
  readonly rotates: boolean
  /**
   * Checks the request against a valid session, and returns the function that signs its tokens. If
   * this throws, the refresh token stays valid.
   */
  readonly open: (session: SessionRecord) => (refreshed: Refreshed) => Promise<Tokens>
}

/** A refreshed session, with `refreshToken` as its current token. */
export interface Refreshed {
  readonly refreshToken: string
  readonly session: SessionRecord
  readonly user: AuthUser
}

/** Exchanges a refresh token. Throws 400 `invalid_grant`, the same for every reason, or 503. */
export type RefreshSession = <Tokens>(
  refreshing: Refreshing<Tokens>,
  context: RequestContext,
) => Promise<Tokens>

export interface RefreshSessionDeps {
  readonly sessions: Pick<Sessions, 'findLive' | 'rotateRefresh' | 'end'>
  readonly users: Pick<UserStore, 'findById'>
  readonly passwordStands: PasswordStands
  readonly decideSignIn: DecideSignIn
  /** Seconds. */
  readonly refreshGrace: number
  readonly clock: () => Date
  readonly audit: Audit
}

/** A session that can be refreshed. */
type RefreshableSession = SessionRecord & { readonly refresh: RefreshState }

/**
 * The session named by the token: one that can be refreshed here, or none. `named` is then a live
 * session that cannot.
 */
type Found =
  | { readonly session: RefreshableSession }
  | { readonly session: null; readonly named: SessionRecord | null }

/** A token that may be exchanged. */
type Standing = Extract<RefreshTokenClass, { is: 'current' | 'spent-lately' }>

/** The only way in which refresh tokens are exchanged. */
export function createRefreshSession(deps: RefreshSessionDeps): RefreshSession {
  return async function refreshSession({ presented, admits, rotates, open }, context) {
    // 400, 503
    const found = await findSession(deps, presented, admits, context)
    const { session, standing } = await checkToken(deps, found, presented, context)
    const user = await decide(deps, session, context)
    const sign = open(session)
    const answer = await exchange(deps, session, standing, { presented, admits, rotates }, context)
    const { refreshToken } = answer
    const tokens = await sign({ refreshToken, session: answer.session, user })
    const whose = { userId: session.userId, sessionId: session.id }
    if (answer.isRepeat) deps.audit({ type: 'refresh.repeated', ...whose }, context)
    else deps.audit({ type: 'refresh.succeeded', ...whose }, context)
    return tokens
  }
}

/** How a valid token is exchanged. */
type Rules = Pick<Refreshing<unknown>, 'presented' | 'admits' | 'rotates'>

async function exchange(
  deps: RefreshSessionDeps,
  session: RefreshableSession,
  standing: Standing,
  rules: Rules,
  context: RequestContext,
): Promise<Answer> {
  if (standing.is === 'spent-lately') return repeated(session, standing)
  return rules.rotates
    ? rotate(deps, session, rules, context)
    : keep(deps, session, rules.presented, context)
}

/** The refresh token of an answer, and the session with that token as its current one. */
interface Answer {
  readonly refreshToken: string
  readonly session: RefreshableSession
  readonly isRepeat: boolean
}

// The access token names the refresh token issued with it, even if that one has been used since.
function repeated(
  session: RefreshableSession,
  { successor }: Extract<RefreshTokenClass, { is: 'spent-lately' }>,
): Answer {
  const refresh = { ...session.refresh, hash: sha256(successor) }
  return { refreshToken: successor, session: { ...session, refresh }, isRepeat: true }
}

async function findSession(
  deps: RefreshSessionDeps,
  presented: string,
  admits: Rules['admits'],
  context: RequestContext,
): Promise<Found> {
  const id = sessionIdOf(presented)
  if (id === null) throw refusal(deps, 'unknown-or-ended', null, context)
  const named = await deps.sessions.findLive(id)
  const refresh = named?.refresh ?? null
  return named === null || refresh === null || !admits(named)
    ? { session: null, named }
    : { session: { ...named, refresh } }
}

async function decide(
  deps: RefreshSessionDeps,
  session: RefreshableSession,
  context: RequestContext,
): Promise<AuthUser> {
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
  return decision.approved.user
}

// Before the sign-in decision: a forged token must not reach the host's hooks.
async function checkToken(
  deps: RefreshSessionDeps,
  found: Found,
  presented: string,
  context: RequestContext,
): Promise<{ readonly session: RefreshableSession; readonly standing: Standing }> {
  const { session } = found
  // Checked even without a session, so that it takes equally long: a session id is not secret, but
  // whether the session is alive is.
  const standing =
    session === null
      ? classify(deps, '', presented, nobodysRefresh())
      : classify(deps, session.id, presented, session.refresh)
  if (session === null) throw refusal(deps, 'unknown-or-ended', found.named, context)
  if (standing.is === 'current' || standing.is === 'spent-lately') return { session, standing }
  if (standing.is === 'foreign') throw refusal(deps, 'unknown-or-ended', session, context)
  // RFC 9700 §4.14.2: one of its two holders is a thief, and nobody can tell which.
  const ended = await deps.sessions.end(session, 'refresh-reused', context)
  // Reported once, even if several requests present it at the same time.
  if (ended)
    deps.audit({ type: 'refresh.reused', userId: session.userId, sessionId: session.id }, context)
  throw refusal(deps, 'reused', session, context)
}

function classify(
  { clock, refreshGrace }: RefreshSessionDeps,
  sessionId: string,
  presented: string,
  state: RefreshState,
): RefreshTokenClass {
  return classifyRefreshToken(sessionId, presented, state, clock(), refreshGrace)
}

async function rotate(
  deps: RefreshSessionDeps,
  session: RefreshableSession,
  { presented, admits }: Rules,
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
  // A concurrent request with the same token was faster, so the token is used now.
  const { session: superseded } = await findSession(deps, presented, admits, context)
  if (superseded === null) throw refusal(deps, 'unknown-or-ended', session, context)
  const standing = classify(deps, session.id, presented, superseded.refresh)
  if (standing.is === 'spent-lately') return repeated(superseded, standing)
  // The store first said that another token is current, and now that this one is: a replica lags
  // behind. That is no reason to end the session.
  if (standing.is === 'current')
    throw new AuthError('temporarily-unavailable', {
      retryAfter: 1,
      message: 'stale read of a session',
    })
  throw refusal(deps, 'unknown-or-ended', session, context)
}

// The same write with the same token: it records the use, and tells whether the session has ended.
async function keep(
  deps: RefreshSessionDeps,
  session: RefreshableSession,
  refreshToken: string,
  context: RequestContext,
): Promise<Answer> {
  const { refresh } = session
  const { outcome } = await deps.sessions.rotateRefresh(session, refresh.hash, refresh, context)
  if (outcome === 'rotated') return { refreshToken, session, isRepeat: false }
  throw refusal(deps, 'unknown-or-ended', session, context)
}

// One answer for every reason (RFC 6749 §5.2).
function refusal(
  { audit }: RefreshSessionDeps,
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
