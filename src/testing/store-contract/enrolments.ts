import { randomId, randomSecret } from '../../lib/random.js'
import type { SecondFactorRecord, SecondFactorStore } from '../../stores/contract.js'
import { same, spoil } from './checks.js'
import { confirmed, moments, newFactor, newPending } from './records.js'
import type { Part } from './suite.js'
import { awkwardPairs, longAwkwardText, otherCase } from './texts.js'

/** Enrolments that wait for their first code, and how they become factors; but for what happens at once. */
export function enrolmentsContract(part: Part<SecondFactorStore>): void {
  enrolmentShapes(part)
  enrolmentIdentity(part)
  confirming(part)
  confirmingInVain(part)
  confirmingTooLate(part)
}

function enrolmentShapes({ it, store }: Part<SecondFactorStore>): void {
  it('an enrolment comes back as it was saved, expired or not, and is null when there is none', async () => {
    const at = moments()
    const factors = await store()
    const { userId } = newPending(at)
    same(await factors.findPending(userId), null, 'secondFactors.findPending must answer null, not undefined, when there is none.')
    const waiting = newPending(at, { userId, sealedSeed: longAwkwardText })
    const expired = newPending(at, { createdAt: at(-601.5), expiresAt: at(-1.5) })
    for (const pending of [waiting, expired]) {
      await factors.savePending(pending)
      same(await factors.findPending(pending.userId), pending, 'secondFactors.findPending must answer the record as it was saved.')
      same(
        await factors.find(pending.userId),
        null,
        'secondFactors.find answered an enrolment: it is no factor before it is confirmed.',
      )
    }
  })

  it('enrolments are copies: changing one does not change the store', async () => {
    const at = moments()
    const factors = await store()
    const pending = newPending(at)
    const given = structuredClone(pending)
    await factors.savePending(given)
    spoil(given)
    same(await factors.findPending(pending.userId), pending, 'Changing what was given to savePending changed the stored enrolment.')
    spoil(await factors.findPending(pending.userId))
    same(await factors.findPending(pending.userId), pending, 'Changing what findPending answered changed the stored enrolment.')
    const factor = confirmed(pending, at)
    const confirmation = structuredClone(factor)
    await factors.confirm(confirmation, [], at(1))
    spoil(confirmation)
    same(await factors.find(pending.userId), factor, 'Changing the record that was given to confirm changed the stored factor.')
  })

  it('savePending replaces an earlier enrolment, and leaves an active factor alone', async () => {
    const at = moments()
    const factors = await store()
    const factor = newFactor(at)
    const first = newPending(at, { userId: factor.userId })
    const last = newPending(at, { userId: factor.userId, createdAt: at(3), expiresAt: at(603) })
    await factors.activate(factor, [randomSecret()])
    await factors.savePending(first)
    await factors.savePending(last)
    same(
      await factors.findPending(factor.userId),
      last,
      'savePending must replace an earlier enrolment: the last seed was shown last.',
    )
    same(await factors.find(factor.userId), factor, 'savePending changed an active factor: beginning anew must not switch it off.')
    same(await factors.countRecoveryCodes(factor.userId), 1, 'savePending changed the recovery codes of an active factor.')
  })
}

function enrolmentIdentity({ it, store }: Part<SecondFactorStore>): void {
  it('user ids that differ in one byte have different enrolments and codes', async () => {
    const at = moments()
    const factors = await store()
    for (const [what, first, second] of awkwardPairs(randomId())) {
      const [one, other] = [newPending(at, { userId: first }), newPending(at, { userId: second })]
      const confuses = `confuses user ids that differ by ${what}. Compare them bytewise.`
      await factors.savePending(one)
      same(await factors.findPending(second), null, `secondFactors.findPending ${confuses}`)
      await factors.savePending(other)
      same(await factors.findPending(first), one, `secondFactors.savePending ${confuses}`)
      await factors.confirm(confirmed(one, at), ['code'], at(1))
      same(await factors.findPending(second), other, `secondFactors.confirm ${confuses}`)
      same(await factors.countRecoveryCodes(second), 0, `secondFactors.countRecoveryCodes ${confuses}`)
      const replaced = await factors.replaceRecoveryCodes(second, ['another'])
      same(replaced, { outcome: 'not-active' }, `secondFactors.replaceRecoveryCodes ${confuses}`)
      const resealed = await factors.reseal(second, one.sealedSeed, 'other')
      same(resealed, { outcome: 'superseded' }, `secondFactors.reseal ${confuses}`)
      await factors.deactivate(first)
      same(await factors.findPending(second), other, `secondFactors.deactivate ${confuses}`)
    }
  })
}

