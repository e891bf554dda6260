import type { Admission, PasswordStats } from '../admission/admission.js'
import type { AuditStats, EventCounts, LimitStats } from '../audit/audit.js'
import type { SocketRegistry } from '../guard/socket-closing.js'

/**
 * What `auth.stats()` answers: plain numbers of this process, no names, no addresses. Counts begin
 * at the start of the router.
 */
export interface AuthStats {
  /** The queue in front of the hasher. */
  readonly passwords: PasswordStats
  /** Tracked sockets that are open, and the sessions they belong to. */
  readonly sockets: { readonly open: number; readonly sessions: number }
  /** How often each limit on guessing was reached. One that never was is not in here. */
  readonly limits: LimitStats
  /** What became of the audit events. */
  readonly audit: AuditStats
}

export interface StatsDeps {
  readonly admission: Pick<Admission, 'stats'>
  readonly registry: Pick<SocketRegistry, 'size' | 'sessions'>
  readonly eventCounts: Pick<EventCounts, 'limits' | 'audit'>
}

/** Makes `auth.stats`. */
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
