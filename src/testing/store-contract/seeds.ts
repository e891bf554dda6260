import { randomId, randomSecret } from '../../lib/secrets.js'
import { newFactor } from '../../stores/new-records.js'
import type { SecondFactorStore } from '../../stores/second-factor-contract.js'
import { callsFor } from './factor-calls.js'
import { answers, atOnce, check, codesLeft, otherCase, type Part, same, told } from './harness.js'

/** Recovery codes are separate rows: a change of one, or of the factor, leaves the others alone. */
export function factorIsolation(part: Part<SecondFactorStore>): void {
  joinedKeys(part)
  manyCodes(part)
  changesAtOnce(part)
}

function joinedKeys({ it }: Part<SecondFactorStore>): void {
  it('users and recovery codes that read the same when they are joined are kept apart', async (factors, at) => {
    for (const between of ['', ':', '#', '|', '_']) {
      const userId = randomId()
      const otherId = `${userId}${between}1`
      const [one, other] = [callsFor(factors, { userId }), callsFor(factors, { userId: otherId })]
      const [own, others] = [`1${between}hash`, 'hash']
      const why =
        `A user and a recovery code that are joined with '${between}' read the same as another ` +
        'user and code. Make the key of both in turn: two columns, or a hash of the two lengths ' +
        'and texts.'
      const begins = `deactivate deleted the code of a user whose id begins like this one’s. ${why}`
      await answers([
        [one.activate(newFactor(at, { userId }), own), told('activated'), why],
        [one.activate(newFactor(at, { userId: otherId }), others), told('activated'), why],
        [one.left, 1, why],
        [other.left, 1, why],
        [one.use(own), told('consumed'), why],
        [other.left, 1, `consumeRecoveryCode used up another user’s code. ${why}`],
        [one.deactivate, told('deactivated'), 'secondFactors.deactivate of an active factor.'],
        [other.use(others), told('consumed'), begins],
      ])
    }
  })
}

function manyCodes({ it }: Part<SecondFactorStore>): void {
  it('30 recovery codes are all there, after activate and after replaceRecoveryCodes', async (factors, at) => {
    const factor = newFactor(at)
    const thirty = () => Array.from({ length: 30 }, () => randomSecret())
    const batch = 'Write them in as many batches as it takes, in one transaction.'
    await factors.activate(factor, thirty())
    const activated = await codesLeft(factors, factor.userId)
    check(
      activated === 30,
      `secondFactors.activate with 30 recovery codes left ${activated}. ${batch}`,
    )
    await factors.replaceRecoveryCodes(factor.userId, thirty())
    const replaced = await codesLeft(factors, factor.userId)
    check(
      replaced === 30,
      `secondFactors.replaceRecoveryCodes of 30 by 30 left ${replaced}. ${batch}`,
    )
  })
}

function changesAtOnce({ inRounds }: Part<SecondFactorStore>): void {
  inRounds(
    'advanceStep, reseal and consumeRecoveryCode, at once: all three have happened',
    async (factors, at, round) => {
      const factor = newFactor(at)
      const [used, left] = [randomSecret(), randomSecret()]
      await factors.activate(factor, [used, left])
      const changes = [
        () => factors.advanceStep(factor.userId, 7),
        () => factors.consumeRecoveryCode(factor.userId, used),
        () => factors.reseal(factor.userId, factor.sealedSeed, 'v2.next'),
      ]
      await Promise.all((round % 2 === 0 ? changes : changes.reverse()).map((change) => change()))
      const why =
        'advanceStep, reseal and consumeRecoveryCode at once lost a change: a used code works ' +
        'again. ' +
        'Update the one column, delete the one row; do not write factor and recovery codes as ' +
        'one document.'
      const found = await factors.find(factor.userId)
      same([found?.sealedSeed, found?.lastStep], ['v2.next', 7], why)
      same(await codesLeft(factors, factor.userId), 1, why)
      same(await factors.consumeRecoveryCode(factor.userId, used), { outcome: 'unknown' }, why)
    },
  )
}

/** `reseal` stores the same seed, encrypted with a newer key. */
export function resealingContract(part: Part<SecondFactorStore>): void {
  resealing(part)
  resealingAtOnce(part)
  counting(part)
}

