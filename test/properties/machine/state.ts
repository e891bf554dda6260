// The session machine as it is promised, in as few words as possible: what lives, what is used up,
// and when. Nothing here knows how the router does it, but for the tokens it has handed out, by
// which they are told apart.

/** Why the model ended a session. */
export type ModelEnd =
  | 'logout'
  | 'revoked'
  | 'evicted'
  | 'code-replayed'
  | 'refresh-reused'
  | 'factor-changed'

/** One sign-in. Moments are milliseconds. */
export interface ModelSession {
  readonly id: string
  readonly createdAt: number
  readonly authenticatedAt: number
  readonly end: number
  lastSeen: number
  idleEnd: number
  endedBy: ModelEnd | null
  /** The row was collected: nobody can tell any more that it was there. */
  gone: boolean
  /** Whether the second factor was shown. */
  hasShown: boolean
}

/** One authorization code. */
export interface ModelCode {
  readonly code: string
  readonly verifier: string
  readonly issuedBy: string
  readonly createdAt: number
  readonly authenticatedAt: number
  readonly hasShown: boolean
  usedAt: number | null
  opened: string | null
  gone: boolean
}

/** One access token. */
export interface ModelAccess {
  readonly token: string
  readonly sid: string
  readonly end: number
  /** The refresh token it was handed out with; null for an authToken. */
  readonly pair: string | null
}

/** One refresh token; spent from `spentAt` on, when `successor` took its place. */
export interface ModelRefresh {
  readonly token: string
  readonly sid: string
  spentAt: number | null
  successor: string | null
  /** Whether an access token that was handed out with it was shown. */
  used: boolean
}

/** A user's TOTP. */
export interface ModelFactor {
  readonly secret: string
  readonly since: number
  lastStep: number
}

/** Everything. */
export interface State {
  readonly userId: string
  now: number
  disabled: boolean
  factor: ModelFactor | null
  /** What waits for its first code, by the session that began it. */
  pending: ReadonlyMap<string, { readonly secret: string; readonly expiresAt: number }>
  recoveryCodes: string[]
  /** The code that was accepted last, to be tried again. */
  lastCode: string | null
  readonly sessions: ModelSession[]
  readonly codes: ModelCode[]
  readonly access: ModelAccess[]
  readonly refresh: ModelRefresh[]
  /** Every end there was, `id reason`. */
  readonly ends: string[]
}

const second = 1000
const hour = 3600 * second
const day = 86_400 * second
const idle = 14 * day
const absolute = 90 * day
/** As the hosts of these tests set it: low, so that sign-ins push one another out. */
export const mostSessions = 4

/** A user who has just come. */
export function newState(userId: string, now: number): State {
  const lists = { recoveryCodes: [], sessions: [], codes: [], access: [], refresh: [], ends: [] }
  return {
    userId,
    now,
    disabled: false,
    factor: null,
    pending: new Map(),
    lastCode: null,
    ...lists,
  }
}

/** Whether a session is alive. */
export function isAlive({ endedBy, gone, idleEnd, end }: ModelSession, now: number): boolean {
  return endedBy === null && !gone && now < idleEnd && now < end
}

/** The session with this id, alive or not. */
export function sessionOf({ sessions }: State, id: string | null): ModelSession | undefined {
  return sessions.find((session) => session.id === id)
}

/**
 * The session that an access token opens now, if it opens any. The signer forgives five seconds.
 */
export function opens(state: State, token: string): ModelSession | undefined {
  const access = state.access.find((one) => one.token === token)
  const session = sessionOf(state, access?.sid ?? null)
  if (access === undefined || session === undefined || state.disabled) return undefined
  return state.now < access.end + 5 * second && isAlive(session, state.now) ? session : undefined
}

/** The session is in use. It is noted once a minute. */
export function use(state: State, session: ModelSession): void {
  if (state.now >= session.lastSeen + 60 * second) keep(state, session)
}

/**
 * The access token was shown: whoever shows the parent of its pair from now on has not lost an
 * answer.
 */
export function usePair(state: State, session: ModelSession, token: string): void {
  const pair = state.access.find((one) => one.token === token)?.pair
  const mine = state.refresh.find((one) => one.token === pair)
  if (mine === undefined || mine.used || mine.spentAt !== null) return
  mine.used = true
  if (state.refresh.some(({ successor }) => successor === mine.token)) keep(state, session)
}

/** The session was in use now. */
export function keep({ now }: State, session: ModelSession): void {
  session.lastSeen = now
  session.idleEnd = Math.min(now + idle, session.end)
}

/** A session begins, and the oldest make room. */
export function begin(
  state: State,
  session: Pick<ModelSession, 'id' | 'authenticatedAt' | 'hasShown'>,
): ModelSession {
  const { now } = state
  const end = Math.min(now, session.authenticatedAt) + absolute
  const begun = {
    ...session,
    end,
    createdAt: now,
    lastSeen: now,
    idleEnd: Math.min(now + idle, end),
    endedBy: null,
    gone: false,
  }
  state.sessions.push(begun)
  const byAge = (one: ModelSession, other: ModelSession) =>
    one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1)
  const alive = state.sessions.filter((one) => isAlive(one, now)).sort(byAge)
  for (const oldest of alive.slice(0, Math.max(0, alive.length - mostSessions)))
    finish(state, oldest, 'evicted')
  return begun
}

/** A session ends; the first reason stays. True if it had not ended before. */
export function finish(state: State, session: ModelSession | undefined, reason: ModelEnd): boolean {
  if (session === undefined || session.endedBy !== null || session.gone) return false
  session.endedBy = reason
  state.ends.push(`${session.id} ${reason}`)
  return true
}

/** All sessions end but one. Says how many. */
export function finishAll(state: State, reason: ModelEnd, except?: string): number {
  return state.sessions.filter((session) => session.id !== except && finish(state, session, reason))
    .length
}

/** What is over is collected. */
export function collect(state: State): void {
  const { now } = state
  for (const session of state.sessions) if (!isAlive(session, now)) session.gone = true
  for (const code of state.codes) {
    const until = code.usedAt === null ? code.createdAt + 60 * second : code.createdAt + hour
    if (until <= now) code.gone = true
  }
}
