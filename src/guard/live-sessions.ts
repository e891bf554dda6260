import { AuthError, notSignedIn } from '../errors.js'
import type { RequestContext } from '../events.js'
import { type BoundedCache, boundedCache } from '../lib/bounded-cache.js'
import type { Revocations } from '../revocations/revocations.js'
import type { Sessions } from '../sessions/sessions.js'
import type { SessionRecord } from '../stores/contract.js'
import { hasShownFactor } from '../two-factor/second-factor.js'
import type { AuthUser, UserStore } from '../users/contract.js'

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
   * The session and its user. Throws 401 when the session is over or its user disabled or gone, 403 when it may only enrol in a second
   * factor, 503 when a store failed.
   */
  require(id: string, context: RequestContext): Promise<LiveSession>
  /** The same, and it lets those in who may only enrol. */
  requireToEnrol(id: string, context: RequestContext): Promise<LiveSession>
  /** The same as `require`, at once, for a session that was read a moment ago and has nothing to be noted; undefined for any other. */
  remembered(id: string, now: Date): LiveSession | undefined
  /** Reads the session anew with the next request: something of it has changed. */
  forget(id: string): void
}

/** What finding needs. */
export interface LiveSessionsDeps {
  readonly sessions: Sessions
  readonly users: UserStore
  readonly mustHaveFactor: (user: AuthUser) => Promise<boolean>
  readonly revocations: Revocations
  readonly clock: () => Date
}

/** How long another process may go on without noticing that a session ended, or its user was disabled, if the bus is silent. */
const oldestSeconds = 5
const mostEntries = 20_000

/**
 * Reads a session and its user at most once in 5 seconds. An end that is announced removes it from memory at once, and a read that was
 * under way at that moment is not kept: it may have seen the session alive.
 */
export function createLiveSessions({ sessions, users, mustHaveFactor, revocations, clock }: LiveSessionsDeps): LiveSessions {
  const cache: BoundedCache<LiveSession> = boundedCache(mostEntries, oldestSeconds)
  const reading = new Map<string, Promise<LiveSession>>()
  const forget = (id: string) => {
    cache.delete(id)
    reading.delete(id)
  }
  revocations.onEnded(({ sessionId }) => forget(sessionId))
  revocations.onDoubt((userId) => {
    cache.deleteWhere(({ session }) => session.userId === userId)
    // Whose sessions these are is not known yet; each is asked for again by whoever comes next.
    reading.clear()
  })

  async function read(id: string): Promise<LiveSession> {
    const session = await sessions.findLive(id)
    if (session === null) throw notSignedIn('session ended or unknown')
    const user = await users.findById(session.userId)
    if (user === null || user.disabled === true) throw notSignedIn('user is disabled or gone')
    // Handlers are given the list itself.
    const methods = Object.freeze([...session.methods])
    return { session: { ...session, methods }, user, mustHaveFactor: await mustHaveFactor(user) }
  }

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

  async function requireToEnrol(id: string, context: RequestContext): Promise<LiveSession> {
    const found = cache.get(id, clock()) ?? (await readOnce(id))
    // While this one waited, another may have noted the session already, or have read it anew after it had changed.
    const live = cache.get(id, clock()) ?? found
    if (!sessions.isLive(live.session)) throw notSignedIn('session ended or unknown')
    const seen = sessions.seenNow(live.session, context)
    if (seen !== null) {
      // Noted in memory first, so that requests at the same moment write it once.
      cache.update(id, { ...live, session: { ...live.session, ...seen } })
      sessions.touch(id, seen)
    }
    return live
  }

  function remembered(id: string, now: Date): LiveSession | undefined {
    const live = cache.get(id, now)
    return live !== undefined && sessions.isInUse(live.session, now) && !mayOnlyEnrol(live) ? live : undefined
  }

  return { require: withFactor(requireToEnrol, forget), requireToEnrol, remembered, forget }
}

function withFactor(find: LiveSessions['requireToEnrol'], forget: LiveSessions['forget']): LiveSessions['require'] {
  return async (id, context) => {
    const remembered = await find(id, context)
    if (!mayOnlyEnrol(remembered)) return remembered
    // It may have enrolled a moment ago, in another process: nobody is refused by what was remembered.
    forget(id)
    const live = await find(id, context)
    if (mayOnlyEnrol(live)) throw new AuthError('second-factor-enrolment-required')
    return live
  }
}

/** Whether a session may set up a second factor and do nothing else: the host demands one, and the session has not shown any. */
function mayOnlyEnrol({ mustHaveFactor, session }: LiveSession): boolean {
  return mustHaveFactor && !hasShownFactor(session.methods)
}
