import { oldestFirst } from '../stores/bounded-table.js'
import type { SessionRecord } from '../stores/contract.js'
import { goesByParent } from './ends-with-parent.js'
import type { SessionRowsKit } from './rows-kit.js'

/** How long an app's former session stays valid: another tab may use it. */
const appOverlapMs = 60_000

/**
 * If two tabs sign their browser in at once, nobody knows whose cookie it keeps. This is longer
 * than it takes to record a session in use, so the one in use stays and the other ends.
 */
const browserOverlapMs = 5 * 60_000

/**
 * Ends former sessions in the same place: all but the newest session of one app in one browser end
 * in a minute; all but the newest of a browser signed in by one web app end in five minutes, unless
 * in use.
 *
 * No timer: the store keeps the end, as an idle end. For an app's session nothing moves it later,
 * since the use of such sessions is not recorded. Of several sessions opened at once, each checks
 * after it was stored and gives way to a newer one, so the last one to check sees all of them and
 * one stays.
 *
 * @param session - a session that has just been stored
 * @param live - all live sessions of its user
 */
export async function replaceFormer(
  { store, clock }: SessionRowsKit,
  session: SessionRecord,
  live: readonly SessionRecord[],
): Promise<void> {
  const place = placeOf(session)
  if (place === null) return
  const overlapMs = session.kind === 'browser' ? browserOverlapMs : appOverlapMs
  const idleExpiresAt = new Date(clock().getTime() + overlapMs)
  await Promise.all(
    formerAmong(live.filter((one) => placeOf(one) === place))
      // Only ever earlier: a sign-in every half a minute must not keep all of them alive.
      .filter((one) => one.idleExpiresAt > idleExpiresAt)
      .map(({ id, lastSeenAt, ip }) => store.touch(id, { lastSeenAt, idleExpiresAt, ip })),
  )
}

/** Whether a session replaces former ones. */
export function replacesFormer(session: SessionRecord): boolean {
  return placeOf(session) !== null
}

/** The sessions replaced by a newer one, oldest first. */
export function formerAmong(sessions: readonly SessionRecord[]): SessionRecord[] {
  const replaceable = sessions.filter((one) => placeOf(one) !== null).toSorted(oldestFirst)
  const newest = new Map(replaceable.map((one) => [placeOf(one), one]))
  return replaceable.filter((one) => newest.get(placeOf(one)) !== one)
}

/**
 * Whether an app's session, read from the store, has been replaced by a newer one in the same
 * browser. Only that moves its idle end.
 */
export function isReplaced(session: SessionRecord): boolean {
  return goesByParent(session) && session.idleExpiresAt < session.expiresAt
}

// Sessions with the same place replace each other: those of one app in one browser, or of a browser
// signed in by one web app. Null for all others.
function placeOf(session: SessionRecord): string | null {
  const { kind, clientId, parentId } = session
  const isBrowserOfApp = kind === 'browser' && parentId !== undefined
  if (!isBrowserOfApp && !goesByParent(session)) return null
  return JSON.stringify([kind, parentId, clientId])
}
