import type { SessionName } from '../sessions/ending.js'
import type { Sessions } from '../sessions/sessions.js'
import type { PasskeyStore } from '../stores/passkey-contract.js'
import type { AuthUser } from '../users/contract.js'
import { type KeepSessionDeps, keepSession } from './keep-session.js'

/**
 * Takes the passkey out of what a session has shown where its user has neither a passkey nor
 * another factor, and answers whether it did. Call it after every write that may have been made
 * from an older row: of a removal and a proof that run together, one sees the other. Rejects with
 * 503.
 */
export type ForgetRemovedPasskey = (session: SessionName, user: AuthUser) => Promise<boolean>

/** What {@link createForgetRemovedPasskey} needs. */
export interface ForgetRemovedPasskeyDeps extends KeepSessionDeps {
  readonly store: Pick<PasskeyStore, 'listForUser'>
  /** Whether the user has a second factor that is not a passkey. */
  readonly hasOtherFactor: (user: AuthUser) => Promise<boolean>
  readonly sessions: Pick<Sessions, 'findLive' | 'setMethods'>
}

/** Makes it. */
export function createForgetRemovedPasskey(deps: ForgetRemovedPasskeyDeps): ForgetRemovedPasskey {
  const { store, hasOtherFactor, sessions, forgetSession } = deps
  return async function forgetRemovedPasskey({ id, userId }, user) {
    const session = await sessions.findLive(id)
    if (session === null || !session.methods.includes('passkey')) return false
    const passkeys = await store.listForUser(userId)
    // Who has another factor goes on as one that has shown two.
    if (passkeys.length > 0 || (await hasOtherFactor(user))) return false
    const without = session.methods.filter((method) => method !== 'passkey')
    await keepSession({ sessions, forgetSession }, session, without)
    return true
  }
}
