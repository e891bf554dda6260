import type { Admission, PasswordStats } from '../admission/admission.js'
import type { AuditStats, EventCounts, LimitStats } from '../audit/audit.js'
import type { SocketRegistry } from '../guard/socket-closing.js'

/**
 * The result of `auth.stats()`: numbers of this process, without names and addresses. Counts start
 * with the router.
 */
export interface AuthStats {
  /** The queue in front of the hasher. */
  readonly passwords: PasswordStats
  /** Open tracked sockets, and their sessions. */
  readonly sockets: { readonly open: number; readonly sessions: number }
  /** How often each limit on guessing was reached. Limits that were never reached are absent. */
  readonly limits: LimitStats
  /** Counts of audit events. */
  readonly audit: AuditStats
}

export interface StatsDeps {
  readonly admission: Pick<Admission, 'stats'>
  readonly registry: Pick<SocketRegistry, 'size' | 'sessions'>
  readonly eventCounts: Pick<EventCounts, 'limits' | 'audit'>
}

export function createStats({ admission, registry, eventCounts }: StatsDeps): () => AuthStats {
  return function stats() {
    return {
      passwords: admission.stats(),
      sockets: { open: registry.size, sessions: registry.sessions },
      limits: eventCounts.limits(),
      audit: eventCounts.audit(),
    }
  }
}
