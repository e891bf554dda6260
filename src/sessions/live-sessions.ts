import type { RequestContext } from '../audit/events.js'
import { AuthError, notSignedIn } from '../errors.js'
import { type BoundedCache, boundedCache } from '../lib/bounded-cache.js'
import type { AdmittedSessions } from '../principal/principal.js'
import type { SessionRecord } from '../stores/contract.js'
import type { SecondFactors } from '../two-factor/second-factor.js'
import type { AuthUser, UserStore } from '../users/contract.js'
import type { PasswordStands } from './password-stands.js'
import type { Revocations } from './revocations.js'
import type { Sessions } from './sessions.js'

/** A session that is alive and its user, who may sign in. */
export interface LiveSession {
  readonly session: SessionRecord
  readonly user: AuthUser
  /** Whether the user must have a second factor, by the host's policy. */
  readonly mustHaveFactor: boolean
}

/** Finds live sessions, from memory where they were read a moment ago. */
export interface LiveSessions {
  /**
   * The session and its user. Throws 401 when the session is over or its user disabled or gone, 403
   * when it may only enrol in a second factor and `admitted` is `complete`, the default, 503 when a
   * store failed. Without a context the session is not noted as in use: no request asks for it.
   * Where `isProven` is given and says no, that is a 401 too, and nothing has been noted.
   */
  require(
    id: string,
    context: RequestContext | null,
    admitted?: AdmittedSessions,
    isProven?: IsProven,
  ): Promise<LiveSession>
  /**
   * The same as `require`, synchronously, for a session that was read a moment ago and has nothing
   * to be noted; undefined for any other.
   */
  remembered(id: string, now: Date): LiveSession | undefined
  /** The next request reads the session anew: something of it has changed. */
  forget(id: string): void
}

export interface LiveSessionsDeps {
  readonly sessions: Pick<Sessions, 'findLive' | 'isInUse' | 'isLive' | 'seenNow' | 'touch'>
  readonly users: Pick<UserStore, 'findById'>
  readonly passwordStands: PasswordStands
  readonly mustHaveFactor: (user: AuthUser) => Promise<boolean>
  readonly meetsFactorPolicy: SecondFactors['meetsFactorPolicy']
  readonly revocations: Pick<Revocations, 'onEnded' | 'onUserInvalidated' | 'onClientInvalidated'>
  readonly clock: () => Date
}

/**
 * How long another process may go on without noticing that a session ended, or its user was
 * disabled, if the bus is silent.
 */
const maxAgeSeconds = 5
const maxEntries = 20_000

/**
 * Reads a session and its user at most once in 5 seconds. An end that is announced removes it from
 * memory at once, and a read that was under way at that moment is not kept: it may have seen the
 * session alive.
 */
