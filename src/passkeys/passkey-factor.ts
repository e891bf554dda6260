import type { PasskeyProof } from '../sign-in-again.js'
import type { PasskeyFactor } from '../two-factor/passkey-factor.js'
import { recoveryCodeHash } from '../two-factor/recovery-codes.js'
import type { AuthUser } from '../users/contract.js'
import { descriptorOf, type PasskeyRequestOptions } from './ceremony-options.js'
import { challengeMs } from './challenges.js'
import type { StoredPasskeysKit, VerifyingKit } from './passkey-kit.js'
import { refusalOf, verifyPasskey } from './verify-passkey.js'

/** Passkeys as the second factor, for the sign-in decision. */
export function createPasskeyFactor(kit: VerifyingKit): PasskeyFactor {
  const { asSecondFactor, mustHaveFactor, passkeyStore, keptCodes, audit } = kit
  return {
    async isDemanded(user) {
      const isDue = asSecondFactor === 'always' || (await mustHaveFactor(user))
      return isDue && (await passkeyStore.listForUser(user.id)).length > 0
    },

    offer: (user) => offerPasskey(kit, user),

    async judge({ id: userId }, { response, setHeaders }, context) {
      const shown = { purpose: 'second-factor', userId, sessionId: null, response } as const
      const verdict = await verifyPasskey(kit, shown, context)
      if (verdict.right) return { credentialId: verdict.passkey.credentialId }
      const told = await refusalOf(kit, verdict, { context, setHeaders })
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

/** Options for a passkey besides a password; null if the user has none. Rejects with 503. */
export async function offerPasskey(
  { rpId, challenges, passkeyStore }: VerifyingKit,
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

/** Lets a signed-in user reauthenticate with a passkey. */
export function createPasskeyProof(kit: VerifyingKit): PasskeyProof {
  return {
    async requireRight({ id: sessionId, userId }, response, request) {
      const shown = { purpose: 'reauthenticate', userId, sessionId, response } as const
      const verdict = await verifyPasskey(kit, shown, request.context)
      if (!verdict.right) throw await refusalOf(kit, verdict, request)
      return verdict.passkey.createdAt
    },
    hasAny: (userId) => hasAnyPasskey(kit, userId),
  }
}

/** Whether the user has a passkey. Rejects with 503. */
export async function hasAnyPasskey(
  { passkeyStore }: StoredPasskeysKit,
  userId: string,
): Promise<boolean> {
  return (await passkeyStore.listForUser(userId)).length > 0
}
