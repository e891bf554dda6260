import type { PasswordStats } from '../admission/admission.js'
import type { AuditStats, LimitStats } from '../audit/event-counts.js'
import type { MailStats } from '../mail/mailer.js'
import type { RpLogoutStats } from '../oauth/backchannel-logout.js'
import { bucketSeconds } from './counts.js'
import type { Kit } from './kit.js'

/** A value, with its labels: a suffix of the name may stand before them. */
type Sample = readonly [labels: string, value: number]

/**
 * Writes all numbers in the text format of Prometheus, version 0.0.4. Their series are the same
 * from the start to the end, since all labels are from closed lists.
 */
export function createMetrics(kit: Kit, stats: () => AuthStats): () => string {
  return function metrics() {
    return [
      ...events(kit.eventCounts),
      ...signIns(kit.signIns),
      ...calls(kit.calls),
      ...queue(stats()),
      ...others(stats()),
      ...(kit.directoryCounts.size === 0 ? [] : directories(kit)),
    ].join('')
  }
}

function events({ events }: Kit['eventCounts']): string[] {
  const samples = events().map(({ type, reason, count }): Sample => {
    const because = reason === null ? '' : `,reason="${reason}"`
    return [`{type="${type}"${because}}`, count]
  })
  return [family('counter', 'events_total', 'Audit events.', samples)]
}

function signIns(counts: Kit['signIns']): string[] {
  const help = 'Decisions whether somebody may be signed in.'
  const samples = counts().flatMap(({ door, allowed, refused }): Sample[] => [
    [`{door="${door}",outcome="allowed"}`, allowed],
    [`{door="${door}",outcome="refused"}`, refused],
  ])
  return [family('counter', 'sign_in_decisions_total', help, samples)]
}

function calls(counts: Kit['calls']): string[] {
  const all = counts()
  const durations = all.flatMap(({ part, buckets, seconds }): Sample[] => [
    ...buckets.map((count, index): Sample => {
      const most = bucketSeconds[index] ?? '+Inf'
      return [`_bucket{part="${part}",le="${most}"}`, count]
    }),
    [`_sum{part="${part}"}`, seconds],
    [`_count{part="${part}"}`, buckets.at(-1) ?? 0],
  ])
  const failures = all.map(({ part, failed }): Sample => [`{part="${part}"}`, failed])
  return [
    family('histogram', 'host_call_duration_seconds', 'Calls of parts of the host.', durations),
    family('counter', 'host_call_failures_total', 'Calls that failed.', failures),
  ]
}

function queue({ passwords }: AuthStats): string[] {
  const { waitMs } = passwords
  const name = (what: string) => `passwords_${what}`
  return [
    one('gauge', name('waiting'), 'Passwords that wait for the hasher.', passwords.waiting),
    one('gauge', name('running'), 'Passwords that the hasher works on.', passwords.running),
    one('gauge', name('concurrency'), 'The most of them at once.', passwords.concurrency),
    one('counter', name('completed_total'), 'Passwords done.', passwords.completed),
    one('counter', name('failed_total'), 'Passwords that the hasher failed.', passwords.failed),
    one('counter', name('refused_total'), 'Refused: the queue was full.', passwords.refused),
    one('counter', name('abandoned_total'), 'Whose client hung up.', passwords.abandoned),
    one('gauge', name('wait_p50_seconds'), 'Of the last minutes.', waitMs.p50 / 1000),
    one('gauge', name('wait_p99_seconds'), 'Of the last minutes.', waitMs.p99 / 1000),
  ]
}

function others({ sockets, audit, mail, rpLogout }: AuthStats): string[] {
  return [
    one('gauge', 'sockets_open', 'Open tracked sockets.', sockets.open),
    one('gauge', 'sockets_sessions', 'Sessions of open sockets.', sockets.sessions),
    one('counter', 'audit_delivered_total', 'Events that onEvent has taken.', audit.delivered),
    one('counter', 'audit_lost_total', 'Events that onEvent has lost.', audit.failed),
    one('gauge', 'mails_waiting', 'Mails under way.', mail.waiting),
    one('gauge', 'logout_tokens_waiting', 'Logout tokens under way.', rpLogout.waiting),
  ]
}

function directories({ directoryCounts, clock }: Kit): string[] {
  const all = [...directoryCounts]
  const calls = all.flatMap(([id, counts]) =>
    (['search', 'bind'] as const).map((call) => {
      return { labels: `directory="${id}",call="${call}"`, ...counts[call] }
    }),
  )
  const ended = calls.flatMap(({ labels, outcomes }) =>
    Object.entries(outcomes).map(([outcome, count]): Sample => {
      return [`{${labels},outcome="${outcome}"}`, count]
    }),
  )
  const seconds = calls.map(({ labels, seconds }): Sample => [`{${labels}}`, seconds])
  // The clock may have been set back.
  const now = clock().getTime()
  const ages = all.map(([id, { lookedAt }]): Sample => {
    return [`{directory="${id}"}`, Math.max(0, now - lookedAt.getTime()) / 1000]
  })
  const help = 'Since the last complete look, or the start.'
  return [
    family('counter', 'directory_calls_total', 'Searches and binds.', ended),
    family('counter', 'directory_call_seconds_total', 'How long they took.', seconds),
    family('gauge', 'directory_look_age_seconds', help, ages),
  ]
}

function one(type: 'counter' | 'gauge', name: string, help: string, value: number): string {
  return family(type, name, help, [['', value]])
}

function family(type: string, name: string, help: string, samples: readonly Sample[]): string {
  const full = `mar_${name}`
  const lines = samples.map(([labels, value]) => `${full}${labels} ${value}\n`)
  return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${lines.join('')}`
}

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
