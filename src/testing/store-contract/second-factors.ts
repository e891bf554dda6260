import { randomId, randomSecret } from '../../lib/secrets.js'
import { confirmed, newFactor, newPending } from '../../stores/new-records.js'
import type { SecondFactorRecord, SecondFactorStore } from '../../stores/second-factor-contract.js'
import { callsFor } from './factor-calls.js'
import {
  answers,
  atOnce,
  awkwardPairs,
  check,
  codesLeft,
  longAwkwardText,
  type Part,
  resolves,
  same,
  spoil,
  told,
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
    const { find, activate } = callsFor(factors, factor)
    await answers([
      [find, null, 'secondFactors.find must answer null, not undefined, when there is none.'],
      [activate(factor), told('activated'), 'secondFactors.activate of a user’s first factor.'],
      [find, factor, 'secondFactors.find must answer the record as it was activated.'],
    ])
  })

  it('records are copies: changing one does not change the store', async (factors, at) => {
    const factor = newFactor(at)
    const { find, use } = callsFor(factors, factor)
    const given = structuredClone(factor)
    const hashes = [randomSecret()]
    const [hash = ''] = hashes
    await factors.activate(given, hashes)
    const stored = structuredClone(await find())
    spoil(given)
    hashes.length = 0
    const changed = 'changed the stored one.'
    same(await find(), stored, `Changing the record that was given to activate ${changed}`)
    spoil(await find())
    await answers([
      [find, stored, `Changing the record that find answered ${changed}`],
      [use(hash), told('consumed'), 'Emptying the list of codes emptied the store.'],
    ])
  })
}

function factorIdentity({ it }: Part<SecondFactorStore>): void {
  it('activating again changes neither factor nor recovery codes', async (factors, at) => {
    const factor = newFactor(at)
    const { find, use, activate } = callsFor(factors, factor)
    const again = newFactor(at, { userId: factor.userId })
    const [first, second] = [randomSecret(), randomSecret()]
    await factors.activate(factor, [first])
    const before = await find()
    const swapped = 'activate replaced a factor: a stolen session could swap the authenticator.'
    await answers([
      [activate(again, second), told('already-active'), 'activate of a user who has a factor.'],
      [find, before, swapped],
      [use(second), told('unknown'), 'A recovery code of the refused activation must not work.'],
      [use(first), told('consumed'), 'The first recovery codes must stay.'],
    ])
  })
}

function factorsByTheByte({ it }: Part<SecondFactorStore>): void {
  it('user ids that differ in one byte are different users', async (factors, at) => {
    const [hash, othersHash] = [randomSecret(), randomSecret()]
    for (const [what, userId, otherId] of awkwardPairs(randomId())) {
      const one = callsFor(factors, { userId })
      const other = callsFor(factors, { userId: otherId })
      const confuses = `confuses user ids that differ by ${what}. Compare them bytewise.`
      await factors.activate(newFactor(at, { userId }), [hash])
      same(await other.find(), null, `secondFactors.find ${confuses}`)
      const { outcome } = await resolves(
        factors.activate(newFactor(at, { userId: otherId }), [othersHash]),
        `secondFactors.activate ${confuses}`,
      )
      const before = await other.find()
      await answers([
        [async () => outcome, 'activated', `secondFactors.activate ${confuses}`],
        [one.use(othersHash), told('unknown'), `consumeRecoveryCode ${confuses}`],
        [other.use(hash), told('unknown'), `consumeRecoveryCode ${confuses}`],
      ])
      await factors.advanceStep(userId, 7)
      same(await other.find(), before, `secondFactors.advanceStep ${confuses}`)
      await factors.deactivate(userId)
      await answers([
        [other.find, before, `secondFactors.deactivate ${confuses}`],
        [other.use(othersHash), told('consumed'), `secondFactors.deactivate ${confuses}`],
      ])
    }
  })
}

function steps({ it }: Part<SecondFactorStore>): void {
  it('a step is accepted only if it is greater than the last', async (factors, at) => {
    const factor = newFactor(at)
    await factors.activate(factor, [])
    const { find, step } = callsFor(factors, factor)
    const before = await factors.find(factor.userId)
    for (const [tried, outcome, lastStep] of [
      [0, 'advanced', 0],
      [0, 'stale', 0],
      [58_000_001, 'advanced', 58_000_001],
      [58_000_001, 'stale', 58_000_001],
      [58_000_000, 'stale', 58_000_001],
    ] as const)
      await answers([
        [step(tried), told(outcome), `advanceStep(${tried}): advanced only if step > lastStep.`],
        [find, { ...before, lastStep }, `find after advanceStep(${tried}).`],
      ])
    const nobody = callsFor(factors, newFactor(at))
    await answers([
      [nobody.step(1), told('stale'), 'advanceStep of a user without a factor.'],
      [nobody.find, null, 'advanceStep made a factor. Update; never upsert.'],
    ])
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
      const { find, use } = callsFor(factors, old)
      await factors.activate(old, [oldHash])
      const activate = () => factors.activate(next, [nextHash])
      const deactivate = () => factors.deactivate(old.userId)
      const said = await atOnce(round, activate, deactivate)
      const activated = said.some(({ outcome }) => outcome === 'activated')
      const seed = async () => ((await find()) as SecondFactorRecord | null)?.sealedSeed
      const after = `The factor after activate and deactivate answered ${JSON.stringify(said)}.`
      const outcome = activated ? 'consumed' : 'unknown'
      await answers([
        [seed, activated ? next.sealedSeed : undefined, after],
        [use(oldHash), told('unknown'), 'A recovery code of the deactivated factor.'],
        [use(nextHash), told(outcome), 'A recovery code of the other activation.'],
      ])
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
    const { find, use, activate, deactivate } = callsFor(factors, factor)
    await factors.activate(factor, [old])
    await answers([
      [deactivate, told('deactivated'), 'secondFactors.deactivate of an active factor.'],
      [deactivate, told('not-active'), 'secondFactors.deactivate a second time.'],
      [find, null, 'secondFactors.find after deactivate.'],
      [use(old), told('unknown'), 'A recovery code after deactivate.'],
      [activate(factor, next), told('activated'), 'secondFactors.activate after deactivate.'],
      [use(old), told('unknown'), 'A recovery code of the factor before.'],
      [use(next), told('consumed'), 'A recovery code of the new factor.'],
    ])
  })
}

