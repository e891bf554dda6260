import type { RequestContext } from '../audit/events.js'
import type { SessionRecord, SessionSeen } from '../stores/contract.js'
import { goesByParent } from './ends-with-parent.js'

/** Lifetimes of sessions, in seconds. */
export interface SessionLifetimes {
  readonly sessionIdle: number
  readonly sessionAbsolute: number
}

/** The times of sessions, and how use extends them. */
export interface SessionTimes {
  /** Whether a session has neither ended nor expired at `now`. */
  isLive(session: SessionRecord, now: Date): boolean
  /** Whether its use was recorded less than a minute ago, or is never recorded. */
  isNoted(session: SessionRecord, now: Date): boolean
  /** The requested lifetime, limited to the router's own. */
  withinOwn(asked: AskedLifetime): NonNullable<SessionRecord['lifetime']>
  /** The absolute end of a new session, whatever its use. */
  absoluteEnd(createdAt: Date, authenticatedAt: Date, own?: SessionRecord['lifetime']): Date
  /** The values to record for a session in use now. */
  seen(
    session: Pick<SessionRecord, 'kind' | 'expiresAt' | 'ip' | 'lifetime' | 'parentId'>,
    context: RequestContext,
  ): SessionSeen
}

/** Seconds. Default: the router's own. */
export interface AskedLifetime {
  readonly idle?: number | undefined
  readonly absolute?: number | undefined
}

export function createSessionTimes(lifetimes: SessionLifetimes, clock: () => Date): SessionTimes {
  const { sessionIdle } = lifetimes
  const idleOf = ({ kind, lifetime }: Pick<SessionRecord, 'kind' | 'lifetime'>) => {
    const own = lifetime?.idle ?? sessionIdle
    // The idle time of users does not limit named tokens.
    return kind === 'token' ? own : Math.min(own, sessionIdle)
  }
  // Often enough that a session in use never looks idle, however short the idle time.
  const secondsBetweenNotes = (session: SessionRecord) => Math.min(60, idleOf(session) / 4)
  return {
    isLive({ endedAt, idleExpiresAt, expiresAt }, now) {
      const moment = now.getTime()
      return endedAt === null && moment < idleExpiresAt.getTime() && moment < expiresAt.getTime()
    },

    isNoted: (session, now) =>
      goesByParent(session) ||
      now.getTime() < session.lastSeenAt.getTime() + secondsBetweenNotes(session) * 1000,

    withinOwn(asked) {
      const { sessionIdle, sessionAbsolute } = lifetimes
      const absolute = Math.min(asked.absolute ?? sessionAbsolute, sessionAbsolute)
      return { idle: Math.min(asked.idle ?? sessionIdle, sessionIdle, absolute), absolute }
    },

    // The time counts from the sign-in: one password and repeated code exchanges must not last
    // forever.
    absoluteEnd: (createdAt, authenticatedAt, own) =>
      after(earlier(createdAt, authenticatedAt), own?.absolute ?? lifetimes.sessionAbsolute),

    // An open socket keeps its session in use without requests; the address is then the last one
    // known.
    seen(session, context) {
      const { expiresAt, ip } = session
      const lastSeenAt = clock()
      const idleEnd = goesByParent(session) ? expiresAt : after(lastSeenAt, idleOf(session))
      return {
        lastSeenAt,
        idleExpiresAt: earlier(idleEnd, expiresAt),
        ip: context.ip ?? ip,
      }
    },
  }
}

function after(moment: Date, seconds: number): Date {
  return new Date(moment.getTime() + seconds * 1000)
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other
}
