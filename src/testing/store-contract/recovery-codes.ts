import { raceWinners } from '../../lib/async.js'
import { randomSecret } from '../../lib/secrets.js'
import { newFactor } from '../../stores/new-records.js'
import type { SecondFactorStore } from '../../stores/second-factor-contract.js'
import { callsFor } from './factor-calls.js'
import { answers, atOnce, check, codesLeft, otherCase, type Part, same, told } from './harness.js'

/** Recovery codes: each works once, and all are replaced together. */
export function recoveryCodesContract(part: Part<SecondFactorStore>): void {
  usingCodes(part)
  usingCodesAtOnce(part)
  counting(part)
  replacing(part)
  replacingInVain(part)
  replacingAtOnce(part)
  replacingAgainstOthers(part)
}

function usingCodes({ it }: Part<SecondFactorStore>): void {
  it('a recovery code works once, for its user, as it is written', async (factors, at) => {
    const [factor, other] = [newFactor(at), newFactor(at)]
    const hash = randomSecret()
    const { find, use } = callsFor(factors, factor)
    await factors.activate(factor, [hash])
    await factors.activate(other, [randomSecret()])
    const before = await find()
    const useAsOther = callsFor(factors, other).use(hash)
    await answers([
      [useAsOther, told('unknown'), 'consumeRecoveryCode with the code of another user.'],
      [use(otherCase(hash)), told('unknown'), 'consumeRecoveryCode ignores case.'],
      [use(hash), told('consumed'), 'consumeRecoveryCode with a good code.'],
      [use(hash), told('unknown'), 'consumeRecoveryCode with a used code.'],
      [find, before, 'consumeRecoveryCode must leave the factor as it is.'],
    ])
  })
}

function usingCodesAtOnce({ it }: Part<SecondFactorStore>): void {
  it('10 recovery codes used at once are each used up', async (factors, at) => {
    const factor = newFactor(at)
    const hashes = Array.from({ length: 10 }, () => randomSecret())
    await factors.activate(factor, hashes)
    const consumeAll = () =>
      raceWinners(10, async (caller) => {
        const { outcome } = await factors.consumeRecoveryCode(factor.userId, hashes[caller] ?? '')
        return outcome === 'consumed'
      })
    const first = await consumeAll()
    check(
      first.length === 10,
      `Only ${first.length} of 10 different recovery codes worked when they were used at once.`,
    )
    const again = await consumeAll()
    check(
      again.length === 0,
      `${again.length} of 10 used recovery codes work again: keep one row for each, not a list ` +
        'in a value.',
    )
  })
}

function counting({ it }: Part<SecondFactorStore>): void {
  it('countRecoveryCodes counts those that are left to that user', async (factors, at) => {
    const [factor, other] = [newFactor(at), newFactor(at)]
    const hashes = newCodes(3)
    const left = () => factors.countRecoveryCodes(factor.userId)
    const counted = 'secondFactors.countRecoveryCodes'
    same(await left(), 0, `${counted} of a user without a factor. A number, not a text.`)
    await factors.activate(factor, hashes)
    await factors.activate(other, newCodes(2))
    same(await left(), 3, `${counted} after activate with three.`)
    await factors.consumeRecoveryCode(factor.userId, hashes[1] ?? '')
    await factors.consumeRecoveryCode(factor.userId, randomSecret())
    same(await left(), 2, `${counted} after one of three was used.`)
    await factors.deactivate(factor.userId)
    same(await left(), 0, `${counted} after deactivate.`)
    await factors.activate(factor, newCodes(1))
    const revived = 'the codes of an earlier one must not be revived.'
    same(await left(), 1, `${counted} of the next factor: ${revived}`)
  })
}

function replacing({ it }: Part<SecondFactorStore>): void {
  it('replacing recovery codes makes the old ones void, and leaves exactly the new ones', async (factors, at) => {
    const [factor, other] = [newFactor(at), newFactor(at)]
    const [old, next] = [newCodes(5), newCodes(3)]
    const { find, left, use } = callsFor(factors, factor)
    await factors.activate(factor, old)
    await factors.activate(other, old)
    const before = await find()
    const replace = () => factors.replaceRecoveryCodes(factor.userId, next)
    const why =
      'Whoever asks for new recovery codes may have lost the old ones: these are void, the new ' +
      'ones work.'
    await answers([
      [replace, told('replaced'), 'replaceRecoveryCodes of a user who has a factor.'],
      [left, 3, 'After replaceRecoveryCodes there must be the new codes and no others.'],
      [callsFor(factors, other).left, 5, 'replaceRecoveryCodes deleted those of another user.'],
      [find, before, 'replaceRecoveryCodes must leave the factor as it is.'],
    ])
    for (const hash of old) same(await use(hash)(), told('unknown'), why)
    for (const hash of next) same(await use(hash)(), told('consumed'), why)
  })
}

