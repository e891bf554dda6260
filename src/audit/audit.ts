import { type Logger, silentLogger } from '../lib/logger.js'
import type { LoginIdentifier, UserStore } from '../users/contract.js'
import {
  type Audit,
  type AuthEvent,
  type EventCounter,
  type EventObserver,
  type EventSink,
  noRequest,
} from './events.js'

/** Writes audit events to the sink and to the log. Neither can delay or fail a sign-in. */
export function createAudit(
  sink: EventSink | undefined,
  logger: Logger,
  clock: () => Date,
  counts: EventCounter,
  observers: readonly EventObserver[],
): Audit {
  let warned = false
  const onSinkFailure = () => {
    counts.failed()
    if (warned) return
    warned = true
    harmlessly(() =>
      logger.error('onEvent failed; sign-ins go on, but audit events are being lost'),
    )
  }
  return function audit(body, context) {
    counts.raised(body)
    for (const observe of observers) observe(body, context)
    const isLogged = logger !== silentLogger
    if (sink === undefined && !isLogged) return
    const { requestId, ip, actor } = context
    const who = actor === undefined ? {} : { actor }
    const event: AuthEvent = Object.freeze({ ...body, at: clock(), requestId, ip, ...who })
    if (isLogged) {
      const { type, ...fields } = event
      harmlessly(() => logger[levels[type]](type, fields))
    }
    if (sink !== undefined) harmlessly(() => deliver(sink, event, counts), onSinkFailure)
  }
}

async function deliver(sink: EventSink, event: AuthEvent, counts: EventCounter): Promise<void> {
  await sink(event)
  counts.delivered()
}

const resolved = Promise.resolve()

// Errors of the host's sink and logger must neither fail a sign-in nor end the process.
function harmlessly(work: () => void | Promise<void>, onFailure: () => void = () => {}): void {
  resolved.then(work).catch(onFailure)
}

/** Takes a time that some process has stored as its current time; `now` is that of this process. */
export type NoticeTime = (written: Date, now: Date) => void

/** Half the tolerance of a refresh, to report a skew before it affects honest clients. */
const minSkewMs = 10_000
const skewPauseMs = 60_000

/**
 * Raises `clock.skewed` for a stored time 10 seconds or more ahead of this process's clock, at most
 * once a minute. One-time use is safe at any skew; expiry is inexact, and tokens may be refused as
 * not issued yet.
 */
export function createClockWatch(audit: Audit): NoticeTime {
  let reportedAt = Number.NEGATIVE_INFINITY
  return function noticeTime(written, at) {
    const now = at.getTime()
    const ahead = written.getTime() - now
    // The absolute value: a clock set back by an hour must not silence this for an hour.
    if (ahead < minSkewMs || Math.abs(now - reportedAt) < skewPauseMs) return
    reportedAt = now
    audit({ type: 'clock.skewed', seconds: Math.round(ahead / 1000) }, noRequest)
  }
}

/**
 * Call it for a login that found no user: with the name as typed, the name as looked up, and a
 * signal that aborts when the login is answered.
 */
export type NoticeSpelling = (
  typed: LoginIdentifier,
  asked: LoginIdentifier,
  answered: AbortSignal,
) => void

const spellingPauseMs = 60_000

/**
 * Detects that a host stores names as typed while logins look them up in lower case; such logins
 * look like wrong passwords. At most once a minute it looks up a name as typed, until one is found.
 * It runs after the response, so timing reveals nothing.
 */
export function createSpellingWatch(
  users: UserStore,
  clock: () => Date,
  audit: Audit,
): NoticeSpelling {
  let isReported = false
  let askedAt = Number.NEGATIVE_INFINITY

  async function ask(typed: LoginIdentifier): Promise<void> {
    const user = await users.findByIdentifier(typed)
    if (user === null || isReported) return
    // A database that compares loosely finds other users, too.
    if (typed.kind === 'username' && user.username !== typed.value) return
    isReported = true
    audit({ type: 'user.unreachable', userId: user.id }, noRequest)
  }

  return function noticeSpelling(typed, asked, answered) {
    const now = clock().getTime()
    // The absolute value: a clock set back by an hour must not silence this for an hour.
    if (isReported || typed.value === asked.value || Math.abs(now - askedAt) < spellingPauseMs)
      return
    askedAt = now
    // A failed lookup reports itself.
    answered.addEventListener('abort', () => void ask(typed).catch(() => {}), { once: true })
  }
}

