import { randomId, randomSecret } from '../../lib/secrets.js'
import { confirmed, enrolling, newFactor, newPending } from '../../stores/new-records.js'
import type {
  PendingSecondFactor,
  SecondFactorRecord,
  SecondFactorStore,
} from '../../stores/second-factor-contract.js'
import {
  awkwardPairs,
  codesLeft,
  longAwkwardText,
  otherCase,
  type Part,
  resolves,
  same,
  spoil,
} from './harness.js'

/** Enrolments that wait for their first code, and how they become factors, one call at a time. */
export function enrolmentsContract(part: Part<SecondFactorStore>): void {
  enrolmentShapes(part)
  enrolmentCopies(part)
  enrolmentReplaced(part)
  enrolmentsOfSessions(part)
  enrolmentsDeleted(part)
  enrolmentIdentity(part)
  confirmContract(part)
}

function enrolmentShapes({ it }: Part<SecondFactorStore>): void {
  it('an enrolment comes back as it was saved, expired or not, and is null when there is none', async (factors, at) => {
    const { userId } = newPending(at)
    same(
      await factors.findPending(userId, enrolling),
      null,
      'secondFactors.findPending must answer null, not undefined, when there is none.',
    )
    const waiting = newPending(at, { userId, sealedSeed: longAwkwardText })
    const expired = newPending(at, { createdAt: at(-601.5), expiresAt: at(-1.5) })
    for (const pending of [waiting, expired]) {
      await factors.savePending(pending)
      same(
        await factors.findPending(pending.userId, enrolling),
        pending,
        'secondFactors.findPending must answer the record as it was saved.',
      )
      same(
        await factors.find(pending.userId),
        null,
        'secondFactors.find answered an enrolment: it is no factor before it is confirmed.',
      )
    }
  })
}

function enrolmentCopies({ it }: Part<SecondFactorStore>): void {
  it('enrolments are copies: changing one does not change the store', async (factors, at) => {
    const pending = newPending(at)
    const given = structuredClone(pending)
    await factors.savePending(given)
    const stored = structuredClone(await factors.findPending(pending.userId, enrolling))
    spoil(given)
    same(
      await factors.findPending(pending.userId, enrolling),
      stored,
      'Changing what was given to savePending changed the stored enrolment.',
    )
    spoil(await factors.findPending(pending.userId, enrolling))
    same(
      await factors.findPending(pending.userId, enrolling),
      stored,
      'Changing what findPending answered changed the stored enrolment.',
    )
    const confirmation = structuredClone(confirmed(pending, at))
    await factors.confirm(confirmation, [], at(1))
    const active = structuredClone(await factors.find(pending.userId))
    spoil(confirmation)
    same(
      await factors.find(pending.userId),
      active,
      'Changing the record that was given to confirm changed the stored factor.',
    )
  })
}

function enrolmentReplaced({ it }: Part<SecondFactorStore>): void {
  it('savePending replaces an earlier enrolment, and leaves an active factor alone', async (factors, at) => {
    const factor = newFactor(at)
    const first = newPending(at, { userId: factor.userId })
    const last = newPending(at, { userId: factor.userId, createdAt: at(3), expiresAt: at(603) })
    await factors.activate(factor, [randomSecret()])
    const before = await factors.find(factor.userId)
    await factors.savePending(first)
    await factors.savePending(last)
    same(
      (await factors.findPending(factor.userId, enrolling))?.sealedSeed,
      last.sealedSeed,
      'savePending must replace an earlier enrolment: the last seed was shown last.',
    )
    same(
      await factors.find(factor.userId),
      before,
      'savePending changed an active factor: beginning anew must not switch it off.',
    )
    same(
      await codesLeft(factors, factor.userId),
      1,
      'savePending changed the recovery codes of an active factor.',
    )
  })
}