function replacingInVain({ it }: Part<SecondFactorStore>): void {
  it('replacing recovery codes without a factor is not-active, and leaves none', async (factors, at) => {
    const factor = newFactor(at)
    const { userId } = factor
    const { left } = callsFor(factors, factor)
    const replace = () => factors.replaceRecoveryCodes(userId, newCodes(2))
    for (const what of ['before a factor', 'after it was deactivated']) {
      const opens = 'they would open the next factor.'
      await answers([
        [replace, told('not-active'), `secondFactors.replaceRecoveryCodes ${what}.`],
        [left, 0, `replaceRecoveryCodes ${what} left codes: ${opens}`],
      ])
      await factors.activate(newFactor(at, { userId }), newCodes(1))
      same(await left(), 1, 'The codes of a factor after replaceRecoveryCodes had been refused.')
      await factors.deactivate(userId)
    }
  })
}

function replacingAtOnce({ it, rounds }: Part<SecondFactorStore>): void {
  it(
    'replaceRecoveryCodes by 10 callers, at once: the codes of exactly one of them are left, ' +
      'all of them',
    async (factors, at) => {
      for (let round = 0; round < Math.ceil(rounds / 4); round += 1) {
        const { userId } = newFactor(at)
        await factors.activate(newFactor(at, { userId }), newCodes(3))
        const sets = Array.from({ length: 10 }, () => newCodes(3))
        const said = await Promise.all(sets.map((set) => factors.replaceRecoveryCodes(userId, set)))
        const replaced = Array.from(sets, () => told('replaced'))
        same(said, replaced, 'replaceRecoveryCodes by 10 callers at once: each of them replaces.')
        const left = await codesLeft(factors, userId)
        const works = await Promise.all(
          sets.map(async (set) => {
            const used = set.map((hash) => factors.consumeRecoveryCode(userId, hash))
            return (await Promise.all(used)).filter(({ outcome }) => outcome === 'consumed').length
          }),
        )
        check(
          left === 3 && works.filter((count) => count > 0).length === 1,
          `After 10 callers of replaceRecoveryCodes, ${left} codes were left, of the callers: ` +
            `${works.join(' ')}; ` +
            'there must be 3 of one. Lock the factor’s row before the old codes are deleted.',
        )
      }
    },
  )
}

function replacingAgainstOthers({ inRounds }: Part<SecondFactorStore>): void {
  inRounds(
    'replaceRecoveryCodes and deactivate, at once: no code is left',
    async (factors, at, round) => {
      const factor = newFactor(at)
      const { find, left } = callsFor(factors, factor)
      await factors.activate(factor, newCodes(2))
      const replace = async () =>
        void (await factors.replaceRecoveryCodes(factor.userId, newCodes(2)))
      const deactivate = async () => void (await factors.deactivate(factor.userId))
      await atOnce(round, replace, deactivate)
      const opens =
        'replaceRecoveryCodes wrote codes of a factor that was deactivated meanwhile: they would ' +
        'open the next one.'
      await answers([
        [find, null, 'replaceRecoveryCodes brought a deactivated factor back.'],
        [left, 0, opens],
      ])
    },
  )

  inRounds(
    'replaceRecoveryCodes and consumeRecoveryCode, at once: exactly the new codes are left',
    async (factors, at, round) => {
      const factor = newFactor(at)
      const old = newCodes(4)
      const { left, use } = callsFor(factors, factor)
      await factors.activate(factor, old)
      const replace = () => factors.replaceRecoveryCodes(factor.userId, newCodes(3))
      const uses = old.slice(0, 2).map(use)
      await Promise.all(
        (round % 2 === 0 ? [replace, ...uses] : [...uses, replace]).map((call) => call()),
      )
      same(await left(), 3, 'replaceRecoveryCodes while old codes were used: the new set is left.')
      const back = 'An old recovery code works after replaceRecoveryCodes.'
      for (const hash of old) same(await use(hash)(), told('unknown'), back)
    },
  )
}

function newCodes(count: number): readonly string[] {
  return Array.from({ length: count }, () => randomSecret())
}
