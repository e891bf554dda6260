import { signedInIdentifier } from '../account/prove-password.js'
import type { EndForAccounts } from '../account/session-management.js'
import type { RequestContext } from '../audit/events.js'
import type { DigestIdentifier } from '../login/identifier.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AuthUser, LoginIdentifier } from '../users/contract.js'
import type { CheckedAccountsOptions } from './accounts-options.js'
import type { Contacts } from './contacts.js'

/**
 * Ends what the former password has opened: sessions, known networks and limits, and the ways in
 * that were added by it alone. `undoneSince`, after an undo of the address: those that were added
 * since then as well, whatever was shown. Rejects with 503; then the same link completes it.
 */
export type PasswordReplaced = (
  user: AuthUser,
  context: RequestContext,
  undoneSince?: Date,
) => Promise<void>

export interface PasswordReplacedDeps
  extends Pick<EndForAccounts, 'endAfterReset' | 'endAfterUndo'> {
  readonly accountsOptions: Pick<CheckedAccountsOptions, 'emailSecondFactor' | 'resetKeepsWaysIn'>
  readonly contacts: Contacts
  readonly canonical: (identifier: LoginIdentifier) => Promise<LoginIdentifier>
  readonly digestIdentifier: DigestIdentifier
  readonly throttle: Pick<Throttle, 'unlockLogin' | 'unlockMails'>
}

export function createPasswordReplaced(deps: PasswordReplacedDeps): PasswordReplaced {
  const { accountsOptions, endAfterReset, endAfterUndo, contacts, canonical } = deps
  const { digestIdentifier, throttle } = deps
  const byPassword = accountsOptions.resetKeepsWaysIn ? false : 'unless-factor'

  // Guesses at the former password must not keep the owner of the new one out.
  async function unlock(user: AuthUser): Promise<void> {
    const email = (await contacts.findContact(user.id))?.email ?? null
    const names: LoginIdentifier[] = [{ kind: 'username', value: user.username }]
    if (email !== null) names.push({ kind: 'email', value: email })
    const canonicals = await Promise.all(names.map(canonical))
    for (const name of [...canonicals, signedInIdentifier(user.id)])
      await throttle.unlockLogin(digestIdentifier(name), user.id)
    if (accountsOptions.emailSecondFactor)
      await throttle.unlockMails(['second-factor-code'], user.id)
  }

  return async function passwordReplaced(user, context, undoneSince) {
    if (undoneSince !== undefined)
      await endAfterUndo(user.id, { byPassword, since: undoneSince }, context)
    else if (byPassword === false) await endAfterReset(user.id, null, context)
    else await endAfterReset(user.id, { byPassword, since: null }, context)
    await unlock(user)
  }
}
