import type { AuditStats, EventCounts, LimitStats } from './event-counts.js'
import type { SocketRegistry } from './guard/socket-registry.js'
import type { Admission, PasswordStats } from './passwords/admission.js'

/** What `auth.stats()` answers: plain numbers of this process, no names, no addresses. Counts begin at the start of the router. */
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

/** Makes the reader of the router's own numbers. */
export function createStats(admission: Admission, registry: SocketRegistry, events: EventCounts): () => AuthStats {
  return () => ({
    passwords: admission.stats(),
    sockets: { open: registry.size, sessions: registry.sessions },
    limits: events.limits(),
    audit: events.audit(),
  })
}
