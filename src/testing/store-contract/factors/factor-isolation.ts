import { randomId, randomSecret } from '../../../lib/random.js'
import { newFactor } from '../../../stores/new-records.js'
import type { SecondFactorStore } from '../../../stores/second-factor-contract.js'
import { check, codesLeft, same } from '../harness/checks.js'
import type { Part } from '../harness/suite.js'

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
      const other = `${userId}${between}1`
      const [own, others] = [`1${between}hash`, 'hash']
      const joined =
        `A user and a recovery code that are joined with '${between}' read the same as another ` +
        'user and code.'
      const mend =
        'Make the key of both in turn: two columns, or a hash of the two lengths and texts.'
      await factors.activate(newFactor(at, { userId }), [own])
      const { outcome } = await factors.activate(newFactor(at, { userId: other }), [others])
      check(
        outcome === 'activated',
        `secondFactors.activate answered ${outcome}. ${joined} ${mend}`,
      )
      same(
        [await codesLeft(factors, userId), await codesLeft(factors, other)],
        [1, 1],
        `${joined} ${mend}`,
      )
      same(
        await factors.consumeRecoveryCode(userId, own),
        { outcome: 'consumed' },
        `${joined} ${mend}`,
      )
      same(
        await codesLeft(factors, other),
        1,
        `secondFactors.consumeRecoveryCode used up another user’s code. ${joined} ${mend}`,
      )
      await factors.deactivate(userId)
      const left = await factors.consumeRecoveryCode(other, others)
      same(
        left,
        { outcome: 'consumed' },
        'secondFactors.deactivate deleted the code of a user whose id begins like this one’s. ' +
          `${mend}`,
      )
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
