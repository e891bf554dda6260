import { type Moment, newProof } from '../../stores/new-records.js'
import type { ProofStore } from '../../stores/proof-contract.js'
import { goodUntil } from './every-store/rows.js'
import { atOnce, check, type Part, same } from './harness.js'

const oneWrite =
  'Take it in one conditional write: `triesLeft > 0` is its condition, `triesLeft - 1` what it ' +
  'writes.'

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
    const { idHash, purpose } = proof
    await proofs.save(proof)
    await proofs.save(twin)
    for (const triesLeft of [2, 1, 0])
      same(
        await proofs.takeTry(idHash, purpose, at(1)),
        { outcome: 'taken', proof: { ...proof, triesLeft } },
        'proofs.takeTry of a proof that has tries.',
      )
    same(
      await proofs.takeTry(idHash, purpose, at(1)),
      { outcome: 'void' },
      'proofs.takeTry of a proof without tries: a code of eight digits could be guessed at.',
    )
    same(
      await proofs.find(idHash, purpose),
      { ...proof, triesLeft: 0 },
      'proofs.takeTry changes triesLeft alone, and never below 0.',
    )
    same(await proofs.find(twin.idHash, purpose), twin, 'proofs.takeTry changed another proof.')
  })

  it('takeTry and consume of an unknown proof are void, and make none', async (proofs, at) => {
    const { idHash, purpose } = newProof(at)
    for (const method of ['takeTry', 'consume'] as const)
      same(
        await proofs[method](idHash, purpose, at(1)),
        { outcome: 'void' },
        `proofs.${method} of an unknown proof.`,
      )
    same(await proofs.find(idHash, purpose), null, 'Update; never upsert.')
  })
}

function takesExactly({ it }: Part<ProofStore>): void {
  for (const [triesLeft, callers] of [
    [5, 2],
    [5, 10],
    [5, 100],
  ] as const) {
    const expected = Math.min(triesLeft, callers)
    it(`takeTry of ${triesLeft} tries is won by ${expected} of ${callers} callers`, async (proofs, at) => {
      const proof = newProof(at, { triesLeft })
      const { idHash, purpose } = proof
      await proofs.save(proof)
      const answers = await Promise.all(
        Array.from({ length: callers }, () => proofs.takeTry(idHash, purpose, at(1))),
      )
      const taken = answers.filter(({ outcome }) => outcome === 'taken').length
      check(
        taken === expected,
        `${taken} of ${callers} callers took one of ${triesLeft} tries, instead of exactly ` +
          `${expected}. ${oneWrite}`,
      )
      same(
        await proofs.find(idHash, purpose),
        { ...proof, triesLeft: triesLeft - expected },
        'proofs.find after the tries were raced.',
      )
    })
  }
}

function uses({ it }: Part<ProofStore>): void {
  it('a proof is used once, and shows when', async (proofs, at) => {
    const proof = newProof(at)
    const twin = newProof(at, { userId: proof.userId })
    const { idHash, purpose } = proof
    await proofs.save(proof)
    await proofs.save(twin)
    const used = { ...proof, consumedAt: at(1.234) }
    same(
      await proofs.consume(idHash, purpose, at(1.234)),
      { outcome: 'consumed', proof: used },
      'proofs.consume of a good proof.',
    )
    for (const method of ['consume', 'takeTry'] as const)
      same(
        await proofs[method](idHash, purpose, at(2)),
        { outcome: 'void' },
        `proofs.${method} of a used proof.`,
      )
    same(await proofs.find(idHash, purpose), used, 'A used proof stays as its first use left it.')
    same(await proofs.find(twin.idHash, purpose), twin, 'proofs.consume changed another proof.')
  })

  it('a proof without tries can be used: its last try was taken just before', async (proofs, at) => {
    const proof = newProof(at, { triesLeft: 1 })
    const { idHash, purpose } = proof
    await proofs.save(proof)
    await proofs.takeTry(idHash, purpose, at(1))
    same(
      await proofs.consume(idHash, purpose, at(2)),
      { outcome: 'consumed', proof: { ...proof, triesLeft: 0, consumedAt: at(2) } },
      'proofs.consume asked for triesLeft, or changed it. It plays no part: whoever uses a proof ' +
        'has taken a try before.',
    )
  })
}

function expires(part: Part<ProofStore>): void {
  const save = (method: 'takeTry' | 'consume') => async (proofs: ProofStore, at: Moment) => {
    const proof = newProof(at, { triesLeft: 1, expiresAt: at(30) })
    await proofs.save(proof)
    return (now: Date) => proofs[method](proof.idHash, proof.purpose, now)
  }
  goodUntil(part, {
    row: 'proof that is tried',
    method: 'proofs.takeTry',
    by: 'write',
    seconds: 30,
    outcomes: { good: 'taken', over: 'void' },
    save: save('takeTry'),
  })
  goodUntil(part, {
    row: 'proof',
    method: 'proofs.consume',
    by: 'write',
    seconds: 30,
    outcomes: { good: 'consumed', over: 'void' },
    save: save('consume'),
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
