import type { Audit } from '../audit/events.js'
import type { PasskeyStore } from '../stores/passkey-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import type { PasskeyFactor } from '../two-factor/passkey-factor.js'
import { recoveryCodeHash } from '../two-factor/recovery-codes.js'
import type { AuthUser } from '../users/contract.js'
import { descriptorOf, type PasskeyRequestOptions } from './ceremony-options.js'
import { type Challenges, challengeMs } from './challenges.js'
import { refusalOf } from './refuse-passkey.js'
import type { VerifyPasskey } from './verify-passkey.js'

/** What {@link createPasskeyFactor} needs. */
export interface PasskeyFactorDeps {
  readonly rpId: string
  /** `always`: who has a passkey must show it besides a password. */
  readonly asSecondFactor: 'when-required' | 'always'
  /** Whether a user must have a second factor. */
  readonly mustHaveFactor: (user: AuthUser) => Promise<boolean>
  readonly challenges: Pick<Challenges, 'make'>
  readonly verifyPasskey: VerifyPasskey
  readonly store: Pick<PasskeyStore, 'find' | 'listForUser' | 'consumeRecoveryCode'>
  readonly throttle: Pick<Throttle, 'countRefusedPasskey'>
  readonly audit: Audit
}

/** Makes it. */
export function createPasskeyFactor(deps: PasskeyFactorDeps): PasskeyFactor {
  const { asSecondFactor, mustHaveFactor, verifyPasskey, store, throttle, audit } = deps
  return {
    async isDemanded(user) {
      const isDue = asSecondFactor === 'always' || (await mustHaveFactor(user))
      return isDue && (await store.listForUser(user.id)).length > 0
    },

    offer: (user) => offer(deps, user),

    async judge({ id: userId }, { response, setHeaders }, context) {
      const shown = { purpose: 'second-factor', userId, sessionId: null, response } as const
      const verdict = await verifyPasskey(shown, context)
      if (verdict.right) return { credentialId: verdict.passkey.credentialId }
      const request = { context, setHeaders }
      const told = await refusalOf(verdict, request, throttle.countRefusedPasskey)
      if (told.code === 'too-many-requests') throw told
      return null
    },

    async judgeRecovery({ id: userId }, code, context) {
      const hash = recoveryCodeHash(code)
      if (hash === null) return null
      const { outcome } = await store.consumeRecoveryCode(userId, hash)
      if (outcome !== 'consumed') return null
      audit({ type: 'recovery-code.used', userId }, context)
      return { credentialId: null }
    },

    async hadOne({ id: userId }, at) {
      return (await store.listForUser(userId)).some(({ createdAt }) => createdAt <= at)
    },

    async stands({ id: userId }, { credentialId }) {
      // Its code goes with the last of them.
      if (credentialId === null) return (await store.listForUser(userId)).length > 0
      return (await store.find(credentialId))?.userId === userId
    },
  }
}

async function offer(
  { rpId, challenges, store }: PasskeyFactorDeps,
  { id: userId }: AuthUser,
): Promise<PasskeyRequestOptions | null> {
  const passkeys = await store.listForUser(userId)
  if (passkeys.length === 0) return null
  const challenge = challenges.make({ purpose: 'second-factor', userId, sessionId: null })
  return {
    challenge,
    rpId,
    timeout: challengeMs,
    allowCredentials: passkeys.map(descriptorOf),
    // The password is the other factor: a touch is enough, and asks for no PIN.
    userVerification: 'discouraged',
  }
}
