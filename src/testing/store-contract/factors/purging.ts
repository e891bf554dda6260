import { enrolling, inTurns, newFactor, newPending } from '../../../stores/new-records.js'
import type { SecondFactorStore } from '../../../stores/second-factor-contract.js'
import { countTrue, purgeContract } from '../every-store/purge-contract.js'
import { check, codesLeft, isNone, same } from '../harness/checks.js'
import { atOnce, type Part } from '../harness/suite.js'

/** `purge` deletes expired enrolments, and nothing else that belongs to the user. */
export function enrolmentsPurge(part: Part<SecondFactorStore>): void {
  const isThere = async (factors: SecondFactorStore, userId: string) =>
    !isNone(await factors.findPending(userId, enrolling))

  purgeContract(part, {
    method: 'secondFactors.purge',
    row: 'enrolment',
    moments: [
      {
        title: 'an enrolment at the moment it expires',
        tooEarly: 'deleted an enrolment before it expired',
        over: 600,
        async add(factors, at) {
          const pending = newPending(at)
          await factors.savePending(pending)
          return () => isThere(factors, pending.userId)
        },
      },
    ],
    isCountable: true,
    purge: (factors, now, limit) => factors.purge(now, limit),
    addLiving: (factors, at) => factors.savePending(newPending(at, { expiresAt: at(1200) })),
    async addOver(factors, at, count) {
      const rows = Array.from({ length: count }, () => newPending(at))
      await inTurns(rows, (pending) => factors.savePending(pending))
      return () => countTrue(rows.map(({ userId }) => isThere(factors, userId)))
    },
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
