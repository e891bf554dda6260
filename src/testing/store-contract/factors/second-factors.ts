import { randomId, randomSecret } from '../../../lib/random.js'
import { newFactor } from '../../../stores/new-records.js'
import type { SecondFactorStore } from '../../../stores/second-factor-contract.js'
import { check, resolves, same, spoil } from '../harness/checks.js'
import { atOnce, type Part } from '../harness/suite.js'
import { awkwardPairs, longAwkwardText } from '../harness/texts.js'
import { deactivationContract } from './deactivation.js'

/** Second factors, except the races of one operation. */
export function secondFactorsContract(part: Part<SecondFactorStore>): void {
  factorShapes(part)
  factorIdentity(part)
  factorsByTheByte(part)
  steps(part)
  stepsAtOnce(part)
  deactivationContract(part)
  factorInterleavings(part)
}

function factorShapes({ it }: Part<SecondFactorStore>): void {
  it('a factor comes back as it was activated, and is null when there is none', async (factors, at) => {
    const factor = newFactor(at, { sealedSeed: longAwkwardText, lastStep: 58_000_000 })
    same(
      await factors.find(factor.userId),
      null,
      'secondFactors.find must answer null, not undefined, when there is none.',
    )
    same(
      await factors.activate(factor, []),
      { outcome: 'activated' },
      'secondFactors.activate of a user’s first factor.',
    )
    same(
      await factors.find(factor.userId),
      factor,
      'secondFactors.find must answer the record as it was activated.',
    )
  })

  it('records are copies: changing one does not change the store', async (factors, at) => {
    const factor = newFactor(at)
    const given = structuredClone(factor)
    const hashes = [randomSecret()]
    const [hash = ''] = hashes
    await factors.activate(given, hashes)
    const stored = structuredClone(await factors.find(factor.userId))
    spoil(given)
    hashes.length = 0
    same(
      await factors.find(factor.userId),
      stored,
      'Changing the record that was given to activate changed the stored one.',
    )
    spoil(await factors.find(factor.userId))
    same(
      await factors.find(factor.userId),
      stored,
      'Changing the record that find answered changed the stored one.',
    )
    same(
      (await factors.consumeRecoveryCode(factor.userId, hash)).outcome,
      'consumed',
      'Emptying the list of codes emptied the store.',
    )
  })
}

function factorIdentity({ it }: Part<SecondFactorStore>): void {
  it('activating again changes neither factor nor recovery codes', async (factors, at) => {
    const factor = newFactor(at)
    const [first, second] = [randomSecret(), randomSecret()]
    await factors.activate(factor, [first])
    const before = await factors.find(factor.userId)
    const again = await factors.activate(newFactor(at, { userId: factor.userId }), [second])
    same(again, { outcome: 'already-active' }, 'secondFactors.activate of a user who has a factor.')
    same(
      await factors.find(factor.userId),
      before,
      'activate replaced a factor: a stolen session could swap the authenticator.',
    )
    const stranger = await factors.consumeRecoveryCode(factor.userId, second)
    same(
      stranger,
      { outcome: 'unknown' },
      'A recovery code of the refused activation must not work.',
    )
    same(
      await factors.consumeRecoveryCode(factor.userId, first),
      { outcome: 'consumed' },
      'The first recovery codes must stay.',
    )
  })
}

function factorsByTheByte({ it }: Part<SecondFactorStore>): void {
  it('user ids that differ in one byte are different users', async (factors, at) => {
    const [hash, othersHash] = [randomSecret(), randomSecret()]
    for (const [what, first, second] of awkwardPairs(randomId())) {
      const one = newFactor(at, { userId: first })
      const other = newFactor(at, { userId: second })
      const confuses = `confuses user ids that differ by ${what}. Compare them bytewise.`
      await factors.activate(one, [hash])
      same(await factors.find(second), null, `secondFactors.find ${confuses}`)
      const { outcome } = await resolves(
        factors.activate(other, [othersHash]),
        `secondFactors.activate ${confuses}`,
      )
      same(outcome, 'activated', `secondFactors.activate ${confuses}`)
      for (const [userId, of] of [
        [first, othersHash],
        [second, hash],
      ] as const) {
        same(
          await factors.consumeRecoveryCode(userId, of),
          { outcome: 'unknown' },
          `consumeRecoveryCode ${confuses}`,
        )
      }
      const before = await factors.find(second)
      await factors.advanceStep(first, 7)
      same(await factors.find(second), before, `secondFactors.advanceStep ${confuses}`)
      await factors.deactivate(first)
      same(await factors.find(second), before, `secondFactors.deactivate ${confuses}`)
      same(
        await factors.consumeRecoveryCode(second, othersHash),
        { outcome: 'consumed' },
        `secondFactors.deactivate ${confuses}`,
      )
    }
  })
}

