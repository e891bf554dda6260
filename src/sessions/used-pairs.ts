import type { RequestContext } from '../audit/events.js'
import { boundedCache } from '../lib/bounded-cache.js'
import type { AccessTokenClaims } from '../signers/contract.js'
import type { SessionRecord } from '../stores/contract.js'
import { pairOf } from '../tokens/access-token.js'
import { usageOfPair } from '../tokens/refresh-token.js'
import type { Sessions } from './sessions.js'

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
    { id, refresh }: SessionRecord,
    context: RequestContext,
  ): Promise<boolean> {
    if (refresh === null || usageOfPair(pair, refresh, issuedAt) === 'used') return true
    // The guard's cached session may be older than the pair, or than another process's record.
    const session = await sessions.findLive(id)
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
