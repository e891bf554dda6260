import { sha256 } from '../../../lib/digest.js'
import { derivedHash, moments, newPasskeyRecord } from '../../../stores/new-records.js'
import type { PasskeyStore } from '../../../stores/passkey-contract.js'
import { check, won } from '../harness/checks.js'
import { given, type StoresUnderTest } from '../harness/suite.js'
import { type OneTimeOperation, oneWrite, usual, withinOne } from './one-time-operation.js'

const passkeysIn = (stores: StoresUnderTest): PasskeyStore => given(stores, 'passkeys')
const none = { most: 20, recoveryCodeHashes: [] }

const use: OneTimeOperation = {
  ...usual,
  contract: 'passkeys',
  name: 'use',
  did: 'moved one counter from the same number',
  why: `Two copies of a key would both pass (WebAuthn Level 3 §6.1.1). ${oneWrite}`,
  prepare: async (stores) => {
    const passkey = newPasskeyRecord(moments())
    await passkeysIn(stores).create(passkey, none)
    return passkey.credentialId
  },
  attempt: async (stores, credentialId, caller) => {
    const seen = { counter: 8 + caller, backedUp: true, lastUsedAt: moments()(5) }
    const answer = await passkeysIn(stores).use(credentialId, 7, seen)
    return won(answer, 'passkeys.use', { outcome: 'used' }, { outcome: 'superseded' })
  },
  verify: async (stores, credentialId, winner) => {
    const stored = await passkeysIn(stores).find(credentialId)
    check(
      stored?.counter === 8 + winner,
      'After passkeys.use was raced, the counter is not that of the caller who was told `used`.',
    )
  },
}

const create: OneTimeOperation = {
  ...usual,
  contract: 'passkeys',
  name: 'create',
  did: 'created a passkey of one id',
  why:
    'A passkey would sign in whoever came later. Insert, and let the key refuse the rest, of ' +
    'whichever user.',
  prepare: async () => newPasskeyRecord(moments()).credentialId,
  attempt: async (stores, credentialId, caller) => {
    const userId = `${credentialId}-${caller}`
    const passkey = newPasskeyRecord(moments(), { credentialId, userId })
    const answer = await passkeysIn(stores).create(passkey, none)
    return won(
      answer,
      'passkeys.create',
      { outcome: 'created', isFirst: true },
      { outcome: 'exists' },
    )
  },
  verify: async (stores, credentialId, winner) => {
    const stored = await passkeysIn(stores).find(credentialId)
    check(
      stored?.userId === `${credentialId}-${winner}`,
      'After passkeys.create was raced, the passkey is not of the user whose call was `created`.',
    )
  },
}

const first: OneTimeOperation = {
  ...withinOne,
  callers: [2, 10],
  contract: 'passkeys',
  name: 'create of the first',
  did: 'added the first passkey of one user',
  why: `Each would be shown recovery codes, of which one set works. ${oneWrite}`,
  prepare: async () => newPasskeyRecord(moments()).userId,
  attempt: async (stores, userId, caller) => {
    const limits = { most: 100, recoveryCodeHashes: [derivedHash(`of ${caller}`, userId)] }
    const answer = await passkeysIn(stores).create(newPasskeyRecord(moments(), { userId }), limits)
    return won(
      answer,
      'passkeys.create',
      { outcome: 'created', isFirst: true },
      { outcome: 'created', isFirst: false },
    )
  },
  verify: async (stores, userId, winner) => {
    const hash = derivedHash(`of ${winner}`, userId)
    const { outcome } = await passkeysIn(stores).consumeRecoveryCode(userId, hash)
    check(
      outcome === 'consumed',
      'After the first passkey was raced, the recovery codes are not those of the caller who was ' +
        'told `isFirst`.',
    )
  },
}

const removeOne: OneTimeOperation = {
  ...usual,
  contract: 'passkeys',
  name: 'remove unless it is the last',
  did: 'removed one of two passkeys, unless it was the last,',
  why: `The user would have no way to sign in. ${oneWrite}`,
  prepare: async (stores) => {
    const userId = newPasskeyRecord(moments()).userId
    for (const half of ['0', '1']) {
      const credentialId = sha256(`${half}${userId}`)
      await passkeysIn(stores).create(newPasskeyRecord(moments(), { userId, credentialId }), none)
    }
    return userId
  },
  attempt: async (stores, userId, caller) => {
    const credentialId = sha256(`${caller % 2}${userId}`)
    const answer = await passkeysIn(stores).remove(userId, credentialId, { unlessLast: true })
    return won(
      answer,
      'passkeys.remove',
      { outcome: 'removed' },
      { outcome: 'last' },
      { outcome: 'unknown' },
    )
  },
  verify: async (stores, userId) => {
    const left = await passkeysIn(stores).listForUser(userId)
    check(left.length === 1, `After passkeys.remove was raced, ${left.length} of 2 are left.`)
  },
}

const consume: OneTimeOperation = {
  ...usual,
  contract: 'passkeys',
  name: 'consumeRecoveryCode',
  did: 'used one recovery code',
  why: `A code works once. ${oneWrite}`,
  prepare: async (stores) => {
    const passkey = newPasskeyRecord(moments())
    const { userId } = passkey
    const recoveryCodeHashes = [derivedHash('recovery', userId)]
    await passkeysIn(stores).create(passkey, { most: 20, recoveryCodeHashes })
    return userId
  },
  attempt: async (stores, userId) =>
    won(
      await passkeysIn(stores).consumeRecoveryCode(userId, derivedHash('recovery', userId)),
      'passkeys.consumeRecoveryCode',
      { outcome: 'consumed' },
      { outcome: 'unknown' },
    ),
}

/** The one-time operations of passkeys. */
export const passkeyOperations: readonly OneTimeOperation[] = [
  use,
  create,
  first,
  removeOne,
  consume,
]
