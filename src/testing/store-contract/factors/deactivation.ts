import { randomSecret } from '../../../lib/random.js'
import { confirmed, enrolling, newFactor, newPending } from '../../../stores/new-records.js'
import type {
  SecondFactorRecord,
  SecondFactorStore,
} from '../../../stores/second-factor-contract.js'
import { codesLeft, same } from '../harness/checks.js'
import { atOnce, type Part } from '../harness/suite.js'

/** `deactivate` deletes the whole factor, and only one caller is told so. */
export function deactivationContract(part: Part<SecondFactorStore>): void {
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
