import { noRequest, type RequestContext } from '../audit/events.js'
import { type MailFault, type MailKind, tellsOwner } from '../audit/mail.js'
import { AuthError } from '../errors.js'
import type { GroundKit } from '../kits/ground-kit.js'
import { limitConcurrency, within } from '../lib/async.js'
import { createHostCall } from '../lib/host-call.js'
import { composeMail, type MailRequest, type MailTexts } from './compose-mail.js'
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

/** A place for a mail that tells an owner something. */
export interface MailPlace {
  /** Sends the mail, and frees the place. Call one of the two, once. */
  send(mail: MailToSend, context: RequestContext): void
  release(): void
}

/** Sends mails, of which no answer waits for any. */
export interface Mailer {
  /** Returns at once and never throws; what becomes of the mail is in the events. */
  send(mail: MailToSend, context: RequestContext): void
  /**
   * A place for a mail without which nothing may be changed. Throws 503 if too many of those that
   * tell an owner something wait already. Call `send` or `release` of it.
   */
  reserve(): MailPlace
  /** Reports a mail that was not even prepared. */
  drop(mail: Pick<MailToSend, 'kind'> & { readonly userId: string }, context: RequestContext): void
  stats(): MailStats
  /** Sends no more, and waits for mails under way, `storeTimeout` at most. */
  close(): Promise<void>
}

/** Who sends mails, and how they are written. */
export interface MailSettings extends MailTexts {
  readonly sender: MailSender
  /** What a person calls the device, by its user agent. */
  readonly nameDevice: (userAgent: string | null) => Promise<string | null>
  /** Milliseconds that `close` waits. */
  readonly storeTimeout: number
}

/** How many mails of a queue are handed over at once. Each queue has its own places. */
const atOnce = 10
/** How many wait: of one kind that anybody may ask for, and of all that tell an owner something. */
const mostAsked = 100
const mostTold = 1000
const sendTimeoutMs = 30_000

export function createMailer(kit: GroundKit, settings: MailSettings): Mailer {
  const { deliver, conclude, counts } = createDelivery(kit, settings)
  const told = createMailQueue(mostTold)
  const asked = new Map<MailKind, MailQueue>()
  let closed = false

  function queueOf({ kind }: MailToSend): MailQueue {
    if (tellsOwner(kind)) return told
    const queue = asked.get(kind) ?? createMailQueue(mostAsked)
    asked.set(kind, queue)
    return queue
  }

  const queues = () => [told, ...asked.values()]

  function start(mail: MailToSend, context: RequestContext): void {
    if (closed) conclude(aboutOf(mail), 'closed', context)
    else if (!queueOf(mail).run(() => deliver(mail, context)))
      conclude(aboutOf(mail), 'overflow', context)
  }

  return {
    send: start,
    reserve() {
      const release = closed ? null : told.hold()
      if (release === null)
        throw new AuthError('temporarily-unavailable', {
          retryAfter: 2,
          message: 'too many mails wait',
        })
      return {
        release,
        send(mail, context) {
          release()
          start(mail, context)
        },
      }
    },
    drop: ({ kind, userId }, context) => conclude({ kind, userId }, 'overflow', context),
    stats: () => ({ ...counts, waiting: queues().reduce((sum, { work }) => sum + work.size, 0) }),
    async close() {
      closed = true
      await within(settings.storeTimeout, Promise.all(queues().flatMap(({ work }) => [...work])))
    },
  }
}

/** Mails that are handed over or wait, in the order of their arrival. */
interface MailQueue {
  readonly work: ReadonlySet<Promise<void>>
  /** False if too many wait. */
  run(deliver: () => Promise<void>): boolean
  /** Keeps a place, and returns what releases it; null if there is none. */
  hold(): (() => void) | null
}

function createMailQueue(mostWaiting: number): MailQueue {
  const work = new Set<Promise<void>>()
  const inTurn = limitConcurrency(atOnce)
  let held = 0
  const isFull = () => work.size + held >= atOnce + mostWaiting
  return {
    work,
    run(deliver) {
      if (isFull()) return false
      const mine = inTurn(deliver).finally(() => work.delete(mine))
      work.add(mine)
      return true
    },
    hold() {
      if (isFull()) return null
      held += 1
      let isHeld = true
      return () => {
        if (isHeld) held -= 1
        isHeld = false
      }
    },
  }
}

/** Of whom and what a mail is, in events. */
interface AboutMail {
  readonly kind: MailKind
  readonly userId: string | null
}

const aboutOf = ({ kind, user }: MailToSend): AboutMail => ({ kind, userId: user?.id ?? null })

// Hands a mail to the host, and reports what has become of it.
function createDelivery({ clock, audit, watch }: GroundKit, settings: MailSettings) {
  const { sender, nameDevice } = settings
  const call = createHostCall(
    sendTimeoutMs,
    (failure) => audit({ type: 'host.failed', ...failure }, noRequest),
    { watch },
  )
  const counts = { sent: 0, failed: 0 }

  function conclude(about: AboutMail, reason: MailFault | null, context: RequestContext): void {
    if (reason === null) {
      counts.sent += 1
      audit({ type: 'mail.queued', ...about }, context)
    } else {
      counts.failed += 1
      audit({ type: 'mail.failed', reason, ...about }, context)
    }
  }

  async function hand(
    mail: MailToSend,
    { ip, userAgent }: RequestContext,
  ): Promise<MailFault | null> {
    // After the answer, also where the host works before its first `await`.
    await new Promise(setImmediate)
    const to = parseMailAddress(mail.to)
    if (to === null) return 'address'
    try {
      const because = { ip, device: await nameDevice(userAgent), at: clock() }
      await call('mail.send', () => sender.send(composeMail({ ...mail, to, because }, settings)))
      return null
    } catch (error) {
      return isTimeout(error) ? 'timeout' : 'rejected'
    }
  }

  async function deliver(mail: MailToSend, context: RequestContext): Promise<void> {
    const reason = await hand(mail, context)
    conclude(aboutOf(mail), reason, context)
  }

  return { counts, conclude, deliver }
}

// A call that failed is a 503 with the failure as its cause.
function isTimeout(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && cause.name === 'TimeoutError'
}