function resealing({ it }: Part<SecondFactorStore>): void {
  it('resealing replaces the sealed seed, and nothing else', async (factors, at) => {
    const factor = newFactor(at)
    const { find, left, reseal } = callsFor(factors, factor)
    await factors.activate(factor, ['one', 'other'])
    await factors.advanceStep(factor.userId, 58_000_000)
    const before = await factors.find(factor.userId)
    const alone =
      'secondFactors.reseal changes `sealedSeed` alone: with an older `lastStep`, a code that ' +
      'was used works again.'
    for (const [from, to] of [
      [factor.sealedSeed, 'v2.first'],
      ['v2.first', 'v3.second'],
    ] as const)
      await answers([
        [reseal(from, to), told('resealed'), 'secondFactors.reseal of the seed that is stored.'],
        [find, { ...before, sealedSeed: to }, alone],
      ])
    same(await left(), 2, 'secondFactors.reseal changed the recovery codes.')
  })

  it('resealing another seed than the one that is stored is superseded, and changes nothing', async (factors, at) => {
    const factor = newFactor(at)
    const { sealedSeed } = factor
    const { find, reseal } = callsFor(factors, factor)
    await factors.activate(factor, [])
    const before = await find()
    for (const from of ['v0.older', otherCase(sealedSeed), `${sealedSeed} `, ''])
      await answers([
        [reseal(from, 'v2.next'), told('superseded'), `secondFactors.reseal from '${from}'.`],
        [find, before, 'secondFactors.reseal was superseded and changed the factor.'],
      ])
    const nobody = callsFor(factors, newFactor(at))
    const unknown = nobody.reseal(sealedSeed, 'v2.next')
    await answers([
      [unknown, told('superseded'), 'secondFactors.reseal of a user without a factor.'],
      [nobody.find, null, 'secondFactors.reseal made a factor. Update; never upsert.'],
    ])
  })
}

function resealingAtOnce({ inRounds }: Part<SecondFactorStore>): void {
  inRounds('reseal and advanceStep, at once: neither is lost', async (factors, at, round) => {
    const factor = newFactor(at)
    await factors.activate(factor, [])
    const reseal = () => factors.reseal(factor.userId, factor.sealedSeed, 'v2.next')
    const advance = () => factors.advanceStep(factor.userId, 7)
    const answers = await atOnce(round, reseal, advance)
    const said = answers.map(({ outcome }) => outcome).sort()
    same(
      said,
      ['advanced', 'resealed'],
      'reseal and advanceStep at once: neither stands in the way of the other.',
    )
    const found = await factors.find(factor.userId)
    same(
      [found?.sealedSeed, found?.lastStep],
      ['v2.next', 7],
      'reseal and advanceStep at once lost a change: a used code works again, or a seed stays ' +
        'under an old key. Update the column; do not write the row.',
    )
  })
}

function counting({ it }: Part<SecondFactorStore>): void {
  it('what is sealed is counted by its first 11 characters, byte for byte, if it is counted at all', async (factors, at) => {
    if (factors.countSealed === undefined) return
    const mark = `v1.${randomSecret().slice(0, 8)}`
    const other = otherCase(mark)
    const counts = async () => {
      const counted = (await factors.countSealed?.()) ?? []
      const countOf = (one: string) => counted.find((found) => found.mark === one)?.count ?? 0
      return [countOf(mark), countOf(other)]
    }
    same(await counts(), [0, 0], 'secondFactors.countSealed of a key that has sealed nothing.')
    const first = newFactor(at, { sealedSeed: `${mark}.first` })
    await factors.activate(first, [])
    await factors.activate(newFactor(at, { sealedSeed: `${mark}.second` }), [])
    await factors.activate(newFactor(at, { sealedSeed: `${other}.third` }), [])
    same(await counts(), [2, 1], 'secondFactors.countSealed of three factors and two keys.')
    await factors.reseal(first.userId, first.sealedSeed, `${other}.first`)
    same(
      await counts(),
      [1, 2],
      'secondFactors.countSealed after reseal: an old key is destroyed by what it says.',
    )
    if (factors.listSealed === undefined) return
    const [one] = await factors.listSealed(null, 1)
    const rest = await factors.listSealed(one?.userId ?? '', 100_000)
    const ids = [one, ...rest].map((found) => found?.userId)
    const isOnce = ids.includes(first.userId) && new Set(ids).size === ids.length
    same(isOnce, true, 'secondFactors.listSealed, in two parts, names each factor once.')
  })
}
