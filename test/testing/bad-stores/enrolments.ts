import { factorRows } from './factor-rows.js'
import { awaited } from './helpers.js'

/**
 * Stores of second factors that are wrong in one respect each: enrolments, resealing, and whole
 * sets of recovery codes.
 */
export const badEnrolments = {
  'secondFactors: savePending keeps the first': factorRows(({ pending }, good) => ({
    async savePending(enrolment) {
      if (!pending.has(enrolment.userId)) await good.savePending(enrolment)
    },
  })),
  'secondFactors: savePending field by field': factorRows(({ pending }, good) => {
    let inside = 0
    return {
      async savePending(enrolment) {
        const { userId, sealedSeed } = enrolment
        const wait = Math.max(0, 30 - 3 * inside)
        inside += 1
        await good.savePending({ ...(pending.get(userId) ?? enrolment), sealedSeed })
        // Whoever comes later is ready sooner.
        await new Promise((resolve) => setTimeout(resolve, wait))
        inside -= 1
        await good.savePending({
          ...enrolment,
          sealedSeed: pending.get(userId)?.sealedSeed ?? sealedSeed,
        })
      },
    }
  }),
  'secondFactors: findPending hides what has expired': factorRows((_rows, good) => ({
    async findPending(userId) {
      const found = await good.findPending(userId)
      return found === null || found.expiresAt <= new Date() ? null : found
    },
  })),
  'secondFactors: confirm reads, then writes': factorRows(({ factors }, good) => ({
    async confirm(factor, hashes, now) {
      const found = await good.findPending(factor.userId)
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
        { ...factor, sealedSeed: pending.get(factor.userId)?.sealedSeed ?? factor.sealedSeed },
        hashes,
        now,
      ),
  })),
  'secondFactors: confirm overwrites an active factor': factorRows(({ factors }, good) => ({
    async confirm(factor, hashes, now) {
      const found = await good.findPending(factor.userId)
      if (found?.sealedSeed === factor.sealedSeed && now < found.expiresAt)
        factors.delete(factor.userId)
      return good.confirm(factor, hashes, now)
    },
  })),
  'secondFactors: confirm leaves the enrolment': factorRows(({ pending }, good) => ({
    async confirm(factor, hashes, now) {
      const found = pending.get(factor.userId)
      const answer = await good.confirm(factor, hashes, now)
      if (found !== undefined && answer.outcome === 'activated') pending.set(factor.userId, found)
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
        pending.delete(factor.userId)
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
      const found = pending.get(userId)
      const answer = await good.deactivate(userId)
      if (found !== undefined) pending.set(userId, found)
      return answer
    },
  })),
  'secondFactors: deactivate deletes codes after it has looked': factorRows(
    ({ factors, pending, codes }) => ({
      async deactivate(userId) {
        const deleted = factors.delete(userId)
        pending.delete(userId)
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
      const over = [...pending.values()].filter(({ expiresAt }) => expiresAt <= now).slice(0, limit)
      await awaited()
      for (const { userId } of over) pending.delete(userId)
      return over.length
    },
  })),
  'secondFactors: purge takes a limit of 0 for none': factorRows((_rows, good) => ({
    purge: (now, limit) => good.purge(now, limit === 0 ? undefined : limit),
  })),
}
