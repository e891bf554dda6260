import type { SessionRecord, SessionStore } from '../stores/contract.js'
import { oldestFirst } from '../stores/oldest-first.js'
import { goesByParent } from './ends-with-parent.js'

export interface ReplaceFormerDeps {
  readonly store: Pick<SessionStore, 'touch'>
  readonly clock: () => Date
}

/** How long the former token of an app is good: another tab may hold it. */
const appOverlapMs = 60_000
/**
 * Of two tabs that sign their browser in at once, nobody knows whose cookie it keeps: longer than
 * it takes until a session in use is noted, so that the one in use stays and the other goes.
 */
const browserOverlapMs = 5 * 60_000

/**
 * Has all sessions of one app in one browser but the newest end in a minute, and all but the newest
 * of a browser that one web app has signed in, in five minutes, unless it is in use.
 *
 * @param session - one that has just been stored
 * @param live - those of its user
 */
export type ReplaceFormer = (
  session: SessionRecord,
  live: readonly SessionRecord[],
) => Promise<void>

/**
 * Makes what has the newest session take the place of the former ones. No timer: the store holds
 * the end, as an idle end, which nothing moves any more where it is an app's, since such sessions
 * are not noted as in use. Of several that are opened at once each looks when it is stored, and
 * gives way itself to a newer one, so whichever looks last sees all of them and one stays.
 */
export function createReplaceFormer({ store, clock }: ReplaceFormerDeps): ReplaceFormer {
  return async function replaceFormer(session, live) {
    const place = placeOf(session)
    if (place === null) return
    const overlapMs = session.kind === 'browser' ? browserOverlapMs : appOverlapMs
    const idleExpiresAt = new Date(clock().getTime() + overlapMs)
    await Promise.all(
      formerAmong(live.filter((one) => placeOf(one) === place))
        // Only ever sooner: signing in every half a minute must not keep all of them alive.
        .filter((one) => one.idleExpiresAt > idleExpiresAt)
        .map(({ id, lastSeenAt, ip }) => store.touch(id, { lastSeenAt, idleExpiresAt, ip })),
    )
  }
}

/** Whether a session takes the place of former ones. */
export function replacesFormer(session: SessionRecord): boolean {
  return placeOf(session) !== null
}

/** Those in whose place there is a newer one, the oldest first. */
export function formerAmong(sessions: readonly SessionRecord[]): SessionRecord[] {
  const replaceable = sessions.filter((one) => placeOf(one) !== null).toSorted(oldestFirst)
  const newest = new Map(replaceable.map((one) => [placeOf(one), one]))
  return replaceable.filter((one) => newest.get(placeOf(one)) !== one)
}

// Where one session is enough: an app in one browser, or the browser of one web app. Null for any
// other session.
function placeOf(session: SessionRecord): string | null {
  const { kind, clientId, parentId } = session
  const isBrowserOfApp = kind === 'browser' && parentId !== undefined
  if (!isBrowserOfApp && !goesByParent(session)) return null
  return JSON.stringify([kind, parentId, clientId])
}
