import { randomSecret } from '../../../lib/random.js'
import { newFactor } from '../../../stores/new-records.js'
import type { SecondFactorStore } from '../../../stores/second-factor-contract.js'
import { codesLeft, same } from '../harness/checks.js'
import { atOnce, type Part } from '../harness/suite.js'
import { otherCase } from '../harness/texts.js'

/** `reseal` stores the same seed, encrypted with a newer key. */
export function resealingContract(part: Part<SecondFactorStore>): void {
  resealing(part)
  resealingAtOnce(part)
  counting(part)
}

function resealing({ it }: Part<SecondFactorStore>): void {
  it('resealing replaces the sealed seed, and nothing else', async (factors, at) => {
    const factor = newFactor(at)
    await factors.activate(factor, ['one', 'other'])
    await factors.advanceStep(factor.userId, 58_000_000)
    const before = await factors.find(factor.userId)
    for (const [from, to] of [
      [factor.sealedSeed, 'v2.first'],
      ['v2.first', 'v3.second'],
    ] as const) {
      same(
        await factors.reseal(factor.userId, from, to),
        { outcome: 'resealed' },
        'secondFactors.reseal of the seed that is stored.',
      )
      same(
        await factors.find(factor.userId),
        { ...before, sealedSeed: to },
        'secondFactors.reseal changes `sealedSeed` alone: with an older `lastStep`, a code that ' +
          'was used works again.',
      )
    }
    same(
      await codesLeft(factors, factor.userId),
      2,
      'secondFactors.reseal changed the recovery codes.',
    )
  })

  it('resealing another seed than the one that is stored is superseded, and changes nothing', async (factors, at) => {
    const factor = newFactor(at)
    await factors.activate(factor, [])
    const before = await factors.find(factor.userId)
    for (const from of ['v0.older', otherCase(factor.sealedSeed), `${factor.sealedSeed} `, '']) {
      same(
        await factors.reseal(factor.userId, from, 'v2.next'),
        { outcome: 'superseded' },
        `secondFactors.reseal from '${from}'.`,
      )
      same(
        await factors.find(factor.userId),
        before,
        'secondFactors.reseal was superseded and changed the factor.',
      )
    }
    const { userId } = newFactor(at)
    const unknown = await factors.reseal(userId, factor.sealedSeed, 'v2.next')
    same(unknown, { outcome: 'superseded' }, 'secondFactors.reseal of a user without a factor.')
    same(
      await factors.find(userId),
      null,
      'secondFactors.reseal made a factor. Update; never upsert.',
    )
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