function keptCodes({ it }: Part<SecondFactorStore>): void {
  it('deactivating can keep the recovery codes, until the next factor is activated', async (factors, at) => {
    const [factor, other] = [newFactor(at), newFactor(at)]
    const { userId } = factor
    const [used, left, last] = [randomSecret(), randomSecret(), randomSecret()]
    const { find, use, activate } = callsFor(factors, factor)
    const deactivate = () => factors.deactivate(userId, true)
    const count = () => factors.countRecoveryCodes(userId)
    const kept = 'A recovery code that deactivate has kept'
    await factors.activate(factor, [used, left, last])
    await factors.activate(other, [randomSecret()])
    await factors.consumeRecoveryCode(userId, used)
    await answers([
      [deactivate, told('deactivated'), 'deactivate of an active factor, whose codes are kept.'],
      [find, null, 'secondFactors.find after deactivate.'],
      [
        count,
        2,
        'countRecoveryCodes after deactivate with keepRecoveryCodes: those that are left stay.',
      ],
      [use(left), told('consumed'), `${kept} stands in for a passkey.`],
      [use(left), told('unknown'), `${kept} works once.`],
      [activate(factor), told('activated'), 'secondFactors.activate where codes were kept.'],
      [use(last), told('unknown'), 'A recovery code that was kept of an earlier factor.'],
    ])
  })
}

function deletingKeptCodes({ it, inRounds }: Part<SecondFactorStore>): void {
  const method = 'deleteKeptRecoveryCodes'
  it(`${method} deletes those of a user without a factor alone`, async (factors, at) => {
    const [kept, active] = [newFactor(at), newFactor(at)]
    await factors.deleteKeptRecoveryCodes(kept.userId)
    for (const factor of [kept, active]) await factors.activate(factor, [randomSecret()])
    await factors.deactivate(kept.userId, true)
    for (const { userId } of [kept, active]) await factors.deleteKeptRecoveryCodes(userId)
    const countOf = (userId: string) => () => factors.countRecoveryCodes(userId)
    await answers([
      [countOf(kept.userId), 0, `secondFactors.countRecoveryCodes after ${method}.`],
      [countOf(active.userId), 1, `${method} deleted the recovery codes of an active factor.`],
    ])
  })

  inRounds(
    `${method} and activate, at once: the codes of the new factor are left, and no others`,
    async (factors, at, round) => {
      const factor = newFactor(at)
      const [old, next] = [randomSecret(), randomSecret()]
      const { use } = callsFor(factors, factor)
      await factors.activate(factor, [old])
      await factors.deactivate(factor.userId, true)
      const forget = () => factors.deleteKeptRecoveryCodes(factor.userId)
      const activate = async () => void (await factors.activate(factor, [next]))
      await atOnce(round, forget, activate)
      const why =
        `A recovery code after ${method} and activate at once. The one who has looked for a ` +
        'factor must not delete codes that came with it since.'
      await answers([
        [use(old), told('unknown'), why],
        [use(next), told('consumed'), why],
      ])
    },
  )
}

function deactivationOfEnrolments({ it }: Part<SecondFactorStore>): void {
  it('deactivating deletes a waiting enrolment as well, with a factor and without', async (factors, at) => {
    const left =
      'secondFactors.deactivate left the enrolment: whoever began it could still switch it on.'
    for (const outcome of ['deactivated', 'not-active']) {
      const pending = newPending(at)
      const { userId } = pending
      const calls = callsFor(factors, pending)
      const confirm = () => factors.confirm(confirmed(pending, at), [], at(1))
      await factors.savePending(pending)
      if (outcome === 'deactivated') await factors.activate(newFactor(at, { userId }), [])
      await answers([
        [calls.deactivate, told(outcome), 'deactivate of a user whose enrolment waits.'],
        [calls.pending, null, left],
        [confirm, told('not-pending'), left],
      ])
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
      const said = await atOnce(round, activate, deactivate)
      const deactivated = said.some(({ outcome }) => outcome === 'deactivated')
      const found = await factors.find(factor.userId)
      same(
        [found?.sealedSeed, await codesLeft(factors, factor.userId)],
        deactivated ? [undefined, 0] : [factor.sealedSeed, 2],
        `Factor and codes after activate and deactivate answered ${JSON.stringify(said)}: ` +
          'deactivate deletes those of the factor that it deletes, and no others.',
      )
    },
  )

  inRounds('deactivate and use, at once: nothing is left', async (factors, at, round) => {
    const factor = newFactor(at)
    const [one, other] = [randomSecret(), randomSecret()]
    const { find, use, step, deactivate } = callsFor(factors, factor)
    await factors.activate(factor, [one, other])
    const uses = [step(7), deactivate, use(one)]
    await Promise.all((round % 2 === 0 ? uses : uses.reverse()).map((call) => call()))
    await answers([
      [find, null, 'A step that was used meanwhile brought a deactivated factor back.'],
      [use(other), told('unknown'), 'A recovery code works although its factor was deactivated.'],
    ])
  })
}
