import type { KeyStore, StoredSigningKey } from 'messaging-auth-router'
import type { Collection } from 'mongodb'
import { isDuplicate } from './mongo-database.js'

export type KeyRow = Omit<StoredSigningKey, 'generation'> & { readonly _id: number }

export function mongoKeys(rows: Collection<KeyRow>): KeyStore {
  return {
    async list() {
      return (await rows.find({}).toArray()).map(({ _id, ...rest }) => ({
        generation: _id,
        ...rest,
      }))
    },

    async insert({ generation, ...rest }) {
      try {
        await rows.insertOne({ _id: generation, ...rest })
        return { outcome: 'inserted' }
      } catch (error) {
        if (isDuplicate(error)) return { outcome: 'exists' }
        throw error
      }
    },

    async remove(generation) {
      await rows.deleteOne({ _id: { $eq: generation } })
    },
  }
}
