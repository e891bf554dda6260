import { newProof } from '../../stores/new-records.js'
import type { ProofRecord, ProofStore } from '../../stores/one-time-contract.js'
import { goodUntil } from './every-store/rows.js'
import { type Answer, answers, atOnce, check, type Part, same, told } from './harness.js'

const oneWrite =
  'Take it in one conditional write: `triesLeft > 0` is its condition, `triesLeft - 1` what it ' +
  'writes.'

/** The calls for this proof, to be made when it is their turn in a table. */
function callsFor(proofs: ProofStore, { idHash, purpose }: ProofRecord) {
  return {
    find: () => proofs.find(idHash, purpose),
    takeTry: (now: Date) => () => proofs.takeTry(idHash, purpose, now),
    consume: (now: Date) => () => proofs.consume(idHash, purpose, now),
  }
}

/** Trying and using proofs. */
export function proofTries(part: Part<ProofStore>): void {
  takesTries(part)
  takesExactly(part)
  uses(part)
  expires(part)
  usesDuringTries(part)
}

function takesTries({ it }: Part<ProofStore>): void {
  it('takeTry gives as many tries as there are, one at a time', async (proofs, at) => {
    const proof = newProof(at, { triesLeft: 3 })
    const twin = newProof(at, { userId: proof.userId })
    await proofs.save(proof)
    await proofs.save(twin)
    const { find, takeTry } = callsFor(proofs, proof)
    const taken = (triesLeft: number) => ({ outcome: 'taken', proof: { ...proof, triesLeft } })
    await answers([
      ...[2, 1, 0].map(
        (left): Answer => [takeTry(at(1)), taken(left), 'proofs.takeTry of a proof with tries.'],
      ),
      [takeTry(at(1)), told('void'), 'takeTry without tries: eight digits could be guessed at.'],
      [find, taken(0).proof, 'proofs.takeTry changes triesLeft alone, and never below 0.'],
      [callsFor(proofs, twin).find, twin, 'proofs.takeTry changed another proof.'],
    ])
  })

  it('takeTry and consume of an unknown proof are void, and make none', async (proofs, at) => {
    const { find, takeTry, consume } = callsFor(proofs, newProof(at))
    await answers([
      [takeTry(at(1)), told('void'), 'proofs.takeTry of an unknown proof.'],
      [consume(at(1)), told('void'), 'proofs.consume of an unknown proof.'],
      [find, null, 'Update; never upsert.'],
    ])
  })
}

function takesExactly({ it }: Part<ProofStore>): void {
  const triesLeft = 5
  for (const callers of [2, 10, 100]) {
    const expected = Math.min(triesLeft, callers)
    it(`takeTry of ${triesLeft} tries is won by ${expected} of ${callers} callers`, async (proofs, at) => {
      const proof = newProof(at, { triesLeft })
      await proofs.save(proof)
      const { find, takeTry } = callsFor(proofs, proof)
      const said = await Promise.all(Array.from({ length: callers }, takeTry(at(1))))
      const taken = said.filter(({ outcome }) => outcome === 'taken').length
      check(
        taken === expected,
        `${taken} of ${callers} callers took one of ${triesLeft} tries, instead of exactly ` +
          `${expected}. ${oneWrite}`,
      )
      const left = { ...proof, triesLeft: triesLeft - expected }
      same(await find(), left, 'proofs.find after the tries were raced.')
    })
  }
}

function uses({ it }: Part<ProofStore>): void {
  it('a proof is used once, and shows when', async (proofs, at) => {
    const proof = newProof(at)
    const twin = newProof(at, { userId: proof.userId })
    await proofs.save(proof)
    await proofs.save(twin)
    const { find, takeTry, consume } = callsFor(proofs, proof)
    const used = { ...proof, consumedAt: at(1.234) }
    const consumed = { outcome: 'consumed', proof: used }
    await answers([
      [consume(at(1.234)), consumed, 'proofs.consume of a good proof.'],
      [consume(at(2)), told('void'), 'proofs.consume of a used proof.'],
      [takeTry(at(2)), told('void'), 'proofs.takeTry of a used proof.'],
      [find, used, 'A used proof stays as its first use left it.'],
      [callsFor(proofs, twin).find, twin, 'proofs.consume changed another proof.'],
    ])
  })

  it('a proof without tries can be used: its last try was taken just before', async (proofs, at) => {
    const proof = newProof(at, { triesLeft: 1 })
    const { takeTry, consume } = callsFor(proofs, proof)
    await proofs.save(proof)
    await takeTry(at(1))()
    same(
      await consume(at(2))(),
      { outcome: 'consumed', proof: { ...proof, triesLeft: 0, consumedAt: at(2) } },
      'proofs.consume asked for triesLeft, or changed it. It plays no part: whoever uses a proof ' +
        'has taken a try before.',
    )
  })
}

function expires(part: Part<ProofStore>): void {
  for (const [row, method, good] of [
    ['proof that is tried', 'takeTry', 'taken'],
    ['proof', 'consume', 'consumed'],
  ] as const)
    goodUntil(part, {
      row,
      method: `proofs.${method}`,
      by: 'write',
      seconds: 30,
      outcomes: { good, over: 'void' },
      async save(proofs, at) {
        const proof = newProof(at, { triesLeft: 1, expiresAt: at(30) })
        await proofs.save(proof)
        return (now) => proofs[method](proof.idHash, proof.purpose, now)
      },
    })
}

function usesDuringTries({ inRounds }: Part<ProofStore>): void {
  inRounds('takeTry and consume, at once: both changes are there', async (proofs, at, round) => {
    const proof = newProof(at)
    const { idHash, purpose, triesLeft } = proof
    await proofs.save(proof)
    const answers = await atOnce(
      round,
      () => proofs.takeTry(idHash, purpose, at(1)),
      () => proofs.consume(idHash, purpose, at(2)),
    )
    const outcomes = answers.map(({ outcome }) => outcome)
    check(
      outcomes.includes('consumed'),
      `proofs.takeTry kept proofs.consume from using a good proof: ${outcomes}.`,
    )
    same(
      await proofs.find(idHash, purpose),
      {
        ...proof,
        triesLeft: outcomes.includes('taken') ? triesLeft - 1 : triesLeft,
        consumedAt: at(2),
      },
      'proofs.find after takeTry and consume at once. Write what changes; a row that is written ' +
        'whole makes a used proof good again.',
    )
  })
}
