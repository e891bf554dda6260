import { randomId, randomSecret, sha256 } from '../../../lib/secrets.js'
import type { IdentityStore } from '../../../stores/identity-contract.js'
import {
  derivedHash,
  newIdentity,
  newPasskeyRecord,
  newProof,
} from '../../../stores/new-records.js'
import {
  duplicates,
  type OneTime,
  type OneTimeOperation,
  oneWrite,
  operationsOf,
  outcomeOf,
  outcomes,
  resolves,
} from './one-time-operation.js'

const none = { most: 20, recoveryCodeHashes: [] }

/** The one-time operations of passkeys. */
export const passkeyOperations: readonly OneTimeOperation[] = operationsOf('passkeys', [
  {
    name: 'use',
    did: 'moved one counter from the same number',
    why: `Two copies of a key would both pass (WebAuthn Level 3 §6.1.1). ${oneWrite}`,
    prepare: async (passkeys, at) => {
      const passkey = newPasskeyRecord(at)
      await passkeys.create(passkey, none)
      return passkey.credentialId
    },
    attempt: (passkeys, credentialId, at, caller) =>
      passkeys.use(credentialId, 7, { counter: 8 + caller, backedUp: true, lastUsedAt: at(5) }),
    answers: outcomes('used', 'superseded'),
    stored: async (passkeys, id, winner) => [(await passkeys.find(id))?.counter, 8 + winner],
  },
  {
    name: 'create',
    did: 'created a passkey of one id',
    why:
      'A passkey would sign in whoever came later. Insert, and let the key refuse the rest, of ' +
      'whichever user.',
    prepare: async () => randomId(),
    attempt: (passkeys, credentialId, at, caller) =>
      passkeys.create(
        newPasskeyRecord(at, { credentialId, userId: `${credentialId}-${caller}` }),
        none,
      ),
    answers: [{ outcome: 'created', isFirst: true }, { outcome: 'exists' }],
    stored: async (passkeys, id, winner) => [(await passkeys.find(id))?.userId, `${id}-${winner}`],
  },
  {
    name: 'create of the first',
    did: 'added the first passkey of one user',
    why: `Each would be shown recovery codes, of which one set works. ${oneWrite}`,
    callers: [2, 10],
    withinOneProcess: true,
    prepare: async () => randomId(),
    attempt: (passkeys, userId, at, caller) => {
      const limits = { most: 100, recoveryCodeHashes: [derivedHash(`of ${caller}`, userId)] }
      return passkeys.create(newPasskeyRecord(at, { userId }), limits)
    },
    answers: [true, false].map((isFirst) => ({ outcome: 'created', isFirst })),
    stored: async (passkeys, userId, winner) => [
      await passkeys.consumeRecoveryCode(userId, derivedHash(`of ${winner}`, userId)),
      { outcome: 'consumed' },
    ],
  },
  {
    name: 'remove unless it is the last',
    did: 'removed one of two passkeys, unless it was the last,',
    why: `The user would have no way to sign in. ${oneWrite}`,
    prepare: async (passkeys, at) => {
      const userId = randomId()
      for (const half of ['0', '1']) {
        const credentialId = sha256(`${half}${userId}`)
        await passkeys.create(newPasskeyRecord(at, { userId, credentialId }), none)
      }
      return userId
    },
    attempt: (passkeys, userId, _at, caller) =>
      passkeys.remove(userId, sha256(`${caller % 2}${userId}`), { unlessLast: true }),
    answers: outcomes('removed', 'last', 'unknown'),
    stored: async (passkeys, userId) => [(await passkeys.listForUser(userId)).length, 1],
  },
  {
    name: 'consumeRecoveryCode',
    did: 'used one recovery code',
    why: `A code works once. ${oneWrite}`,
    prepare: async (passkeys, at) => {
      const userId = randomId()
      const recoveryCodeHashes = [derivedHash('recovery', userId)]
      await passkeys.create(newPasskeyRecord(at, { userId }), { most: 20, recoveryCodeHashes })
      return userId
    },
    attempt: (passkeys, userId) =>
      passkeys.consumeRecoveryCode(userId, derivedHash('recovery', userId)),
    answers: outcomes('consumed', 'unknown'),
  },
])

const purpose = 'sign-in'

