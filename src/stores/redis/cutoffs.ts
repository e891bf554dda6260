import type { SessionRecord } from '../contract.js'
import { inChunks } from './in-chunks.js'
import { type Cutoff, isCutOff, type OwnerIndex } from './owner-index.js'
import type { OwnedSession, Owner, Owners } from './session-owners.js'
import type { FoundSession } from './session-rows.js'

/**
 * Judges sessions by the cutoffs of their owners. What is cut off is ended in its own row before
 * that is answered, so that it stays over where the cutoff is lost as well.
 */
export interface Cutoffs {
  /** The sessions as they are: one that is cut off has ended. */
  judge(found: readonly FoundSession[]): Promise<SessionRecord[]>
  /** Those that are not cut off. */
  spared<Session extends OwnedSession>(sessions: readonly Session[]): Promise<Session[]>
}

/**
 * Ends a session that is cut off, if it is still the one that was: a session that is just being
 * opened may have been opened after the cutoff (`openAfter`).
 */
export type EndCutOff = (session: OwnedSession, owner: Owner, cutoff: Cutoff) => Promise<unknown>

/** Makes what asks for the cutoffs, of each owner once. */
export function createCutoffs(
  owners: Owners,
  index: Pick<OwnerIndex, 'cutoffOf'>,
  endCutOff: EndCutOff,
): Cutoffs {
  /** Of each session the earliest cutoff that it is over by. */
  async function cutoffsOf(sessions: readonly OwnedSession[]): Promise<(Cutoff | null)[]> {
    const all = new Map<string, Owner>()
    for (const session of sessions)
      for (const owner of owners.of(session)) all.set(owner.key, owner)
    const cutoffs = await inChunks([...all.values()], (owner) => index.cutoffOf(owner))
    const cutoffBy = new Map([...all.keys()].map((key, position) => [key, cutoffs[position]]))
    return inChunks(sessions, async (session) => {
      const over = owners.of(session).flatMap((owner) => {
        const cutoff = cutoffBy.get(owner.key) ?? null
        return cutoff !== null && isCutOff(session, owner, cutoff) ? [{ owner, cutoff }] : []
      })
      const [first] = over.sort((a, b) => a.cutoff.at.getTime() - b.cutoff.at.getTime())
      if (first === undefined) return null
      await endCutOff(session, first.owner, first.cutoff)
      return first.cutoff
    })
  }

  return {
    async judge(found) {
      const living = found.filter(({ session }) => session.endedAt === null)
      const cutoffs = await cutoffsOf(living.map(({ owned }) => owned))
      const over = new Map(living.map(({ owned }, position) => [owned, cutoffs[position]]))
      return found.map(({ session, owned }) => {
        const cutoff = over.get(owned) ?? null
        if (cutoff === null) return session
        return { ...session, endedAt: cutoff.at, endReason: cutoff.reason }
      })
    },
    async spared(sessions) {
      const cutoffs = await cutoffsOf(sessions)
      return sessions.filter((_session, position) => cutoffs[position] === null)
    },
  }
}
