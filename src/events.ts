import type { HostFailure } from './lib/host-call.js'
import type { AuthenticationMethod, EndReason, SessionKind } from './stores/contract.js'

/** Why a sign-in was refused. Clients are told less. */
export type SignInRefusal =
  | 'unknown-user'
  | 'wrong-password'
  | 'no-password'
  | 'unreadable-hash'
  | 'disabled'
  | 'second-factor-required'
  | 'second-factor-invalid'
  | 'vetoed'

/** Why a code was not exchanged. */
export type CodeRefusal = 'unknown' | 'replayed' | 'wrong-verifier' | 'issuing-session-ended' | SignInRefusal

/** Why a refresh token was not exchanged. */
export type RefreshRefusal = 'unknown-or-ended' | 'reused' | SignInRefusal

/** Which limit was reached. */
export type ThrottleScope =
  | 'account'
  | 'network'
  | 'unknown-networks'
  | 'known-network'
  | 'second-factor'
  | 'enrolment'
  | 'endpoint'

/**
 * Everything the audit stream can say. No member has room for a password, a token, a code or a seed; an identifier that
 * belongs to nobody appears only as a digest (keyed where `encryptionKeys` are set), because people type passwords into the name field.
 */
export type AuthEventBody =
  /** A login was complete: password, and second factor where the user has one. */
  | {
      readonly type: 'login.succeeded'
      readonly userId: string
      readonly sessionId: string
      readonly methods: readonly AuthenticationMethod[]
    }
  /** A login was refused. The client is told less than `reason`. */
  | {
      readonly type: 'login.failed'
      readonly reason: SignInRefusal
      readonly identifierDigest: string
      readonly userId: string | null
    }
  /** An attempt was refused before it was judged, because a limit was reached; `userId` where the scope is `second-factor` or `enrolment`. With `dryRun` it was let pass. */
  | {
      readonly type: 'login.throttled'
      readonly scope: ThrottleScope
      readonly userId: string | null
      readonly retryAfter: number
      readonly dryRun: boolean
    }
  /** The host has lifted the limits of an identifier, as a support desk does; `userId` where it belongs to somebody. */
  | { readonly type: 'login.unlocked'; readonly identifierDigest: string; readonly userId: string | null }
  /** Too many passwords were waiting: a login was answered with 503, or an upgrade of a hash was left to the next login. */
  | { readonly type: 'login.overloaded'; readonly waiting: number; readonly retryAfter: number }
  /** An authorization code was issued, to the session `sessionId`, or to the host when that is null. */
  | { readonly type: 'code.issued'; readonly userId: string; readonly sessionId: string | null }
  /** An authorization code was exchanged; it opened the session `sessionId`. */
  | { readonly type: 'code.redeemed'; readonly userId: string; readonly sessionId: string }
  /** An authorization code was not exchanged, or, to the host, not issued. */
  | { readonly type: 'code.refused'; readonly reason: CodeRefusal; readonly userId: string | null }
  /** A session began. */
  | {
      readonly type: 'session.started'
      readonly userId: string
      readonly sessionId: string
      readonly kind: SessionKind
      readonly methods: readonly AuthenticationMethod[]
    }
  /** A session ended, and with it its tokens, codes, tickets and sockets. */
  | { readonly type: 'session.ended'; readonly userId: string; readonly sessionId: string; readonly reason: EndReason }
  /** Tokens were refreshed. */
  | { readonly type: 'refresh.succeeded'; readonly userId: string; readonly sessionId: string }
  /** A spent refresh token was shown again when its time was over: one of its two holders has stolen it. The session was ended. */
  | { readonly type: 'refresh.reused'; readonly userId: string; readonly sessionId: string }
  /** A refresh token was refused. */
  | {
      readonly type: 'refresh.refused'
      readonly reason: RefreshRefusal
      readonly userId: string | null
      readonly sessionId: string | null
    }
  /** The credentials of a request or an upgrade were refused. */
  | { readonly type: 'request.refused'; readonly reason: string }
  /** A signed-in user was asked for the password again, and the answer was wrong. */
  | { readonly type: 'password.refused'; readonly userId: string; readonly reason: SignInRefusal }
  /** A hash was brought up to the present setting after a login. */
  | { readonly type: 'password.rehashed'; readonly userId: string }
  /** A stored hash cannot be read, so its user cannot sign in: see to it. */
  | { readonly type: 'password.unreadable'; readonly userId: string }
  /** A user has begun to set up TOTP; nothing is active yet. */
  | { readonly type: 'second-factor.begun'; readonly userId: string }
  /** A user has switched TOTP on. The user's other sessions end. */
  | { readonly type: 'second-factor.enabled'; readonly userId: string }
  /** A user has switched TOTP off. The user's other sessions end. */
  | { readonly type: 'second-factor.disabled'; readonly userId: string }
  /** A user who wanted to change the second factor sent a wrong code. */
  | { readonly type: 'second-factor.refused'; readonly userId: string }
  /** The host has taken a user's second factor away, as a support desk does. The user's sessions end. */
  | { readonly type: 'second-factor.reset'; readonly userId: string; readonly hadFactor: boolean }
  /** A factor of the host's, `method`, has sent a user a code. */
  | { readonly type: 'second-factor.code-sent'; readonly userId: string; readonly method: string }
  /** A user has made new recovery codes; the old ones are void. */
  | { readonly type: 'recovery-codes.replaced'; readonly userId: string }
  /** A second factor was taken over from another system. */
  | { readonly type: 'second-factor.imported'; readonly userId: string }
  /** A sealed seed cannot be opened, so its user cannot sign in: is an encryption key missing? */
  | { readonly type: 'second-factor.unreadable'; readonly userId: string }
  /** A recovery code was used up. */
  | { readonly type: 'recovery-code.used'; readonly userId: string }
  /** Another process wrote a time more than 30 s ahead of ours, `seconds` at least: a clock is wrong. Once a minute at most. */
  | { readonly type: 'clock.skewed'; readonly seconds: number }
  /** A store, hook, signer or hasher of the host failed, or answered what its contract does not allow. */
  | ({ readonly type: 'host.failed' } & HostFailure)

