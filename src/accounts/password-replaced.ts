import { signedInIdentifier } from '../account/prove-password.js'
import type { EndForAccounts } from '../account/session-management.js'
import type { RequestContext } from '../audit/events.js'
import type { DigestIdentifier } from '../throttle/counter-keys.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AuthUser, LoginIdentifier } from '../users/contract.js'
import type { CheckedAccountsOptions } from './accounts-options.js'
import type { Contacts } from './contacts.js'

/**
 * Ends what the former password has opened: sessions, known networks and limits, and the ways in
 * that were added by it alone, or since then: since a reset has begun, or since a moment before the
 * change of the address that is undone. Rejects with 503; then the same link completes it.
 */
export type PasswordReplaced = (
  user: AuthUser,
  context: RequestContext,
  since: Date,
  by: 'reset' | 'undo',
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

  return async function passwordReplaced(user, context, since, by) {
    // Of a user who had none, nothing was added by a password that is replaced.
    const added = user.passwordHash === null ? false : byPassword
    const which = { byPassword: added, since, sparesLast: false } as const
    if (by === 'undo') await endAfterUndo(user.id, which, context)
    else await endAfterReset(user.id, byPassword === false ? null : which, context)
    await unlock(user)
  }
}
