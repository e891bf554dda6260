import { randomId } from '../../../lib/random.js'
import { longestSealed, newProof } from '../../../stores/new-records.js'
import type { ProofRecord, ProofStore } from '../../../stores/proof-contract.js'
import { comesBack, type Rows, recordsAreCopies } from '../every-store/rows.js'
import { check, isNone, rejects, resolves, same } from '../harness/checks.js'
import type { Part } from '../harness/suite.js'
import { awkwardPairs, inheritedNames, longAwkwardText, otherCase } from '../harness/texts.js'

const proofRows: Rows<ProofStore, ProofRecord> = {
  saving: 'proofs.save',
  saved: 'saved',
  save: (proofs, proof) => proofs.save(proof),
  finding: 'proofs.find',
  find: (proofs, { idHash, purpose }) => proofs.find(idHash, purpose),
}

/** Single rows of proofs, and whose they are. */
export function proofsContract(part: Part<ProofStore>): void {
  proofsComeBack(part)
  recordsAreCopies(part, newProof, proofRows)
  proofDuplicates(part)
  proofFind(part)
  proofPurposes(part)
  proofIdentity(part)
}

function proofsComeBack({ it }: Part<ProofStore>): void {
  it('a proof comes back as it was saved, and is null when there is none', async (proofs, at) => {
    const absent = { userId: null, codeTag: null, mark: null, sealed: null }
    for (const proof of [
      newProof(at),
      newProof(at, absent),
      newProof(at, { userId: '', codeTag: '', mark: '', sealed: '', triesLeft: 0 }),
      newProof(at, { mark: longAwkwardText, codeTag: longAwkwardText, sealed: longAwkwardText }),
      newProof(at, { triesLeft: 1_000_000, createdAt: at(0.456), expiresAt: at(4e7 + 0.789) }),
    ]) {
      await comesBack(proofs, proof, proofRows)
    }
  })

  it('what is sealed comes back whole, all 8 KiB of it', async (proofs, at) => {
    const proof = newProof(at, { sealed: longestSealed() })
    await comesBack(proofs, proof, proofRows, 'What is cut off can never be opened again.')
    const { idHash, purpose } = proof
    const answer = await proofs.consume(idHash, purpose, at(1))
    same(
      'proof' in answer ? answer.proof.sealed : null,
      proof.sealed,
      'proofs.consume must answer all that is sealed: it is what will be written.',
    )
  })
}

function proofDuplicates({ it }: Part<ProofStore>): void {
  it('saving a hash again rejects and changes nothing, before its use and after', async (proofs, at) => {
    const proof = newProof(at)
    const { idHash, purpose } = proof
    const again = [
      newProof(at, { idHash, purpose }),
      newProof(at, { idHash, purpose: 'of another purpose' }),
    ]
    await proofs.save(proof)
    const taken = 'proofs.save took a hash that is already there'
    for (const other of again)
      await rejects(proofs.save(other), `${taken}: it would be good for somebody else. Insert.`)
    same(await proofs.find(idHash, purpose), proof, 'A rejected proofs.save must change nothing.')
    await proofs.consume(idHash, purpose, at(1))
    for (const other of again)
      await rejects(proofs.save(other), `${taken} and used: it would be good again. Insert.`)
    const { outcome } = await proofs.consume(idHash, purpose, at(2))
    check(outcome === 'void', 'A rejected proofs.save made a used proof good again.')
  })

  it('a user has as many proofs of one purpose as were saved', async (proofs, at) => {
    const first = newProof(at)
    const second = newProof(at, { userId: first.userId, purpose: first.purpose })
    for (const proof of [first, second])
      await resolves(proofs.save(proof), 'proofs.save refused a second proof of one user.')
    for (const proof of [first, second])
      same(
        await proofs.find(proof.idHash, proof.purpose),
        proof,
        'proofs.find of one of two proofs of a user. Keep a row for each proof.',
      )
  })
}

