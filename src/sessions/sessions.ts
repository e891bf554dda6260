import type { RequestContext } from '../audit/events.js'
import { notSignedIn } from '../errors.js'
import { boundedCache } from '../lib/bounded-cache.js'
import type { AccessTokenClaims } from '../signers/contract.js'
import type {
  RefreshState,
  RotateResult,
  SessionAuthenticated,
  SessionRecord,
  SessionSeen,
  StoredMethod,
} from '../stores/contract.js'
import { pairOf } from '../tokens/access-token.js'
import { usageOfPair } from '../tokens/refresh-token.js'
import { isSecretOf, newSessionSecret, type PresentedSecret } from '../tokens/session-secret.js'
import { createSessionEnding, type SessionEnding, type SessionName } from './ending.js'
import { createFindLive } from './ends-with-parent.js'
import { createNamedSessions, type NamedSessions } from './named-sessions.js'
import { createSessionOpening, type SessionOpening } from './opening.js'
import type { SessionRowsKit } from './rows-kit.js'
import { createSessionTimes, type SessionTimes } from './session-times.js'

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
   * Replaces the presented secret and returns the new secret; the former secret stays valid for a
   * few seconds, for requests under way. Null if the presented secret is not the current one, or
   * the session has ended: of concurrent requests one gets a secret, and a copied former secret
   * yields no new secret. Rejects with 503.
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
  const { store, useSession, clock, noticeTime } = kit
  const times = createSessionTimes(kit.lifetimes, clock)
  const ending = createSessionEnding(kit)
  const opening = createSessionOpening(kit, times, ending.end)
  const named = createNamedSessions(kit, times, opening.listForUser, ending.end)
  const refreshing = createSessionRefreshing(kit, times)

  const findLive = createFindLive(useSession, (session) => {
    const now = clock()
    noticeTime(session.lastSeenAt, now)
    return times.isLive(session, now)
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

    // This is checked at the start: with passkeys the store has this method.
    setAuthenticated: async (id, authenticated) => store.setAuthenticated?.(id, authenticated),

    // This is checked at the start: with `watchPasswordHash` the store has this method.
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
    // This is checked at the start: with pages the store has this method.
    const isReplaced = await store.replaceSecret?.(sessionId, { from, to, formerUntil })
    return isReplaced === true ? secret : null
  }
}

const maxIdsAtOnce = 500

/**
 * Returns which of the sessions have ended. A turn whose answer is still awaited is skipped, so
 * nothing piles up on a slow store.
 */
export type EndedAmong = (turn: number, ids: readonly string[]) => Promise<string[]>

/**
 * Asks the store in batches. A failed query names no session: the call has reported it, and an
 * outage ends no session.
 */
export function createEndedAmong(sessions: Pick<Sessions, 'liveAmong'>): EndedAmong {
  const waiting = new Set<number>()
  return async function endedAmong(turn, ids) {
    if (waiting.has(turn)) return []
    waiting.add(turn)
    const ended: string[] = []
    // One after the other: the store has other requests to answer.
    for (let from = 0; from < ids.length; from += maxIdsAtOnce) {
      const asked = ids.slice(from, from + maxIdsAtOnce)
      const live = new Set(await sessions.liveAmong(asked).catch(() => asked))
      ended.push(...asked.filter((id) => !live.has(id)))
    }
    waiting.delete(turn)
    return ended
  }
}

/** Records the use of sessions, and rotates their refresh tokens. */
export interface SessionRefreshing {
  /** The values to record for a session in use; null if it was recorded less than a minute ago. */
  seenNow(session: SessionRecord, context: RequestContext): SessionSeen | null
  /** Records the use in the background. A failed write does not concern the client. */
  touch(id: string, seen: SessionSeen): void
  /** Replaces the refresh token `presentedHash`, if it is still the current one. */
  rotateRefresh(
    session: SessionRecord,
    presentedHash: string,
    refresh: RefreshState,
    context: RequestContext,
  ): Promise<RotateResult>
  /**
   * Records that a token of the pair with this refresh token was used. False, and nothing is
   * changed, if another pair is current by now, or the session has ended.
   */
  notePairUsed(
    session: SessionRecord,
    refresh: RefreshState,
    context: RequestContext,
  ): Promise<boolean>
}

