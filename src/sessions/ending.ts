import type { RequestContext } from '../audit/events.js'
import type { EndReason, SessionRecord, SessionStore } from '../stores/contract.js'
import { isPlaceholder } from './placeholder-session.js'
import type { SessionRowsKit } from './rows-kit.js'

/** Identifies a session that may not have been read. */
export type SessionName = Pick<SessionRecord, 'id' | 'userId'> &
  Partial<Pick<SessionRecord, 'kind'>>

/** Ends sessions durably, and announces that to all caches and sockets. */
export interface SessionEnding {
  /**
   * Returns true if this call ended the session. Its children end with it, even if another call had
   * ended the session itself: that call may have failed before it came to the children.
   */
  end(session: SessionName, reason: EndReason, context: RequestContext): Promise<boolean>
  /**
   * Ends all sessions of a user except `exceptId`, and except `openerId` if the exception needs it.
   * Also forgets remembered browsers. Returns how many this call ended.
   */
  endAllForUser(
    userId: string,
    reason: EndReason,
    context: RequestContext,
    exceptId?: string,
    openerId?: string,
  ): Promise<number>
  /**
   * Like `endAllForUser`, but named tokens stay. Each session is ended by a write of its own, so a
   * session that the store cannot list stays as well.
   */
  endAllButNamed(
    userId: string,
    reason: EndReason,
    context: RequestContext,
    exceptId?: string,
    openerId?: string,
  ): Promise<number>
  /**
   * Forgets the browsers that are not asked for the user's second factor, for a change that ends no
   * session. Rejects with 503.
   */
  forgetBrowsers(userId: string): Promise<unknown>
  /**
   * Ends all sessions of a client, or the sessions of one user at the client. Returns how many this
   * call ended.
   */
  endClient(
    clientId: string,
    userId: string | null,
    reason: EndReason,
    context: RequestContext,
  ): Promise<number>
  /**
   * Calls `listener` with the row of each session of an app that a call here has ended, before that
   * call resolves. Without a listener no row is read for it. A row that cannot be read is left out.
   */
  onAppSessionEnded(listener: EndedListener): void
}

/** Receives an ended session, and the request that ended it. */
export type EndedListener = (session: SessionRecord, context: RequestContext) => void

export function createSessionEnding(rows: SessionRowsKit): SessionEnding {
  const listeners: EndedListener[] = []
  const kit: Announcing = { ...rows, listeners }
  const { store, revocations, clock } = rows
  const endChildren = createEndChildren(kit)
  const endTwice = createEndTwice(rows, rows.forgetBrowsers)

  async function endAlone(
    session: SessionName,
    reason: EndReason,
    context: RequestContext,
  ): Promise<boolean> {
    const ended = await store.end(session.id, reason, clock()).catch((error: unknown) => {
      // The store may have ended it before its answer was lost.
      revocations.invalidateUser(session.userId)
      throw error
    })
    // Announced even if another call ended it: this process must drop it from its cache as well.
    if (ended) await announceEnded(kit, [session], reason, context)
    else await revocations.announce([asEvent(session, reason, clock())])
    return ended
  }

  // Each by a write of its own. The children are among them.
  function endListed(
    userId: string,
    reason: EndReason,
    context: RequestContext,
    isKept: (session: SessionRecord) => boolean,
  ): Promise<number> {
    const endOne = (session: SessionName) =>
      isPlaceholder(session.id)
        ? store.end(session.id, reason, clock()).then(() => false)
        : endAlone(session, reason, context)
    return endTwice(userId, async () =>
      countInTurns(await unkept(store, userId, clock(), isKept), endOne),
    )
  }

  return {
    async end(session, reason, context) {
      const ended = await endAlone(session, reason, context)
      await endChildren(session, reason, context)
      return ended
    },

    // Children belong to the user, too, so they end as well.
    endAllForUser(userId, reason, context, exceptId, openerId) {
      // The single write of the store can keep only one.
      if (openerId !== undefined)
        return endListed(userId, reason, context, ({ id }) => id === exceptId || id === openerId)
      return endTwice(userId, async () => {
        const ids = await store.endAllForUser(userId, reason, clock(), exceptId)
        const ended = ids.filter((id) => !isPlaceholder(id)).map((id) => ({ id, userId }))
        await announceEnded(kit, ended, reason, context)
        return ended.length
      })
    },

    endAllButNamed: (userId, reason, context, exceptId, openerId) =>
      endListed(userId, reason, context, ({ id, kind }) => {
        return kind === 'token' || id === exceptId || id === openerId
      }),

    forgetBrowsers: async (userId) => rows.forgetBrowsers?.(userId),

    // The browsers of the user have nothing to do with one app.
    endClient: createEndClient(kit, createEndTwice(rows)),

    onAppSessionEnded: (listener) => void listeners.push(listener),
  }
}

function createEndTwice(
  { revocations }: SessionRowsKit,
  forgetBrowsers?: SessionRowsKit['forgetBrowsers'],
) {
  return async function endTwice(userId: string, endOnce: () => Promise<number>): Promise<number> {
    try {
      const ended = await twice(endOnce)
      // After the sessions: a sign-in under way remembers its browser, then checks its session.
      await forgetBrowsers?.(userId)
      return ended
    } finally {
      // A store that has lost a list ends more sessions than it can name, and a failed store may
      // have ended them before its answer was lost.
      revocations.invalidateUser(userId)
    }
  }
}

interface Announcing extends SessionRowsKit {
  readonly listeners: readonly EndedListener[]
}

