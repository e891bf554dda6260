import { type Audit, noRequest, type RequestContext } from '../audit/events.js'
import type { MailFault } from '../audit/mail.js'
import { createHostCall } from '../lib/host-call.js'
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

/** Sends mails, of which no answer waits for any. */
export interface Mailer {
  /** Returns at once and never throws; what becomes of the mail is in the events. */
  send(mail: MailRequest, context: RequestContext): void
  stats(): MailStats
  /** Sends no more, and waits for mails under way, `storeTimeout` at most. */
  close(): Promise<void>
}

export interface MailerDeps extends ComposeMailDeps {
  readonly sender: MailSender
  readonly audit: Audit
  /** Milliseconds that `close` waits. */
  readonly storeTimeout: number
}

const maxUnderWay = 50
const sendTimeoutMs = 30_000

export function createMailer(deps: MailerDeps): Mailer {
  const { sender, audit, storeTimeout } = deps
  const call = createHostCall(sendTimeoutMs, (failure) =>
    audit({ type: 'host.failed', ...failure }, noRequest),
  )
  const underWay = new Set<Promise<void>>()
  let sent = 0
  let failed = 0
  let closed = false

  async function deliver(mail: MailRequest): Promise<MailFault | null> {
    // After the answer, also where the host works before its first `await`.
    await new Promise(setImmediate)
    const to = parseMailAddress(mail.to)
    if (to === null) return 'address'
    try {
      await call('mail.send', () => sender.send(composeMail({ ...mail, to }, deps)))
      return null
    } catch (error) {
      return isTimeout(error) ? 'timeout' : 'rejected'
    }
  }

  function conclude(
    { kind, user }: MailRequest,
    reason: MailFault | null,
    context: RequestContext,
  ): void {
    const about = { kind, userId: user?.id ?? null }
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
      if (closed) return conclude(mail, 'closed', context)
      if (underWay.size >= maxUnderWay) return conclude(mail, 'overflow', context)
      const work = deliver(mail).then((reason) => {
        underWay.delete(work)
        conclude(mail, reason, context)
      })
      underWay.add(work)
    },
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

async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([work, over])
  clearTimeout(timer)
}