function createSessionRefreshing(
  { store, noticeUse, clock }: SessionRowsKit,
  times: SessionTimes,
): SessionRefreshing {
  function seenInUse(session: SessionRecord, context: RequestContext): SessionSeen {
    if (context.ip !== null) noticeUse(session.userId, context.ip)
    return times.seen(session, context)
  }

  return {
    seenNow: (session, context) =>
      times.isNoted(session, clock()) ? null : seenInUse(session, context),

    touch: (id, seen) => void store.touch(id, seen).catch(() => {}),

    rotateRefresh(session, presentedHash, refresh, context) {
      const next = { refresh, ...seenInUse(session, context) }
      return store.rotateRefresh(session.id, presentedHash, next, clock())
    },

    // Conditional on the hash, which stays the same: it undoes neither a rotation nor an end that
    // came in between.
    async notePairUsed(session, refresh, context) {
      const next = { refresh: { ...refresh, pairUsed: true }, ...times.seen(session, context) }
      const { outcome } = await store.rotateRefresh(session.id, refresh.hash, next, clock())
      return outcome === 'rotated'
    },
  }
}

/**
 * Records that a token of a pair was used. From then on, presenting the refresh token before that
 * pair counts as theft.
 */
export interface UsedPairs {
  /** Whether the use of the token's pair is recorded, or need not be. */
  isNoted(claims: AccessTokenClaims, now: Date): boolean
  /**
   * Records an access token in the background: one write per pair, when it is first seen. Never
   * throws; a failed write is tried again when a token of the pair is next seen.
   */
  note(claims: AccessTokenClaims, session: SessionRecord, context: RequestContext): void
}

const maxRemembered = 20_000
/**
 * The longest lifetime of an access token. A forgotten pair is read again, but not written again.
 */
const maxAgeSeconds = 3600
/** A read that may be older than the pair is repeated after this time. */
const secondsBetweenReads = 1

export function createUsedPairs(
  sessions: Pick<Sessions, 'findLive' | 'notePairUsed'>,
  clock: () => Date,
): UsedPairs {
  const noted = boundedCache<true>(maxRemembered, maxAgeSeconds)
  const readLately = boundedCache<true>(maxRemembered, secondsBetweenReads)
  const underWay = new Set<string>()

  // False if nothing can be decided yet.
  async function settle(
    pair: string,
    issuedAt: Date,
    known: SessionRecord,
    context: RequestContext,
  ): Promise<boolean> {
    if (known.refresh === null) return true
    const usageKnown = usageOfPair(pair, known.refresh, issuedAt)
    if (usageKnown === 'used') return true
    // Where this pair is the current one, the write itself tells if it still is.
    if (usageKnown === 'unused' && (await sessions.notePairUsed(known, known.refresh, context)))
      return true
    // The guard's cached session may be older than the pair, or than another process's record.
    const session = await sessions.findLive(known.id)
    if (session === null || session.refresh === null) return true
    const usage = usageOfPair(pair, session.refresh, issuedAt)
    if (usage === 'unused') await sessions.notePairUsed(session, session.refresh, context)
    // The row may be older, too: a replica lags behind.
    return usage !== 'newer'
  }

  const isNoted = (pair: string | null, now: Date) => pair === null || noted.get(pair, now) === true

  return {
    isNoted: (claims, now) => isNoted(pairOf(claims), now),
    note(claims, session, context) {
      const pair = pairOf(claims)
      const now = clock()
      if (pair === null || isNoted(pair, now) || underWay.has(pair)) return
      if (readLately.get(pair, now) === true) return
      underWay.add(pair)
      void settle(pair, new Date(claims.iat * 1000), session, context)
        // Failed calls have reported themselves.
        .then(
          (isSettled) => (isSettled ? noted : readLately).set(pair, true, clock()),
          () => {},
        )
        .finally(() => underWay.delete(pair))
    },
  }
}
