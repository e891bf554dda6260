import { randomId } from '../../lib/secrets.js'
import { inTurns, longestSealed, type Moment, newProof } from '../../stores/new-records.js'
import type { ProofRecord, ProofStore } from '../../stores/one-time-contract.js'
import { purgeContract } from './every-store/purge-contract.js'
import { comesBack, type Rows, recordsAreCopies } from './every-store/rows.js'
import {
  atOnce,
  awkwardPairs,
  check,
  inheritedNames,
  isNone,
  longAwkwardText,
  many,
  otherCase,
  type Part,
  rejects,
  resolves,
  same,
} from './harness.js'

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

const over = 30

export function proofsPurge(part: Part<ProofStore>): void {
  const expiring = (at: Moment) => newProof(at, { expiresAt: at(over) })
  purgeContract(part, {
    method: 'proofs.purge',
    row: 'proof',
    moments: [
      ['an unused proof at the moment it expires', over, expiring],
      [
        'a used proof at the moment it expires',
        over,
        expiring,
        (proofs, { idHash, purpose }, at) => proofs.consume(idHash, purpose, at(1)),
      ],
    ],
    save: (proofs, proof) => proofs.save(proof),
    isThere: async (proofs, { idHash, purpose }) => !isNone(await proofs.find(idHash, purpose)),
    isCountable: true,
    living: newProof,
    make: expiring,
    over,
  })
}
