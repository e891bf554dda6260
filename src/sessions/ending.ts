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
  /** Ends all sessions that a session has opened. Says how many this call ended. */
  endChildren(parent: SessionName, reason: EndReason, context: RequestContext): Promise<number>
  /** Ends all sessions of a client, or those of one user at it. Says how many this call ended. */
  endClient(
    clientId: string,
    userId: string | null,
    reason: EndReason,
    context: RequestContext,
  ): Promise<number>
}

/** What ending sessions needs. */
export interface SessionEndingDeps {
  readonly store: Pick<
    SessionStore,
    'end' | 'endAllForUser' | 'listForUser' | 'find' | 'endAllForClient' | 'endChildren'
  >
  readonly revocations: Pick<Revocations, 'announce' | 'invalidateUser' | 'invalidateClient'>
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
      return await twice(endOnce)
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

    ...createEndingTogether(deps, endTwice),
  }
}

// That the store can is checked at the start, where the host lets other apps sign users in.
function createEndingTogether(
  deps: SessionEndingDeps,
  endTwice: (userId: string, endOnce: () => Promise<number>) => Promise<number>,
): Pick<SessionEnding, 'endChildren' | 'endClient'> {
  const { store, revocations, clock } = deps

  return {
    endChildren: ({ id, userId }, reason, context) =>
      endTwice(userId, async () => {
        const ids = (await store.endChildren?.(id, reason, clock())) ?? []
        await announceEnded(deps, ofUser(ids, userId), reason, context)
        return ids.length
      }),

    async endClient(clientId, userId, reason, context) {
      const endOnce = async (only: { readonly userId?: string }) => {
        const ids = (await store.endAllForClient?.(clientId, only, reason, clock())) ?? []
        if (only.userId !== undefined)
          await announceEnded(deps, ofUser(ids, only.userId), reason, context)
        else await announceOfWhomever(deps, ids, reason, context)
        return ids.length
      }
      if (userId !== null) return endTwice(userId, () => endOnce({ userId }))
      try {
        return await twice(() => endOnce({}))
      } finally {
        revocations.invalidateClient(clientId)
      }
    },
  }
}

// A session that was being opened during the first call was not there yet.
async function twice(endOnce: () => Promise<number>): Promise<number> {
  return (await endOnce()) + (await endOnce())
}

function ofUser(ids: readonly string[], userId: string): SessionName[] {
  return ids.map((id) => ({ id, userId }))
}

// The store has named the sessions alone. Those of which it cannot say whose they were have ended
// all the same: they are announced without a user, since sockets go by the session.
async function announceOfWhomever(
  deps: SessionEndingDeps,
  ids: readonly string[],
  reason: EndReason,
  context: RequestContext,
): Promise<void> {
  for (let from = 0; from < ids.length; from += atOnce) {
    const some = ids.slice(from, from + atOnce)
    const found = await Promise.all(some.map((id) => deps.store.find(id).catch(() => null)))
    const known = found.flatMap((session) => (session === null ? [] : [session]))
    await announceEnded(deps, known, reason, context)
    const others = some.filter((id) => !known.some((session) => session.id === id))
    await deps.revocations.announce(
      ofUser(others, '').map((session) => asEvent(session, reason, deps.clock())),
    )
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
