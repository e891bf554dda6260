import type { RequestContext } from '../audit/events.js'
import type { SessionRecord } from '../stores/contract.js'
import type { ApprovedSignIn } from './approved-sign-in.js'
import type { SessionEnding } from './ending.js'
import { type SessionOpening, startOf } from './opening.js'
import type { PasswordMarks } from './password-watch.js'
import type { SessionRowsKit } from './rows-kit.js'
import type { SessionTimes } from './session-times.js'

/** The data of a named token's session. */
export interface NewNamedSession {
  readonly id: string
  readonly approved: ApprovedSignIn
  readonly name: string
  readonly scope: string
  readonly secretHash: string
  readonly authenticatedAt: Date
  /** The password hash it depends on. */
  readonly marks: PasswordMarks
  /** The identity at a provider that has opened its maker. */
  readonly upstream: string | undefined
  /** Seconds. */
  readonly expiresIn: number
}

/** Opens the sessions of named tokens. They are outside the limit on a user's other sessions. */
export interface NamedSessions {
  /** The record of a session that is not stored yet. */
  draftNamed(session: NewNamedSession, context: RequestContext): SessionRecord
  /**
   * Stores a drafted session. Returns false, and ends it, if the user has too many; several stored
   * at once that are too many together all end.
   */
  startNamed(session: SessionRecord, context: RequestContext): Promise<boolean>
  /** Whether the user may have one more. */
  hasRoomForNamed(userId: string): Promise<boolean>
  /** A user's live sessions of this kind, oldest first. */
  listNamed(userId: string): Promise<SessionRecord[]>
}

/** Named tokens per user. */
const maxNamed = 20

/** Kinds whose name is stored in place of a user agent. */
const namedKinds: readonly string[] = ['token', 'oauth', 'service', 'acting']

/**
 * The name of a named token, of the app or service of a session, of a device that another one has
 * signed in, or of a session in which somebody acts; null for any other session.
 */
export function nameOf({
  kind,
  userAgent,
  openedBySessionId,
}: Pick<SessionRecord, 'kind' | 'userAgent' | 'openedBySessionId'>): string | null {
  // Nothing else opens a session of this kind from another session.
  const isLinked = kind === 'login' && openedBySessionId !== undefined
  return isLinked || namedKinds.includes(kind) ? userAgent : null
}

export function createNamedSessions(
  { store, clock, audit }: SessionRowsKit,
  times: SessionTimes,
  listForUser: SessionOpening['listForUser'],
  end: SessionEnding['end'],
): NamedSessions {
  async function listNamed(userId: string): Promise<SessionRecord[]> {
    return (await listForUser(userId)).filter(({ kind }) => kind === 'token')
  }

  return {
    draftNamed({ approved, name, expiresIn, marks, upstream, ...given }, context) {
      const createdAt = clock()
      const kind = 'token'
      // It does not idle out: a bot may be silent for a month.
      const lifetime = { idle: expiresIn, absolute: expiresIn }
      // The time does not count from the sign-in that made the token: the token outlives this
      // sign-in.
      const expiresAt = times.absoluteEnd(createdAt, createdAt, lifetime)
      return {
        ...given,
        ...marks,
        ...(upstream === undefined ? {} : { upstream }),
        kind,
        lifetime,
        userId: approved.user.id,
        methods: approved.methods,
        createdAt,
        expiresAt,
        ...times.seen({ kind, expiresAt, ip: null, lifetime }, context),
        // Its name is stored in place of a user agent.
        userAgent: name,
        refresh: null,
        endedAt: null,
        endReason: null,
      }
    },

    async startNamed(session, context) {
      await store.create(session)
      audit(startOf(session), context)
      // The tokens are counted after the new token is stored, so that of several at once the last
      // stored token sees all.
      const named = await listNamed(session.userId).catch(async (error: unknown) => {
        // Nobody will get its secret.
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
