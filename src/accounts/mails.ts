import type { RequestContext } from '../audit/events.js'
import type { MailKind } from '../audit/mail.js'
import type { AuthError } from '../errors.js'
import type { Mailer, MailToSend } from '../mail/mailer.js'
import type { DigestIdentifier } from '../throttle/counter-keys.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AuthUser } from '../users/contract.js'

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

export interface MailsDeps {
  readonly mailer: Pick<Mailer, 'send' | 'reserve' | 'drop'>
  readonly throttle: Pick<Throttle, 'takeMail' | 'giveBackMail'>
  readonly digestIdentifier: DigestIdentifier
}

export function createMails({ mailer, throttle, digestIdentifier }: MailsDeps): Mails {
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
