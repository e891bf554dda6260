import { requireKept } from './kept-members.js'
import { longestSealed, moments, newProof } from './new-records.js'
import { isOutcome, type Probe, raceFor } from './probe-race.js'
import type { ProofStore } from './proof-contract.js'

/** Whether a proof is kept whole, and tried, consumed and voided once. */
export async function probeProofs(proofs: ProofStore, probe: Probe): Promise<void> {
  const { userId } = probe
  const at = moments()
  // Nobody has its token or its code: one that was left behind proves nothing.
  const proof = newProof(at, { userId, triesLeft: 1, sealed: longestSealed() })
  const other = newProof(at, { userId })
  const { idHash, purpose } = proof
  const race = raceFor('proofs', probe)
  try {
    await proofs.save(proof)
    requireKept('proofs', proof, await proofs.find(idHash, purpose))
    await race('take the last try of one proof', async () =>
      isOutcome(await proofs.takeTry(idHash, purpose, at(0)), 'taken'),
    )
    await race('consume one proof', async () =>
      isOutcome(await proofs.consume(idHash, purpose, at(0)), 'consumed'),
    )
    await proofs.save(other)
    await race(
      'void the proofs of one user, and be told of the same one,',
      async () => (await proofs.voidForUser(userId, [purpose], at(0))) === 1,
    )
  } finally {
    await proofs.voidForUser(userId, [purpose], at(0)).catch(() => undefined)
  }
}
