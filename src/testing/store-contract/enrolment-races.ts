import { randomSecret } from '../../lib/secrets.js'
import { confirmed, enrolling, newFactor, newPending } from '../../stores/new-records.js'
import type { PendingSecondFactor, SecondFactorStore } from '../../stores/second-factor-contract.js'
import { purgeContract } from './every-store/purge-contract.js'
import { atOnce, check, codesLeft, isNone, type Part, same } from './harness.js'

/** Enrolments, while other calls change the same user. */
export function enrolmentRaces(part: Part<SecondFactorStore>): void {
  savingAtOnce(part)
  confirmAgainstSave(part)
  confirmAgainstDeactivate(part)
  confirmAgainstActivate(part)
  differentUsers(part)
}

function savingAtOnce({ inRounds }: Part<SecondFactorStore>): void {
  inRounds(
    'savePending by 10 callers, at once: the enrolment of one of them is left, whole',
    async (factors, at) => {
      const { userId } = newPending(at)
      const saved = Array.from({ length: 10 }, (_none, caller) =>
        newPending(at, { userId, createdAt: at(caller), expiresAt: at(600 + caller) }),
      )
      await Promise.all(saved.map((pending) => factors.savePending(pending)))
      const found = await factors.findPending(userId, enrolling)
      const own = saved.find(({ sealedSeed }) => sealedSeed === found?.sealedSeed)
      check(
        own !== undefined,
        'After savePending by 10 callers at once, the stored seed is that of none of them.',
      )
      same(
        found,
        own,
        'savePending by 10 callers at once left a mixture of two enrolments. Replace the row in ' +
          'one write.',
      )
    },
  )
}

function confirmAgainstSave({ inRounds }: Part<SecondFactorStore>): void {
  inRounds(
    'confirm and savePending, at once: the new enrolment waits, and the old one is a factor ' +
      'exactly if it was confirmed',
    async (factors, at, round) => {
      const old = newPending(at)
      const next = newPending(at, { userId: old.userId })
      const factor = confirmed(old, at)
      await factors.savePending(old)
      const confirm = async () =>
        (await factors.confirm(factor, [randomSecret(), randomSecret()], at(1))).outcome
      const save = async () => void (await factors.savePending(next))
      const answers = await atOnce(round, confirm, save)
      const activated = answers.includes('activated')
      const found = await factors.findPending(old.userId, enrolling)
      check(
        !isNone(found),
        'confirm deleted an enrolment that it was not asked to confirm: the seed the user sees ' +
          'can never be confirmed.',
      )
      same(
        found?.sealedSeed,
        next.sealedSeed,
        'After confirm and savePending at once, the enrolment that waits is not the new one.',
      )
      await checkFactorAndCodes(factors, old, activated ? factor.sealedSeed : undefined, 2)
    },
  )
}

function confirmAgainstDeactivate({ inRounds }: Part<SecondFactorStore>): void {
  inRounds('confirm and deactivate, at once: nothing is left', async (factors, at, round) => {
    const pending = newPending(at)
    await factors.savePending(pending)
    const confirm = () =>
      factors.confirm(confirmed(pending, at), [randomSecret(), randomSecret()], at(1))
    const deactivate = () => factors.deactivate(pending.userId)
    const answers = await atOnce(round, confirm, deactivate)
    const said = answers.map(({ outcome }) => outcome).sort()
    // In either order: the enrolment is deleted before it is confirmed, or the factor afterwards.
    await checkFactorAndCodes(factors, pending, undefined, 2)
    same(
      await factors.findPending(pending.userId, enrolling),
      null,
      'deactivate and confirm at once left the enrolment.',
    )
    check(
      ['activated,deactivated', 'not-active,not-pending'].includes(said.join()),
      `confirm and deactivate at once answered ${said.join(' and ')}: in whatever order they ` +
        'were made, one of the two is wrong.',
    )
  })
}

function confirmAgainstActivate({ inRounds }: Part<SecondFactorStore>): void {
  inRounds(
    'confirm and activate, at once: one of them is activated, with its own codes',
    async (factors, at, round) => {
      const pending = newPending(at)
      const imported = newFactor(at, { userId: pending.userId })
      await factors.savePending(pending)
      const confirm = async () =>
        (await factors.confirm(confirmed(pending, at), [randomSecret(), randomSecret()], at(1)))
          .outcome
      const activate = async () => (await factors.activate(imported, [randomSecret()])).outcome
      const [confirmation, activation] = await (round % 2 === 0
        ? Promise.all([confirm(), activate()])
        : Promise.all([activate(), confirm()]).then(([second, first]) => [first, second] as const))
      const won = [confirmation, activation].filter((outcome) => outcome === 'activated').length
      check(
        won === 1,
        `confirm answered ${confirmation} and activate ${activation}, at once: exactly one of ` +
          'them is activated.',
      )
      const isConfirmed = confirmation === 'activated'
      await checkFactorAndCodes(
        factors,
        pending,
        (isConfirmed ? pending : imported).sealedSeed,
        isConfirmed ? 2 : 1,
      )
    },
  )
}

