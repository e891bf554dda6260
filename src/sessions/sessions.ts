import type { Audit, RequestContext } from '../events.js'
import type { EndReason, SessionKind, SessionRecord, SessionStore } from '../stores/contract.js'
import type { ApprovedSignIn } from './approved-sign-in.js'

/** What a new session is made of. */
export interface NewSession {
  readonly id: string
  readonly approved: ApprovedSignIn
  readonly kind: SessionKind
  readonly scope: string
  readonly authenticatedAt: Date
  readonly refreshHash: string | null
}

/** The only writer of session rows. */
export interface Sessions {
  /** The record of a session that does not exist yet, so that its token can be signed before anything is stored. */
  draft(session: NewSession, context: RequestContext): SessionRecord
  /** Stores a drafted session. From here on its tokens are good. */
  start(session: SessionRecord, context: RequestContext): Promise<void>
  /** The session, if a token of it is good at this moment. */
  findLive(id: string): Promise<SessionRecord | null>
  /** Notes that the session is in use: at most one write a minute, and a failure to write is not the client's problem. */
  markSeen(session: SessionRecord, context: RequestContext): Promise<void>
  /** Ends a session durably. True if this call ended it. */
  end(session: Pick<SessionRecord, 'id' | 'userId'>, reason: EndReason, context: RequestContext): Promise<boolean>
}

/** What sessions need. */
export interface SessionsDeps {
  readonly store: SessionStore
  /** Seconds. */
  readonly lifetimes: { readonly sessionIdle: number; readonly sessionAbsolute: number }
  readonly clock: () => Date
  readonly audit: Audit
}

const secondsBetweenTouches = 60

/** Opens, finds and ends sessions. */
export function createSessions({ store, lifetimes, clock, audit }: SessionsDeps): Sessions {
  const idleEnd = (now: Date, expiresAt: Date) => earlier(after(now, lifetimes.sessionIdle), expiresAt)

  return {
    draft({ id, approved, kind, scope, authenticatedAt, refreshHash }, context) {
      const now = clock()
      const expiresAt = after(now, lifetimes.sessionAbsolute)
      return {
        id,
        userId: approved.user.id,
        kind,
        scope,
        methods: approved.methods,
        authenticatedAt,
        createdAt: now,
        lastSeenAt: now,
        idleExpiresAt: idleEnd(now, expiresAt),
        expiresAt,
        ip: context.ip,
        userAgent: context.userAgent,
        refreshHash,
        endedAt: null,
        endReason: null,
      }
    },

    async start(session, context) {
      await store.create(session)
      const { userId, id: sessionId, kind, methods } = session
      audit({ type: 'session.started', userId, sessionId, kind, methods }, context)
    },

    async findLive(id) {
      const session = await store.find(id)
      return session !== null && isLive(session, clock()) ? session : null
    },

    async markSeen(session, context) {
      const now = clock()
      if (now < after(session.lastSeenAt, secondsBetweenTouches)) return
      const seen = { lastSeenAt: now, idleExpiresAt: idleEnd(now, session.expiresAt), ip: context.ip }
      await store.touch(session.id, seen).catch(() => {})
    },

    async end({ id, userId }, reason, context) {
      const ended = await store.end(id, reason, clock())
      if (ended) audit({ type: 'session.ended', userId, sessionId: id, reason }, context)
      return ended
    },
  }
}

function isLive({ endedAt, idleExpiresAt, expiresAt }: SessionRecord, now: Date): boolean {
  return endedAt === null && now < idleExpiresAt && now < expiresAt
}

function after(moment: Date, seconds: number): Date {
  return new Date(moment.getTime() + seconds * 1000)
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other
}
