import type { Audit } from '../audit/events.js'
import { invalidRequest } from '../errors.js'
import { contextOfAction, type HostAction } from '../http/host-input.js'
import { isHostId } from '../lib/host-id.js'
import type { Sessions } from '../sessions/sessions.js'
import type { PasskeyStore } from '../stores/passkey-contract.js'
import type { ForgetKeptCodes } from './forget-kept-codes.js'
import { type PasskeySummary, summaryOf } from './summary.js'

/** Passkeys, for the host's own code: a support desk, or the deletion of an account. */
export interface PasskeysForHost {
  /** The user's passkeys, oldest first. Rejects with 400 and 503. */
  list(userId: string): Promise<PasskeySummary[]>
  /**
   * Removes all passkeys of a user with their recovery codes, and ends the user's sessions. Returns
   * the number of passkeys. A user without another sign-in method is locked out. Rejects with 400
   * and 503.
   */
  reset(userId: string, options?: HostAction): Promise<number>
}

export interface PasskeysForHostDeps {
  readonly passkeyStore: Pick<PasskeyStore, 'listForUser' | 'removeAllForUser'>
  readonly sessions: Pick<Sessions, 'endAllForUser'>
  readonly forgetKeptCodes: ForgetKeptCodes
  readonly audit: Audit
}

export function createPasskeysForHost({
  passkeyStore,
  sessions,
  forgetKeptCodes,
  audit,
}: PasskeysForHostDeps): PasskeysForHost {
  return {
    list: async (userId) => (await passkeyStore.listForUser(checked(userId))).map(summaryOf),
    async reset(userId, options) {
      const context = contextOfAction(options)
      // Before the removal: a session that is adding a passkey checks that it is still alive.
      await sessions.endAllForUser(checked(userId), 'factor-changed', context)
      const removed = await passkeyStore.removeAllForUser(userId)
      audit({ type: 'passkey.reset', userId, removed }, context)
      await forgetKeptCodes(userId)
      // After the removal: a sign-in under way checks its passkey again.
      await sessions.endAllForUser(userId, 'factor-changed', context)
      return removed
    },
  }
}

function checked(userId: string): string {
  if (isHostId(userId)) return userId
  throw invalidRequest([{ path: 'userId', message: 'Invalid input: expected the id of a user' }])
}
