import { randomId, randomSecret } from '../../lib/secrets.js'
import { confirmed, newFactor, newPending } from '../../stores/new-records.js'
import type { PendingSecondFactor, SecondFactorStore } from '../../stores/second-factor-contract.js'
import { callsFor } from './factor-calls.js'
import {
  answers,
  awkwardPairs,
  longAwkwardText,
  otherCase,
  type Part,
  resolves,
  same,
  spoil,
  told,
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
    const waiting = newPending(at, { sealedSeed: longAwkwardText })
    const expired = newPending(at, { createdAt: at(-601.5), expiresAt: at(-1.5) })
    for (const enrolment of [waiting, expired]) {
      const { find, pending } = callsFor(factors, enrolment)
      const none = 'secondFactors.findPending must answer null, not undefined, when there is none.'
      same(await pending(), null, none)
      await factors.savePending(enrolment)
      await answers([
        [pending, enrolment, 'secondFactors.findPending must answer the record as it was saved.'],
        [find, null, 'secondFactors.find answered an enrolment that is not confirmed yet.'],
      ])
    }
  })
}

function enrolmentCopies({ it }: Part<SecondFactorStore>): void {
  it('enrolments are copies: changing one does not change the store', async (factors, at) => {
    const enrolment = newPending(at)
    const { find, pending } = callsFor(factors, enrolment)
    const given = structuredClone(enrolment)
    await factors.savePending(given)
    const stored = structuredClone(await pending())
    const changed = 'changed the stored enrolment.'
    spoil(given)
    same(await pending(), stored, `Changing what was given to savePending ${changed}`)
    spoil(await pending())
    same(await pending(), stored, `Changing what findPending answered ${changed}`)
    const confirmation = structuredClone(confirmed(enrolment, at))
    await factors.confirm(confirmation, [], at(1))
    const active = structuredClone(await find())
    spoil(confirmation)
    same(await find(), active, 'Changing what was given to confirm changed the stored factor.')
  })
}

function enrolmentReplaced({ it }: Part<SecondFactorStore>): void {
  it('savePending replaces an earlier enrolment, and leaves an active factor alone', async (factors, at) => {
    const factor = newFactor(at)
    const { userId } = factor
    const { find, pending, left } = callsFor(factors, factor)
    const last = newPending(at, { userId, createdAt: at(3), expiresAt: at(603) })
    await factors.activate(factor, [randomSecret()])
    const before = await find()
    for (const saved of [newPending(at, { userId }), last]) await factors.savePending(saved)
    const kept = 'savePending changed an active factor: beginning anew must not switch it off.'
    await answers([
      [pending, last, 'savePending must replace an earlier one: the last seed was shown last.'],
      [find, before, kept],
      [left, 1, 'savePending changed the recovery codes of an active factor.'],
    ])
  })
}

function enrolmentsOfSessions({ it }: Part<SecondFactorStore>): void {
  it('each session of a user has an enrolment of its own, and no other is answered for it', async (factors, at) => {
    for (const [what, sessionId, other] of awkwardPairs(randomId())) {
      const own = newPending(at, { sessionId })
      const { userId } = own
      const others = newPending(at, { userId, sessionId: other })
      const ofOwn = () => factors.findPending(userId, sessionId)
      const ofOther = () => factors.findPending(userId, other)
      const shown =
        `secondFactors.findPending answered what waits in another session (${what}): a thief’s ` +
        'seed would be shown to the user as hers.'
      const changed =
        `secondFactors.savePending in another session (${what}) changed the one that waits in ` +
        'this: whoever knows the password could keep the user from setting TOTP up.'
      const confirm = () => factors.confirm(confirmed(own, at), [], at(1))
      await factors.savePending(own)
      same(await ofOther(), null, shown)
      await factors.savePending(others)
      await answers([
        [ofOwn, own, changed],
        [ofOther, others, changed],
        [confirm, told('activated'), 'secondFactors.confirm of one of two enrolments of a user.'],
        [ofOwn, null, 'secondFactors.confirm left the enrolment: it could be confirmed again.'],
      ])
      await factors.deactivate(userId)
      same(await ofOther(), null, 'deactivate left the enrolment of another session.')
    }
  })
}

function enrolmentsDeleted({ it }: Part<SecondFactorStore>): void {
  it('deletePending deletes all enrolments of a user, and nothing else', async (factors, at) => {
    const factor = newFactor(at)
    const { userId } = factor
    const [one, other] = [newPending(at, { userId }), newPending(at, { userId, sessionId: 'b' })]
    const ofBob = newPending(at)
    const { find, pending, left } = callsFor(factors, factor)
    const gone = 'deletePending left an enrolment: what a thief has begun could be confirmed.'
    const kept = 'deletePending changed the factor or its recovery codes.'
    await factors.activate(factor, ['code'])
    for (const enrolment of [one, other, ofBob]) await factors.savePending(enrolment)
    await factors.deletePending(userId)
    await factors.deletePending(userId)
    await answers([
      [pending, null, gone],
      [() => factors.findPending(userId, 'b'), null, gone],
      [find, factor, kept],
      [left, 1, kept],
      [callsFor(factors, ofBob).pending, ofBob, 'deletePending took that of another user.'],
    ])
  })
}

