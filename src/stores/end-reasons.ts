import type { EndReason } from './contract.js'

// The compiler misses a reason here as soon as the contract has a new one: a list that was forgotten would have its messages ignored.
const known: Readonly<Record<EndReason, true>> = {
  logout: true,
  revoked: true,
  evicted: true,
  'code-replayed': true,
  'refresh-reused': true,
  'factor-changed': true,
}

/** All reasons, for whoever reads one that was stored or sent. */
export const endReasons: readonly EndReason[] = Object.keys(known) as EndReason[]
