import { moments, newProof } from '../../../stores/new-records.js'
import type { ProofStore } from '../../../stores/proof-contract.js'
import { isNone, same, shared } from '../harness/checks.js'

/** One process changes proofs, and the other reads them. */
export async function proofsOf(one: ProofStore, other: ProofStore): Promise<void> {
  const at = moments()
  const proof = newProof(at, { triesLeft: 2 })
  const { idHash, purpose, userId } = proof
  const found = async () => other.find(idHash, purpose)
  same([isNone(await found())], [true], 'proofs.find of none.')
  await one.save(proof)
  same(await found(), proof, `proofs.find of one that another process has saved. ${shared}`)
  await one.takeTry(idHash, purpose, at(1))
  same((await found())?.triesLeft, 1, `proofs.find after takeTry in another process. ${shared}`)
  await other.takeTry(idHash, purpose, at(1))
  same(
    await one.takeTry(idHash, purpose, at(1)),
    { outcome: 'void' },
    `proofs.takeTry of tries that another process has taken. ${shared}`,
  )
  same(
    await other.voidForUser(String(userId), [purpose], at(2)),
    1,
    `proofs.voidForUser of a proof that another process has saved. ${shared}`,
  )
  same(
    await one.consume(idHash, purpose, at(3)),
    { outcome: 'void' },
    `proofs.consume of a proof that another process has used up. ${shared}`,
  )
}