function steps({ it }: Part<SecondFactorStore>): void {
  it('a step is accepted only if it is greater than the last', async (factors, at) => {
    const factor = newFactor(at)
    await factors.activate(factor, [])
    const before = await factors.find(factor.userId)
    const tries = [
      [0, 'advanced', 0],
      [0, 'stale', 0],
      [58_000_001, 'advanced', 58_000_001],
      [58_000_001, 'stale', 58_000_001],
      [58_000_000, 'stale', 58_000_001],
    ] as const
    for (const [step, outcome, lastStep] of tries) {
      same(
        await factors.advanceStep(factor.userId, step),
        { outcome },
        `advanceStep(${step}): advanced only if step > lastStep.`,
      )
      same(
        await factors.find(factor.userId),
        { ...before, lastStep },
        `find after advanceStep(${step}).`,
      )
    }
    const { userId } = newFactor(at)
    same(
      await factors.advanceStep(userId, 1),
      { outcome: 'stale' },
      'advanceStep of a user without a factor.',
    )
    same(await factors.find(userId), null, 'advanceStep made a factor. Update; never upsert.')
  })
}

function stepsAtOnce({ inRounds }: Part<SecondFactorStore>): void {
  inRounds(
    'steps 5, 6 and 7, at once: 7 stays, and each is advanced at most once',
    async (factors, at, round) => {
      const factor = newFactor(at)
      await factors.activate(factor, [])
      const tried = round % 2 === 0 ? [5, 6, 7, 7, 6, 5] : [7, 5, 6, 5, 6, 7]
      const answers = await Promise.all(
        tried.map((step) => factors.advanceStep(factor.userId, step)),
      )
      const advanced = tried.filter((_step, index) => answers[index]?.outcome === 'advanced')
      same(
        (await factors.find(factor.userId))?.lastStep,
        7,
        'The greatest of several steps must stay: a smaller one could be replayed.',
      )
      check(
        new Set(advanced).size === advanced.length,
        `advanceStep was told of steps ${tried} at once and advanced ${advanced}.`,
      )
      check(
        advanced.includes(7),
        `advanceStep was told of steps ${tried} at once and did not advance 7.`,
      )
    },
  )
}

function factorInterleavings({ inRounds }: Part<SecondFactorStore>): void {
  inRounds(
    'activate and deactivate, at once: factor and recovery codes are both there, or neither is',
    async (factors, at, round) => {
      const old = newFactor(at)
      const next = newFactor(at, { userId: old.userId })
      const [oldHash, nextHash] = [randomSecret(), randomSecret()]
      await factors.activate(old, [oldHash])
      const activate = () => factors.activate(next, [nextHash])
      const deactivate = () => factors.deactivate(old.userId)
      const answers = await atOnce(round, activate, deactivate)
      const activated = answers.some(({ outcome }) => outcome === 'activated')
      const expected = await factors.find(old.userId)
      const sealedSeed = activated ? next.sealedSeed : undefined
      same(
        expected?.sealedSeed,
        sealedSeed,
        `The factor after activate and deactivate answered ${JSON.stringify(answers)}.`,
      )
      same(
        (await factors.consumeRecoveryCode(old.userId, oldHash)).outcome,
        'unknown',
        'A recovery code of the deactivated factor.',
      )
      const outcome = activated ? 'consumed' : 'unknown'
      same(
        (await factors.consumeRecoveryCode(old.userId, nextHash)).outcome,
        outcome,
        'A recovery code of the other activation.',
      )
    },
  )
}