/** The one-time operations of proofs. */
export const proofOperations: readonly OneTimeOperation[] = operationsOf('proofs', [
  {
    name: 'takeTry of the last try',
    did: 'took the last try of one proof',
    why: `A code of eight digits could be guessed at without end. ${oneWrite}`,
    prepare: async (proofs, at) => {
      const proof = newProof(at, { purpose, triesLeft: 1 })
      await proofs.save(proof)
      return proof.idHash
    },
    attempt: (proofs, idHash, at) => outcomeOf(proofs.takeTry(idHash, purpose, at(1))),
    answers: outcomes('taken', 'void'),
    stored: async (proofs, idHash) => {
      const stored = await proofs.find(idHash, purpose)
      return [
        [stored?.triesLeft, stored?.consumedAt],
        [0, null],
      ]
    },
  },
  {
    name: 'consume',
    did: 'consumed one proof',
    why: `One mail would sign in twice, or two people with one link. ${oneWrite}`,
    prepare: async (proofs, at) => {
      const proof = newProof(at, { purpose })
      await proofs.save(proof)
      return proof.idHash
    },
    attempt: (proofs, idHash, at) => outcomeOf(proofs.consume(idHash, purpose, at(1))),
    answers: outcomes('consumed', 'void'),
    stored: async (proofs, idHash) => {
      const stored = await proofs.find(idHash, purpose)
      return [
        [stored?.triesLeft, stored?.consumedAt instanceof Date],
        [5, true],
      ]
    },
  },
  {
    name: 'voidForUser',
    did: 'used up the one proof of a user',
    why: 'Answer how many rows this very write has changed, not what a query finds before it.',
    prepare: async (proofs, at) => {
      const userId = randomId()
      await proofs.save(newProof(at, { purpose, userId }))
      return userId
    },
    attempt: (proofs, userId, at) => proofs.voidForUser(userId, [purpose], at(1)),
    answers: [1, 0],
  },
  {
    ...duplicates,
    name: 'save',
    did: 'saved a proof under one hash',
    prepare: async () => randomSecret(),
    attempt: (proofs, idHash, at, caller) =>
      resolves(proofs.save(newProof(at, { idHash, purpose, userId: `user ${caller}` }))),
    stored: async (proofs, idHash, winner) => [
      (await proofs.find(idHash, purpose))?.userId,
      `user ${winner}`,
    ],
  },
])

const provider = 'race'

const link: OneTime<IdentityStore> = {
  name: 'link',
  did: 'linked one identity, each to another user',
  why:
    'An identity would sign in whoever came later. Insert, and let the key of provider and ' +
    'subject refuse the rest.',
  prepare: async () => randomId(),
  attempt: (identities, subject, at, caller) =>
    identities.link(newIdentity(at, { provider, subject, userId: `${subject}-${caller}` })),
  answers: outcomes('linked', 'exists'),
  stored: async (identities, subject, winner) => [
    (await identities.find(provider, subject))?.userId,
    `${subject}-${winner}`,
  ],
}

/** The one-time operations of identities. */
export const identityOperations: readonly OneTimeOperation[] = operationsOf('identities', [
  link,
  {
    ...link,
    name: 'link of one that was unlinked',
    did: 'linked one identity that was unlinked, each to another user',
    why: 'An identity would sign in whoever came later. Update it only where it is unlinked still.',
    prepare: async (identities, at) => {
      const identity = newIdentity(at, { provider })
      await identities.link(identity)
      await identities.unlink(identity.userId, identity.id, { unlessLast: false })
      return identity.subject
    },
  },
  {
    name: 'unlink unless it is the last',
    did: 'unlinked one of two identities, unless it was the last,',
    why: `The user would have no way to sign in. ${oneWrite}`,
    prepare: async (identities, at) => {
      const userId = randomId()
      for (const half of ['0', '1'])
        await identities.link(newIdentity(at, { userId, id: sha256(`${half}${userId}`) }))
      return userId
    },
    attempt: (identities, userId, _at, caller) =>
      identities.unlink(userId, sha256(`${caller % 2}${userId}`), { unlessLast: true }),
    answers: outcomes('unlinked', 'last', 'unknown'),
    stored: async (identities, userId) => [(await identities.listForUser(userId)).length, 1],
  },
  {
    name: 'unlink',
    did: 'unlinked one identity',
    why: `Who is told \`unlinked\` ends the sessions and tells the user. ${oneWrite}`,
    prepare: async (identities, at) => {
      const userId = randomId()
      await identities.link(newIdentity(at, { userId, id: sha256(userId) }))
      return userId
    },
    attempt: (identities, userId) =>
      identities.unlink(userId, sha256(userId), { unlessLast: false }),
    answers: outcomes('unlinked', 'unknown'),
  },
])
