import type { PasskeyProof } from '../sign-in-again.js'
import type { PasskeyStore } from '../stores/passkey-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import { refusalOf, type VerifyPasskey } from './verify-passkey.js'

export interface PasskeyProofDeps {
  readonly verifyPasskey: VerifyPasskey
  readonly passkeyStore: Pick<PasskeyStore, 'listForUser'>
  readonly throttle: Pick<Throttle, 'countRefusedPasskey'>
}

/** Lets a signed-in user reauthenticate with a passkey. */
export function createPasskeyProof({
  verifyPasskey,
  passkeyStore,
  throttle,
}: PasskeyProofDeps): PasskeyProof {
  return {
    async requireRight({ id: sessionId, userId }, response, request) {
      const shown = { purpose: 'reauthenticate', userId, sessionId, response } as const
      const verdict = await verifyPasskey(shown, request.context)
      if (!verdict.right) throw await refusalOf(verdict, request, throttle.countRefusedPasskey)
      return verdict.passkey.createdAt
    },
    hasAny: async (userId) => (await passkeyStore.listForUser(userId)).length > 0,
  }
}
