import type { AuthEventBody, RequestContext } from '../audit/events.js'
import type { MailKind } from '../audit/mail.js'
import type { AfterAnswer } from './after-answer.js'
import type { Contacts } from './contacts.js'
import type { FormerAddresses } from './former-addresses.js'
import type { Mails } from './mails.js'

/** Mails that only tell a user what has happened. */
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
>

/** Which event is told by which mail. */
const noticeOf = {
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
} as const satisfies Partial<Record<AuthEventBody['type'], NoticeKind>>

/** All notices. */
export const noticeKinds: readonly NoticeKind[] = [...new Set(Object.values(noticeOf))]

export interface NoticesDeps {
  readonly contacts: Contacts
  readonly mails: Mails
  readonly afterChange: Pick<AfterAnswer, 'run'>
  readonly formerAddresses: Pick<FormerAddresses, 'of'>
}

/**
 * Mails users what has happened to their accounts, as the audit stream reports it: so no way of
 * changing an account can forget the mail. To a proven address, and to a former one that can undo
 * the change.
 */
export function createNotices(
  { contacts, mails, afterChange, formerAddresses }: NoticesDeps,
  kinds: readonly NoticeKind[],
): (event: AuthEventBody, context: RequestContext) => void {
  async function notify(kind: NoticeKind, userId: string, context: RequestContext) {
    const user = await contacts.findById(userId)
    const contact = user && (await contacts.findContact(userId))
    const present = contact?.emailVerified === true ? contact.email : null
    // Whoever can still undo a change of the address hears of everything.
    const addresses = [
      ...(present === null ? [] : [present]),
      ...(await formerAddresses.of(userId)),
    ]
    for (const email of new Set(addresses)) {
      const to = { email, user, locale: contact?.locale }
      if ((await mails.take(to, kind, context)) === null) mails.send(to, { kind }, context)
    }
  }

  return function notice(event, context) {
    const kind = isNoticed(event.type) ? noticeOf[event.type] : undefined
    if (kind === undefined || !kinds.includes(kind) || !('userId' in event)) return
    const { userId } = event
    if (userId === null) return
    try {
      afterChange.run(() => notify(kind, userId, context))
    } catch {
      // A notice is not worth the answer of a request that has succeeded.
      mails.drop({ kind, userId }, context)
    }
  }
}

// Own members only: a polluted Object.prototype must not mail anything.
function isNoticed(type: string): type is keyof typeof noticeOf {
  return Object.hasOwn(noticeOf, type)
}