export function createLiveSessions({
  sessions,
  users,
  passwordStands,
  mustHaveFactor,
  meetsFactorPolicy,
  revocations,
  clock,
}: LiveSessionsDeps): LiveSessions {
  const cache: BoundedCache<LiveSession> = boundedCache(maxEntries, maxAgeSeconds)
  const reading = new Map<string, Promise<LiveSession>>()
  const read = createRead({ sessions, users, passwordStands, mustHaveFactor })
  const mayOnlyEnrol: MayOnlyEnrol = (live) =>
    live.mustHaveFactor && !meetsFactorPolicy(live.session.methods)
  const forget = (id: string) => {
    cache.delete(id)
    reading.delete(id)
  }
  revocations.onEnded(({ sessionId }) => forget(sessionId))
  const forgetWhere = (isMeant: (session: SessionRecord) => boolean) => {
    cache.deleteWhere(({ session }) => isMeant(session))
    // Whose these reads are is not known yet, so the next request reads each of them again.
    reading.clear()
  }
  revocations.onUserInvalidated((userId) => forgetWhere((session) => session.userId === userId))
  revocations.onClientInvalidated((client) => forgetWhere(({ clientId }) => clientId === client))

  function readOnce(id: string): Promise<LiveSession> {
    const underWay = reading.get(id)
    if (underWay !== undefined) return underWay
    // The age counts from before the read: a slow store must not make old news look fresh.
    const asked = clock()
    const mine = read(id)
      .then((live) => {
        if (reading.get(id) === mine) cache.set(id, live, asked)
        return live
      })
      .finally(() => {
        if (reading.get(id) === mine) reading.delete(id)
      })
    reading.set(id, mine)
    return mine
  }

  const requireLive: FindLive = async (id, context) => {
    const found = cache.get(id, clock()) ?? (await readOnce(id))
    // While this request waited, another may have noted the session, or have read it anew.
    const live = cache.get(id, clock()) ?? found
    if (!sessions.isLive(live.session)) throw notSignedIn('session ended or unknown')
    const seen = context === null ? null : sessions.seenNow(live.session, context)
    if (seen !== null) {
      // Noted in memory first, so that requests at the same moment write it once.
      cache.update(id, { ...live, session: { ...live.session, ...seen } })
      sessions.touch(id, seen)
    }
    return live
  }

  function remembered(id: string, now: Date): LiveSession | undefined {
    const live = cache.get(id, now)
    return live !== undefined && sessions.isInUse(live.session, now) && !mayOnlyEnrol(live)
      ? live
      : undefined
  }

  const findAdmitted = requireAdmitted(requireLive, forget, mayOnlyEnrol)
  const remembers = (id: string) => cache.get(id, clock())?.session
  const requireProof = createRequireProof(remembers, sessions.findLive, forget)
  return {
    async require(id, context, admitted = 'complete', isProven) {
      if (isProven !== undefined) await requireProof(id, isProven)
      return findAdmitted(id, context, admitted)
    },
    remembered,
    forget,
  }
}

/** Makes what reads a session that is alive, and its user. */
function createRead({
  sessions,
  users,
  passwordStands,
  mustHaveFactor,
}: Pick<LiveSessionsDeps, 'sessions' | 'users' | 'passwordStands' | 'mustHaveFactor'>): (
  id: string,
) => Promise<LiveSession> {
  return async function read(id) {
    const session = await sessions.findLive(id)
    if (session === null) throw notSignedIn('session ended or unknown')
    const user = await users.findById(session.userId)
    if (user === null || user.disabled === true) throw notSignedIn('user is disabled or gone')
    if (!(await passwordStands(session, user))) throw notSignedIn('password was changed')
    // Handlers are given the list itself.
    const methods = Object.freeze([...session.methods])
    return { session: { ...session, methods }, user, mustHaveFactor: await mustHaveFactor(user) }
  }
}

function requireAdmitted(
  find: FindLive,
  forget: LiveSessions['forget'],
  mayOnlyEnrol: MayOnlyEnrol,
): (
  id: string,
  context: RequestContext | null,
  admitted: AdmittedSessions,
) => Promise<LiveSession> {
  return async function requireSession(id, context, admitted) {
    const remembered = await find(id, context)
    if (admitted === 'may-enrol' || !mayOnlyEnrol(remembered)) return remembered
    // It may have enrolled a moment ago in another process, so the cache alone refuses no request.
    forget(id)
    const live = await find(id, context)
    if (mayOnlyEnrol(live)) throw new AuthError('second-factor-enrolment-required')
    return live
  }
}

/**
 * Whether a session may set up a second factor and do nothing else: the host demands one, and the
 * session has not shown any.
 */
type MayOnlyEnrol = (live: LiveSession) => boolean

type FindLive = (id: string, context: RequestContext | null) => Promise<LiveSession>

type IsProven = (session: SessionRecord) => boolean

/**
 * Makes what asks for the proof of a session before anything is done for its user: the time of that
 * would tell whoever has seen the id of a session whether it is alive. Another process may have
 * replaced the secret a moment ago, so the cache alone refuses no request.
 */
function createRequireProof(
  remembers: (id: string) => SessionRecord | undefined,
  findLive: Sessions['findLive'],
  forget: LiveSessions['forget'],
): (id: string, isProven: IsProven) => Promise<void> {
  return async function requireProof(id, isProven) {
    const known = remembers(id)
    if (known !== undefined && isProven(known)) return
    const session = await findLive(id)
    if (session === null || !isProven(session)) throw notSignedIn('unknown session or wrong secret')
    if (known !== undefined) forget(id)
  }
}
