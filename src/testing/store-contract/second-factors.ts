import { randomId, randomSecret } from '../../lib/random.js'
import type { SecondFactorRecord, SecondFactorStore } from '../../stores/contract.js'
import { check, same, spoil } from './checks.js'
import { confirmed, moments, newFactor, newPending } from './records.js'
import type { Part } from './suite.js'
import { awkwardPairs, longAwkwardText } from './texts.js'

/** Second factors, but for their races against themselves. */
export function secondFactorsContract(part: Part<SecondFactorStore>): void {
  factorShapes(part)
  factorIdentity(part)
  steps(part)
  deactivation(part)
  factorInterleavings(part)
  deactivationInterleavings(part)
}

function factorShapes({ it, store }: Part<SecondFactorStore>): void {
  it('a factor comes back as it was activated, and is null when there is none', async () => {
    const at = moments()
    const factors = await store()
    const factor = newFactor(at, { sealedSeed: longAwkwardText, lastStep: 58_000_000 })
    same(await factors.find(factor.userId), null, 'secondFactors.find must answer null, not undefined, when there is none.')
    same(await factors.activate(factor, []), { outcome: 'activated' }, 'secondFactors.activate of a user’s first factor.')
    same(await factors.find(factor.userId), factor, 'secondFactors.find must answer the record as it was activated.')
  })

  it('records are copies: changing one does not change the store', async () => {
    const at = moments()
    const factors = await store()
    const factor = newFactor(at)
    const given = structuredClone(factor)
    const hashes = [randomSecret()]
    const [hash = ''] = hashes
    await factors.activate(given, hashes)
    spoil(given)
    hashes.length = 0
    same(await factors.find(factor.userId), factor, 'Changing the record that was given to activate changed the stored one.')
    spoil(await factors.find(factor.userId))
    same(await factors.find(factor.userId), factor, 'Changing the record that find answered changed the stored one.')
    same(
      (await factors.consumeRecoveryCode(factor.userId, hash)).outcome,
      'consumed',
      'Emptying the list of codes emptied the store.',
    )
  })
}

function factorIdentity({ it, store }: Part<SecondFactorStore>): void {
  it('activating again changes neither factor nor recovery codes', async () => {
    const at = moments()
    const factors = await store()
    const factor = newFactor(at)
    const [first, second] = [randomSecret(), randomSecret()]
    await factors.activate(factor, [first])
    const again = await factors.activate(newFactor(at, { userId: factor.userId }), [second])
    same(again, { outcome: 'already-active' }, 'secondFactors.activate of a user who has a factor.')
    same(await factors.find(factor.userId), factor, 'activate replaced a factor: a stolen session could swap the authenticator.')
    const stranger = await factors.consumeRecoveryCode(factor.userId, second)
    same(stranger, { outcome: 'unknown' }, 'A recovery code of the refused activation must not work.')
    same(await factors.consumeRecoveryCode(factor.userId, first), { outcome: 'consumed' }, 'The first recovery codes must stay.')
  })

  it('user ids that differ in one byte are different users', async () => {
    const at = moments()
    const factors = await store()
    const hash = randomSecret()
    for (const [what, first, second] of awkwardPairs(randomId())) {
      const one = newFactor(at, { userId: first })
      const other = newFactor(at, { userId: second })
      const confuses = `confuses user ids that differ by ${what}. Compare them bytewise.`
      await factors.activate(one, [hash])
      same(await factors.find(second), null, `secondFactors.find ${confuses}`)
      same(await factors.activate(other, [hash]), { outcome: 'activated' }, `secondFactors.activate ${confuses}`)
      await factors.advanceStep(first, 7)
      same(await factors.find(second), other, `secondFactors.advanceStep ${confuses}`)
      await factors.deactivate(first)
      same(await factors.find(second), other, `secondFactors.deactivate ${confuses}`)
      same(await factors.consumeRecoveryCode(first, hash), { outcome: 'unknown' }, `consumeRecoveryCode ${confuses}`)
      same(await factors.consumeRecoveryCode(second, hash), { outcome: 'consumed' }, `secondFactors.deactivate ${confuses}`)
    }
  })
}

function steps({ it, store, rounds }: Part<SecondFactorStore>): void {
  it('a step is accepted only if it is greater than the last', async () => {
    const at = moments()
    const factors = await store()
    const factor = newFactor(at)
    await factors.activate(factor, [])
    const tries = [
      [0, 'advanced', 0],
      [0, 'stale', 0],
      [58_000_001, 'advanced', 58_000_001],
      [58_000_001, 'stale', 58_000_001],
      [58_000_000, 'stale', 58_000_001],
    ] as const
    for (const [step, outcome, lastStep] of tries) {
      same(await factors.advanceStep(factor.userId, step), { outcome }, `advanceStep(${step}): advanced only if step > lastStep.`)
      same(await factors.find(factor.userId), { ...factor, lastStep }, `find after advanceStep(${step}).`)
    }
    const { userId } = newFactor(at)
    same(await factors.advanceStep(userId, 1), { outcome: 'stale' }, 'advanceStep of a user without a factor.')
    same(await factors.find(userId), null, 'advanceStep made a factor. Update; never upsert.')
  })

  it('steps 5, 6 and 7, at once: 7 stays, and each is advanced at most once', async () => {
    const at = moments()
    const factors = await store()
    for (let round = 0; round < rounds; round += 1) {
      const factor = newFactor(at)
      await factors.activate(factor, [])
      const tried = round % 2 === 0 ? [5, 6, 7, 7, 6, 5] : [7, 5, 6, 5, 6, 7]
      const answers = await Promise.all(tried.map((step) => factors.advanceStep(factor.userId, step)))
      const advanced = tried.filter((_step, index) => answers[index]?.outcome === 'advanced')
      same(
        (await factors.find(factor.userId))?.lastStep,
        7,
        'The greatest of several steps must stay: a smaller one could be replayed.',
      )
      check(new Set(advanced).size === advanced.length, `advanceStep was told of steps ${tried} at once and advanced ${advanced}.`)
      check(advanced.includes(7), `advanceStep was told of steps ${tried} at once and did not advance 7.`)
    }
  })
}

