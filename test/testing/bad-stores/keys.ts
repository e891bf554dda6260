import type { StoredSigningKey } from '../../../src/index.js'
import { awaited, withKeys } from './helpers.js'

/** Key stores that are wrong in one respect each. */
export const badKeys = {
  'keys: insert as an upsert': withKeys((good) => ({
    async insert(key) {
      await good.remove(key.generation)
      return good.insert(key)
    },
  })),
  'keys: insert reads, then writes': withKeys((good) => ({
    async insert(key) {
      const exists = (await good.list()).some(({ generation }) => generation === key.generation)
      await awaited()
      if (exists) return { outcome: 'exists' }
      await good.remove(key.generation)
      return good.insert(key)
    },
  })),
  'keys: reseal blind': withKeys((good) => ({
    async reseal(generation, _from, sealedKey) {
      const key = (await good.list()).find((one) => one.generation === generation)
      await good.remove(generation)
      if (key !== undefined) await good.insert({ ...key, sealedKey })
    },
  })),
  'keys: all in one value': withKeys(() => {
    let all: readonly StoredSigningKey[] = []
    return {
      list: async () => structuredClone([...all]),
      async insert(key) {
        const before = all
        await awaited()
        if (before.some(({ generation }) => generation === key.generation))
          return { outcome: 'exists' }
        all = [...before, structuredClone(key)]
        return { outcome: 'inserted' }
      },
      remove: async (generation) => {
        all = all.filter((key) => key.generation !== generation)
      },
    }
  }),
}
