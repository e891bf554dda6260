import { randomInt } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { RequestContext } from '../audit/events.js'
import type { MailKind } from '../audit/mail.js'
import { AuthError } from '../errors.js'
import type { ManagementKit } from '../kits/session-kit.js'
import type { Mailer, MailToSend } from '../mail/mailer.js'
import type { AuthUser, UserContact, UserStore } from '../users/contract.js'

/** Users whose addresses the router may read. */
export type Contacts = Pick<UserStore, 'findById'> & Required<Pick<UserStore, 'findContact'>>

/** The address that gets the codes of a user. */
export function provenAddress(contact: UserContact | null): string | null {
  return contact?.emailVerified === true ? contact.email : null
}

/** Who gets a mail. */
export interface MailTo {
  readonly email: string
  /** Null: a stranger, or a user whose name the mail must not tell. */
  readonly user: AuthUser | null
  readonly locale: string | null | undefined
}

/** What a mail carries besides its texts. */
export interface MailContent {
  readonly kind: MailKind
  readonly code?: string
  readonly url?: string
  readonly expiresAt?: Date
}

/** A place for one mail. */
export interface ReservedMail {
  send(to: MailTo, content: MailContent, context: RequestContext): void
  release(): void
}

/** Mails of accounts, within their limits. */
export interface Mails {
  /**
   * Counts a mail before it is made, among mails of its kind. Resolves with the 429 if its address
   * or its account has had enough of them. Rejects with 503.
   */
  take(
    to: Pick<MailTo, 'email' | 'user'>,
    kind: MailKind,
    context: RequestContext,
  ): Promise<AuthError | null>
  /** Call it after the code of a mail was right: the mail does not count. Never rejects. */
  giveBack(to: Pick<MailTo, 'email' | 'user'>, kind: MailKind): Promise<void>
  /** Hands a mail to the host. Never waits, and never throws. */
  send(to: MailTo, content: MailContent, context: RequestContext): void
  /**
   * A place for a mail without which nothing may be changed. Throws 503 if there is none. Call
   * `send` or `release` of it.
   */
  reserve(): ReservedMail
  /** Reports a mail that is not sent, since too much waits. */
  drop(mail: { readonly kind: MailKind; readonly userId: string }, context: RequestContext): void
}

export function createMails({ throttle, digestIdentifier }: ManagementKit, mailer: Mailer): Mails {
  function recipientOf({ email, user }: Pick<MailTo, 'email' | 'user'>, kind: MailKind) {
    const addressDigest = digestIdentifier({ kind: 'email', value: email }).name
    return { kind, addressDigest, userId: user?.id ?? null }
  }

  return {
    take: (to, kind, context) => throttle.takeMail(recipientOf(to, kind), context),
    giveBack: (to, kind) => throttle.giveBackMail(recipientOf(to, kind)),
    send: (to, content, context) => mailer.send(addressed(to, content), context),
    reserve() {
      const place = mailer.reserve()
      return {
        send: (to, content, context) => place.send(addressed(to, content), context),
        release: place.release,
      }
    },
    drop: mailer.drop,
  }
}

function addressed({ email, user, locale }: MailTo, content: MailContent): MailToSend {
  const named = user && { id: user.id, name: user.name }
  return { ...content, to: email, locale: locale ?? user?.locale ?? null, user: named }
}

/**
 * Work that starts after its request was answered, so that neither the bytes nor the time of an
 * answer tell who has an account.
 */
export interface AfterAnswer {
  /** Plans the work. Throws 503 if too much waits already. */
  run(work: () => Promise<void>): void
  /** How many pieces of work are planned or under way. */
  waiting(): number
  /** Waits for them, at most so many milliseconds. */
  settled(milliseconds: number): Promise<void>
}

/** Pieces of work at once: a flood of requests must not pile up in memory. */
const mostAtOnce = 1000

export function createAfterAnswer(): AfterAnswer {
  const underWay = new Set<Promise<void>>()
  return {
    run(work) {
      if (underWay.size >= mostAtOnce)
        throw new AuthError('temporarily-unavailable', {
          retryAfter: 2,
          message: 'too many mails are being prepared',
        })
      const mine = somewhatLater()
        .then(work)
        // The failed call has reported itself, and the client has its answer.
        .catch(() => {})
        .finally(() => underWay.delete(mine))
      underWay.add(mine)
    },
    waiting: () => underWay.size,
    async settled(milliseconds) {
      await Promise.race([
        Promise.all(underWay),
        setTimeout(milliseconds, undefined, { ref: false }),
      ])
    },
  }
}

// At a random time: right after the answer, the work would hold up the next request of the same
// client, who could tell by that how much work there was.
function somewhatLater(): Promise<void> {
  return setTimeout(randomInt(20, 120))
}
