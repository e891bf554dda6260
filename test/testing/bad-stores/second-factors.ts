import { awaited, collation, withFactors } from './helpers.js'

/** Stores of second factors that are wrong in one respect each. */
export const badFactors = {
  'secondFactors: advanceStep reads, then writes': withFactors((good) => ({
    async advanceStep(userId, step) {
      const factor = await good.find(userId)
      await awaited()
      await good.advanceStep(userId, step)
      return { outcome: factor !== null && step > factor.lastStep ? 'advanced' : 'stale' }
    },
  })),
  'secondFactors: advanceStep with >=': withFactors((good) => {
    const last = new Map<string, number>()
    return {
      async advanceStep(userId, step) {
        if (last.get(userId) === step) return { outcome: 'advanced' }
        last.set(userId, step)
        return good.advanceStep(userId, step)
      },
    }
  }),
  'secondFactors: activate overwrites': withFactors((good) => ({
    async activate(factor, hashes) {
      const [, answer] = await Promise.all([
        good.deactivate(factor.userId),
        good.activate(factor, hashes),
      ])
      return answer
    },
  })),
  'secondFactors: activate reads, then writes': withFactors((good) => ({
    async activate(factor, hashes) {
      const existing = await good.find(factor.userId)
      await awaited()
      if (existing !== null) return { outcome: 'already-active' }
      await good.deactivate(factor.userId)
      return good.activate(factor, hashes)
    },
  })),
  'secondFactors: deactivate says so to everyone': withFactors((good) => ({
    deactivate: (userId) => good.deactivate(userId).then(() => ({ outcome: 'deactivated' })),
  })),
  'secondFactors: deactivate leaves the recovery codes': withFactors((good) => {
    const left = new Set<string>()
    return {
      async activate(factor, hashes) {
        const answer = await good.activate(factor, hashes)
        if (answer.outcome === 'activated')
          for (const hash of hashes) left.add(`${factor.userId} ${hash}`)
        return answer
      },
      consumeRecoveryCode: async (userId, hash) => ({
        outcome: left.delete(`${userId} ${hash}`) ? 'consumed' : 'unknown',
      }),
    }
  }),
  'secondFactors: deactivate keeps no recovery codes': withFactors((good) => ({
    deactivate: (userId) => good.deactivate(userId),
  })),
  'secondFactors: deleteKeptRecoveryCodes deletes nothing': withFactors(() => ({
    async deleteKeptRecoveryCodes() {},
  })),
  'secondFactors: deleteKeptRecoveryCodes deletes those of a factor': withFactors((good) => ({
    async deleteKeptRecoveryCodes(userId) {
      await good.replaceRecoveryCodes(userId, [])
      await good.deleteKeptRecoveryCodes(userId)
    },
  })),
  'secondFactors: deleteKeptRecoveryCodes looks, then deletes': withFactors((good) => ({
    async deleteKeptRecoveryCodes(userId) {
      const factor = await good.find(userId)
      await awaited()
      if (factor !== null) return
      await good.replaceRecoveryCodes(userId, [])
      await good.deleteKeptRecoveryCodes(userId)
    },
  })),
  'secondFactors: recovery codes as one list in a value': withFactors((good) => {
    const lists = new Map<string, readonly string[]>()
    return {
      async activate(factor, hashes) {
        const answer = await good.activate(factor, hashes)
        if (answer.outcome === 'activated') lists.set(factor.userId, [...hashes])
        return answer
      },
      async consumeRecoveryCode(userId, hash) {
        const list = lists.get(userId) ?? []
        await awaited()
        lists.set(
          userId,
          list.filter((one) => one !== hash),
        )
        return { outcome: list.includes(hash) ? 'consumed' : 'unknown' }
      },
    }
  }),
  'secondFactors: user ids in one Unicode form': withFactors((good) => {
    const stored = collation((userId) => userId.normalize())
    return {
      find: (userId) => good.find(stored(userId)),
      activate: (factor, hashes) =>
        good.activate({ ...factor, userId: stored(factor.userId) }, hashes),
      advanceStep: (userId, step) => good.advanceStep(stored(userId), step),
      consumeRecoveryCode: (userId, hash) => good.consumeRecoveryCode(stored(userId), hash),
      deactivate: (userId) => good.deactivate(stored(userId)),
    }
  }),
}
