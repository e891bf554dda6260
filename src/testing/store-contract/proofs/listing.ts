import { randomId } from '../../../lib/random.js'
import { inTurns, newProof } from '../../../stores/new-records.js'
import type { ProofRecord, ProofStore } from '../../../stores/proof-contract.js'
import { same } from '../harness/checks.js'
import { many, type Part } from '../harness/suite.js'

const byHash = (one: ProofRecord, other: ProofRecord) => (one.idHash < other.idHash ? -1 : 1)

/** The lists of a user's proofs, and of nobody's. */
export function proofListing(part: Part<ProofStore>): void {
  listingOfNobody(part)
  listingOfUser(part)
}

function listingOfNobody({ it }: Part<ProofStore>): void {
  it('list answers nobody’s proofs of a purpose that can be used, and no others', async (proofs, at) => {
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
      (await proofs.list(purpose, null, at(10))).toSorted(byHash),
      usable.toSorted(byHash),
      'proofs.list of a purpose, without what is used, tried, expired, of a user, or of another ' +
        'purpose: an invitation that is not in it cannot be revoked.',
    )
    same(
      await proofs.list(`${purpose}s`, null, at(10)),
      [],
      'proofs.list of a purpose without proofs.',
    )
  })

  it('list finds all of them, also the next page', async (proofs, at) => {
    const purpose = `invitation ${randomId()}`
    const rows = Array.from({ length: many }, () => newProof(at, { userId: null, purpose }))
    await inTurns(rows, (proof) => proofs.save(proof))
    const found = await proofs.list(purpose, null, at(1))
    same(
      found.map(({ idHash }) => idHash).toSorted(),
      rows.map(({ idHash }) => idHash).toSorted(),
      'proofs.list of many proofs. Go on page by page.',
    )
  })
}

function listingOfUser({ it }: Part<ProofStore>): void {
  it('list answers one user’s proofs of a purpose that can be used, and no others', async (proofs, at) => {
    const [userId, purpose] = [randomId(), `undo ${randomId()}`]
    const ofUser = (changed: Partial<ProofRecord> = {}) =>
      newProof(at, { userId, purpose, ...changed })
    const usable = [ofUser(), ofUser({ codeTag: null, mark: null, triesLeft: 1 })]
    const used = ofUser()
    const others = [
      ofUser({ userId: null }),
      ofUser({ userId: userId.toUpperCase() }),
      ofUser({ userId: `${userId} ` }),
      ofUser({ purpose: `${purpose}s` }),
      ofUser({ triesLeft: 0 }),
      ofUser({ expiresAt: at(10) }),
    ]
    for (const proof of [...usable, used, ...others]) await proofs.save(proof)
    await proofs.consume(used.idHash, purpose, at(1))
    same(
      (await proofs.list(purpose, userId, at(10))).toSorted(byHash),
      usable.toSorted(byHash),
      'proofs.list of a user: without one that is missing, a thief changes an address once more ' +
        'while its owner can still undo the first change.',
    )
    await proofs.voidForUser(userId, [purpose], at(10))
    same(await proofs.list(purpose, userId, at(10)), [], 'proofs.list after voidForUser.')
  })
}
