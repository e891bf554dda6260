import { inTurns, type Moment, newProof } from '../../../stores/new-records.js'
import type { ProofRecord, ProofStore } from '../../../stores/proof-contract.js'
import { countTrue, purgeContract } from '../every-store/purge-contract.js'
import { isNone } from '../harness/checks.js'
import type { Part } from '../harness/suite.js'

const over = 30

/** `purge` of proofs. */
export function proofsPurge(part: Part<ProofStore>): void {
  const isThere = async (proofs: ProofStore, { idHash, purpose }: ProofRecord) =>
    !isNone(await proofs.find(idHash, purpose))
  const expiring = (at: Moment) => newProof(at, { expiresAt: at(over) })

  purgeContract(part, {
    method: 'proofs.purge',
    row: 'proof',
    moments: [
      {
        title: 'an unused proof at the moment it expires',
        tooEarly: 'deleted a proof one millisecond before it expired',
        over,
        async add(proofs, at) {
          const proof = expiring(at)
          await proofs.save(proof)
          return () => isThere(proofs, proof)
        },
      },
      {
        title: 'a used proof at the moment it expires',
        tooEarly: 'deleted a used proof one millisecond before it expired',
        over,
        async add(proofs, at) {
          const proof = expiring(at)
          await proofs.save(proof)
          await proofs.consume(proof.idHash, proof.purpose, at(1))
          return () => isThere(proofs, proof)
        },
      },
    ],
    isCountable: true,
    purge: (proofs, now, limit) => proofs.purge(now, limit),
    addLiving: (proofs, at) => proofs.save(newProof(at)),
    async addOver(proofs, at, count) {
      const rows = Array.from({ length: count }, () => expiring(at))
      await inTurns(rows, (proof) => proofs.save(proof))
      return () => countTrue(rows.map((proof) => isThere(proofs, proof)))
    },
    over,
  })
}
