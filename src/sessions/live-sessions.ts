import type { RequestContext } from '../audit/events.js'
import { notSignedIn } from '../errors.js'
import { type BoundedCache, boundedCache } from '../lib/bounded-cache.js'
import type { AdmittedSessions } from '../principal/principal.js'
import {
  actionRequired,
  mustChangePassword,
  nothingRequired,
  type RequiredAction,
} from '../principal/required-actions.js'
import type { RefreshState, SessionRecord } from '../stores/contract.js'
import type { AuthUser } from '../users/contract.js'
import type { Sessions } from './sessions.js'
import type { UserSessionsKit } from './sessions-kit.js'

/** A live session and its user, who may sign in. */
export interface LiveSession {
  readonly session: SessionRecord
  readonly user: AuthUser
  /** What the user must do before the session opens anything. */
  readonly required: readonly RequiredAction[]
}

/** Finds live sessions, with a short cache. */
export interface LiveSessions {
  /**
   * The session and its user. Throws 401 if the session has ended, or its user or actor is disabled
   * or deleted, 403 if its user must do something first that `admitted` (default `complete`) is
   * not, 503 if a store fails. Without a context the use is not recorded, since no request asks
   * for it. If `isProven` is given and returns false, throws 401 and records nothing.
   */
  require(
    id: string,
    context: RequestContext | null,
    admitted?: AdmittedSessions,
    isProven?: IsProven,
  ): Promise<LiveSession>
  /**
   * Like `require`, synchronously, for a cached session whose use need not be recorded; undefined
   * otherwise.
   */
  remembered(id: string, now: Date): LiveSession | undefined
  /** Drops a session from the cache, because it has changed. */
  forget(id: string): void
  /**
   * Keeps the refresh state that was just stored, if the session is cached: the first request with
   * the new pair then need not read it. The session is read again as soon as without this.
   */
  keepRefresh(id: string, refresh: RefreshState): void
}

/**
 * Seconds until every process notices that a session ended or its user was disabled, without a bus.
 */
const maxAgeSeconds = 5
const maxEntries = 20_000

type Reading = Omit<UserSessionsKit, 'forgetSession'>

/**
 * Reads a session and its user at most once in 5 seconds. An announced end removes it from the
 * cache at once; a read under way at that moment is not cached, since it may have seen the session
 * alive. A session in which somebody acts for its user is read each time: it ends by what happens
 * to the actor, and nobody announces that.
 */
