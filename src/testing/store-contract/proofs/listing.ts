import { randomId } from '../../../lib/random.js'
import { inTurns, newProof } from '../../../stores/new-records.js'
import type { ProofRecord, ProofStore } from '../../../stores/proof-contract.js'
import { same } from '../harness/checks.js'
import type { Part } from '../harness/suite.js'

const byHash = (one: ProofRecord, other: ProofRecord) => (one.idHash < other.idHash ? -1 : 1)

/** The list of nobody's proofs, where a store has one. */
export function proofListing({ it }: Part<ProofStore>): void {
  it('list answers nobody’s proofs of a purpose that can be used, and no others', async (proofs, at) => {
    if (proofs.list === undefined) return
    const purpose = `invitation ${randomId()}`
    const nobodys = (changed: Partial<ProofRecord> = {}) =>
      newProof(at, { userId: null, purpose, ...changed })
    const usable = [nobodys(), nobodys({ codeTag: null, mark: null, sealed: null, triesLeft: 1 })]
    const used = nobodys()
    const tried = nobodys({ triesLeft: 1 })
    const others = [
      newProof(at, { purpose }),
      newProof(at, { purpose, userId: '' }),
      nobodys({ purpose: purpose.toUpperCase() }),
      nobodys({ purpose: `${purpose} ` }),
      nobodys({ triesLeft: 0 }),
      nobodys({ expiresAt: at(10) }),
    ]
    for (const proof of [...usable, used, tried, ...others]) await proofs.save(proof)
    await proofs.consume(used.idHash, purpose, at(1))
    await proofs.takeTry(tried.idHash, purpose, at(1))
    same(
      (await proofs.list(purpose, at(10))).toSorted(byHash),
      usable.toSorted(byHash),
      'proofs.list of a purpose, without what is used, tried, expired, of a user, or of another ' +
        'purpose: an invitation that is not in it cannot be revoked.',
    )
    same(await proofs.list(`${purpose}s`, at(10)), [], 'proofs.list of a purpose without proofs.')
  })

  it('list finds all of them, also the next page', async (proofs, at) => {
    if (proofs.list === undefined) return
    const purpose = `invitation ${randomId()}`
    const rows = Array.from({ length: 120 }, () => newProof(at, { userId: null, purpose }))
    await inTurns(rows, (proof) => proofs.save(proof))
    const found = await proofs.list(purpose, at(1))
    same(
      found.map(({ idHash }) => idHash).toSorted(),
      rows.map(({ idHash }) => idHash).toSorted(),
      'proofs.list of many proofs. Go on page by page.',
    )
  })
}