function enrolmentIdentity({ it }: Part<SecondFactorStore>): void {
  it('user ids that differ in one byte have different enrolments and codes', async (factors, at) => {
    for (const [what, first, second] of awkwardPairs(randomId())) {
      const [one, other] = [newPending(at, { userId: first }), newPending(at, { userId: second })]
      const [own, others] = [callsFor(factors, one), callsFor(factors, other)]
      const confuses = `confuses user ids that differ by ${what}. Compare them bytewise.`
      await factors.savePending(one)
      const before = await own.pending()
      same(await others.pending(), null, `secondFactors.findPending ${confuses}`)
      await resolves(factors.savePending(other), `secondFactors.savePending ${confuses}`)
      same(await own.pending(), before, `secondFactors.savePending ${confuses}`)
      const waiting = await others.pending()
      await factors.confirm(confirmed(one, at), ['code'], at(1))
      await answers([
        [others.pending, waiting, `secondFactors.confirm ${confuses}`],
        [others.left, 0, `secondFactors.countRecoveryCodes ${confuses}`],
      ])
      const count = await own.left()
      await factors.replaceRecoveryCodes(second, ['another', 'one more'])
      const reseal = others.reseal(one.sealedSeed, 'other')
      await answers([
        [own.left, count, `secondFactors.replaceRecoveryCodes ${confuses}`],
        [reseal, told('superseded'), `secondFactors.reseal ${confuses}`],
      ])
      await factors.deactivate(first)
      same(await others.pending(), waiting, `secondFactors.deactivate ${confuses}`)
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
      const enrolment = newPending(at, { createdAt: at(-1) })
      const hashes = [randomSecret(), randomSecret(), randomSecret()]
      const factor = confirmed(enrolment, at)
      const { find, pending, left, use } = callsFor(factors, factor)
      const confirm = (seconds: number) => () => factors.confirm(factor, hashes, at(seconds))
      const whole =
        'secondFactors.confirm must store the factor it is handed: with its `lastStep`, or the ' +
        'code that confirmed opens a session, too.'
      await factors.savePending(enrolment)
      await answers([
        [confirm(1), told('activated'), 'secondFactors.confirm of a waiting enrolment.'],
        [find, factor, whole],
        [pending, null, 'secondFactors.confirm left the enrolment: it could be confirmed again.'],
        [confirm(2), told('not-pending'), 'secondFactors.confirm of an enrolment that is used up.'],
        [left, 3, 'secondFactors.countRecoveryCodes after confirm with three.'],
      ])
      for (const hash of hashes)
        same(await use(hash)(), told('consumed'), 'A recovery code of the confirmation must work.')
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
    const seed = last.sealedSeed
    for (const sealedSeed of [first.sealedSeed, otherCase(seed), `${seed} `, '']) {
      const factor = { ...confirmed(last, at), sealedSeed }
      const answer = await factors.confirm(factor, [randomSecret()], at(1))
      same(answer, told('not-pending'), `confirm of the seed '${sealedSeed}', ${why}`)
      await checkUnchanged(factors, last)
    }
    const answer = await factors.confirm(confirmed(last, at), [], at(1))
    same(answer, told('activated'), 'confirm of the seed that waits, after others were tried.')
  })

  it('confirming without an enrolment is not-pending, and makes nothing', async (factors, at) => {
    const factor = newFactor(at)
    const { find, left } = callsFor(factors, factor)
    const confirm = () => factors.confirm(factor, [randomSecret()], at(1))
    await answers([
      [confirm, told('not-pending'), 'secondFactors.confirm of a user without an enrolment.'],
      [find, null, 'secondFactors.confirm made a factor that nobody enrolled.'],
      [left, 0, 'secondFactors.confirm was not-pending and left recovery codes.'],
    ])
  })
}

function confirmingForOthers({ it }: Part<SecondFactorStore>): void {
  it(
    'confirming when a factor has been activated meanwhile is already-active, and changes ' +
      'neither factor nor codes',
    async (factors, at) => {
      const pending = newPending(at)
      const factor = newFactor(at, { userId: pending.userId, lastStep: 5 })
      const [own, other] = [randomSecret(), randomSecret()]
      const { find, left, use } = callsFor(factors, factor)
      const confirm = () => factors.confirm(confirmed(pending, at), [other], at(1))
      const swapped =
        'secondFactors.confirm replaced an active factor: a session could swap the app.'
      await factors.savePending(pending)
      await factors.activate(factor, [own])
      const before = await find()
      await answers([
        [confirm, told('already-active'), 'confirm of a user who has got a factor meanwhile.'],
        [find, before, swapped],
        [left, 1, 'secondFactors.confirm was already-active and changed recovery codes.'],
        [use(own), told('consumed'), 'A recovery code after a confirm that was already-active.'],
      ])
    },
  )
}

function confirmingTooLate({ it }: Part<SecondFactorStore>): void {
  it('an enrolment can be confirmed one millisecond before it expires', async (factors, at) => {
    const pending = newPending(at)
    await factors.savePending(pending)
    const answer = await factors.confirm(confirmed(pending, at), [], at(599.999))
    same(answer, told('activated'), 'confirm one millisecond before expiresAt. Keep milliseconds.')
  })

  it('an enrolment is void at the very moment it expires, and confirming it changes nothing', async (factors, at) => {
    const pending = newPending(at)
    const over =
      'secondFactors.confirm of an enrolment that is over. It waits while now < expiresAt.'
    await factors.savePending(pending)
    for (const now of [at(600), at(601)]) {
      const answer = await factors.confirm(confirmed(pending, at), [randomSecret()], now)
      same(answer, told('not-pending'), over)
      await checkUnchanged(factors, pending)
    }
  })
}

async function checkUnchanged(
  factors: SecondFactorStore,
  enrolment: PendingSecondFactor,
): Promise<void> {
  const { find, pending, left } = callsFor(factors, enrolment)
  const refused = 'secondFactors.confirm was not-pending and'
  await answers([
    [find, null, `${refused} made a factor all the same.`],
    [pending, enrolment, `${refused} changed the enrolment.`],
    [left, 0, `${refused} left recovery codes.`],
  ])
}
