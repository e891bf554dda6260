import { notSignedIn } from '../errors.js'
import type { SessionAuthenticated, SessionRecord, StoredMethod } from '../stores/contract.js'
import { isSecretOf, newSessionSecret, type PresentedSecret } from '../tokens/session-secret.js'
import { createSessionEnding, type SessionEnding, type SessionName } from './ending.js'
import { createFindLive } from './ends-with-parent.js'
import { createNamedSessions, type NamedSessions } from './named-sessions.js'
import { createSessionOpening, type SessionOpening } from './opening.js'
import { createSessionRefreshing, type SessionRefreshing } from './refreshing.js'
import type { SessionRowsKit } from './rows-kit.js'
import { createSessionTimes } from './session-times.js'

/** The only writer of session rows: opens, finds, refreshes and ends sessions. */
export interface Sessions extends SessionOpening, NamedSessions, SessionRefreshing, SessionEnding {
  /** The session, if its tokens are valid now: the session and its parents are alive. */
  findLive(id: string): Promise<SessionRecord | null>
  /** The session, even if it has ended; null once it is deleted. */
  findEver(id: string): Promise<SessionRecord | null>
  /** The session of a secret, if both are valid now. */
  findBySecret(secret: PresentedSecret): Promise<SessionRecord | null>
  /**
   * Throws 401 unless the store confirms that it is alive. For actions that must not rely on the
   * cache, which may not know yet that another process ended the session.
   */
  requireLive(session: SessionName): Promise<void>
  /** Whether a session read a moment ago has neither ended nor expired. */
  isLive(session: SessionRecord): boolean
  /**
   * Whether a session read a moment ago is alive, and its use was recorded less than a minute ago.
   */
  isInUse(session: SessionRecord, now: Date): boolean
  /**
   * Replaces the presented secret and returns the new one; the former one stays valid for a few
   * seconds, for requests under way. Null if the presented one is not the current one, or the
   * session has ended: of concurrent requests one gets a secret, and a copied former secret yields
   * none. Rejects with 503.
   */
  renewSecret(presented: PresentedSecret): Promise<string | null>
  /** Stores the methods that a session has proven. */
  setMethods(id: string, methods: readonly StoredMethod[]): Promise<void>
  /** Stores a reauthentication. */
  setAuthenticated(id: string, authenticated: SessionAuthenticated): Promise<void>
  /**
   * Adds the mark `to` to all sessions of the user with the mark `from`: both are hashes of one
   * password.
   */
  addPasswordMark(userId: string, from: string, to: string): Promise<void>
  /** The ids of those sessions that are alive. */
  liveAmong(ids: readonly string[]): Promise<string[]>
}

/** The only place that writes session rows. */
export function createSessions(kit: SessionRowsKit): Sessions {
  const { store, clock, noticeTime } = kit
  const times = createSessionTimes(kit.lifetimes, clock)
  const ending = createSessionEnding(kit)
  const opening = createSessionOpening(kit, times, ending.end)
  const named = createNamedSessions(kit, times, opening.listForUser, ending.end)
  const refreshing = createSessionRefreshing(kit, times)

  const findLive = createFindLive(async function find(id) {
    const session = await store.find(id)
    if (session !== null) noticeTime(session.lastSeenAt)
    return session !== null && times.isLive(session, clock()) ? session : null
  })

  return {
    ...opening,
    ...named,
    ...refreshing,
    ...ending,
    findLive,

    findEver: (id) => store.find(id),

    async findBySecret(secret) {
      const session = await findLive(secret.sessionId)
      return session !== null && isSecretOf(secret, session, clock()) ? session : null
    },

    async requireLive({ id }) {
      if ((await findLive(id)) === null) throw notSignedIn('session ended or unknown')
    },

    renewSecret: createRenewSecret(kit),

    isLive: (session) => times.isLive(session, clock()),

    isInUse: (session, now) => times.isLive(session, now) && times.isNoted(session, now),

    setMethods: (id, methods) => store.setMethods(id, methods),

    // Checked at the start: with passkeys the store has this method.
    setAuthenticated: async (id, authenticated) => store.setAuthenticated?.(id, authenticated),

    // Checked at the start: with `watchPasswordHash` the store has this method.
    addPasswordMark: async (userId, from, to) => store.addPasswordMark?.(userId, from, to),

    liveAmong: (ids) => store.liveAmong(ids, clock()),
  }
}

/**
 * Milliseconds. Longer than a page and its resources take to load, and longer than any process
 * caches a session.
 */
const formerMs = 10_000

function createRenewSecret({ store, clock }: SessionRowsKit): Sessions['renewSecret'] {
  return async function renewSecret({ kind, sessionId, secretHash: from }) {
    const { secret, secretHash: to } = newSessionSecret(kind, sessionId)
    const formerUntil = new Date(clock().getTime() + formerMs)
    // Checked at the start: with pages the store has this method.
    const isReplaced = await store.replaceSecret?.(sessionId, { from, to, formerUntil })
    return isReplaced === true ? secret : null
  }
}