function differentUsers({ it, rounds }: Part<SecondFactorStore>): void {
  it('20 users who activate and confirm at once are all activated, with their own codes', async (factors, at) => {
    for (let round = 0; round < Math.ceil(rounds / 4); round += 1) {
      const enrolments = Array.from({ length: 20 }, () => newPending(at))
      for (const pending of enrolments) await factors.savePending(pending)
      const codes = () => [randomSecret(), randomSecret()]
      const work = enrolments.map((pending, index) => {
        const factor = confirmed(pending, at)
        return index % 2 === 0
          ? factors.confirm(factor, codes(), at(1))
          : factors.activate(factor, codes())
      })
      const failed = (await Promise.allSettled(work)).flatMap((result) =>
        result.status === 'rejected' ? [result.reason] : [],
      )
      check(
        failed.length === 0,
        `${failed.length} of 20 different users could not activate at once: they have locked ` +
          `each other out. ${failed[0]}`,
      )
      for (const pending of enrolments)
        await checkFactorAndCodes(factors, pending, pending.sealedSeed, 2)
    }
  })
}

/** Factor and codes exist together, or neither does. */
async function checkFactorAndCodes(
  factors: SecondFactorStore,
  { userId }: PendingSecondFactor,
  sealedSeed: string | undefined,
  codes: number,
): Promise<void> {
  const why =
    sealedSeed === undefined
      ? 'There must be no factor'
      : 'The factor must be the one that was answered `activated`'
  same((await factors.find(userId))?.sealedSeed, sealedSeed, `${why}.`)
  const count = sealedSeed === undefined ? 0 : codes
  same(
    await codesLeft(factors, userId),
    count,
    `${why}, and with it ${count} recovery codes. A factor without its codes locks the user ` +
      'out; codes without a factor open the next one.',
  )
}

/** `purge` deletes expired enrolments, and nothing else that belongs to the user. */
export function enrolmentsPurge(part: Part<SecondFactorStore>): void {
  purgeContract(part, {
    method: 'secondFactors.purge',
    row: 'enrolment',
    moments: [['an enrolment at the moment it expires', 600, newPending]],
    save: (factors, pending) => factors.savePending(pending),
    isThere: async (factors, { userId }) => !isNone(await factors.findPending(userId, enrolling)),
    isCountable: true,
    living: (at) => newPending(at, { expiresAt: at(1200) }),
    make: (at) => newPending(at),
    over: 600,
  })
  purgeSpares(part)
}

function purgeSpares({ it, inRounds }: Part<SecondFactorStore>): void {
  it('purge leaves active factors and their recovery codes, however old they are', async (factors, at) => {
    const factor = newFactor(at, { createdAt: at(-1e8) })
    await factors.activate(factor, ['one', 'other'])
    await factors.savePending(newPending(at, { userId: factor.userId }))
    const before = await factors.find(factor.userId)
    await factors.purge(at(1e5))
    same(
      await factors.find(factor.userId),
      before,
      'secondFactors.purge deleted or changed an active factor: the user has none any more.',
    )
    same(
      await codesLeft(factors, factor.userId),
      2,
      'secondFactors.purge deleted recovery codes of an active factor.',
    )
  })

  inRounds(
    'purge and savePending, at once: the new enrolment stays',
    async (factors, at, round) => {
      const old = newPending(at)
      const next = newPending(at, { userId: old.userId, createdAt: at(600), expiresAt: at(1200) })
      await factors.savePending(old)
      const save = () => factors.savePending(next)
      const purge = () => factors.purge(at(600))
      await atOnce(round, purge, save)
      const found = await factors.findPending(old.userId, enrolling)
      check(
        !isNone(found),
        'secondFactors.purge deleted an enrolment that was begun meanwhile. Delete by the ' +
          'condition, not by ids read before.',
      )
      same(
        found?.sealedSeed,
        next.sealedSeed,
        'After purge and savePending at once, the enrolment that waits is not the new one.',
      )
    },
  )
}
