import { randomInt } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { AuthEventBody, RequestContext } from '../audit/events.js'
import type { MailKind } from '../audit/mail.js'
import { AuthConfigError, AuthError } from '../errors.js'
import type { ManagementKit } from '../kits/session-kit.js'
import type { Mailer, MailToSend } from '../mail/mailer.js'
import { addressAt } from '../oauth/base-url.js'
import type { SessionRecord } from '../stores/contract.js'
import type { ProofPurpose } from '../stores/one-time-contract.js'
import type { AuthUser, UserContact, UserStore } from '../users/contract.js'

/** Users whose addresses the router may read. */
export type Contacts = Pick<UserStore, 'findById'> & Required<Pick<UserStore, 'findContact'>>

/** The mail address that gets the codes of a user. */
export function provenAddress(contact: UserContact | null): string | null {
  return contact?.emailVerified === true ? contact.email : null
}

/** The recipient of a mail. */
export interface MailTo {
  /** A mail address; in a text message, a number. */
  readonly address: string
  /** Null: a stranger, or a user whose name the mail must not tell. */
  readonly user: AuthUser | null
  readonly locale: string | null | undefined
}

/** The content of a mail besides its texts. */
export interface MailContent {
  readonly kind: MailKind
  readonly code?: string
  readonly url?: string
  readonly expiresAt?: Date
  readonly reason?: string
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
    to: Pick<MailTo, 'address' | 'user'>,
    kind: MailKind,
    context: RequestContext,
  ): Promise<AuthError | null>
  /** Call it after the code of a mail was right: the mail does not count. Never rejects. */
  giveBack(to: Pick<MailTo, 'address' | 'user'>, kind: MailKind): Promise<void>
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
  function recipientOf({ address, user }: Pick<MailTo, 'address' | 'user'>, kind: MailKind) {
    const addressDigest = digestIdentifier({ kind: 'email', value: address }).name
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

/** The mail of some content. */
export function addressed({ address, user, locale }: MailTo, content: MailContent): MailToSend {
  const named = user && { id: user.id, name: user.name }
  return { ...content, to: address, locale: locale ?? user?.locale ?? null, user: named }
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

// The work runs at a random time: right after the answer, it would hold up the next request of this
// client, who could then tell how much work there was.
function somewhatLater(): Promise<void> {
  return setTimeout(randomInt(20, 120))
}

/** Purposes whose mail has a link with a token. */
export type LinkPurpose = Extract<ProofPurpose, 'reset' | 'undo-address' | 'invitation'>

/**
 * Addresses of the host's own pages, with `{token}` once in the fragment, the path or the query.
 * With the option `oauth`, a missing link leads to the router's page below `/account`.
 */
export interface AccountLinks {
  /** The page where a user sets a new password: `https://chat.example.com/#/reset/{token}`. */
  readonly reset?: string
  /** The page where a user undoes a change of the address. */
  readonly undo?: string
  /** The page where an invited person registers. Required for `registration: 'invited'`. */
  readonly invitation?: string
  /**
   * The page where a mailed code is typed in, in the browser that has asked for it. `{token}`
   * becomes the request id, a dot and the code. Default: with `oauth`, the router's page, for codes
   * that a browser's session has asked for; without, a mail with a code has no link.
   */
  readonly confirm?: string
}

/** The address of the page that takes the token of a link. */
export type LinkTo = (purpose: LinkPurpose, token: string) => string

const names = { reset: 'reset', 'undo-address': 'undo', invitation: 'invitation' } as const

/** `pagesUrl`: the address of the router for browsers; undefined: it has no pages. */
export function createLinkTo(links: AccountLinks, pagesUrl: URL | undefined): LinkTo {
  return function linkTo(purpose, token) {
    const name = names[purpose]
    const link = links[name]
    if (link !== undefined) return link.replace('{token}', token)
    // The start checks this where it is certain that mails need it.
    if (pagesUrl === undefined) throw noLink(name)
    // The token is in the query: a page without JavaScript cannot read a fragment.
    return addressAt(pagesUrl, `/account/${name}?token=${token}`)
  }
}

/** A link that the host's options lack. */
export function noLink(name: keyof AccountLinks): AuthConfigError {
  return new AuthConfigError(
    `accounts.links.${name}`,
    'is missing, and mails have nowhere to lead.',
    `pass your page: https://chat.example.com/#/${name}/{token}.`,
  )
}

/** The address of the page that fills a mailed code in; undefined without such a page. */
export type LinkToCode = (
  session: Pick<SessionRecord, 'kind'> | null,
  mailed: { readonly requestId: string; readonly code: string },
) => string | undefined

/** `pagesUrl`: the address of the router for browsers; undefined: it has no account pages. */
export function createLinkToCode(
  { confirm }: Pick<AccountLinks, 'confirm'>,
  pagesUrl: URL | undefined,
): LinkToCode {
  return function linkToCode(session, { requestId, code }) {
    if (confirm !== undefined) return confirm.replace('{token}', `${requestId}.${code}`)
    // Only a browser's cookie shows who is signed in there.
    if (pagesUrl === undefined || session?.kind !== 'browser') return undefined
    return addressAt(pagesUrl, `/account/confirm?request=${requestId}&code=${code}`)
  }
}

/** Mails that only report an event to a user. */
export type NoticeKind = Extract<
  MailKind,
  | 'password-changed'
  | 'factor-changed'
  | 'passkey-added'
  | 'passkey-removed'
  | 'identity-linked'
  | 'identity-unlinked'
  | 'device-linked'
  | 'clone-suspected'
  | 'device-approved'
  | 'new-network'
  | 'acted-for'
>

/** Which event is told by which mail. */
export const noticeOf: Readonly<Partial<Record<AuthEventBody['type'], NoticeKind>>> = {
  'password.changed': 'password-changed',
  'password.reset': 'password-changed',
  'second-factor.enabled': 'factor-changed',
  'second-factor.disabled': 'factor-changed',
  'second-factor.reset': 'factor-changed',
  'recovery-codes.replaced': 'factor-changed',
  'passkey.added': 'passkey-added',
  'passkey.removed': 'passkey-removed',
  'passkey.reset': 'passkey-removed',
  'passkey.clone-suspected': 'clone-suspected',
  'identity.linked': 'identity-linked',
  'identity.unlinked': 'identity-unlinked',
  'device.approved': 'device-approved',
  'device-link.approved': 'device-linked',
  'login.new-network': 'new-network',
  'session.acted-for': 'acted-for',
}

/** All notices. */
export const noticeKinds: readonly NoticeKind[] = [...new Set(Object.values(noticeOf))]