function enrolmentsOfSessions({ it }: Part<SecondFactorStore>): void {
  it('each session of a user has an enrolment of its own, and no other is answered for it', async (factors, at) => {
    for (const [what, sessionId, other] of awkwardPairs(randomId())) {
      const own = newPending(at, { sessionId })
      const { userId } = own
      await factors.savePending(own)
      same(
        await factors.findPending(userId, other),
        null,
        `secondFactors.findPending answered what waits in another session (${what}): a thief’s ` +
          'seed would be shown to the user as hers.',
      )
      const others = newPending(at, { userId, sessionId: other })
      await factors.savePending(others)
      same(
        [await factors.findPending(userId, sessionId), await factors.findPending(userId, other)],
        [own, others],
        `secondFactors.savePending in another session (${what}) changed the one that waits in ` +
          'this: whoever knows the password could keep the user from setting TOTP up.',
      )
      same(
        await factors.confirm(confirmed(own, at), [], at(1)),
        { outcome: 'activated' },
        'secondFactors.confirm of one of two enrolments of a user.',
      )
      same(
        await factors.findPending(userId, sessionId),
        null,
        'secondFactors.confirm left the enrolment: it could be confirmed again.',
      )
      await factors.deactivate(userId)
      same(
        await factors.findPending(userId, other),
        null,
        'secondFactors.deactivate left the enrolment of another session.',
      )
    }
  })
}

function enrolmentsDeleted({ it }: Part<SecondFactorStore>): void {
  it('deletePending deletes all enrolments of a user, and nothing else', async (factors, at) => {
    const factor = newFactor(at)
    const { userId } = factor
    const [one, other] = [newPending(at, { userId }), newPending(at, { userId, sessionId: 'b' })]
    const ofBob = newPending(at)
    await factors.activate(factor, ['code'])
    for (const pending of [one, other, ofBob]) await factors.savePending(pending)
    await factors.deletePending(userId)
    await factors.deletePending(userId)
    same(
      [await factors.findPending(userId, enrolling), await factors.findPending(userId, 'b')],
      [null, null],
      'secondFactors.deletePending left an enrolment: what a thief has begun could be confirmed.',
    )
    same(
      [await factors.find(userId), await codesLeft(factors, userId)],
      [factor, 1],
      'secondFactors.deletePending changed the factor or its recovery codes.',
    )
    same(
      await factors.findPending(ofBob.userId, enrolling),
      ofBob,
      'secondFactors.deletePending took that of another user.',
    )
  })
}

function enrolmentIdentity({ it }: Part<SecondFactorStore>): void {
  it('user ids that differ in one byte have different enrolments and codes', async (factors, at) => {
    for (const [what, first, second] of awkwardPairs(randomId())) {
      const [one, other] = [newPending(at, { userId: first }), newPending(at, { userId: second })]
      const confuses = `confuses user ids that differ by ${what}. Compare them bytewise.`
      await factors.savePending(one)
      const [own, none] = [
        await factors.findPending(first, enrolling),
        await factors.findPending(second, enrolling),
      ]
      same(none, null, `secondFactors.findPending ${confuses}`)
      await resolves(factors.savePending(other), `secondFactors.savePending ${confuses}`)
      same(
        await factors.findPending(first, enrolling),
        own,
        `secondFactors.savePending ${confuses}`,
      )
      const others = await factors.findPending(second, enrolling)
      await factors.confirm(confirmed(one, at), ['code'], at(1))
      same(
        await factors.findPending(second, enrolling),
        others,
        `secondFactors.confirm ${confuses}`,
      )
      same(await codesLeft(factors, second), 0, `secondFactors.countRecoveryCodes ${confuses}`)
      const count = await codesLeft(factors, first)
      await factors.replaceRecoveryCodes(second, ['another', 'one more'])
      same(await codesLeft(factors, first), count, `secondFactors.replaceRecoveryCodes ${confuses}`)
      const resealed = await factors.reseal(second, one.sealedSeed, 'other')
      same(resealed, { outcome: 'superseded' }, `secondFactors.reseal ${confuses}`)
      await factors.deactivate(first)
      same(
        await factors.findPending(second, enrolling),
        others,
        `secondFactors.deactivate ${confuses}`,
      )
    }
  })
}

/** How an enrolment becomes a factor, one call at a time. */
function confirmContract(part: Part<SecondFactorStore>): void {
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
