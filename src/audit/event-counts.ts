import type { EndReason } from '../stores/contract.js'
import { levels } from './audit.js'
import type { AuthEventBody, EventCounter } from './events.js'
import type { MailFault } from './mail.js'
import type {
  ClientRefusal,
  ProviderRefusal,
  RefreshRefusal,
  RegisterRefusal,
  SignInRefusal,
  ThrottleScope,
} from './refusals.js'

/** Counts of audit events since the start. */
export interface AuditStats {
  /** `onEvent` returned, or its promise was fulfilled. */
  readonly delivered: number
  /** Lost: `onEvent` threw, or its promise was rejected. */
  readonly failed: number
}

/**
 * How often each limit was reached since the start. Limits that were never reached are absent.
 */
export type LimitStats = Readonly<Partial<Record<ThrottleScope, number>>>

/** How often one kind of event was raised. */
export interface EventCount {
  readonly type: AuthEventBody['type']
  /** Null if events of this type are not counted by their reason. */
  readonly reason: string | null
  readonly count: number
}

/** Counts audit events. */
export interface EventCounts extends EventCounter {
  audit(): AuditStats
  limits(): LimitStats
  /** All kinds, also kinds that were never raised: the number of entries never changes. */
  events(): readonly EventCount[]
}

// Closed lists: what a provider, a store of another release or a stranger has chosen is `other`.
// The compiler misses a word here as soon as its type has a new one.
const signInRefusals: Readonly<Record<SignInRefusal, true>> = {
  'unknown-user': true,
  'wrong-password': true,
  'password-over-72-bytes': true,
  'no-password': true,
  'unreadable-hash': true,
  disabled: true,
  'account-limit': true,
  'second-factor-required': true,
  'second-factor-invalid': true,
  vetoed: true,
  'directory-refused': true,
  actor: true,
  'password-expired': true,
}
const scopes: Readonly<Record<ThrottleScope, true>> = {
  identifier: true,
  account: true,
  network: true,
  'unknown-networks': true,
  'known-network': true,
  'second-factor': true,
  enrolment: true,
  endpoint: true,
  issuing: true,
  mail: true,
  'mail-network': true,
  'provider-flow': true,
  'mailed-code': true,
  'device-code': true,
  'client-registration': true,
  'device-link': true,
  'user-code': true,
  'user-code-network': true,
  directory: true,
  text: true,
  'text-network': true,
  'text-budget': true,
}
/** Why a session ends: all words. */
export const endReasons: Readonly<Record<EndReason, true>> = {
  logout: true,
  revoked: true,
  evicted: true,
  'code-replayed': true,
  'refresh-reused': true,
  'factor-changed': true,
  'password-changed': true,
  'consent-revoked': true,
  'client-disabled': true,
  'address-undone': true,
  'account-deleted': true,
  'upstream-logout': true,
  'identity-unlinked': true,
  'directory-left': true,
}
const refreshRefusals: Readonly<Record<Exclude<RefreshRefusal, SignInRefusal>, true>> = {
  'unknown-or-ended': true,
  reused: true,
  'consent-revoked': true,
  'action-required': true,
}
const clientRefusals: Readonly<Partial<Record<ClientRefusal, true>>> = {
  'unknown-client': true,
  disabled: true,
  'wrong-secret': true,
  'no-credentials': true,
  'credentials-of-another-kind': true,
  'assertion-replayed': true,
  'may-not-introspect': true,
}
const registerRefusals: Readonly<Record<RegisterRefusal, true>> = {
  closed: true,
  invitation: true,
  'username-taken': true,
  'address-taken': true,
  password: true,
  vetoed: true,
}
const providerRefusals: Readonly<Record<ProviderRefusal, true>> = {
  'not-connected': true,
  'no-user': true,
  'wrong-issuer': true,
  'address-taken': true,
  stale: true,
  'not-allowed': true,
}
const mailFaults: Readonly<Record<MailFault, true>> = {
  overflow: true,
  rejected: true,
  timeout: true,
  address: true,
  closed: true,
}

/** The types that are counted by their reason: those whose reasons call for different remedies. */
const reasons: Readonly<Partial<Record<AuthEventBody['type'], Readonly<Record<string, true>>>>> = {
  'login.failed': signInRefusals,
  'login.throttled': scopes,
  'session.ended': { ...endReasons, other: true },
  'refresh.refused': { ...refreshRefusals, other: true },
  'client.refused': { ...clientRefusals, other: true },
  'account.register-refused': registerRefusals,
  'provider.refused': { ...providerRefusals, other: true },
  'mail.failed': mailFaults,
}

export function createEventCounts(): EventCounts {
  const kinds = Object.keys(levels).map((name) => {
    const type = name as AuthEventBody['type']
    return [type, new Map(reasonsOf(type).map((reason) => [reason, 0]))] as const
  })
  const counts = new Map(kinds)
  let delivered = 0
  let failed = 0
  return {
    raised(event) {
      const ofType = counts.get(event.type)
      const reason = reasonOf(event)
      const key = ofType?.has(reason) ? reason : 'other'
      const count = ofType?.get(key)
      if (count !== undefined) ofType?.set(key, count + 1)
    },
    delivered() {
      delivered += 1
    },
    failed() {
      failed += 1
    },
    audit: () => ({ delivered, failed }),
    limits() {
      const reached = [...(counts.get('login.throttled') ?? [])].filter(([, count]) => count > 0)
      return Object.fromEntries(reached)
    },
    events: () =>
      kinds.flatMap(([type, ofType]) =>
        [...ofType].map(([reason, count]) => ({ type, reason: reason || null, count })),
      ),
  }
}

/** The empty text: not by reason. */
function reasonsOf(type: AuthEventBody['type']): readonly string[] {
  return Object.keys(reasons[type] ?? { '': true })
}

function reasonOf(event: AuthEventBody): string {
  if (!Object.hasOwn(reasons, event.type)) return ''
  if (event.type === 'login.throttled') return event.scope
  return 'reason' in event ? String(event.reason) : ''
}
