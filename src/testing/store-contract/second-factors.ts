import { randomId, randomSecret } from '../../lib/secrets.js'
import { confirmed, enrolling, newFactor, newPending } from '../../stores/new-records.js'
import type { SecondFactorRecord, SecondFactorStore } from '../../stores/second-factor-contract.js'
import {
  atOnce,
  awkwardPairs,
  check,
  codesLeft,
  longAwkwardText,
  type Part,
  resolves,
  same,
  spoil,
} from './harness.js'

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

/** `deactivate` deletes the whole factor, and only one caller is told so. */
function deactivationContract(part: Part<SecondFactorStore>): void {
  deactivation(part)
  keptCodes(part)
  deletingKeptCodes(part)
  deactivationOfEnrolments(part)
  deactivationInterleavings(part)
}

function deactivation({ it }: Part<SecondFactorStore>): void {
  it('deactivating deletes the factor and its recovery codes, for good', async (factors, at) => {
    const factor = newFactor(at)
    const [old, next] = [randomSecret(), randomSecret()]
    await factors.activate(factor, [old])
    same(
      await factors.deactivate(factor.userId),
      { outcome: 'deactivated' },
      'secondFactors.deactivate of an active factor.',
    )
    same(
      await factors.deactivate(factor.userId),
      { outcome: 'not-active' },
      'secondFactors.deactivate a second time.',
    )
    same(await factors.find(factor.userId), null, 'secondFactors.find after deactivate.')
    same(
      await factors.consumeRecoveryCode(factor.userId, old),
      { outcome: 'unknown' },
      'A recovery code after deactivate.',
    )
    same(
      await factors.activate(factor, [next]),
      { outcome: 'activated' },
      'secondFactors.activate after deactivate.',
    )
    same(
      await factors.consumeRecoveryCode(factor.userId, old),
      { outcome: 'unknown' },
      'A recovery code of the factor before.',
    )
    same(
      await factors.consumeRecoveryCode(factor.userId, next),
      { outcome: 'consumed' },
      'A recovery code of the new factor.',
    )
  })
}

function keptCodes({ it }: Part<SecondFactorStore>): void {
  it('deactivating can keep the recovery codes, until the next factor is activated', async (factors, at) => {
    const [factor, other] = [newFactor(at), newFactor(at)]
    const [used, left, last] = [randomSecret(), randomSecret(), randomSecret()]
    await factors.activate(factor, [used, left, last])
    await factors.activate(other, [randomSecret()])
    await factors.consumeRecoveryCode(factor.userId, used)
    same(
      await factors.deactivate(factor.userId, true),
      { outcome: 'deactivated' },
      'secondFactors.deactivate of an active factor, whose codes are kept.',
    )
    same(await factors.find(factor.userId), null, 'secondFactors.find after deactivate.')
    same(
      await factors.countRecoveryCodes(factor.userId),
      2,
      'secondFactors.countRecoveryCodes after deactivate with keepRecoveryCodes: those that are ' +
        'left stay.',
    )
    same(
      await factors.consumeRecoveryCode(factor.userId, left),
      { outcome: 'consumed' },
      'A recovery code that deactivate has kept stands in for a passkey.',
    )
    same(
      await factors.consumeRecoveryCode(factor.userId, left),
      { outcome: 'unknown' },
      'A recovery code that deactivate has kept works once.',
    )
    await factors.activate(factor, [])
    same(
      await factors.consumeRecoveryCode(factor.userId, last),
      { outcome: 'unknown' },
      'A recovery code that was kept of an earlier factor.',
    )
  })
}