/** The log level of each event. */
export const levels: Readonly<Record<AuthEvent['type'], keyof Logger>> = {
  'login.succeeded': 'info',
  'login.new-network': 'info',
  'login.failed': 'info',
  'login.throttled': 'warn',
  'login.unlocked': 'warn',
  'user.mismatched': 'warn',
  'user.unreachable': 'warn',
  'login.overloaded': 'warn',
  'code.issued': 'debug',
  'code.redeemed': 'info',
  'code.refused': 'info',
  'session.started': 'debug',
  'session.opened': 'info',
  'session.acted-for': 'warn',
  'session.refused': 'info',
  'session.ended': 'info',
  'named-token.created': 'info',
  'refresh.succeeded': 'debug',
  'refresh.repeated': 'info',
  'refresh.reused': 'warn',
  'refresh.refused': 'info',
  'client.refused': 'info',
  'client-document.refused': 'info',
  'client.registered': 'info',
  'client-registration.refused': 'info',
  'client.changed': 'info',
  'signing-key.changed': 'warn',
  'consent.granted': 'info',
  'consent.revoked': 'info',
  'page.refused': 'info',
  'logout.requested': 'info',
  'request.refused': 'debug',
  'password.refused': 'info',
  'password.rehashed': 'info',
  'password.temporary': 'warn',
  'document.accepted': 'info',
  'password.contested': 'warn',
  'password.unreadable': 'warn',
  'second-factor.begun': 'info',
  'second-factor.enabled': 'info',
  'second-factor.disabled': 'info',
  'second-factor.refused': 'info',
  'second-factor.reset': 'warn',
  'second-factor.code-sent': 'info',
  'recovery-codes.replaced': 'info',
  'second-factor.imported': 'info',
  'second-factor.unreadable': 'warn',
  'recovery-code.used': 'info',
  'remembered.added': 'info',
  'remembered.ended': 'info',
  'remembered.reused': 'warn',
  'clock.skewed': 'warn',
  'clock.ahead': 'error',
  'host.failed': 'error',
  'mail.queued': 'debug',
  'mail.failed': 'warn',
  'rp-logout.sent': 'debug',
  'rp-logout.failed': 'warn',
  'passkey.added': 'info',
  'passkey.removed': 'info',
  'passkey.reset': 'warn',
  'passkey.used': 'debug',
  'passkey.refused': 'info',
  'passkey.counter-regressed': 'info',
  'passkey.clone-suspected': 'warn',
  'passkey.backup-changed': 'info',
  reauthenticated: 'info',
  'password.changed': 'info',
  'password.reset': 'info',
  'password.refused-by-rules': 'debug',
  'password.breached': 'warn',
  'password.breach-check-failed': 'warn',
  'address.verified': 'info',
  'address.changed': 'info',
  'address.undone': 'warn',
  'phone.claimed': 'warn',
  'phone.removed': 'warn',
  'phone.prefix-paused': 'warn',
  'account.deleted': 'warn',
  'proof.refused': 'info',
  'account.registered': 'info',
  'account.register-refused': 'info',
  'invitation.created': 'info',
  'invitation.used': 'info',
  'invitation.revoked': 'info',
  'provider.started': 'debug',
  'provider.refused': 'info',
  'provider.logout': 'info',
  'device-link.requested': 'debug',
  'device-link.opened': 'info',
  'device-link.approved': 'info',
  'device-link.denied': 'info',
  'device-link.refused': 'info',
  'directory.refused': 'info',
  'directory.ambiguous': 'warn',
  'directory.name-taken': 'warn',
  'directory.left': 'warn',
  'directory.not-looked': 'error',
  'identity.linked': 'warn',
  'identity.unlinked': 'warn',
  'device.requested': 'info',
  'device.approved': 'warn',
  'device.denied': 'warn',
  'device.refused': 'info',
}
