import { nameOf } from '../sessions/named-sessions.js'
import type { SessionRecord } from '../stores/contract.js'

/**
 * A named token as its owner and the host see it. It contains neither the secret nor anything
 * derived from it.
 */
export interface NamedTokenSummary {
  /** Also the id of its session. */
  readonly id: string
  readonly name: string | null
  readonly scope: readonly string[]
  readonly createdAt: Date
  readonly lastSeenAt: Date
  readonly expiresAt: Date
  /** The address of its last use. */
  readonly ip: string | null
}

/** Describes a named token. */
export function summaryOf(session: SessionRecord): NamedTokenSummary {
  const { id, scope, createdAt, lastSeenAt, expiresAt, ip } = session
  return {
    id,
    name: nameOf(session),
    scope: scope.split(' '),
    createdAt,
    lastSeenAt,
    expiresAt,
    ip,
  }
}
