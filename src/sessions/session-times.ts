import type { RequestContext } from '../audit/events.js'
import type { SessionRecord, SessionSeen } from '../stores/contract.js'
import { goesByParent } from './ends-with-parent.js'

/** How long sessions live, in seconds. */
export interface SessionLifetimes {
  readonly sessionIdle: number
  readonly sessionAbsolute: number
}

/** Says whether sessions are within their times, and what use does to those. */
export interface SessionTimes {
  /** Whether a session is within its times at `now`. */
  isLive(session: SessionRecord, now: Date): boolean
  /** Whether its use was noted less than a minute ago, or is not to be noted at all. */
  isNoted(session: SessionRecord, now: Date): boolean
  /** What a session gets of the lifetime that was asked for it: never more than the router's. */
  withinOwn(asked: AskedLifetime): NonNullable<SessionRecord['lifetime']>
  /** When a new session ends, however much it is used. */
  absoluteEnd(createdAt: Date, authenticatedAt: Date, own?: SessionRecord['lifetime']): Date
  /** What to note of a session that is used now. */
  seen(
    session: Pick<SessionRecord, 'kind' | 'expiresAt' | 'ip' | 'lifetime' | 'parentId'>,
    context: RequestContext,
  ): SessionSeen
}

/** Seconds; the router's own where one is left out. */
export interface AskedLifetime {
  readonly idle?: number | undefined
  readonly absolute?: number | undefined
}

/** Makes what knows the times of sessions. */
export function createSessionTimes(lifetimes: SessionLifetimes, clock: () => Date): SessionTimes {
  const { sessionIdle } = lifetimes
  const idleOf = ({ kind, lifetime }: Pick<SessionRecord, 'kind' | 'lifetime'>) => {
    const own = lifetime?.idle ?? sessionIdle
    // How long users stay signed in says nothing of how long a named token is good.
    return kind === 'token' ? own : Math.min(own, sessionIdle)
  }
  // Often enough that a session in use never looks idle, however short the host made that time.
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

    // Counted from the sign-in: one password, with a code now and then, must not last for ever.
    absoluteEnd: (createdAt, authenticatedAt, own) =>
      after(earlier(createdAt, authenticatedAt), own?.absolute ?? lifetimes.sessionAbsolute),

    // An open socket keeps its session in use without any request; the address is then still the
    // last one known.
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
