import { randomUUID } from 'node:crypto'
import type {
  PendingSecondFactor,
  SecondFactorRecord,
  SecondFactorStore,
} from 'messaging-auth-router'
import type { Collection, MongoClient } from 'mongodb'
import { atomically, deleteDue, isDuplicate, key, type Within } from './mongo-database.js'

/**
 * `codesSet` names the call that wrote the recovery codes. Whoever replaces them writes here first,
 * so two of them meet in this row.
 */
export type FactorRow = Omit<SecondFactorRecord, 'userId'> & {
  readonly _id: string
  readonly codesSet: string
}
export type PendingRow = Omit<PendingSecondFactor, 'userId' | 'sessionId'> & {
  readonly _id: { readonly userId: string; readonly sessionId: string }
}
/** A document for each recovery code, so that using one up is deleting one. */
export type RecoveryCodeRow = {
  readonly _id: { readonly userId: string; readonly codeHash: string }
}

export interface FactorCollections {
  readonly factors: Collection<FactorRow>
  readonly pending: Collection<PendingRow>
  readonly recoveryCodes: Collection<RecoveryCodeRow>
}

type Activation = { readonly outcome: 'activated' | 'already-active' }

export function mongoSecondFactors(
  client: MongoClient,
  collections: FactorCollections,
): SecondFactorStore {
  return { ...enrolments(client, collections), ...activeFactors(client, collections) }
}

type Enrolments = 'activate' | 'savePending' | 'findPending' | 'deletePending' | 'confirm' | 'purge'

/** From a seed that waits to a factor that counts. */
function enrolments(
  client: MongoClient,
  collections: FactorCollections,
): Pick<SecondFactorStore, Enrolments> {
  const { pending } = collections
  return {
    activate: (factor, hashes) =>
      onceMore(() => atomically(client, (within) => activate(collections, factor, hashes, within))),

    // The one upsert: what it replaces is void, and nothing of it is active.
    async savePending({ userId, sessionId, ...rest }) {
      const row = { ...rest, sealedSeed: key(rest.sealedSeed) }
      const _id = { $eq: { userId: key(userId), sessionId: key(sessionId) } }
      await onceMore(() => pending.replaceOne({ _id }, row, { upsert: true }))
    },

    async findPending(userId, sessionId) {
      const _id = { $eq: { userId: key(userId), sessionId: key(sessionId) } }
      const row = await pending.findOne({ _id })
      if (row === null) return null
      const { _id: owner, ...rest } = row
      return { ...owner, ...rest }
    },

    async deletePending(userId) {
      await pending.deleteMany(ofUser(userId))
    },

    async confirm(factor, hashes, now) {
      const seed = { ...ofUser(factor.userId), sealedSeed: { $eq: key(factor.sealedSeed) } }
      const due = { ...seed, expiresAt: { $gt: now } }
      return onceMore(() =>
        atomically(client, async (within) => {
          const { deletedCount } = await pending.deleteOne(due, within)
          if (deletedCount === 0) return { outcome: 'not-pending' }
          return activate(collections, factor, hashes, within)
        }),
      )
    },

    purge: (now, limit) => deleteDue(pending, [{ expiresAt: { $lte: now } }], limit),
  }
}

function activeFactors(
  client: MongoClient,
  collections: FactorCollections,
): Omit<SecondFactorStore, Enrolments> {
  const { factors, pending, recoveryCodes } = collections
  return {
    async find(userId) {
      const row = await factors.findOne({ _id: { $eq: key(userId) } })
      if (row === null) return null
      const { _id, codesSet, ...rest } = row
      return { userId: _id, ...rest }
    },

    async advanceStep(userId, step) {
      const older = { _id: { $eq: key(userId) }, lastStep: { $lt: step } }
      const { modifiedCount } = await factors.updateOne(older, { $set: { lastStep: step } })
      return { outcome: modifiedCount === 1 ? 'advanced' : 'stale' }
    },

    async reseal(userId, from, to) {
      const same = { _id: { $eq: key(userId) }, sealedSeed: { $eq: key(from) } }
      const { modifiedCount } = await factors.updateOne(same, { $set: { sealedSeed: key(to) } })
      return { outcome: modifiedCount === 1 ? 'resealed' : 'superseded' }
    },

    async consumeRecoveryCode(userId, codeHash) {
      // A document as `_id` is compared whole, in the order of its fields.
      const _id = { $eq: { userId: key(userId), codeHash: key(codeHash) } }
      const { deletedCount } = await recoveryCodes.deleteOne({ _id })
      return { outcome: deletedCount === 1 ? 'consumed' : 'unknown' }
    },

    replaceRecoveryCodes: (userId, hashes) =>
      atomically(client, async (within) => {
        const mark = { $set: { codesSet: randomUUID() } }
        const _id = { $eq: key(userId) }
        const { modifiedCount } = await factors.updateOne({ _id }, mark, within)
        if (modifiedCount === 0) return { outcome: 'not-active' }
        await writeCodes(recoveryCodes, userId, hashes, within)
        return { outcome: 'replaced' }
      }),

    countRecoveryCodes: async (userId) => recoveryCodes.countDocuments(ofUser(userId)),

    deactivate: (userId, keepRecoveryCodes = false) =>
      atomically(client, async (within) => {
        const _id = { $eq: key(userId) }
        await pending.deleteMany(ofUser(userId), within)
        const { deletedCount } = await factors.deleteOne({ _id }, within)
        if (!keepRecoveryCodes) await recoveryCodes.deleteMany(ofUser(userId), within)
        return { outcome: deletedCount === 1 ? 'deactivated' : 'not-active' }
      }),

    // What a transaction sees is of one moment: codes of a factor that it does not see are not
    // there for it either.
    deleteKeptRecoveryCodes: (userId) =>
      atomically(client, async (within) => {
        const _id = { $eq: key(userId) }
        if ((await factors.findOne({ _id }, within)) === null)
          await recoveryCodes.deleteMany(ofUser(userId), within)
      }),
  }
}

const ofUser = (userId: string) => ({ '_id.userId': { $eq: key(userId) } })

async function activate(
  { factors, recoveryCodes }: FactorCollections,
  { userId, ...rest }: SecondFactorRecord,
  hashes: readonly string[],
  within: Within,
): Promise<Activation> {
  const _id = { $eq: key(userId) }
  if ((await factors.findOne({ _id }, within)) !== null) return { outcome: 'already-active' }
  const row = { ...rest, sealedSeed: key(rest.sealedSeed), codesSet: randomUUID() }
  await factors.insertOne({ _id: key(userId), ...row }, within)
  await writeCodes(recoveryCodes, userId, hashes, within)
  return { outcome: 'activated' }
}

async function writeCodes(
  recoveryCodes: Collection<RecoveryCodeRow>,
  userId: string,
  hashes: readonly string[],
  within: Within,
) {
  await recoveryCodes.deleteMany(ofUser(userId), within)
  const codes = hashes.map((codeHash) => ({
    _id: { userId: key(userId), codeHash: key(codeHash) },
  }))
  if (codes.length > 0) await recoveryCodes.insertMany(codes, within)
}

/**
 * Whoever finds no row and is refused by the unique index was overtaken and has left nothing. The
 * second look finds the row.
 */
async function onceMore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isDuplicate(error)) throw error
    return work()
  }
}
