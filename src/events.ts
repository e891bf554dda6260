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

/** Which limit was reached. */
export type ThrottleScope = 'account' | 'network' | 'second-factor'

/**
 * Everything the audit stream can say. No member has room for a password, a token, a code or a seed; an identifier that
 * belongs to nobody appears only as a keyed digest, because people type passwords into the name field.
 */
export type AuthEventBody =
  | {
      readonly type: 'login.succeeded'
      readonly userId: string
      readonly sessionId: string
      readonly methods: readonly AuthenticationMethod[]
    }
  | {
      readonly type: 'login.failed'
      readonly reason: SignInRefusal
      readonly identifierDigest: string
      readonly userId: string | null
    }
  | { readonly type: 'login.throttled'; readonly scope: ThrottleScope; readonly retryAfter: number }
  | { readonly type: 'code.issued'; readonly userId: string; readonly sessionId: string | null }
  | { readonly type: 'code.redeemed'; readonly userId: string; readonly sessionId: string }
  | { readonly type: 'code.refused'; readonly reason: CodeRefusal; readonly userId: string | null }
  | {
      readonly type: 'session.started'
      readonly userId: string
      readonly sessionId: string
      readonly kind: SessionKind
      readonly methods: readonly AuthenticationMethod[]
    }
  | { readonly type: 'session.ended'; readonly userId: string; readonly sessionId: string; readonly reason: EndReason }
  | { readonly type: 'request.refused'; readonly reason: string }
  | { readonly type: 'password.rehashed'; readonly userId: string }
  | { readonly type: 'password.unreadable'; readonly userId: string }
  | { readonly type: 'second-factor.imported'; readonly userId: string }
  | { readonly type: 'second-factor.unreadable'; readonly userId: string }
  | { readonly type: 'recovery-code.used'; readonly userId: string }
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

/** Receives audit events. It may be slow, throw or reject: it is never waited for, and failures are counted, not passed on. */
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

/** Records one event. */
export type Audit = (event: AuthEventBody, context: RequestContext) => void

/** Makes the one writer of audit events. A sink that fails is told of in the log at most once. */
export function createAudit(sink: EventSink | undefined, logger: Logger, clock: () => Date): Audit {
  if (sink === undefined) return () => {}
  let warned = false
  const onSinkFailure = () => {
    if (warned) return
    warned = true
    logger.error('onEvent failed; sign-ins go on, but audit events are being lost')
  }
  return (body, { requestId, ip }) => {
    try {
      const event: AuthEvent = Object.freeze({ ...body, at: clock(), requestId, ip })
      Promise.resolve(sink(event)).catch(onSinkFailure)
    } catch {
      onSinkFailure()
    }
  }
}