function proofFind({ it }: Part<ProofStore>): void {
  it('find changes nothing, however often it is asked', async (proofs, at) => {
    const proof = newProof(at, { triesLeft: 1 })
    const { idHash, purpose } = proof
    await proofs.save(proof)
    for (let time = 0; time < 3; time += 1)
      same(
        await proofs.find(idHash, purpose),
        proof,
        'proofs.find changed a proof: whoever opens a page would use it up.',
      )
    const { outcome } = await proofs.takeTry(idHash, purpose, at(1))
    check(outcome === 'taken', `proofs.takeTry answered ${outcome} after proofs.find. Only read.`)
  })

  it('find answers a proof also when it is used, expired or without tries', async (proofs, at) => {
    const proof = newProof(at, { triesLeft: 0, expiresAt: at(30) })
    const { idHash, purpose } = proof
    await proofs.save(proof)
    same(await proofs.find(idHash, purpose), proof, 'proofs.find of a proof without tries.')
    await proofs.consume(idHash, purpose, at(1.234))
    same(
      await proofs.find(idHash, purpose),
      { ...proof, consumedAt: at(1.234) },
      'proofs.find of a used proof: it stays until it is purged, and shows when it was used.',
    )
  })
}

function proofPurposes({ it }: Part<ProofStore>): void {
  it('a proof of another purpose is not there, and nothing is taken from it', async (proofs, at) => {
    const proof = newProof(at, { purpose: 'reset' })
    const { idHash } = proof
    await proofs.save(proof)
    for (const other of ['undo-address', 'Reset', 'reset ', 'res', '', '%', ...inheritedNames]) {
      const what = `of the purpose ${JSON.stringify(other)} of a proof of 'reset'`
      check(isNone(await proofs.find(idHash, other)), `proofs.find answered one ${what}.`)
      for (const method of ['takeTry', 'consume'] as const)
        same(
          await proofs[method](idHash, other, at(1)),
          { outcome: 'void' },
          `proofs.${method} ${what}: a link would do what it was not made for.`,
        )
    }
    same(await proofs.find(idHash, 'reset'), proof, 'A proof that was asked for by other purposes.')
  })
}

function proofIdentity({ it }: Part<ProofStore>): void {
  it('hashes, users and purposes that differ in one byte are different ones', async (proofs, at) => {
    for (const [what, first, second] of awkwardPairs(randomId())) {
      const [one, other] = [first, second].map((text) =>
        newProof(at, { idHash: text, userId: text, purpose: text }),
      ) as [ProofRecord, ProofRecord]
      const why = `that differ by ${what}. Compare bytewise.`
      await proofs.save(one)
      await resolves(proofs.save(other), `proofs.save confuses hashes ${why}`)
      same(
        [(await proofs.find(first, first))?.idHash, (await proofs.find(second, second))?.idHash],
        [first, second],
        `proofs.find of hashes ${why}`,
      )
      check(isNone(await proofs.find(first, second)), `proofs.find confuses purposes ${why}`)
      same(
        [
          await proofs.voidForUser(first, [second], at(1)),
          await proofs.voidForUser(first, [first], at(1)),
        ],
        [0, 1],
        `proofs.voidForUser confuses purposes or users ${why}`,
      )
      check(
        isNone((await proofs.find(second, second))?.consumedAt),
        `proofs.voidForUser confuses users ${why}`,
      )
    }
  })

  it('hashes that differ by case are different proofs', async (proofs, at) => {
    const one = newProof(at)
    const other = newProof(at, { idHash: otherCase(one.idHash) })
    await proofs.save(one)
    const { outcome } = await proofs.consume(other.idHash, other.purpose, at(1))
    check(outcome === 'void', 'proofs.consume ignores case. Compare bytewise.')
    await resolves(proofs.save(other), 'proofs.save ignores case. Compare bytewise.')
    const found = await proofs.find(one.idHash, one.purpose)
    same(found?.userId, one.userId, 'proofs.find ignores case. Compare bytewise.')
  })

  it('a hash that every object has as a property is no proof', async (proofs) => {
    for (const name of inheritedNames) {
      check(
        isNone(await proofs.find(name, 'reset')),
        `proofs.find of '${name}'. Keep rows in a Map, not in a plain object.`,
      )
      same(
        await proofs.voidForUser(name, ['reset'], new Date()),
        0,
        `proofs.voidForUser of '${name}'. Use a Map, not a plain object.`,
      )
    }
  })
}
