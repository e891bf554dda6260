import type { SessionRecord } from '../stores/contract.js'
import type { UseSession } from '../stores/fail-closed-stores.js'

// A child session ends with its parent, whatever ended the parent: an explicit end, idleness, the
// absolute end, a purge. Every read checks the row of the parent. Ending children explicitly
// (ending.ts) only closes their sockets at once; that they have ended does not depend on it.

/**
 * The most ancestors of a session: the browser of an app, the session that signed the browser in,
 * and the session that issued the code of that one.
 */
const maxAncestors = 3

/**
 * Finds a session that is alive together with all its ancestors. A session without a parent costs
 * one read.
 *
 * @param isAlive - whether a row has itself neither ended nor expired
 */
export function createFindLive(
  useSession: UseSession,
  isAlive: (session: SessionRecord) => boolean,
): (id: string) => Promise<SessionRecord | null> {
  return function findLive(id) {
    return useSession(id, (session) => {
      if (session === null || !isAlive(session)) return null
      if (session.actorSessionId !== undefined) return withActor(session, session.actorSessionId)
      return session.parentId === undefined ? session : withAncestors(session)
    })
  }

  // A session that acts ends with the actor's own, in the same way. It is another user's.
  async function withActor(session: SessionRecord, own: string): Promise<SessionRecord | null> {
    const actor = await useSession<SessionRecord | null>(own, itself)
    if (actor === null || !isAlive(actor) || actor.userId !== session.actorId) return null
    // Rows that name each other must not cause an endless loop.
    if (actor.actorId !== undefined) return null
    const isLive = actor.parentId === undefined || (await withAncestors(actor)) !== null
    return isLive ? session : null
  }

  async function withAncestors(session: SessionRecord): Promise<SessionRecord | null> {
    let { parentId } = session
    for (let above = 1; parentId !== undefined; above += 1) {
      // Rows that name each other must not cause an endless loop.
      const parent: SessionRecord | null =
        above > maxAncestors ? null : await useSession(parentId, itself)
      if (parent === null || !isAlive(parent) || parent.userId !== session.userId) return null
      parentId = parent.parentId
    }
    return session
  }
}

function itself<Value>(value: Value): Value {
  return value
}

/** The sessions whose parents are alive, out of all live sessions of a user. */
export function withLiveParents(sessions: readonly SessionRecord[]): SessionRecord[] {
  const known = new Map(sessions.map((session) => [session.id, session]))
  function hasLiveParents({ parentId }: SessionRecord, above = 1): boolean {
    if (parentId === undefined) return true
    const parent = above > maxAncestors ? undefined : known.get(parentId)
    return parent !== undefined && hasLiveParents(parent, above + 1)
  }
  return sessions.filter((session) => hasLiveParents(session))
}

/**
 * Whether a session has the times of its parent, as the session of an app without a refresh token.
 * The use of such a session is not recorded. It idles out with its browser, or when another session
 * replaces it (opening.ts).
 */
export function goesByParent({
  kind,
  parentId,
}: Pick<SessionRecord, 'kind' | 'parentId'>): boolean {
  return kind === 'oauth' && parentId !== undefined
}
