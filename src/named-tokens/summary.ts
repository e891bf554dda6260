import { nameOf } from '../sessions/named-sessions.js'
import type { SessionRecord } from '../stores/contract.js'

/** A named token as its owner and the host see it: never the secret, nor anything made from it. */
export interface NamedTokenSummary {
  /** Also the id of its session. */
  readonly id: string
  readonly name: string | null
  readonly scope: readonly string[]
  readonly createdAt: Date
  readonly lastSeenAt: Date
  readonly expiresAt: Date
  /** From where it was last used. */
  readonly ip: string | null
}

/** What is shown of a named token. */
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
