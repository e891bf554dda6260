import type { SessionKind, StoredKind } from './contract.js'

// The compiler misses a kind here as soon as the contract has a new one. A named token is for a
// program, a session of OAuth for an app of somebody else's or a service: they may do the least,
// though they are known. They pass where a guard names a scope that they have, and where they have
// `*`.
const full: Readonly<Record<SessionKind, boolean>> = {
  login: true,
  pkce: true,
  browser: true,
  token: false,
  oauth: false,
  service: false,
}

/**
 * Whether sessions of a kind may do all that their scope and their user may. One that this release
 * does not know may do the least that any kind may, until the deployment has rolled on.
 */
export function isKnownKind(kind: StoredKind): boolean {
  return Object.hasOwn(full, kind) && full[kind as SessionKind]
}
