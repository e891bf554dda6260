import { raceWinners } from '../../lib/async.js'
import { randomSecret } from '../../lib/secrets.js'
import { newFactor } from '../../stores/new-records.js'
import type { SecondFactorStore } from '../../stores/second-factor-contract.js'
import { atOnce, check, codesLeft, otherCase, type Part, same } from './harness.js'

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
    await factors.activate(factor, [hash])
    await factors.activate(other, [randomSecret()])
    const before = await factors.find(factor.userId)
    const consume = (userId: string, codeHash: string) =>
      factors.consumeRecoveryCode(userId, codeHash)
    same(
      await consume(other.userId, hash),
      { outcome: 'unknown' },
      'consumeRecoveryCode with the code of another user.',
    )
    same(
      await consume(factor.userId, otherCase(hash)),
      { outcome: 'unknown' },
      'consumeRecoveryCode ignores case.',
    )
    same(
      await consume(factor.userId, hash),
      { outcome: 'consumed' },
      'consumeRecoveryCode with a good code.',
    )
    same(
      await consume(factor.userId, hash),
      { outcome: 'unknown' },
      'consumeRecoveryCode with a used code.',
    )
    same(
      await factors.find(factor.userId),
      before,
      'consumeRecoveryCode must leave the factor as it is.',
    )
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
    same(
      await left(),
      0,
      'secondFactors.countRecoveryCodes of a user without a factor. A number, not a text.',
    )
    await factors.activate(factor, hashes)
    await factors.activate(other, newCodes(2))
    same(await left(), 3, 'secondFactors.countRecoveryCodes after activate with three.')
    await factors.consumeRecoveryCode(factor.userId, hashes[1] ?? '')
    await factors.consumeRecoveryCode(factor.userId, randomSecret())
    same(await left(), 2, 'secondFactors.countRecoveryCodes after one of three was used.')
    await factors.deactivate(factor.userId)
    same(await left(), 0, 'secondFactors.countRecoveryCodes after deactivate.')
    await factors.activate(factor, newCodes(1))
    same(
      await left(),
      1,
      'secondFactors.countRecoveryCodes of the next factor: the codes of an earlier one must ' +
        'not be revived.',
    )
  })
}

function replacing({ it }: Part<SecondFactorStore>): void {
  it('replacing recovery codes makes the old ones void, and leaves exactly the new ones', async (factors, at) => {
    const [factor, other] = [newFactor(at), newFactor(at)]
    const [old, next] = [newCodes(5), newCodes(3)]
    await factors.activate(factor, old)
    await factors.activate(other, old)
    const before = await factors.find(factor.userId)
    const answer = await factors.replaceRecoveryCodes(factor.userId, next)
    same(
      answer,
      { outcome: 'replaced' },
      'secondFactors.replaceRecoveryCodes of a user who has a factor.',
    )
    same(
      await codesLeft(factors, factor.userId),
      3,
      'After replaceRecoveryCodes there must be the new codes and no others.',
    )
    same(
      await codesLeft(factors, other.userId),
      5,
      'replaceRecoveryCodes deleted recovery codes of another user.',
    )
    same(
      await factors.find(factor.userId),
      before,
      'replaceRecoveryCodes must leave the factor as it is.',
    )
    for (const [hashes, outcome] of [
      [old, 'unknown'],
      [next, 'consumed'],
    ] as const) {
      for (const hash of hashes) {
        const used = await factors.consumeRecoveryCode(factor.userId, hash)
        same(
          used,
          { outcome },
          'Whoever asks for new recovery codes may have lost the old ones: these are void, the ' +
            'new ones work.',
        )
      }
    }
  })
}

function replacingInVain({ it }: Part<SecondFactorStore>): void {
  it('replacing recovery codes without a factor is not-active, and leaves none', async (factors, at) => {
    const { userId } = newFactor(at)
    for (const what of ['before a factor', 'after it was deactivated']) {
      const answer = await factors.replaceRecoveryCodes(userId, newCodes(2))
      same(answer, { outcome: 'not-active' }, `secondFactors.replaceRecoveryCodes ${what}.`)
      same(
        await codesLeft(factors, userId),
        0,
        `replaceRecoveryCodes ${what} left codes: they would open the next factor.`,
      )
      await factors.activate(newFactor(at, { userId }), newCodes(1))
      same(
        await codesLeft(factors, userId),
        1,
        `The codes of a factor that was activated when replaceRecoveryCodes had been refused.`,
      )
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
        const factor = newFactor(at)
        await factors.activate(factor, newCodes(3))
        const sets = Array.from({ length: 10 }, () => newCodes(3))
        const answers = await Promise.all(
          sets.map((set) => factors.replaceRecoveryCodes(factor.userId, set)),
        )
        const replaced = Array.from(sets, () => ({ outcome: 'replaced' }))
        same(
          answers,
          replaced,
          'secondFactors.replaceRecoveryCodes by 10 callers at once: whoever comes second ' +
            'replaces once more.',
        )
        const left = await codesLeft(factors, factor.userId)
        const works = await Promise.all(
          sets.map(async (set) => {
            const used = await Promise.all(
              set.map((hash) => factors.consumeRecoveryCode(factor.userId, hash)),
            )
            return used.filter(({ outcome }) => outcome === 'consumed').length
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
      await factors.activate(factor, newCodes(2))
      const replace = async () =>
        void (await factors.replaceRecoveryCodes(factor.userId, newCodes(2)))
      const deactivate = async () => void (await factors.deactivate(factor.userId))
      await atOnce(round, replace, deactivate)
      same(
        await factors.find(factor.userId),
        null,
        'replaceRecoveryCodes brought a deactivated factor back.',
      )
      const left = await codesLeft(factors, factor.userId)
      same(
        left,
        0,
        'replaceRecoveryCodes wrote codes of a factor that was deactivated meanwhile: they ' +
          'would open the next one.',
      )
    },
  )

  inRounds(
    'replaceRecoveryCodes and consumeRecoveryCode, at once: exactly the new codes are left',
    async (factors, at, round) => {
      const factor = newFactor(at)
      const old = newCodes(4)
      await factors.activate(factor, old)
      const replace = () => factors.replaceRecoveryCodes(factor.userId, newCodes(3))
      const uses = old
        .slice(0, 2)
        .map((hash) => () => factors.consumeRecoveryCode(factor.userId, hash))
      await Promise.all(
        (round % 2 === 0 ? [replace, ...uses] : [...uses, replace]).map((work) => work()),
      )
      const left = await codesLeft(factors, factor.userId)
      same(
        left,
        3,
        'replaceRecoveryCodes while old codes were used: the new set must be left, and nothing ' +
          'of the old one.',
      )
      for (const hash of old) {
        const { outcome } = await factors.consumeRecoveryCode(factor.userId, hash)
        check(
          outcome === 'unknown',
          'An old recovery code works after replaceRecoveryCodes: it came back, or was never ' +
            'deleted.',
        )
      }
    },
  )
}

function newCodes(count: number): readonly string[] {
  return Array.from({ length: count }, () => randomSecret())
}
