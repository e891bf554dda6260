import type { SessionName } from '../sessions/ending.js'
import { type KeepSessionDeps, keepSession } from '../sessions/keep-session.js'
import type { Sessions } from '../sessions/sessions.js'
import type { StoredMethod } from '../stores/contract.js'
import type { PasskeyStore } from '../stores/passkey-contract.js'
import { countsAsFactor } from '../two-factor/second-factor.js'
import type { AuthUser } from '../users/contract.js'

/**
 * Takes the second factors out of what a session has shown where its user has none any more, and
 * answers whether it did. Call it after every write that may have been made from an older row: of a
 * removal and a proof that run together, one sees the other. Rejects with 503.
 */
export type ForgetLastFactor = (session: SessionName, user: AuthUser) => Promise<boolean>

export interface ForgetLastFactorDeps extends KeepSessionDeps {
  readonly passkeyStore: Pick<PasskeyStore, 'listForUser'>
  /** Whether the user has a second factor that is not a passkey. */
  readonly hasOtherFactor: (user: AuthUser) => Promise<boolean>
  readonly sessions: Pick<Sessions, 'findLive' | 'setMethods'>
}

export function createForgetLastFactor(deps: ForgetLastFactorDeps): ForgetLastFactor {
  const { passkeyStore, hasOtherFactor, sessions } = deps
  return async function forgetLastFactor({ id, userId }, user) {
    const session = await sessions.findLive(id)
    if (session === null || !session.methods.some(countsAsFactor)) return false
    const passkeys = await passkeyStore.listForUser(userId)
    // Who has another factor goes on as one that has shown two.
    if (passkeys.length > 0 || (await hasOtherFactor(user))) return false
    await keepSession(deps, session, withoutFactors(session.methods))
    return true
  }
}

/** The methods but those that are a second factor, recovery codes among them. */
export function withoutFactors(methods: readonly StoredMethod[]): readonly StoredMethod[] {
  return methods.filter((method) => !countsAsFactor(method))
}
