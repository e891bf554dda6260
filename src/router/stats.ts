import type { PasswordStats } from '../admission/admission.js'
import type { AuditStats, LimitStats } from '../audit/event-counts.js'
import type { MailStats } from '../mail/mailer.js'
import type { RpLogoutStats } from '../oauth/backchannel-logout/logout-queue.js'
import type { Kit } from './kit.js'

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
  /** Mails; zeros without the option `accounts`. */
  readonly mail: MailStats
  /** Logout tokens to apps; zeros without the option `oauth.logout`. */
  readonly rpLogout: RpLogoutStats
}

const none = Object.freeze({ sent: 0, failed: 0, waiting: 0 })

export function createStats(kit: Kit): () => AuthStats {
  const { admission, registry, eventCounts, accountsServer, backchannelLogout } = kit
  return function stats() {
    return {
      passwords: admission.stats(),
      sockets: { open: registry.size, sessions: registry.sessions },
      limits: eventCounts.limits(),
      audit: eventCounts.audit(),
      mail: accountsServer?.mailStats() ?? none,
      rpLogout: backchannelLogout?.stats() ?? none,
    }
  }
}
