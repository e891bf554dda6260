import { enrolling } from '../../../src/stores/new-records.js'
import { deletePendingIn, factorRows, slotOf } from './factor-rows.js'
import { awaited } from './helpers.js'

/**
 * Stores of second factors that are wrong in one respect each: enrolments, resealing, and whole
 * sets of recovery codes.
 */
export const badEnrolments = {
  'secondFactors: savePending keeps the first': factorRows(({ pending }, good) => ({
    async savePending(enrolment) {
      const { userId, sessionId } = enrolment
      if (!pending.has(slotOf(userId, sessionId))) await good.savePending(enrolment)
    },
  })),
  'secondFactors: savePending field by field': factorRows(({ pending }, good) => {
    let inside = 0
    return {
      async savePending(enrolment) {
        const { userId, sessionId, sealedSeed } = enrolment
        const slot = slotOf(userId, sessionId)
        const wait = Math.max(0, 30 - 3 * inside)
        inside += 1
        await good.savePending({ ...(pending.get(slot) ?? enrolment), sealedSeed })
        // Whoever comes later is ready sooner.
        await new Promise((resolve) => setTimeout(resolve, wait))
        inside -= 1
        await good.savePending({
          ...enrolment,
          sealedSeed: pending.get(slot)?.sealedSeed ?? sealedSeed,
        })
      },
    }
  }),
  'secondFactors: one enrolment for all sessions of a user': factorRows((_rows, good) => ({
    savePending: (enrolment) => good.savePending({ ...enrolment, sessionId: enrolling }),
    findPending: (userId) => good.findPending(userId, enrolling),
  })),
  'secondFactors: savePending forgets other sessions': factorRows((rows, good) => ({
    async savePending(enrolment) {
      deletePendingIn(rows, enrolment.userId)
      await good.savePending(enrolment)
    },
  })),
  'secondFactors: deactivate leaves other sessions': factorRows(({ factors, codes, pending }) => ({
    async deactivate(userId) {
      codes.delete(userId)
      pending.delete(slotOf(userId, enrolling))
      return { outcome: factors.delete(userId) ? 'deactivated' : 'not-active' }
    },
  })),
  'secondFactors: deletePending leaves other sessions': factorRows(({ pending }) => ({
    deletePending: async (userId) => void pending.delete(slotOf(userId, enrolling)),
  })),
  'secondFactors: deletePending deletes the factor': factorRows((_rows, good) => ({
    deletePending: async (userId) => void (await good.deactivate(userId)),
  })),
  'secondFactors: findPending hides what has expired': factorRows((_rows, good) => ({
    async findPending(userId, sessionId) {
      const found = await good.findPending(userId, sessionId)
      return found === null || found.expiresAt <= new Date() ? null : found
    },
  })),
  'secondFactors: confirm reads, then writes': factorRows(({ factors, pending }, good) => ({
    async confirm(factor, hashes, now) {
      const found = pending.get(slotOf(factor.userId, enrolling)) ?? null
      const active = factors.has(factor.userId)
      await awaited()
      if (found?.sealedSeed !== factor.sealedSeed || now >= found.expiresAt)
        return { outcome: 'not-pending' }
      if (active) return { outcome: 'already-active' }
      await good.deactivate(factor.userId)
      return good.activate(factor, hashes)
    },
  })),
  'secondFactors: confirm ignores expiry': factorRows((_rows, good) => ({
    confirm: (factor, hashes) => good.confirm(factor, hashes, new Date(0)),
  })),
  'secondFactors: confirm ignores the sealed seed': factorRows(({ pending }, good) => ({
    confirm: (factor, hashes, now) =>
      good.confirm(
        {
          ...factor,
          sealedSeed:
            pending.get(slotOf(factor.userId, enrolling))?.sealedSeed ?? factor.sealedSeed,
        },
        hashes,
        now,
      ),
  })),
  'secondFactors: confirm overwrites an active factor': factorRows(
    ({ factors, pending }, good) => ({
      async confirm(factor, hashes, now) {
        const found = pending.get(slotOf(factor.userId, enrolling)) ?? null
        if (found?.sealedSeed === factor.sealedSeed && now < found.expiresAt)
          factors.delete(factor.userId)
        return good.confirm(factor, hashes, now)
      },
    }),
  ),
  'secondFactors: confirm leaves the enrolment': factorRows(({ pending }, good) => ({
    async confirm(factor, hashes, now) {
      const slot = slotOf(factor.userId, enrolling)
      const found = pending.get(slot)
      const answer = await good.confirm(factor, hashes, now)
      if (found !== undefined && answer.outcome === 'activated') pending.set(slot, found)
      return answer
    },
  })),
  'secondFactors: confirm forgets the step': factorRows((_rows, good) => ({
    confirm: (factor, hashes, now) => good.confirm({ ...factor, lastStep: -1 }, hashes, now),
  })),
  'secondFactors: confirm deletes the enrolment before it looks': factorRows(
    ({ pending }, good) => ({
      async confirm(factor, hashes, now) {
        const answer = await good.confirm(factor, hashes, now)
        pending.delete(slotOf(factor.userId, enrolling))
        return answer
      },
    }),
  ),
  'secondFactors: confirm writes the codes later': factorRows(({ codes }, good) => ({
    async confirm(factor, hashes, now) {
      const answer = await good.confirm(factor, [], now)
      await awaited()
      if (answer.outcome === 'activated') codes.set(factor.userId, new Set(hashes))
      return answer
    },
  })),
  'secondFactors: listSealed begins anew': factorRows(({ factors }) => ({
    async countSealed() {
      const marks = [...factors.values()].map(({ sealedSeed }) => sealedSeed.slice(0, 11))
      return [...new Set(marks)].map((mark) => {
        return { mark, count: marks.filter((one) => one === mark).length }
      })
    },
    listSealed: async (_after, limit) => [...factors.values()].slice(0, limit),
  })),
  'secondFactors: reseal blind': factorRows(({ factors }, good) => ({
    reseal: (userId, from, to) => good.reseal(userId, factors.get(userId)?.sealedSeed ?? from, to),
  })),
  'secondFactors: reseal writes the whole row': factorRows(({ factors }) => ({
    async reseal(userId, from, sealedSeed) {
      const factor = factors.get(userId)
      if (factor?.sealedSeed !== from) return { outcome: 'superseded' }
      factors.set(userId, { ...factor, sealedSeed: `taken ${from}` })
      await awaited()
      factors.set(userId, { ...factor, sealedSeed })
      return { outcome: 'resealed' }
    },
  })),
  'secondFactors: replaceRecoveryCodes adds': factorRows(({ codes }, good) => ({
    replaceRecoveryCodes: (userId, hashes) =>
      good.replaceRecoveryCodes(userId, [...(codes.get(userId) ?? []), ...hashes]),
  })),
  'secondFactors: replaceRecoveryCodes deletes and inserts without a lock': factorRows(
    ({ factors, codes }) => ({
      async replaceRecoveryCodes(userId, hashes) {
        if (!factors.has(userId)) return { outcome: 'not-active' }
        codes.get(userId)?.clear()
        await awaited()
        codes.set(userId, new Set([...(codes.get(userId) ?? []), ...hashes]))
        return { outcome: 'replaced' }
      },
    }),
  ),
  'secondFactors: replaceRecoveryCodes without a factor': factorRows(({ codes }) => ({
    async replaceRecoveryCodes(userId, hashes) {
      codes.set(userId, new Set(hashes))
      return { outcome: 'replaced' }
    },
  })),
  'secondFactors: countRecoveryCodes as a text': factorRows((_rows, good) => ({
    countRecoveryCodes: async (userId) =>
      String(await good.countRecoveryCodes(userId)) as unknown as number,
  })),
  'secondFactors: deactivate leaves the enrolment': factorRows(({ pending }, good) => ({
    async deactivate(userId) {
      const slot = slotOf(userId, enrolling)
      const found = pending.get(slot)
      const answer = await good.deactivate(userId)
      if (found !== undefined) pending.set(slot, found)
      return answer
    },
  })),
  'secondFactors: deactivate deletes codes after it has looked': factorRows(
    ({ factors, pending, codes }) => ({
      async deactivate(userId) {
        const deleted = factors.delete(userId)
        deletePendingIn({ pending }, userId)
        await awaited()
        codes.delete(userId)
        return { outcome: deleted ? 'deactivated' : 'not-active' }
      },
    }),
  ),
  'secondFactors: purge deletes active factors': factorRows(({ factors }, good) => ({
    async purge(now, limit) {
      const deleted = await good.purge(now, limit)
      for (const { userId, createdAt } of [...factors.values()])
        if (createdAt < now) factors.delete(userId)
      return deleted
    },
  })),
  'secondFactors: purge by ids read before': factorRows(({ pending }) => ({
    async purge(now, limit = Number.POSITIVE_INFINITY) {
      const over = [...pending].filter(([, { expiresAt }]) => expiresAt <= now).slice(0, limit)
      await awaited()
      for (const [slot] of over) pending.delete(slot)
      return over.length
    },
  })),
  'secondFactors: purge takes a limit of 0 for none': factorRows((_rows, good) => ({
    purge: (now, limit) => good.purge(now, limit === 0 ? undefined : limit),
  })),
}