/** Who asked, as far as it is known. All null when the host called a function of its own accord. */
export interface RequestContext {
  readonly requestId: string | null
  /** The client's address under the host's proxy setting; never an unchecked header. */
  readonly ip: string | null
  readonly userAgent: string | null
}

/** One audit event: what happened, when (UTC), and in which request. */
export type AuthEvent = AuthEventBody & { readonly at: Date } & Pick<RequestContext, 'requestId' | 'ip'>

/** Receives audit events. It may be slow, throw or reject: it is never waited for, and the log is told once that it failed. */
export type EventSink = (event: AuthEvent) => void | Promise<void>

/** What the package needs of a logger: `console` fits, and so does anything that takes a message and fields. */
export interface Logger {
  debug(message: string, fields?: object): void
  info(message: string, fields?: object): void
  warn(message: string, fields?: object): void
  error(message: string, fields?: object): void
}

/** The context of an action that no request asked for. */
export const noRequest: RequestContext = Object.freeze({ requestId: null, ip: null, userAgent: null })

/** Counts events for the operator. */
export interface EventCounter {
  raised(event: AuthEventBody): void
  /** The sink has taken one. */
  delivered(): void
  /** The sink threw or rejected, so that one is lost. */
  failed(): void
}

/** Records one event. */
export type Audit = (event: AuthEventBody, context: RequestContext) => void

/** How loud each event is in the log. */
const levels: Readonly<Record<AuthEvent['type'], keyof Logger>> = {
  'login.succeeded': 'info',
  'login.failed': 'info',
  'login.throttled': 'warn',
  'login.unlocked': 'warn',
  'login.overloaded': 'warn',
  'code.issued': 'debug',
  'code.redeemed': 'info',
  'code.refused': 'info',
  'session.started': 'debug',
  'session.ended': 'info',
  'refresh.succeeded': 'debug',
  'refresh.reused': 'warn',
  'refresh.refused': 'info',
  'request.refused': 'debug',
  'password.refused': 'info',
  'password.rehashed': 'info',
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
  'clock.skewed': 'warn',
  'host.failed': 'error',
}

/** Makes the one writer of audit events: to the sink and to the log. Neither can hold up or fail a sign-in. */
export function createAudit(sink: EventSink | undefined, logger: Logger, clock: () => Date, counts: EventCounter): Audit {
  let warned = false
  const onSinkFailure = () => {
    counts.failed()
    if (warned) return
    warned = true
    harmlessly(() => logger.error('onEvent failed; sign-ins go on, but audit events are being lost'))
  }
  return (body, { requestId, ip }) => {
    const event: AuthEvent = Object.freeze({ ...body, at: clock(), requestId, ip })
    counts.raised(event)
    const { type, ...fields } = event
    harmlessly(() => logger[levels[type]](type, fields))
    if (sink !== undefined) harmlessly(() => deliver(sink, event, counts), onSinkFailure)
  }
}

async function deliver(sink: EventSink, event: AuthEvent, counts: EventCounter): Promise<void> {
  await sink(event)
  counts.delivered()
}

// What the host's sink and logger throw or reject with must not reach a sign-in, nor end the process.
function harmlessly(work: () => void | Promise<void>, onFailure: () => void = () => {}): void {
  Promise.resolve().then(work).catch(onFailure)
}
