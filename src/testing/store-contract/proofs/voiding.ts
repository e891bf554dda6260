import { inTurns, newProof } from '../../../stores/new-records.js'
import type { ProofRecord, ProofStore } from '../../../stores/proof-contract.js'
import { check, same } from '../harness/checks.js'
import { atOnce, many, type Part } from '../harness/suite.js'

const olderLink = 'an older link would work after the password was changed'

/** Using up all proofs of a user. */
export function proofVoiding(part: Part<ProofStore>): void {
  voidsThose(part)
  voidsForGood(part)
  voidsMany(part)
  voidsDuringUses(part)
}

const find = (proofs: ProofStore, rows: readonly ProofRecord[]) =>
  Promise.all(rows.map(({ idHash, purpose }) => proofs.find(idHash, purpose)))

function voidsThose({ it }: Part<ProofStore>): void {
  it('voidForUser uses up all of the user’s that have one of these purposes, and no other', async (proofs, at) => {
    const { userId } = newProof(at)
    if (userId === null) throw new TypeError('somebody’s')
    const gone = [
      newProof(at, { userId, purpose: 'reset' }),
      newProof(at, { userId, purpose: 'reset', triesLeft: 0 }),
      newProof(at, { userId, purpose: 'sign-in', codeTag: null }),
    ]
    const used = newProof(at, { userId, purpose: 'reset' })
    const kept = [
      newProof(at, { userId, purpose: 'undo-address' }),
      newProof(at, { userId, purpose: 'Reset' }),
      newProof(at, { purpose: 'reset' }),
      newProof(at, { purpose: 'reset', userId: null }),
    ]
    for (const proof of [...gone, used, ...kept]) await proofs.save(proof)
    await proofs.consume(used.idHash, used.purpose, at(1))

    const count = await proofs.voidForUser(userId, ['sign-in', 'reset', 'delete'], at(2.345))
    same(
      await find(proofs, kept),
      kept,
      'proofs.voidForUser used up a proof of another purpose, of another user or of nobody.',
    )
    same(
      await find(proofs, gone),
      gone.map((proof) => ({ ...proof, consumedAt: at(2.345) })),
      `proofs.voidForUser: ${olderLink}.`,
    )
    same(count, 3, 'proofs.voidForUser says how many it has used up, without those used before.')
    same(
      await find(proofs, [used]),
      [{ ...used, consumedAt: at(1) }],
      'proofs.voidForUser changed a proof that was used before.',
    )
    same(await proofs.voidForUser(userId, ['reset'], at(3)), 0, 'proofs.voidForUser once more.')
    same(await proofs.voidForUser(userId, [], at(3)), 0, 'proofs.voidForUser of no purpose.')
    same(await find(proofs, kept), kept, 'proofs.voidForUser of no purpose.')
  })
}

function voidsForGood({ it }: Part<ProofStore>): void {
  it('what voidForUser has used up is void as soon as it resolves', async (proofs, at) => {
    const proof = newProof(at)
    const { idHash, purpose, userId } = proof
    await proofs.save(proof)
    await proofs.voidForUser(String(userId), [purpose], at(1))
    const answers = await Promise.all([
      proofs.takeTry(idHash, purpose, at(1)),
      proofs.consume(idHash, purpose, at(1)),
    ])
    same(
      answers.map(({ outcome }) => outcome),
      ['void', 'void'],
      `takeTry and consume right after proofs.voidForUser had resolved: ${olderLink}. Resolve ` +
        'when it is durable.',
    )
  })

  it('voidForUser uses up expired proofs, too: another clock may be behind', async (proofs, at) => {
    const proof = newProof(at, { expiresAt: at(30) })
    const { idHash, purpose, userId } = proof
    await proofs.save(proof)
    await proofs.voidForUser(String(userId), [purpose], at(31))
    const { outcome } = await proofs.consume(idHash, purpose, at(29))
    check(
      outcome === 'void',
      `proofs.voidForUser left a proof that had expired by its \`now\`: ${olderLink}, where it ` +
        'is earlier. Ask only whether it is used.',
    )
  })
}

function voidsMany({ it }: Part<ProofStore>): void {
  it('voidForUser finds all proofs of a user, also the next page', async (proofs, at) => {
    const { userId, purpose } = newProof(at)
    const rows = Array.from({ length: many }, () => newProof(at, { userId, purpose }))
    await inTurns(rows, (proof) => proofs.save(proof))
    const count = await proofs.voidForUser(String(userId), [purpose], at(1))
    const left = (await find(proofs, rows)).filter((proof) => proof?.consumedAt === null).length
    check(
      left === 0,
      `proofs.voidForUser left ${left} of ${rows.length} proofs of a user: ${olderLink}. Go on ` +
        'page by page.',
    )
    same(count, rows.length, 'proofs.voidForUser of many proofs: how many of all pages together.')
  })
}

function voidsDuringUses({ inRounds }: Part<ProofStore>): void {
  inRounds(
    'voidForUser and consume, at once: one of them has used the proof',
    async (proofs, at, round) => {
      const proof = newProof(at)
      const { idHash, purpose, userId } = proof
      await proofs.save(proof)
      const answers = await atOnce<readonly (() => Promise<unknown>)[]>(
        round,
        async () => (await proofs.consume(idHash, purpose, at(1))).outcome === 'consumed',
        async () => (await proofs.voidForUser(String(userId), [purpose], at(1))) === 1,
        () => proofs.takeTry(idHash, purpose, at(1)),
      )
      check(
        answers.filter((won) => won === true).length === 1,
        'proofs.voidForUser and consume have both used one proof, or neither. Say what this very ' +
          'write has changed.',
      )
      const found = await proofs.find(idHash, purpose)
      check(
        found?.consumedAt !== null,
        'proofs.takeTry made a proof good again that voidForUser was using up.',
      )
    },
  )

  inRounds('voidForUser by 10 callers, at once: each proof is counted once', async (proofs, at) => {
    const { userId, purpose } = newProof(at)
    const rows = Array.from({ length: 4 }, () => newProof(at, { userId, purpose }))
    await inTurns(rows, (proof) => proofs.save(proof))
    const counts = await Promise.all(
      Array.from({ length: 10 }, () => proofs.voidForUser(String(userId), [purpose], at(1))),
    )
    const sum = counts.reduce((all, count) => all + count, 0)
    check(
      sum === rows.length,
      `10 callers of proofs.voidForUser said that they had used up ${sum} of ${rows.length} ` +
        'proofs, together. Count the rows that this very write has changed.',
    )
  })
}
