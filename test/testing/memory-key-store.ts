import type { KeyStore, StoredSigningKey } from '../../src/index.js'

/** Keys in a Map, as the contract wants it. */
export function memoryKeyStore(): KeyStore {
  const rows = new Map<number, StoredSigningKey>()
  return {
    list: async () => [...rows.values()].map((key) => structuredClone(key)),
    insert: async (key) => {
      if (rows.has(key.generation)) return { outcome: 'exists' }
      rows.set(key.generation, structuredClone(key))
      return { outcome: 'inserted' }
    },
    async reseal(generation, from, to) {
      const key = rows.get(generation)
      if (key?.sealedKey === from) rows.set(generation, { ...key, sealedKey: to })
    },
    remove: async (generation) => void rows.delete(generation),
  }
}
