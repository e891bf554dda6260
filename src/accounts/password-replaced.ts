import { signedInIdentifier } from '../account/prove-password.js'
import type { EndFormerSessions } from '../account/session-management.js'
import type { RequestContext } from '../audit/events.js'
import type { DigestIdentifier } from '../login/identifier.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AuthUser, LoginIdentifier } from '../users/contract.js'
import type { CheckedAccountsOptions } from './accounts-options.js'
import type { Contacts } from './contacts.js'

/**
 * Ends what the former password has opened, after a reset: sessions, known networks and limits.
 * Rejects with 503; then the same link completes it.
 */
export type PasswordReplaced = (user: AuthUser, context: RequestContext) => Promise<void>

export interface PasswordReplacedDeps {
  readonly endFormerSessions: EndFormerSessions
  readonly accountsOptions: Pick<CheckedAccountsOptions, 'emailSecondFactor'>
  readonly contacts: Contacts
  readonly canonical: (identifier: LoginIdentifier) => Promise<LoginIdentifier>
  readonly digestIdentifier: DigestIdentifier
  readonly throttle: Pick<Throttle, 'unlockLogin' | 'unlockMails'>
}

export function createPasswordReplaced(deps: PasswordReplacedDeps): PasswordReplaced {
  const { accountsOptions, endFormerSessions, contacts, canonical, digestIdentifier, throttle } =
    deps

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

  return async function passwordReplaced(user, context) {
    await endFormerSessions(user.id, context)
    await unlock(user)
  }
}
