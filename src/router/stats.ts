import type { AccountsServer } from '../accounts/accounts-server.js'
import type { Admission, PasswordStats } from '../admission/admission.js'
import type { AuditStats, EventCounts, LimitStats } from '../audit/event-counts.js'
import type { SocketRegistry } from '../guard/socket-closing.js'
import type { MailStats } from '../mail/mailer.js'
import type { BackchannelLogout } from '../oauth/backchannel-logout/backchannel-logout.js'
import type { RpLogoutStats } from '../oauth/backchannel-logout/logout-queue.js'

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

export interface StatsDeps {
  readonly admission: Pick<Admission, 'stats'>
  readonly registry: Pick<SocketRegistry, 'size' | 'sessions'>
  readonly eventCounts: Pick<EventCounts, 'limits' | 'audit'>
  readonly accountsServer: Pick<AccountsServer, 'mailStats'> | undefined
  readonly backchannelLogout: Pick<BackchannelLogout, 'stats'> | undefined
}

export function createStats(deps: StatsDeps): () => AuthStats {
  const { admission, registry, eventCounts, accountsServer, backchannelLogout } = deps
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
