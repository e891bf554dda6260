import { randomId, randomSecret, sha256 } from '../../../lib/secrets.js'
import type { IdentityStore } from '../../../stores/identity-contract.js'
import {
  derivedHash,
  moments,
  newIdentity,
  newPasskeyRecord,
  newProof,
} from '../../../stores/new-records.js'
import type { PasskeyStore } from '../../../stores/passkey-contract.js'
import type { ProofPurpose, ProofStore } from '../../../stores/proof-contract.js'
import { check, given, type StoresUnderTest, won } from '../harness.js'
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

const proofsIn = (stores: StoresUnderTest): ProofStore => given(stores, 'proofs')
const purpose: ProofPurpose = 'sign-in'

const takeTry: OneTimeOperation = {
  ...usual,
  contract: 'proofs',
  name: 'takeTry of the last try',
  did: 'took the last try of one proof',
  why: `A code of eight digits could be guessed at without end. ${oneWrite}`,
  prepare: async (stores) => {
    const proof = newProof(moments(), { purpose, triesLeft: 1 })
    await proofsIn(stores).save(proof)
    return proof.idHash
  },
  attempt: async (stores, idHash) => {
    const answer = await proofsIn(stores).takeTry(idHash, purpose, moments()(1))
    const outcome = { outcome: answer?.outcome }
    return won(outcome, 'proofs.takeTry', { outcome: 'taken' }, { outcome: 'void' })
  },
  verify: async (stores, idHash) => {
    const stored = await proofsIn(stores).find(idHash, purpose)
    check(
      stored?.triesLeft === 0 && stored.consumedAt === null,
      'After proofs.takeTry was raced, the proof has not just lost its last try.',
    )
  },
}

const consumeProof: OneTimeOperation = {
  ...usual,
  contract: 'proofs',
  name: 'consume',
  did: 'consumed one proof',
  why: `One mail would sign in twice, or two people with one link. ${oneWrite}`,
  prepare: async (stores) => {
    const proof = newProof(moments(), { purpose })
    await proofsIn(stores).save(proof)
    return proof.idHash
  },
  attempt: async (stores, idHash) => {
    const answer = await proofsIn(stores).consume(idHash, purpose, moments()(1))
    const outcome = { outcome: answer?.outcome }
    return won(outcome, 'proofs.consume', { outcome: 'consumed' }, { outcome: 'void' })
  },
  verify: async (stores, idHash) => {
    const stored = await proofsIn(stores).find(idHash, purpose)
    check(
      stored?.consumedAt instanceof Date && stored.triesLeft === 5,
      'After proofs.consume was raced, the proof does not show that it was used, or lost tries.',
    )
  },
}

const voidForUser: OneTimeOperation = {
  ...usual,
  contract: 'proofs',
  name: 'voidForUser',
  did: 'used up the one proof of a user',
  why: 'Answer how many rows this very write has changed, not what a query finds before it.',
  prepare: async (stores) => {
    const userId = randomId()
    await proofsIn(stores).save(newProof(moments(), { purpose, userId }))
    return userId
  },
  attempt: async (stores, userId) =>
    won(
      await proofsIn(stores).voidForUser(userId, [purpose], moments()(1)),
      'proofs.voidForUser',
      1,
      0,
    ),
}

const save: OneTimeOperation = {
  callers: [10],
  acrossProcesses: false,
  contract: 'proofs',
  name: 'save',
  did: 'saved a proof under one hash',
  why: 'All but the first must be rejected. Insert; never upsert.',
  prepare: async () => randomSecret(),
  attempt: (stores, idHash, caller) =>
    proofsIn(stores)
      .save(newProof(moments(), { idHash, purpose, userId: `user ${caller}` }))
      .then(
        () => true,
        () => false,
      ),
  verify: async (stores, idHash, winner) => {
    const stored = await proofsIn(stores).find(idHash, purpose)
    check(
      stored?.userId === `user ${winner}`,
      'After proofs.save was raced, the stored row is not that of the caller whose call resolved.',
    )
  },
}

/** The one-time operations of proofs. */
export const proofOperations: readonly OneTimeOperation[] = [
  takeTry,
  consumeProof,
  voidForUser,
  save,
]

const identitiesIn = (stores: StoresUnderTest): IdentityStore => given(stores, 'identities')
const provider = 'race'

const link: OneTimeOperation = {
  ...usual,
  contract: 'identities',
  name: 'link',
  did: 'linked one identity, each to another user',
  why:
    'An identity would sign in whoever came later. Insert, and let the key of provider and ' +
    'subject refuse the rest.',
  prepare: async () => newIdentity(moments()).subject,
  attempt: async (stores, subject, caller) => {
    const userId = `${subject}-${caller}`
    const identity = newIdentity(moments(), { provider, subject, userId })
    const answer = await identitiesIn(stores).link(identity)
    return won(answer, 'identities.link', { outcome: 'linked' }, { outcome: 'exists' })
  },
  verify: async (stores, subject, winner) => {
    const stored = await identitiesIn(stores).find(provider, subject)
    check(
      stored?.userId === `${subject}-${winner}`,
      'After identities.link was raced, the identity is not of the user whose call was `linked`.',
    )
  },
}

const linkAgain: OneTimeOperation = {
  ...link,
  name: 'link of one that was unlinked',
  did: 'linked one identity that was unlinked, each to another user',
  why: 'An identity would sign in whoever came later. Update it only where it is unlinked still.',
  prepare: async (stores) => {
    const identity = newIdentity(moments(), { provider })
    const { subject, userId, id } = identity
    await identitiesIn(stores).link(identity)
    await identitiesIn(stores).unlink(userId, id, { unlessLast: false })
    return subject
  },
}

const unlinkUnlessLast: OneTimeOperation = {
  ...usual,
  contract: 'identities',
  name: 'unlink unless it is the last',
  did: 'unlinked one of two identities, unless it was the last,',
  why: `The user would have no way to sign in. ${oneWrite}`,
  prepare: async (stores) => {
    const { userId } = newIdentity(moments())
    for (const half of ['0', '1'])
      await identitiesIn(stores).link(
        newIdentity(moments(), { userId, id: sha256(`${half}${userId}`) }),
      )
    return userId
  },
  attempt: async (stores, userId, caller) => {
    const id = sha256(`${caller % 2}${userId}`)
    const answer = await identitiesIn(stores).unlink(userId, id, { unlessLast: true })
    return won(
      answer,
      'identities.unlink',
      { outcome: 'unlinked' },
      { outcome: 'last' },
      { outcome: 'unknown' },
    )
  },
  verify: async (stores, userId) => {
    const left = await identitiesIn(stores).listForUser(userId)
    check(left.length === 1, `After identities.unlink was raced, ${left.length} of 2 are left.`)
  },
}

const unlink: OneTimeOperation = {
  ...usual,
  contract: 'identities',
  name: 'unlink',
  did: 'unlinked one identity',
  why: `Who is told \`unlinked\` ends the sessions and tells the user. ${oneWrite}`,
  prepare: async (stores) => {
    const identity = newIdentity(moments())
    await identitiesIn(stores).link({ ...identity, id: sha256(identity.userId) })
    return identity.userId
  },
  attempt: async (stores, userId) =>
    won(
      await identitiesIn(stores).unlink(userId, sha256(userId), { unlessLast: false }),
      'identities.unlink',
      { outcome: 'unlinked' },
      { outcome: 'unknown' },
    ),
}

/** The one-time operations of identities. */
export const identityOperations: readonly OneTimeOperation[] = [
  link,
  linkAgain,
  unlinkUnlessLast,
  unlink,
]
