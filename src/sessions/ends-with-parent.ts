import type { SessionRecord } from '../stores/contract.js'

// A session that another one has opened is over with that one, whatever it was that ended it:
// somebody, idleness, its absolute end, a purge. The row of the parent says so at every read. That
// children are ended together with it (ending.ts) closes their sockets at once; that they are over
// does not depend on it.

/**
 * The most above a session: the browser of an app, the session that signed the browser in, and the
 * one that issued the code of that.
 */
const maxAncestors = 3

/**
 * Makes what finds a session that is alive, and all those above it with it. A session without a
 * parent costs one read, as ever.
 *
 * @param find - the session, if it is within its own times
 */
export function createFindLive(
  find: (id: string) => Promise<SessionRecord | null>,
): (id: string) => Promise<SessionRecord | null> {
  return async function findLive(id) {
    const session = await find(id)
    let parentId = session?.parentId
    for (let above = 1; parentId !== undefined; above += 1) {
      // Rows that name each other must not keep the store busy for ever.
      const parent: SessionRecord | null = above > maxAncestors ? null : await find(parentId)
      if (parent === null || parent.userId !== session?.userId) return null
      parentId = parent.parentId
    }
    return session
  }
}

/** Those of a user's sessions that are not over with their parents. All that live are given. */
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
 * Whether a session goes by the times of its parent: that of an app without a refresh token. It is
 * not noted as in use, and idles out with the browser alone, or where another takes its place
 * (replacing.ts).
 */
export function goesByParent({
  kind,
  parentId,
}: Pick<SessionRecord, 'kind' | 'parentId'>): boolean {
  return kind === 'oauth' && parentId !== undefined
}