export function createLiveSessions(kit: Reading): LiveSessions {
  const { sessions, revocations, clock } = kit
  const cache: BoundedCache<LiveSession> = boundedCache(maxEntries, maxAgeSeconds)
  const reading = new Map<string, Promise<LiveSession>>()
  const read = createRead(kit)
  const forget = (id: string) => {
    cache.delete(id)
    reading.delete(id)
  }
  onEnds(revocations, forget, (isMeant) => {
    cache.deleteWhere(({ session }) => isMeant(session))
    // These reads do not know their user yet, so the next request reads each session again.
    reading.clear()
  })

  function readOnce(id: string): Promise<LiveSession> {
    const underWay = reading.get(id)
    if (underWay !== undefined) return unlessActing(underWay, () => read(id))
    // The age counts from before the read: a slow store must not make old data look fresh.
    const asked = clock()
    const mine = read(id)
      .then((live) => {
        if (reading.get(id) === mine && !isActing(live.session)) cache.set(id, live, asked)
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
    // While this request waited, another may have recorded the use, or read the session again.
    const live = cache.get(id, clock()) ?? found
    if (!sessions.isLive(live.session)) throw notSignedIn('session ended or unknown')
    const seen = context === null ? null : sessions.seenNow(live.session, context)
    if (seen !== null) {
      // Cached first, so that concurrent requests write it once.
      cache.update(id, { ...live, session: { ...live.session, ...seen } })
      sessions.touch(id, seen)
    }
    return live
  }

  function remembered(id: string, now: Date): LiveSession | undefined {
    const live = cache.get(id, now)
    return live !== undefined && sessions.isInUse(live.session, now) && live.required.length === 0
      ? live
      : undefined
  }

  const findAdmitted = requireAdmitted(requireLive, forget)
  const remembers = (id: string) => cache.get(id, clock())?.session
  const requireProof = createRequireProof(remembers, sessions.findLive, forget)
  return {
    async require(id, context, admitted = 'complete', isProven) {
      if (isProven !== undefined) await requireProof(id, isProven)
      return findAdmitted(id, context, admitted)
    },
    remembered,
    forget,
    keepRefresh(id, refresh) {
      const live = cache.get(id, clock())
      if (live !== undefined) cache.update(id, { ...live, session: { ...live.session, refresh } })
    },
  }
}

function onEnds(
  revocations: Reading['revocations'],
  forget: (id: string) => void,
  forgetWhere: (isMeant: (session: SessionRecord) => boolean) => void,
): void {
  revocations.onEnded(({ sessionId }) => forget(sessionId))
  revocations.onUserInvalidated((userId) => forgetWhere((session) => session.userId === userId))
  revocations.onClientInvalidated((client) => forgetWhere(({ clientId }) => clientId === client))
}

// Behind a service there is nobody who could do anything, and an actor must not.
function hasPerson(session: SessionRecord): boolean {
  return session.kind !== 'service' && !isActing(session)
}

// A read that is under way may be older than what has happened to the actor.
async function unlessActing(
  underWay: Promise<LiveSession>,
  readAgain: () => Promise<LiveSession>,
): Promise<LiveSession> {
  const live = await underWay
  return isActing(live.session) ? readAgain() : live
}

function isActing(session: Pick<SessionRecord, 'actorId'>): boolean {
  return Object.hasOwn(session, 'actorId') && session.actorId !== undefined
}

function createRead({
  sessions,
  users,
  passwordStands,
  requiredOf,
}: Reading): (id: string) => Promise<LiveSession> {
  return async function read(id) {
    const session = await sessions.findLive(id)
    if (session === null) throw notSignedIn('session ended or unknown')
    const user = await users.findById(session.userId)
    if (user === null || user.disabled === true) throw notSignedIn('user is disabled or gone')
    if (!(await passwordStands(session, user))) throw notSignedIn('password was changed')
    if (!(await actorStands(users, session))) throw notSignedIn('actor is disabled or gone')
    // Frozen, because handlers get this very list.
    const methods = Object.freeze([...session.methods])
    const required = hasPerson(session) ? await requiredOf(user, methods) : nothingRequired
    return { session: { ...session, methods }, user, required }
  }
}

/**
 * Whether the actor of a session may act on: not if somebody else may know the actor's password. An
 * actor without a session of their own may be staff whom the host's user store does not know.
 * Rejects with 503.
 */
async function actorStands(
  users: Pick<Reading['users'], 'findById'>,
  { actorId, actorSessionId }: SessionRecord,
): Promise<boolean> {
  if (actorId === undefined) return true
  const actor = await users.findById(actorId)
  if (actor === null) return actorSessionId === undefined
  return actor.disabled !== true && !mustChangePassword(actor)
}

function requireAdmitted(
  find: FindLive,
  forget: LiveSessions['forget'],
): (
  id: string,
  context: RequestContext | null,
  admitted: AdmittedSessions,
) => Promise<LiveSession> {
  return async function requireSession(id, context, admitted) {
    const remembered = await find(id, context)
    if (isAdmitted(remembered, admitted)) return remembered
    // It may have been done in another process a moment ago, so the cache alone refuses no request.
    forget(id)
    const live = await find(id, context)
    if (isAdmitted(live, admitted)) return live
    throw actionRequired(live.required)
  }
}

// In their order: nothing is set up in an account whose password somebody else may know.
function isAdmitted({ required: [next] }: LiveSession, admitted: AdmittedSessions): boolean {
  return next === undefined || admitted === 'any' || admitted === next
}

type FindLive = (id: string, context: RequestContext | null) => Promise<LiveSession>

type IsProven = (session: SessionRecord) => boolean

/**
 * Checks the secret before anything is done for the user: the time would otherwise tell anybody who
 * has seen a session id whether that session is alive. Another process may have replaced the secret
 * a moment ago, so the cache alone refuses no request.
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
