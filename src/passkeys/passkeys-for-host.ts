import { type Audit, noRequest } from '../audit/events.js'
import { invalidRequest } from '../errors.js'
import { isHostId } from '../lib/host-id.js'
import type { Sessions } from '../sessions/sessions.js'
import type { PasskeyStore } from '../stores/passkey-contract.js'
import { type PasskeySummary, summaryOf } from './summary.js'

/** Passkeys, for the host's own code: a support desk, or the deletion of an account. */
export interface PasskeysForHost {
  /** The user's passkeys, the oldest first. Rejects with 400 and 503. */
  list(userId: string): Promise<PasskeySummary[]>
  /**
   * Removes all passkeys of a user and what came with them, and ends the user's sessions; says how
   * many there were. Who has nothing else cannot sign in any more. Rejects with 400 and 503.
   */
  reset(userId: string): Promise<number>
}

/** What {@link createPasskeysForHost} needs. */
export interface PasskeysForHostDeps {
  readonly store: Pick<PasskeyStore, 'listForUser' | 'removeAllForUser'>
  readonly sessions: Pick<Sessions, 'endAllForUser'>
  readonly audit: Audit
}

/** Makes it. */
export function createPasskeysForHost({
  store,
  sessions,
  audit,
}: PasskeysForHostDeps): PasskeysForHost {
  return {
    list: async (userId) => (await store.listForUser(checked(userId))).map(summaryOf),
    async reset(userId) {
      // Before it: a session that is adding one looks whether it is still alive.
      await sessions.endAllForUser(checked(userId), 'factor-changed', noRequest)
      const removed = await store.removeAllForUser(userId)
      audit({ type: 'passkey.reset', userId, removed }, noRequest)
      // After it: a sign-in that is under way looks for its passkey once more.
      await sessions.endAllForUser(userId, 'factor-changed', noRequest)
      return removed
    },
  }
}

function checked(userId: string): string {
  if (isHostId(userId)) return userId
  throw invalidRequest([{ path: 'userId', message: 'Invalid input: expected the id of a user' }])
}
