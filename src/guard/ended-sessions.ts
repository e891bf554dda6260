import type { Sessions } from '../sessions/sessions.js'

const mostIdsAtOnce = 500

/** Asks which of the sessions are over. A turn that still waits for its answer is not asked again: nothing piles up on a slow store. */
export type EndedAmong = (turn: number, ids: readonly string[]) => Promise<string[]>

/**
 * Makes the question of which sessions are over, asked of the store many at a time. A query that fails tells of none: it is reported by
 * the call, and an outage is no verdict.
 */
export function createEndedAmong(sessions: Pick<Sessions, 'liveAmong'>): EndedAmong {
  const waiting = new Set<number>()
  return async (turn, ids) => {
    if (waiting.has(turn)) return []
    waiting.add(turn)
    const ended: string[] = []
    // One after the other: the store has requests to answer.
    for (let from = 0; from < ids.length; from += mostIdsAtOnce) {
      const asked = ids.slice(from, from + mostIdsAtOnce)
      const live = new Set(await sessions.liveAmong(asked).catch(() => asked))
      ended.push(...asked.filter((id) => !live.has(id)))
    }
    waiting.delete(turn)
    return ended
  }
}
