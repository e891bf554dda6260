import type { Audit, RequestContext } from '../audit/events.js'
import type { SessionRecord, SessionStore } from '../stores/contract.js'
import type { ApprovedSignIn } from './approved-sign-in.js'
import type { SessionEnding } from './ending.js'
import { type SessionOpening, startOf } from './opening.js'
import type { PasswordMarks } from './password-watch.js'
import type { SessionTimes } from './session-times.js'

/** What the session of a named token is made of. */
export interface NewNamedSession {
  readonly id: string
  readonly approved: ApprovedSignIn
  readonly name: string
  readonly scope: string
  readonly secretHash: string
  readonly authenticatedAt: Date
  /** By which password hash it stands or falls. */
  readonly marks: PasswordMarks
  /** Seconds. */
  readonly expiresIn: number
}

/** Opens the sessions of named tokens. They make room for nobody, and nobody for them. */
export interface NamedSessions {
  /** The record of one that does not exist yet. */
  draftNamed(session: NewNamedSession, context: RequestContext): SessionRecord
  /**
   * Stores a drafted one. False, and then there is none, where the user has too many; also for each
   * of several that are stored at once and would be too many together.
   */
  startNamed(session: SessionRecord, context: RequestContext): Promise<boolean>
  /** Whether the user may have one more. */
  hasRoomForNamed(userId: string): Promise<boolean>
  /** Those of a user that are alive, the oldest first. */
  listNamed(userId: string): Promise<SessionRecord[]>
}

export interface NamedSessionsDeps {
  readonly store: Pick<SessionStore, 'create'>
  readonly clock: () => Date
  readonly audit: Audit
}

/** The most of one user. */
const maxNamed = 20

/** The name of a named token, or of the app that a session is of; null for any other session. */
export function nameOf({
  kind,
  userAgent,
}: Pick<SessionRecord, 'kind' | 'userAgent'>): string | null {
  return kind === 'token' || kind === 'oauth' ? userAgent : null
}

/** Makes what opens the sessions of named tokens. */
export function createNamedSessions(
  { store, clock, audit }: NamedSessionsDeps,
  times: SessionTimes,
  listForUser: SessionOpening['listForUser'],
  end: SessionEnding['end'],
): NamedSessions {
  async function listNamed(userId: string): Promise<SessionRecord[]> {
    return (await listForUser(userId)).filter(({ kind }) => kind === 'token')
  }

  return {
    draftNamed({ approved, name, expiresIn, marks, ...given }, context) {
      const createdAt = clock()
      const kind = 'token'
      // It does not idle out: a bot may have nothing to say for a month.
      const lifetime = { idle: expiresIn, absolute: expiresIn }
      // Not from the sign-in that it was made in: it outlives that.
      const expiresAt = times.absoluteEnd(createdAt, createdAt, lifetime)
      return {
        ...given,
        ...marks,
        kind,
        lifetime,
        userId: approved.user.id,
        methods: approved.methods,
        createdAt,
        expiresAt,
        ...times.seen({ kind, expiresAt, ip: null, lifetime }, context),
        // What a device calls itself is where the program's own name is.
        userAgent: name,
        refresh: null,
        endedAt: null,
        endReason: null,
      }
    },

    async startNamed(session, context) {
      await store.create(session)
      audit(startOf(session), context)
      // Counted with it among them, so that of several at once the last one stored sees them all.
      const named = await listNamed(session.userId).catch(async (error: unknown) => {
        // Nobody will ever have its secret.
        await end(session, 'revoked', context).catch(() => {})
        throw error
      })
      if (named.length <= maxNamed) return true
      await end(session, 'evicted', context)
      return false
    },

    hasRoomForNamed: async (userId) => (await listNamed(userId)).length < maxNamed,

    listNamed,
  }
}
