import { randomSecret } from '../../../lib/random.js'
import { confirmed, enrolling, newFactor, newPending } from '../../../stores/new-records.js'
import type {
  PendingSecondFactor,
  SecondFactorRecord,
  SecondFactorStore,
} from '../../../stores/second-factor-contract.js'
import { codesLeft, same } from '../harness/checks.js'
import type { Part } from '../harness/suite.js'
import { otherCase } from '../harness/texts.js'

/** How an enrolment becomes a factor, one call at a time. */
export function confirmContract(part: Part<SecondFactorStore>): void {
  confirming(part)
  confirmingInVain(part)
  confirmingForOthers(part)
  confirmingTooLate(part)
}

function confirming({ it }: Part<SecondFactorStore>): void {
  it(
    'confirming activates the factor as it was confirmed, with its recovery codes, and uses the ' +
      'enrolment up',
    async (factors, at) => {
      const pending = newPending(at, { createdAt: at(-1) })
      const hashes = [randomSecret(), randomSecret(), randomSecret()]
      const factor = confirmed(pending, at)
      await factors.savePending(pending)
      same(
        await factors.confirm(factor, hashes, at(1)),
        { outcome: 'activated' },
        'secondFactors.confirm of a waiting enrolment.',
      )
      same(
        await factors.find(factor.userId),
        factor,
        'secondFactors.confirm must store the factor it is handed: with its `lastStep`, or the ' +
          'code that confirmed opens a session, too.',
      )
      same(
        await factors.findPending(factor.userId, enrolling),
        null,
        'secondFactors.confirm left the enrolment: it could be confirmed again.',
      )
      const again = await factors.confirm(factor, hashes, at(2))
      same(
        again,
        { outcome: 'not-pending' },
        'secondFactors.confirm a second time: its enrolment has been used up.',
      )
      same(
        await codesLeft(factors, factor.userId),
        3,
        'secondFactors.countRecoveryCodes after confirm with three.',
      )
      for (const hash of hashes) {
        const used = await factors.consumeRecoveryCode(factor.userId, hash)
        same(
          used,
          { outcome: 'consumed' },
          'A recovery code of the confirmation must work: the user has been shown it.',
        )
      }
    },
  )
}

function confirmingInVain({ it }: Part<SecondFactorStore>): void {
  it('confirming another seed than the one that waits is not-pending, and changes nothing', async (factors, at) => {
    const first = newPending(at)
    const last = newPending(at, { userId: first.userId })
    await factors.savePending(first)
    await factors.savePending(last)
    const why =
      'which is not the one that was shown last: the user’s app would make codes of another.'
    for (const sealedSeed of [
      first.sealedSeed,
      otherCase(last.sealedSeed),
      `${last.sealedSeed} `,
      '',
    ]) {
      const answer = await factors.confirm(
        { ...confirmed(last, at), sealedSeed },
        [randomSecret()],
        at(1),
      )
      same(
        answer,
        { outcome: 'not-pending' },
        `secondFactors.confirm of the seed '${sealedSeed}', ${why}`,
      )
      await checkUnchanged(factors, last)
    }
    const answer = await factors.confirm(confirmed(last, at), [], at(1))
    same(
      answer,
      { outcome: 'activated' },
      'secondFactors.confirm of the seed that waits, after others were tried.',
    )
  })

  it('confirming without an enrolment is not-pending, and makes nothing', async (factors, at) => {
    const factor = newFactor(at)
    const answer = await factors.confirm(factor, [randomSecret()], at(1))
    same(
      answer,
      { outcome: 'not-pending' },
      'secondFactors.confirm of a user without an enrolment.',
    )
    same(
      await factors.find(factor.userId),
      null,
      'secondFactors.confirm made a factor that nobody enrolled.',
    )
    same(
      await codesLeft(factors, factor.userId),
      0,
      'secondFactors.confirm was not-pending and left recovery codes.',
    )
  })
}

function confirmingForOthers({ it }: Part<SecondFactorStore>): void {
  it(
    'confirming when a factor has been activated meanwhile is already-active, and changes ' +
      'neither factor nor codes',
    async (factors, at) => {
      const pending = newPending(at)
      const factor: SecondFactorRecord = newFactor(at, { userId: pending.userId, lastStep: 5 })
      const [own, other] = [randomSecret(), randomSecret()]
      await factors.savePending(pending)
      await factors.activate(factor, [own])
      const before = await factors.find(factor.userId)
      const answer = await factors.confirm(confirmed(pending, at), [other], at(1))
      same(
        answer,
        { outcome: 'already-active' },
        'secondFactors.confirm of a user who has got a factor meanwhile.',
      )
      same(
        await factors.find(factor.userId),
        before,
        'secondFactors.confirm replaced an active factor: a session could swap the app.',
      )
      same(
        await codesLeft(factors, factor.userId),
        1,
        'secondFactors.confirm was already-active and changed recovery codes.',
      )
      const used = await factors.consumeRecoveryCode(factor.userId, own)
      same(
        used,
        { outcome: 'consumed' },
        'A recovery code of the active factor, after a confirm that was already-active.',
      )
    },
  )
}

function confirmingTooLate({ it }: Part<SecondFactorStore>): void {
  it('an enrolment can be confirmed one millisecond before it expires', async (factors, at) => {
    const pending = newPending(at)
    await factors.savePending(pending)
    const answer = await factors.confirm(confirmed(pending, at), [], at(599.999))
    same(
      answer,
      { outcome: 'activated' },
      'secondFactors.confirm one millisecond before expiresAt. Keep milliseconds.',
    )
  })

  it('an enrolment is void at the very moment it expires, and confirming it changes nothing', async (factors, at) => {
    const pending = newPending(at)
    await factors.savePending(pending)
    for (const now of [at(600), at(601)]) {
      const answer = await factors.confirm(confirmed(pending, at), [randomSecret()], now)
      same(
        answer,
        { outcome: 'not-pending' },
        'secondFactors.confirm of an enrolment that is over. It waits while now < expiresAt.',
      )
      await checkUnchanged(factors, pending)
    }
  })
}

async function checkUnchanged(
  factors: SecondFactorStore,
  pending: PendingSecondFactor,
): Promise<void> {
  const { userId } = pending
  same(
    await factors.find(userId),
    null,
    'secondFactors.confirm was not-pending and made a factor all the same.',
  )
  const left = await factors.findPending(userId, enrolling)
  same(
    left?.sealedSeed,
    pending.sealedSeed,
    'secondFactors.confirm was not-pending and changed the enrolment.',
  )
  same(
    await codesLeft(factors, userId),
    0,
    'secondFactors.confirm was not-pending and left recovery codes.',
  )
}
