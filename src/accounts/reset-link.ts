import type { RequestContext } from '../audit/events.js'
import type { MailedWayBack } from '../pages/account/parts.js'
import type { AuthUser, UserContact } from '../users/contract.js'
import type { Contacts } from './contacts.js'
import type { LinkTo } from './links.js'
import type { Mails } from './mails.js'
import type { MarkParts, Proofs } from './proofs.js'

/** Seconds in which a link for a new password works. */
export const resetLifetime: number = 30 * 60

/**
 * Mails a user a link for a new password. `contact`: of a call by a support desk, whose mail
 * does not count; `wayBack`: what the browser was about to do. False: disabled, without a proven
 * address, or too many mails. Rejects with 503.
 */
export type SendReset = (
  user: AuthUser,
  context: RequestContext,
  contact?: UserContact | null,
  wayBack?: MailedWayBack | null,
) => Promise<boolean>

export interface SendResetDeps {
  readonly contacts: Contacts
  /** Whether an address that was never proven will do. */
  readonly resetUnproven: boolean
  readonly proofs: Pick<Proofs, 'openLink' | 'markOf'>
  readonly mails: Mails
  readonly linkTo: LinkTo
}

export function createSendReset(deps: SendResetDeps): SendReset {
  const { contacts, resetUnproven, proofs, mails, linkTo } = deps
  return async function sendReset(user, context, ofSupport = null, wayBack = null) {
    const contact = ofSupport ?? (await contacts.findContact(user.id))
    const email = contact?.email ?? null
    if (user.disabled === true || contact === null || email === null) return false
    if (!contact.emailVerified && !resetUnproven) return false
    const to = { email, user, locale: contact.locale }
    // A support desk can send one, however many links strangers have asked for.
    if (ofSupport === null && (await mails.take(to, 'reset-password', context)) !== null)
      return false
    const { token, expiresAt } = await proofs.openLink({
      purpose: 'reset',
      userId: user.id,
      mark: proofs.markOf(passwordParts(user)),
      sealed: { email, ...wayBack },
      lifetime: resetLifetime,
    })
    const url = linkTo('reset', token)
    mails.send(to, { kind: 'reset-password', url, expiresAt }, context)
    return true
  }
}

/** What marks a password. A link that was mailed before the password changed sets none. */
export function passwordParts({ id, passwordHash }: AuthUser): MarkParts {
  return ['password', id, passwordHash]
}
