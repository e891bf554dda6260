import type { SessionName } from '../sessions/ending.js'
import { type NoteMethodsDeps, noteMethods } from '../sessions/note-methods.js'
import type { Sessions } from '../sessions/sessions.js'
import type { StoredMethod } from '../stores/contract.js'
import type { PasskeyStore } from '../stores/passkey-contract.js'
import { countsAsFactor } from '../two-factor/second-factor.js'
import type { AuthUser, UserStore } from '../users/contract.js'
import type { ForgetKeptCodes } from './forget-kept-codes.js'

/**
 * Removes the second factors from a session's methods if its user no longer has any. Returns
 * whether it did. Call it after every write that may be based on an older row: of a concurrent
 * removal and proof, one sees the other. Rejects with 503.
 */
export type ForgetLastFactor = (session: SessionName, user: AuthUser) => Promise<boolean>

export interface ForgetLastFactorDeps extends NoteMethodsDeps {
  readonly passkeyStore: Pick<PasskeyStore, 'listForUser'>
  /** Whether the user has a second factor besides passkeys. */
  readonly hasOtherFactor: (user: AuthUser) => Promise<boolean>
  readonly sessions: Pick<Sessions, 'findLive' | 'setMethods'>
}

export function createForgetLastFactor(deps: ForgetLastFactorDeps): ForgetLastFactor {
  const { passkeyStore, hasOtherFactor, sessions } = deps
  return async function forgetLastFactor({ id, userId }, user) {
    const session = await sessions.findLive(id)
    if (session === null || !session.methods.some(countsAsFactor)) return false
    const passkeys = await passkeyStore.listForUser(userId)
    // With another factor the session keeps both.
    if (passkeys.length > 0 || (await hasOtherFactor(user))) return false
    await noteMethods(deps, session, withoutFactors(session.methods))
    return true
  }
}

/**
 * Call it after passkeys of a user have gone: of the sessions that stay none claims a factor that
 * is no more, and codes that were kept for a passkey go with the last one. Rejects with 503.
 */
export type SettleRemoved = (userId: string, keptSessionIds: readonly string[]) => Promise<void>

export function createSettleRemoved(
  deps: ForgetLastFactorDeps & {
    readonly users: Pick<UserStore, 'findById'>
    readonly forgetLastFactor: ForgetLastFactor
    readonly forgetKeptCodes: ForgetKeptCodes
  },
): SettleRemoved {
  const { users, sessions, forgetLastFactor } = deps
  return async function settleRemoved(userId, keptSessionIds) {
    const user = keptSessionIds.length === 0 ? null : await users.findById(userId)
    for (const id of keptSessionIds) {
      const kept = await sessions.findLive(id)
      if (user !== null && kept?.userId === userId) await forgetLastFactor(kept, user)
    }
    await deps.forgetKeptCodes(userId)
  }
}

/** The methods without second factors and recovery codes. */
export function withoutFactors(methods: readonly StoredMethod[]): readonly StoredMethod[] {
  return methods.filter((method) => !countsAsFactor(method))
}
