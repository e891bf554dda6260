import {
  type Answers,
  type Check,
  count,
  date,
  failClosed,
  listOf,
  orNull,
  record,
  theOneAsked,
  unread,
} from '../lib/check-answer.js'
import type { HostCall } from '../lib/host-call.js'
import { createProofCheck } from './kept-members.js'
import type { ProofRecord, ProofStore } from './proof-contract.js'
import { checksOf } from './rows/checks.js'
import { proofRow } from './rows/proof-row.js'

const shape = { ...checksOf(proofRow), idHash: theOneAsked, triesLeft: count }

type OfOnePurpose = Pick<ProofStore, 'find' | 'takeTry' | 'consume'>
type OfAll = Omit<ProofStore, keyof OfOnePurpose>

const listed = { ...checksOf(proofRow), triesLeft: count, purpose: theOneAsked }
const answers: Answers<OfAll> = {
  save: unread,
  voidForUser: count,
  list: listOf(record<ProofRecord>(listed)),
  purge: count,
}

// The checks know the first argument of a call alone, and a proof has two names.
function answersOf(asked: string): Answers<OfOnePurpose> {
  const purpose: Check = (value) => theOneAsked(value, asked)
  const proof = record<ProofRecord>({ ...shape, purpose })
  const consumed = record<ProofRecord>({ ...shape, purpose, consumedAt: date })
  return {
    find: orNull(proof),
    takeTry: { taken: { proof }, void: {} },
    consume: { consumed: { proof: consumed }, void: {} },
  }
}

/** Proofs behind their contract. What one needs kept, the store must be seen to keep. */
export function failClosedProofs(store: ProofStore, call: HostCall): ProofStore {
  const all = failClosed<OfAll>('proofs', store, call, answers)
  const of = (purpose: string) =>
    failClosed<OfOnePurpose>('proofs', store, call, answersOf(purpose))
  const proofs: ProofStore = {
    ...all,
    find: (idHash, purpose) => of(purpose).find(idHash, purpose),
    takeTry: (idHash, purpose, now) => of(purpose).takeTry(idHash, purpose, now),
    consume: (idHash, purpose, now) => of(purpose).consume(idHash, purpose, now),
  }
  const checkProof = createProofCheck(proofs)
  return {
    ...proofs,
    async save(proof) {
      await checkProof(proof)
      await all.save(proof)
    },
  }
}
