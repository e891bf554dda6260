import { randomId, randomSecret } from '../../../lib/random.js'
import { moments, newProof } from '../../../stores/new-records.js'
import type { ProofPurpose, ProofStore } from '../../../stores/proof-contract.js'
import { check, won } from '../harness/checks.js'
import { given, type StoresUnderTest } from '../harness/suite.js'
import { type OneTimeOperation, oneWrite, usual } from './one-time-operation.js'

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

const consume: OneTimeOperation = {
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
export const proofOperations: readonly OneTimeOperation[] = [takeTry, consume, voidForUser, save]
