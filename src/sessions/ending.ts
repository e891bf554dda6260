import type { Audit, RequestContext } from '../audit/events.js'
import type { EndReason, SessionRecord, SessionStore } from '../stores/contract.js'
import type { Revocations } from './revocations.js'
import { isStandIn } from './stand-in.js'

/** Names a session that may not have been read. */
export type SessionName = Pick<SessionRecord, 'id' | 'userId'>

/** Ends sessions durably, and announces it to every cache and socket. */
export interface SessionEnding {
  /** True if this call ended the session. */
  end(session: SessionName, reason: EndReason, context: RequestContext): Promise<boolean>
  /** Ends all sessions of a user but `exceptId`. Says how many this call ended. */
  endAllForUser(
    userId: string,
    reason: EndReason,
    context: RequestContext,
    exceptId?: string,
  ): Promise<number>
  /**
   * The same, but named tokens stay. Each session is ended by a write of its own, so one that the
   * store cannot list stays as well.
   */
  endAllButNamed(
    userId: string,
    reason: EndReason,
    context: RequestContext,
    exceptId?: string,
  ): Promise<number>
}

/** What ending sessions needs. */
export interface SessionEndingDeps {
  readonly store: Pick<SessionStore, 'end' | 'endAllForUser' | 'listForUser'>
  readonly revocations: Pick<Revocations, 'announce' | 'invalidateUser'>
  readonly clock: () => Date
  readonly audit: Audit
}

/** Makes what ends sessions. */
export function createSessionEnding(deps: SessionEndingDeps): SessionEnding {
  const { store, revocations, clock } = deps

  async function end(
    session: SessionName,
    reason: EndReason,
    context: RequestContext,
  ): Promise<boolean> {
    const ended = await store.end(session.id, reason, clock()).catch((error: unknown) => {
      // The store may have ended it before its answer was lost.
      revocations.invalidateUser(session.userId)
      throw error
    })
    // Announced even when another call ended it: it must be gone from the memory of this process as
    // well.
    if (ended) await announceEnded(deps, [session], reason, context)
    else await revocations.announce([asEvent(session, reason, clock())])
    return ended
  }

  async function endTwice(userId: string, endOnce: () => Promise<number>): Promise<number> {
    try {
      // Twice: a session that was being opened during the first call was not there yet.
      return (await endOnce()) + (await endOnce())
    } finally {
      // A store that has lost a list ends more sessions than it can name. One that failed may have
      // ended them before its answer was lost.
      revocations.invalidateUser(userId)
    }
  }

  return {
    end,

    endAllForUser: (userId, reason, context, exceptId) =>
      endTwice(userId, async () => {
        const ids = await store.endAllForUser(userId, reason, clock(), exceptId)
        const ended = ids.filter((id) => !isStandIn(id)).map((id) => ({ id, userId }))
        await announceEnded(deps, ended, reason, context)
        return ended.length
      }),

    endAllButNamed: (userId, reason, context, exceptId) =>
      endTwice(userId, async () => {
        const live = await store.listForUser(userId, clock())
        const chosen = live.filter(({ id, kind }) => kind !== 'token' && id !== exceptId)
        const endOne = (session: SessionName) =>
          isStandIn(session.id)
            ? store.end(session.id, reason, clock()).then(() => false)
            : end(session, reason, context)
        return countInTurns(chosen, endOne)
      }),
  }
}

const atOnce = 20

// Not all at once: the store has requests to answer.
async function countInTurns(
  sessions: readonly SessionName[],
  endOne: (session: SessionName) => Promise<boolean>,
): Promise<number> {
  let count = 0
  for (let from = 0; from < sessions.length; from += atOnce) {
    const ended = await Promise.all(sessions.slice(from, from + atOnce).map(endOne))
    count += ended.filter(Boolean).length
  }
  return count
}

async function announceEnded(
  { audit, revocations, clock }: SessionEndingDeps,
  ended: readonly SessionName[],
  reason: EndReason,
  context: RequestContext,
): Promise<void> {
  for (const { id: sessionId, userId } of ended)
    audit({ type: 'session.ended', userId, sessionId, reason }, context)
  await revocations.announce(ended.map((session) => asEvent(session, reason, clock())))
}

function asEvent({ id, userId }: SessionName, reason: EndReason, at: Date) {
  return { sessionId: id, userId, reason, at }
}