async function unkept(
  store: Pick<SessionStore, 'listForUser'>,
  userId: string,
  now: Date,
  isKept: (session: SessionRecord) => boolean,
): Promise<SessionRecord[]> {
  const live = await store.listForUser(userId, now)
  return live.filter((session) => !isKept(session))
}

/** Kinds of sessions that open no others. */
const childless: readonly (string | undefined)[] = ['token', 'oauth', 'service', 'acting']

// Children end after their parent: a session being opened now checks its parent again after it is
// stored (src/pkce/redeem-code.ts), so one of the two sees the other. If the store fails, remaining
// children end at their next read (ends-with-parent.ts).
function createEndChildren(
  kit: Announcing,
): (parent: SessionName, reason: EndReason, context: RequestContext) => Promise<void> {
  const { store, revocations, clock, opensChildren } = kit

  async function endThoseOf(parents: readonly SessionName[], reason: EndReason) {
    const ended: SessionName[] = []
    for (const { id, userId } of parents) {
      const ids = (await store.endChildren?.(id, reason, clock())) ?? []
      ended.push(...ofUser(ids, userId))
    }
    return ended
  }

  return async function endChildren(parent, reason, context) {
    if (!opensChildren || childless.includes(parent.kind)) return
    // A browser opens only sessions of apps. A web app also signs in its browser, and another
    // device, which does the same.
    const generations = parent.kind === 'browser' ? 1 : 3
    let parents: readonly SessionName[] = [parent]
    try {
      for (let ended = 0; ended < generations; ended += 1) {
        parents = await endThoseOf(parents, reason)
        await announceEnded(kit, parents, reason, context)
      }
    } catch (error) {
      // The store may have ended them before its answer was lost.
      revocations.invalidateUser(parent.userId)
      throw error
    }
  }
}

// This is checked at the start: with OAuth the store has this method.
function createEndClient(
  kit: Announcing,
  endTwice: (userId: string, endOnce: () => Promise<number>) => Promise<number>,
): SessionEnding['endClient'] {
  const { store, revocations, clock } = kit

  return async function endClient(clientId, userId, reason, context) {
    const endSome = async (only: { readonly userId?: string }) => {
      const asked = { ...only, limit: mostInOneCall }
      const ids = (await store.endAllForClient?.(clientId, asked, reason, clock())) ?? []
      if (only.userId !== undefined)
        await announceEnded(kit, ofUser(ids, only.userId), reason, context)
      else await announceOfWhomever(kit, ids, reason, context)
      return ids
    }
    const endOnce = async (only: { readonly userId?: string }) => {
      const ended = new Set<string>()
      for (;;) {
        const before = ended.size
        const ids = await endSome(only)
        for (const id of ids) ended.add(id)
        // A store that keeps naming the same sessions must not cause an endless loop.
        if (ids.length < mostInOneCall || ended.size === before) return ended.size
      }
    }
    if (userId !== null) return endTwice(userId, () => endOnce({ userId }))
    try {
      return await twice(() => endOnce({}))
    } finally {
      revocations.invalidateClient(clientId)
    }
  }
}

// A session being opened during the first call may not have been stored yet.
async function twice(endOnce: () => Promise<number>): Promise<number> {
  return (await endOnce()) + (await endOnce())
}

function ofUser(ids: readonly string[], userId: string): SessionName[] {
  return ids.map((id) => ({ id, userId }))
}

// The store has returned only session ids. Sessions whose user it no longer knows have ended all
// the same: they are announced without a user, since sockets are found by session.
async function announceOfWhomever(
  kit: Announcing,
  ids: readonly string[],
  reason: EndReason,
  context: RequestContext,
): Promise<void> {
  for (let from = 0; from < ids.length; from += atOnce) {
    const some = ids.slice(from, from + atOnce)
    const found = await Promise.all(some.map((id) => kit.store.find(id).catch(() => null)))
    const known = found.flatMap((session) => (session === null ? [] : [session]))
    for (const session of known) tell(kit, session, context)
    await announceNames(kit, known, reason, context)
    const others = some.filter((id) => !known.some((session) => session.id === id))
    await kit.revocations.announce(
      ofUser(others, '').map((session) => asEvent(session, reason, kit.clock())),
    )
  }
}

const atOnce = 20
/** Sessions of a client per call: all in one call could exceed the store's time limit. */
const mostInOneCall = 500

// The sessions are not ended all at once: the store has other requests to answer.
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
  kit: Announcing,
  ended: readonly SessionName[],
  reason: EndReason,
  context: RequestContext,
): Promise<void> {
  const isAwaited = kit.listeners.length > 0
  await Promise.all([
    announceNames(kit, ended, reason, context),
    ...(isAwaited ? [readAndTell(kit, ended, context)] : []),
  ])
}

// The sessions are read after the end, so that they are the sessions that this call ended; their
// rows remain. The reads are awaited, so that a host that ends very many sessions does not get
// ahead of the store.
async function readAndTell(
  kit: Announcing,
  ended: readonly SessionName[],
  context: RequestContext,
): Promise<void> {
  const asked = ended.filter(({ kind = 'oauth' }) => kind === 'oauth')
  for (let from = 0; from < asked.length; from += atOnce) {
    const read = asked.slice(from, from + atOnce).map(({ id }) => kit.store.find(id))
    const found = await Promise.allSettled(read)
    for (const one of found)
      if (one.status === 'fulfilled' && one.value !== null) tell(kit, one.value, context)
  }
}

function tell({ listeners }: Announcing, session: SessionRecord, context: RequestContext): void {
  if (session.kind !== 'oauth') return
  for (const listener of listeners) listener(session, context)
}

async function announceNames(
  { audit, revocations, clock }: SessionRowsKit,
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
