import type { ProofRecord, ProofStore } from 'messaging-auth-router'
import type { Collection } from 'mongodb'
import { checked, deleteDue, key } from './mongo-database.js'

export type ProofRow = Omit<ProofRecord, 'idHash'> & { readonly _id: string }

export function mongoProofs(rows: Collection<ProofRow>): ProofStore {
  const ofPurpose = (idHash: string, purpose: string) => ({
    _id: { $eq: key(idHash) },
    purpose: { $eq: key(purpose) },
  })
  const unused = (idHash: string, purpose: string, now: Date) => ({
    ...ofPurpose(idHash, purpose),
    consumedAt: null,
    expiresAt: { $gt: now },
  })

  return {
    async save({ idHash, ...rest }) {
      const userId = rest.userId === null ? null : key(rest.userId)
      const purpose = key(rest.purpose)
      await rows.insertOne({ ...checked(rest), _id: key(idHash), userId, purpose })
    },

    async find(idHash, purpose) {
      const row = await rows.findOne(ofPurpose(idHash, purpose))
      return row === null ? null : toProof(row)
    },

    async takeTry(idHash, purpose, now) {
      const row = await rows.findOneAndUpdate(
        { ...unused(idHash, purpose, now), triesLeft: { $gt: 0 } },
        { $inc: { triesLeft: -1 } },
        { returnDocument: 'after' },
      )
      return row === null ? { outcome: 'void' } : { outcome: 'taken', proof: toProof(row) }
    },

    async consume(idHash, purpose, now) {
      const row = await rows.findOneAndUpdate(
        unused(idHash, purpose, now),
        { $set: { consumedAt: now } },
        { returnDocument: 'after' },
      )
      return row === null ? { outcome: 'void' } : { outcome: 'consumed', proof: toProof(row) }
    },

    async voidForUser(userId, purposes, now) {
      const { modifiedCount } = await rows.updateMany(
        { userId: { $eq: key(userId) }, purpose: { $in: purposes.map(key) }, consumedAt: null },
        { $set: { consumedAt: now } },
      )
      return modifiedCount
    },

    async list(purpose, userId, now) {
      const usable = { consumedAt: null, expiresAt: { $gt: now }, triesLeft: { $gt: 0 } }
      const owner = { $eq: userId === null ? null : key(userId) }
      const found = rows.find({ userId: owner, purpose: { $eq: key(purpose) }, ...usable })
      return (await found.toArray()).map(toProof)
    },

    purge: (now, limit) => deleteDue(rows, [{ expiresAt: { $lte: now } }], limit),
  }
}

function toProof({ _id, ...rest }: ProofRow): ProofRecord {
  return { idHash: _id, ...rest }
}
