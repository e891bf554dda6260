import type { Sessions } from './sessions.js'

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
