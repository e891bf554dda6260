import type { Sessions } from '../sessions/sessions.js'

const mostIdsAtOnce = 500

/**
 * Those of the sessions that are over, asked of the store many at a time. A query that fails tells of none: it is reported by the call,
 * and an outage is no verdict.
 */
export async function endedAmong(sessions: Pick<Sessions, 'liveAmong'>, ids: readonly string[]): Promise<string[]> {
  const ended: string[] = []
  // One after the other: the store has requests to answer.
  for (let from = 0; from < ids.length; from += mostIdsAtOnce) {
    const asked = ids.slice(from, from + mostIdsAtOnce)
    const live = new Set(await sessions.liveAmong(asked).catch(() => asked))
    ended.push(...asked.filter((id) => !live.has(id)))
  }
  return ended
}
