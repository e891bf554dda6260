import { type Audit, noRequest, type RequestContext } from '../audit/events.js'
import type { MailFault, MailKind } from '../audit/mail.js'
import { createHostCall } from '../lib/host-call.js'
import type { Watch } from '../lib/watch.js'
import { within } from '../lib/within.js'
import { type ComposeMailDeps, composeMail, type MailRequest } from './compose-mail.js'
import type { MailSender } from './contract.js'
import { parseMailAddress } from './mail-address.js'

/** Counts of mails since the start. */
export interface MailStats {
  /** The host's `send` has resolved. */
  readonly sent: number
  /** Not sent; the event `mail.failed` says why. */
  readonly failed: number
  /** Under way. */
  readonly waiting: number
}

/** A mail without its cause, which is the request. */
export type MailToSend = Omit<MailRequest, 'because'>

/** Sends mails, of which no answer waits for any. */
export interface Mailer {
  /** Returns at once and never throws; what becomes of the mail is in the events. */
  send(mail: MailToSend, context: RequestContext): void
  /** Reports a mail that was not even prepared. */
  drop(mail: Pick<MailToSend, 'kind'> & { readonly userId: string }, context: RequestContext): void
  stats(): MailStats
  /** Sends no more, and waits for mails under way, `storeTimeout` at most. */
  close(): Promise<void>
}

export interface MailerDeps extends ComposeMailDeps {
  readonly sender: MailSender
  /** What a person calls the device, by its user agent. */
  readonly nameDevice: (userAgent: string | null) => Promise<string | null>
  readonly clock: () => Date
  readonly audit: Audit
  readonly watch: Watch
  /** Milliseconds that `close` waits. */
  readonly storeTimeout: number
}

const maxUnderWay = 50
const sendTimeoutMs = 30_000

export function createMailer(deps: MailerDeps): Mailer {
  const { sender, nameDevice, clock, audit, storeTimeout } = deps
  const call = createHostCall(
    sendTimeoutMs,
    (failure) => audit({ type: 'host.failed', ...failure }, noRequest),
    { watch: deps.watch },
  )
  const underWay = new Set<Promise<void>>()
  let sent = 0
  let failed = 0
  let closed = false

  async function deliver(
    mail: MailToSend,
    { ip, userAgent }: RequestContext,
  ): Promise<MailFault | null> {
    // After the answer, also where the host works before its first `await`.
    await new Promise(setImmediate)
    const to = parseMailAddress(mail.to)
    if (to === null) return 'address'
    try {
      const because = { ip, device: await nameDevice(userAgent), at: clock() }
      await call('mail.send', () => sender.send(composeMail({ ...mail, to, because }, deps)))
      return null
    } catch (error) {
      return isTimeout(error) ? 'timeout' : 'rejected'
    }
  }

  function conclude(
    about: { readonly kind: MailKind; readonly userId: string | null },
    reason: MailFault | null,
    context: RequestContext,
  ): void {
    if (reason === null) {
      sent += 1
      audit({ type: 'mail.queued', ...about }, context)
    } else {
      failed += 1
      audit({ type: 'mail.failed', reason, ...about }, context)
    }
  }

  return {
    send(mail, context) {
      const about = { kind: mail.kind, userId: mail.user?.id ?? null }
      if (closed) return conclude(about, 'closed', context)
      if (underWay.size >= maxUnderWay) return conclude(about, 'overflow', context)
      const work = deliver(mail, context).then((reason) => {
        underWay.delete(work)
        conclude(about, reason, context)
      })
      underWay.add(work)
    },
    drop: ({ kind, userId }, context) => conclude({ kind, userId }, 'overflow', context),
    stats: () => ({ sent, failed, waiting: underWay.size }),
    async close() {
      closed = true
      await within(storeTimeout, Promise.all(underWay))
    },
  }
}

// A call that failed is a 503 with the failure as its cause.
function isTimeout(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && cause.name === 'TimeoutError'
}