function confirming({ it, store }: Part<SecondFactorStore>): void {
  it('confirming activates the factor as it was confirmed, with its recovery codes, and uses the enrolment up', async () => {
    const at = moments()
    const factors = await store()
    const pending = newPending(at, { createdAt: at(-1) })
    const hashes = [randomSecret(), randomSecret(), randomSecret()]
    const factor = confirmed(pending, at)
    await factors.savePending(pending)
    same(await factors.confirm(factor, hashes, at(1)), { outcome: 'activated' }, 'secondFactors.confirm of a waiting enrolment.')
    same(
      await factors.find(factor.userId),
      factor,
      'secondFactors.confirm must store the factor it is handed: with its `lastStep`, or the code that confirmed opens a session, too.',
    )
    same(await factors.findPending(factor.userId), null, 'secondFactors.confirm left the enrolment: it could be confirmed again.')
    const again = await factors.confirm(factor, hashes, at(2))
    same(again, { outcome: 'not-pending' }, 'secondFactors.confirm a second time: its enrolment has been used up.')
    same(await factors.countRecoveryCodes(factor.userId), 3, 'secondFactors.countRecoveryCodes after confirm with three.')
    for (const hash of hashes) {
      const used = await factors.consumeRecoveryCode(factor.userId, hash)
      same(used, { outcome: 'consumed' }, 'A recovery code of the confirmation must work: the user has been shown it.')
    }
  })
}

function confirmingInVain({ it, store }: Part<SecondFactorStore>): void {
  it('confirming another seed than the one that waits is not-pending, and changes nothing', async () => {
    const at = moments()
    const factors = await store()
    const first = newPending(at)
    const last = newPending(at, { userId: first.userId })
    await factors.savePending(first)
    await factors.savePending(last)
    const why = 'which is not the one that was shown last: the user’s app would make codes of another.'
    for (const sealedSeed of [first.sealedSeed, otherCase(last.sealedSeed), `${last.sealedSeed} `, '']) {
      const answer = await factors.confirm({ ...confirmed(last, at), sealedSeed }, [randomSecret()], at(1))
      same(answer, { outcome: 'not-pending' }, `secondFactors.confirm of the seed '${sealedSeed}', ${why}`)
      await checkUnchanged(factors, last)
    }
    const answer = await factors.confirm(confirmed(last, at), [], at(1))
    same(answer, { outcome: 'activated' }, 'secondFactors.confirm of the seed that waits, after others were tried.')
  })

  it('confirming without an enrolment is not-pending, and makes nothing', async () => {
    const at = moments()
    const factors = await store()
    const factor = newFactor(at)
    const answer = await factors.confirm(factor, [randomSecret()], at(1))
    same(answer, { outcome: 'not-pending' }, 'secondFactors.confirm of a user without an enrolment.')
    same(await factors.find(factor.userId), null, 'secondFactors.confirm made a factor that nobody enrolled.')
    same(await factors.countRecoveryCodes(factor.userId), 0, 'secondFactors.confirm was not-pending and left recovery codes.')
  })

  it('confirming when a factor has been activated meanwhile is already-active, and changes neither factor nor codes', async () => {
    const at = moments()
    const factors = await store()
    const pending = newPending(at)
    const factor: SecondFactorRecord = newFactor(at, { userId: pending.userId, lastStep: 5 })
    const [own, other] = [randomSecret(), randomSecret()]
    await factors.savePending(pending)
    await factors.activate(factor, [own])
    const answer = await factors.confirm(confirmed(pending, at), [other], at(1))
    same(answer, { outcome: 'already-active' }, 'secondFactors.confirm of a user who has got a factor meanwhile.')
    same(
      await factors.find(factor.userId),
      factor,
      'secondFactors.confirm replaced an active factor: a session could swap the app.',
    )
    same(await factors.countRecoveryCodes(factor.userId), 1, 'secondFactors.confirm was already-active and changed recovery codes.')
    const used = await factors.consumeRecoveryCode(factor.userId, own)
    same(used, { outcome: 'consumed' }, 'A recovery code of the active factor, after a confirm that was already-active.')
  })
}

function confirmingTooLate({ it, store }: Part<SecondFactorStore>): void {
  it('an enrolment can be confirmed one millisecond before it expires', async () => {
    const at = moments()
    const factors = await store()
    const pending = newPending(at)
    await factors.savePending(pending)
    const answer = await factors.confirm(confirmed(pending, at), [], at(599.999))
    same(answer, { outcome: 'activated' }, 'secondFactors.confirm one millisecond before expiresAt. Keep milliseconds.')
  })

  it('an enrolment is void at the very moment it expires, and confirming it changes nothing', async () => {
    const at = moments()
    const factors = await store()
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

async function checkUnchanged(factors: SecondFactorStore, pending: { readonly userId: string }): Promise<void> {
  const { userId } = pending
  same(await factors.find(userId), null, 'secondFactors.confirm was not-pending and made a factor all the same.')
  same(await factors.findPending(userId), pending, 'secondFactors.confirm was not-pending and changed the enrolment.')
  same(await factors.countRecoveryCodes(userId), 0, 'secondFactors.confirm was not-pending and left recovery codes.')
}