function deactivation({ it, store }: Part<SecondFactorStore>): void {
  it('deactivating deletes the factor and its recovery codes, for good', async () => {
    const at = moments()
    const factors = await store()
    const factor = newFactor(at)
    const [old, next] = [randomSecret(), randomSecret()]
    await factors.activate(factor, [old])
    same(await factors.deactivate(factor.userId), { outcome: 'deactivated' }, 'secondFactors.deactivate of an active factor.')
    same(await factors.deactivate(factor.userId), { outcome: 'not-active' }, 'secondFactors.deactivate a second time.')
    same(await factors.find(factor.userId), null, 'secondFactors.find after deactivate.')
    same(await factors.consumeRecoveryCode(factor.userId, old), { outcome: 'unknown' }, 'A recovery code after deactivate.')
    same(await factors.activate(factor, [next]), { outcome: 'activated' }, 'secondFactors.activate after deactivate.')
    same(await factors.consumeRecoveryCode(factor.userId, old), { outcome: 'unknown' }, 'A recovery code of the factor before.')
    same(await factors.consumeRecoveryCode(factor.userId, next), { outcome: 'consumed' }, 'A recovery code of the new factor.')
  })

  it('deactivating deletes a waiting enrolment as well, with a factor and without', async () => {
    const at = moments()
    const factors = await store()
    for (const [outcome, hasFactor] of [
      ['deactivated', true],
      ['not-active', false],
    ] as const) {
      const pending = newPending(at)
      await factors.savePending(pending)
      if (hasFactor) await factors.activate(newFactor(at, { userId: pending.userId }), [])
      same(await factors.deactivate(pending.userId), { outcome }, 'secondFactors.deactivate of a user whose enrolment waits.')
      const left = 'secondFactors.deactivate left the enrolment: whoever began it could still switch it on.'
      same(await factors.findPending(pending.userId), null, left)
      same(await factors.confirm(confirmed(pending, at), [], at(1)), { outcome: 'not-pending' }, left)
    }
  })
}

function factorInterleavings({ it, store, rounds }: Part<SecondFactorStore>): void {
  it('activate and deactivate, at once: factor and recovery codes are both there, or neither is', async () => {
    const at = moments()
    const factors = await store()
    for (let round = 0; round < rounds; round += 1) {
      const old = newFactor(at)
      const next = newFactor(at, { userId: old.userId })
      const [oldHash, nextHash] = [randomSecret(), randomSecret()]
      await factors.activate(old, [oldHash])
      const activate = () => factors.activate(next, [nextHash])
      const deactivate = () => factors.deactivate(old.userId)
      const answers = await Promise.all(round % 2 === 0 ? [activate(), deactivate()] : [deactivate(), activate()])
      const activated = answers.some(({ outcome }) => outcome === 'activated')
      const expected = await factors.find(old.userId)
      const sealedSeed = activated ? next.sealedSeed : undefined
      same(expected?.sealedSeed, sealedSeed, `The factor after activate and deactivate answered ${JSON.stringify(answers)}.`)
      same(
        (await factors.consumeRecoveryCode(old.userId, oldHash)).outcome,
        'unknown',
        'A recovery code of the deactivated factor.',
      )
      const outcome = activated ? 'consumed' : 'unknown'
      same((await factors.consumeRecoveryCode(old.userId, nextHash)).outcome, outcome, 'A recovery code of the other activation.')
    }
  })
}

function deactivationInterleavings({ it, store, rounds }: Part<SecondFactorStore>): void {
  it('activate and deactivate of a user without a factor, at once: factor and recovery codes are both there, or neither is', async () => {
    const at = moments()
    const factors = await store()
    for (let round = 0; round < rounds; round += 1) {
      const factor = newFactor(at)
      const activate = () => factors.activate(factor, [randomSecret(), randomSecret()])
      const deactivate = () => factors.deactivate(factor.userId)
      const answers = await Promise.all(round % 2 === 0 ? [activate(), deactivate()] : [deactivate(), activate()])
      const deactivated = answers.some(({ outcome }) => outcome === 'deactivated')
      const said = `after activate and deactivate answered ${JSON.stringify(answers)}`
      same(await factors.find(factor.userId), deactivated ? null : factor, `secondFactors.find ${said}.`)
      same(
        await factors.countRecoveryCodes(factor.userId),
        deactivated ? 0 : 2,
        `The recovery codes ${said}: deactivate deletes those of the factor that it deletes, and no others.`,
      )
    }
  })

  it('deactivate and use, at once: nothing is left', async () => {
    const at = moments()
    const factors = await store()
    for (let round = 0; round < rounds; round += 1) {
      const factor: SecondFactorRecord = newFactor(at)
      const [one, other] = [randomSecret(), randomSecret()]
      await factors.activate(factor, [one, other])
      const uses = [
        () => factors.advanceStep(factor.userId, 7),
        () => factors.deactivate(factor.userId),
        () => factors.consumeRecoveryCode(factor.userId, one),
      ]
      await Promise.all((round % 2 === 0 ? uses : uses.reverse()).map((use) => use()))
      same(await factors.find(factor.userId), null, 'A step that was used meanwhile brought a deactivated factor back.')
      const left = await factors.consumeRecoveryCode(factor.userId, other)
      same(left, { outcome: 'unknown' }, 'A recovery code works although its factor was deactivated.')
    }
  })
}
