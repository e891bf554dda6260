import type { AuthEventBody, RequestContext } from '../audit/events.js'
import type { AccountsKit } from './accounts-server.js'
import { formerAddressesOf } from './former-addresses.js'
import { type MailContent, type NoticeKind, noticeOf, provenAddress } from './mails.js'

/** Mails users what happens to their accounts from now on, by the option `accounts.notices`. */
export function mailNotices(kit: AccountsKit): void {
  const { notices } = kit.accountsOptions
  if (notices.length > 0)
    kit.observeEvents((event, context) => noticeEvent(kit, notices, event, context))
}

// Mails users what has happened to their accounts, as the audit stream reports it: so no way of
// changing an account can forget the mail.
function noticeEvent(
  kit: AccountsKit,
  kinds: readonly NoticeKind[],
  event: AuthEventBody,
  context: RequestContext,
): void {
  // Own members only: a polluted Object.prototype must not mail anything.
  const kind = Object.hasOwn(noticeOf, event.type) ? noticeOf[event.type] : undefined
  if (kind === undefined || !kinds.includes(kind) || !('userId' in event)) return
  const { userId } = event
  if (userId === null) return
  const acted = event.type === 'session.acted-for' ? event : null
  if (acted?.notified === false) return
  const content = { kind, ...(acted && { reason: acted.reason }) }
  try {
    kit.afterChange.run(() => notify(kit, content, userId, context))
  } catch {
    // A notice is not worth the answer of a request that has succeeded.
    kit.mails.drop({ kind, userId }, context)
  }
}

// Sends to a proven address, and to a former address that can undo the change.
async function notify(
  kit: AccountsKit,
  content: MailContent,
  userId: string,
  context: RequestContext,
): Promise<void> {
  const { contacts, mails } = kit
  const user = await contacts.findById(userId)
  const contact = user && (await contacts.findContact(userId))
  const present = provenAddress(contact)
  // An address that can still undo a change of the address gets every notice.
  const addresses = [
    ...(present === null ? [] : [present]),
    ...(await formerAddressesOf(kit, userId)),
  ]
  for (const email of new Set(addresses)) {
    const to = { address: email, user, locale: contact?.locale }
    if ((await mails.take(to, content.kind, context)) === null) mails.send(to, content, context)
  }
}
