import type { NoticeTime } from '../audit/clock-watch.js'
import { notSignedIn } from '../errors.js'
import type {
  SessionAuthenticated,
  SessionRecord,
  SessionStore,
  StoredMethod,
} from '../stores/contract.js'
import { isSecretOf, type PresentedSecret } from '../tokens/session-secret.js'
import {
  createSessionEnding,
  type SessionEnding,
  type SessionEndingDeps,
  type SessionName,
} from './ending.js'
import { createFindLive } from './ends-with-parent.js'
import {
  createNamedSessions,
  type NamedSessions,
  type NamedSessionsDeps,
} from './named-sessions.js'
import { createSessionOpening, type SessionOpening, type SessionOpeningDeps } from './opening.js'
import {
  createSessionRefreshing,
  type SessionRefreshing,
  type SessionRefreshingDeps,
} from './refreshing.js'
import { createSessionRenewing, type SessionRenewing } from './renewing.js'
import { createSessionTimes, type SessionLifetimes } from './session-times.js'

/** The only writer of session rows: opens, finds, refreshes and ends sessions. */
export interface Sessions
  extends SessionOpening,
    NamedSessions,
    SessionRefreshing,
    SessionRenewing,
    SessionEnding {
  /** The session, if a token of it is good at this moment: it lives, and so do its parents. */
  findLive(id: string): Promise<SessionRecord | null>
  /** The session that a secret is of, if both are good at this moment. */
  findBySecret(secret: PresentedSecret): Promise<SessionRecord | null>
  /**
   * Throws 401 unless the store says that it is alive: for what a session that has ended in another
   * process, and is remembered here, must not do.
   */
  requireLive(session: SessionName): Promise<void>
  /** Whether a session that was read a moment ago is still within its times. */
  isLive(session: SessionRecord): boolean
  /**
   * Whether a session that was read a moment ago is within its times, and was noted as in use less
   * than a minute ago.
   */
  isInUse(session: SessionRecord, now: Date): boolean
  /** Notes what a session has shown by now. */
  setMethods(id: string, methods: readonly StoredMethod[]): Promise<void>
  /** Notes that its user has proved anew who they are. */
  setAuthenticated(id: string, authenticated: SessionAuthenticated): Promise<void>
  /**
   * Says that whichever of the user's sessions stands by the hash of the mark `from` stands by that
   * of `to` as well: both are of one password.
   */
  addPasswordMark(userId: string, from: string, to: string): Promise<void>
  /** Those of the sessions that are still good. */
  liveAmong(ids: readonly string[]): Promise<string[]>
}

export interface SessionsDeps
  extends SessionOpeningDeps,
    NamedSessionsDeps,
    SessionRefreshingDeps,
    SessionEndingDeps {
  readonly store: SessionStore
  readonly lifetimes: SessionLifetimes
  /** Is told when a session that was read was last seen, by whichever process. */
  readonly noticeTime: NoticeTime
}

/** Makes the one place that writes session rows. */
export function createSessions(deps: SessionsDeps): Sessions {
  const { store, clock, noticeTime } = deps
  const times = createSessionTimes(deps.lifetimes, clock)
  const ending = createSessionEnding(deps)
  const opening = createSessionOpening(deps, times, ending.end)
  const named = createNamedSessions(deps, times, opening.listForUser, ending.end)
  const refreshing = createSessionRefreshing(deps, times)

  const findLive = createFindLive(async function find(id) {
    const session = await store.find(id)
    if (session !== null) noticeTime(session.lastSeenAt)
    return session !== null && times.isLive(session, clock()) ? session : null
  })

  return {
    ...opening,
    ...named,
    ...refreshing,
    ...createSessionRenewing(deps),
    ...ending,
    findLive,

    async findBySecret(secret) {
      const session = await findLive(secret.sessionId)
      return session !== null && isSecretOf(secret, session, clock()) ? session : null
    },

    async requireLive({ id }) {
      if ((await findLive(id)) === null) throw notSignedIn('session ended or unknown')
    },

    isLive: (session) => times.isLive(session, clock()),

    isInUse: (session, now) => times.isLive(session, now) && times.isNoted(session, now),

    setMethods: (id, methods) => store.setMethods(id, methods),

    // That the store can is checked at the start, where the host has passkeys.
    setAuthenticated: async (id, authenticated) => store.setAuthenticated?.(id, authenticated),

    // That the store can is checked at the start, where the host wants it.
    addPasswordMark: async (userId, from, to) => store.addPasswordMark?.(userId, from, to),

    liveAmong: (ids) => store.liveAmong(ids, clock()),
  }
}
