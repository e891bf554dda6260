import type { RequestContext } from '../audit/events.js'
import { boundedCache } from '../lib/bounded-cache.js'
import type { AccessTokenClaims } from '../signers/contract.js'
import type { SessionRecord } from '../stores/contract.js'
import { pairOf } from '../tokens/access-token.js'
import { usageOfPair } from '../tokens/refresh-token.js'
import type { Sessions } from './sessions.js'

/**
 * Notes that a token of a pair was used. From then on the spent refresh token before that pair
 * counts as stolen when it is shown again.
 */
export interface UsedPairs {
  /** Whether the use of the token's pair has been noted, or need not be. */
  isNoted(claims: AccessTokenClaims, now: Date): boolean
  /**
   * Notes that an access token was seen, without anybody waiting for it: one write for a pair, at
   * first sight. Never throws; what failed is noted at the next sight.
   */
  note(claims: AccessTokenClaims, session: SessionRecord, context: RequestContext): void
}

const maxRemembered = 20_000
/**
 * As long as an access token may live. What is forgotten is read once more, and not written again.
 */
const maxAgeSeconds = 3600
/** A read that may be older than the pair is made again after this time. */
const secondsBetweenReads = 1

/** Makes what notes the use of token pairs. */
export function createUsedPairs(
  sessions: Pick<Sessions, 'findLive' | 'notePairUsed'>,
  clock: () => Date,
): UsedPairs {
  const noted = boundedCache<true>(maxRemembered, maxAgeSeconds)
  const readLately = boundedCache<true>(maxRemembered, secondsBetweenReads)
  const underWay = new Set<string>()

  // False where nothing can be said yet.
  async function settle(
    pair: string,
    issuedAt: Date,
    { id, refresh }: SessionRecord,
    context: RequestContext,
  ): Promise<boolean> {
    if (refresh === null || usageOfPair(pair, refresh, issuedAt) === 'used') return true
    // What the guard remembers may be older than the pair, or than what another process has noted.
    const session = await sessions.findLive(id)
    if (session === null || session.refresh === null) return true
    const usage = usageOfPair(pair, session.refresh, issuedAt)
    if (usage === 'unused') await sessions.notePairUsed(session, session.refresh, context)
    // So may be what was read: a replica lags behind.
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
        // The calls have reported what failed.
        .then(
          (isSettled) => (isSettled ? noted : readLately).set(pair, true, clock()),
          () => {},
        )
        .finally(() => underWay.delete(pair))
    },
  }
}