function deletingKeptCodes({ it, inRounds }: Part<SecondFactorStore>): void {
  it('deleteKeptRecoveryCodes deletes those of a user without a factor alone', async (factors, at) => {
    const [kept, active] = [newFactor(at), newFactor(at)]
    await factors.deleteKeptRecoveryCodes(kept.userId)
    for (const factor of [kept, active]) await factors.activate(factor, [randomSecret()])
    await factors.deactivate(kept.userId, true)
    for (const { userId } of [kept, active]) await factors.deleteKeptRecoveryCodes(userId)
    same(
      await factors.countRecoveryCodes(kept.userId),
      0,
      'secondFactors.countRecoveryCodes after deleteKeptRecoveryCodes.',
    )
    same(
      await factors.countRecoveryCodes(active.userId),
      1,
      'deleteKeptRecoveryCodes deleted the recovery codes of an active factor.',
    )
  })

  inRounds(
    'deleteKeptRecoveryCodes and activate, at once: the codes of the new factor are left, and ' +
      'no others',
    async (factors, at, round) => {
      const factor = newFactor(at)
      const [old, next] = [randomSecret(), randomSecret()]
      await factors.activate(factor, [old])
      await factors.deactivate(factor.userId, true)
      const forget = () => factors.deleteKeptRecoveryCodes(factor.userId)
      const activate = async () => void (await factors.activate(factor, [next]))
      await atOnce(round, forget, activate)
      for (const [hash, outcome] of [
        [old, 'unknown'],
        [next, 'consumed'],
      ] as const)
        same(
          await factors.consumeRecoveryCode(factor.userId, hash),
          { outcome },
          'A recovery code after deleteKeptRecoveryCodes and activate at once. The one who has ' +
            'looked for a factor must not delete codes that came with it since.',
        )
    },
  )
}

function deactivationOfEnrolments({ it }: Part<SecondFactorStore>): void {
  it('deactivating deletes a waiting enrolment as well, with a factor and without', async (factors, at) => {
    for (const [outcome, hasFactor] of [
      ['deactivated', true],
      ['not-active', false],
    ] as const) {
      const pending = newPending(at)
      await factors.savePending(pending)
      if (hasFactor) await factors.activate(newFactor(at, { userId: pending.userId }), [])
      same(
        await factors.deactivate(pending.userId),
        { outcome },
        'secondFactors.deactivate of a user whose enrolment waits.',
      )
      const left =
        'secondFactors.deactivate left the enrolment: whoever began it could still switch it on.'
      same(await factors.findPending(pending.userId, enrolling), null, left)
      same(
        await factors.confirm(confirmed(pending, at), [], at(1)),
        { outcome: 'not-pending' },
        left,
      )
    }
  })
}

function deactivationInterleavings({ inRounds }: Part<SecondFactorStore>): void {
  inRounds(
    'activate and deactivate of a user without a factor, at once: factor and recovery codes are ' +
      'both there, or neither is',
    async (factors, at, round) => {
      const factor = newFactor(at)
      const activate = () => factors.activate(factor, [randomSecret(), randomSecret()])
      const deactivate = () => factors.deactivate(factor.userId)
      const answers = await atOnce(round, activate, deactivate)
      const deactivated = answers.some(({ outcome }) => outcome === 'deactivated')
      const said = `after activate and deactivate answered ${JSON.stringify(answers)}`
      same(
        (await factors.find(factor.userId))?.sealedSeed,
        deactivated ? undefined : factor.sealedSeed,
        `secondFactors.find ${said}.`,
      )
      same(
        await codesLeft(factors, factor.userId),
        deactivated ? 0 : 2,
        `The recovery codes ${said}: deactivate deletes those of the factor that it deletes, ` +
          'and no others.',
      )
    },
  )

  inRounds('deactivate and use, at once: nothing is left', async (factors, at, round) => {
    const factor: SecondFactorRecord = newFactor(at)
    const [one, other] = [randomSecret(), randomSecret()]
    await factors.activate(factor, [one, other])
    const uses = [
      () => factors.advanceStep(factor.userId, 7),
      () => factors.deactivate(factor.userId),
      () => factors.consumeRecoveryCode(factor.userId, one),
    ]
    await Promise.all((round % 2 === 0 ? uses : uses.reverse()).map((use) => use()))
    same(
      await factors.find(factor.userId),
      null,
      'A step that was used meanwhile brought a deactivated factor back.',
    )
    const left = await factors.consumeRecoveryCode(factor.userId, other)
    same(left, { outcome: 'unknown' }, 'A recovery code works although its factor was deactivated.')
  })
}
