import type { DeviceOnPage } from '../view-parts.js'
import type { OwnDevice } from './parts.js'

/** A device, with the ids of all sessions on it. */
export interface SignedInDevice extends DeviceOnPage {
  readonly sessionIds: readonly string[]
}

/**
 * Groups sessions by the sign-in that they come from: an app that was signed in to from a browser
 * stands below that browser. The device that asks is first.
 */
export function groupDevices(sessions: readonly OwnDevice[]): SignedInDevice[] {
  const known = new Map(sessions.map((session) => [session.id, session]))
  const groups = new Map<OwnDevice, OwnDevice[]>()
  for (const session of sessions) {
    const signIn = signInOf(session, known)
    groups.set(signIn, [...(groups.get(signIn) ?? []), session])
  }
  return [...groups]
    .map(([signIn, all]) => deviceOf(signIn, all))
    .toSorted((one, other) => Number(other.current) - Number(one.current))
}

function deviceOf(signIn: OwnDevice, all: readonly OwnDevice[]): SignedInDevice {
  const { id, name, ip, createdAt } = signIn
  const lastSeenAt = new Date(Math.max(...all.map((one) => one.lastSeenAt.getTime())))
  const apps = all
    .filter((one) => one.kind === 'oauth' && one !== signIn)
    .map((app) => ({ id: app.id, name: app.name, lastSeenAt: app.lastSeenAt }))
  const current = all.some((one) => one.current)
  return {
    id,
    name,
    ip,
    createdAt,
    lastSeenAt,
    current,
    apps,
    sessionIds: all.map((one) => one.id),
  }
}

// A session of the kind `pkce` may be on another device than its opener.
function signInOf(session: OwnDevice, known: ReadonlyMap<string, OwnDevice>): OwnDevice {
  let signIn = session
  // Counted: rows that name one another must not hold up the process.
  for (let left = known.size; left > 0; left -= 1) {
    const isThere = signIn.kind === 'browser' || signIn.kind === 'oauth'
    const opener = isThere ? known.get(signIn.openedBy ?? '') : undefined
    if (opener === undefined) break
    signIn = opener
  }
  return signIn
}
