import type { Audit } from '../audit/events.js'
import type { PasskeyStore } from '../stores/passkey-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import type { KeptCodes } from '../two-factor/kept-codes.js'
import type { PasskeyFactor } from '../two-factor/passkey-factor.js'
import { recoveryCodeHash } from '../two-factor/recovery-codes.js'
import type { AuthUser } from '../users/contract.js'
import { descriptorOf, type PasskeyRequestOptions } from './ceremony-options.js'
import { type Challenges, challengeMs } from './challenges.js'
import { refusalOf, type VerifyPasskey } from './verify-passkey.js'

export interface PasskeyFactorDeps {
  readonly rpId: string
  /** `always`: users with a passkey must show it besides a password. */
  readonly asSecondFactor: 'when-required' | 'always'
  /** Whether a user must have a second factor. */
  readonly mustHaveFactor: (user: AuthUser) => Promise<boolean>
  readonly challenges: Pick<Challenges, 'make'>
  readonly verifyPasskey: VerifyPasskey
  readonly passkeyStore: Pick<PasskeyStore, 'find' | 'listForUser' | 'consumeRecoveryCode'>
  readonly keptCodes: Pick<KeptCodes, 'consume'>
  readonly throttle: Pick<Throttle, 'countRefusedPasskey'>
  readonly audit: Audit
}

export function createPasskeyFactor(deps: PasskeyFactorDeps): PasskeyFactor {
  const { asSecondFactor, mustHaveFactor, verifyPasskey, passkeyStore, keptCodes } = deps
  const { throttle, audit } = deps
  return {
    async isDemanded(user) {
      const isDue = asSecondFactor === 'always' || (await mustHaveFactor(user))
      return isDue && (await passkeyStore.listForUser(user.id)).length > 0
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
      const { outcome } = await passkeyStore.consumeRecoveryCode(userId, hash)
      if (outcome !== 'consumed' && !(await keptCodes.consume(userId, hash))) return null
      audit({ type: 'recovery-code.used', userId }, context)
      return { credentialId: null }
    },

    async hadOne({ id: userId }, at) {
      return (await passkeyStore.listForUser(userId)).some(({ createdAt }) => createdAt <= at)
    },

    async stands({ id: userId }, { credentialId }) {
      // Recovery codes of passkeys are valid as long as the user has one.
      if (credentialId === null) return (await passkeyStore.listForUser(userId)).length > 0
      return (await passkeyStore.find(credentialId))?.userId === userId
    },
  }
}

async function offer(
  { rpId, challenges, passkeyStore }: PasskeyFactorDeps,
  { id: userId }: AuthUser,
): Promise<PasskeyRequestOptions | null> {
  const passkeys = await passkeyStore.listForUser(userId)
  if (passkeys.length === 0) return null
  const challenge = challenges.make({ purpose: 'second-factor', userId, sessionId: null })
  return {
    challenge,
    rpId,
    timeout: challengeMs,
    allowCredentials: passkeys.map(descriptorOf),
    // The password is the other factor, so a touch is enough, without a PIN.
    userVerification: 'discouraged',
  }
}
