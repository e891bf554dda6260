import type {
  AuthorizationCodeRecord,
  AuthorizationCodeStore,
  ConsumeResult,
  SessionStore,
} from 'messaging-auth-router'
import type { Collection, MongoClient } from 'mongodb'
import { atomically, checked, deleteDue, key, type Within } from './mongo-database.js'
import { insertSession, type SessionRow } from './mongo-sessions.js'

export type CodeRow = Omit<AuthorizationCodeRecord, 'codeHash'> & { readonly _id: string }

/** Where the sessions go: the store that is handed to the router, and its rows. */
export interface SessionsOfCodes {
  readonly store: SessionStore
  readonly rows: Collection<SessionRow>
}

export function mongoCodes(
  client: MongoClient,
  rows: Collection<CodeRow>,
  sessions: SessionsOfCodes,
): AuthorizationCodeStore {
  async function consume(codeHash: string, now: Date, within: Within = {}): Promise<ConsumeResult> {
    const _id = { $eq: key(codeHash) }
    const unused = { _id, consumedAt: null, expiresAt: { $gt: now } }
    const won = await rows.findOneAndUpdate(
      unused,
      { $set: { consumedAt: now } },
      { ...within, returnDocument: 'after' },
    )
    if (won !== null) return { outcome: 'consumed', code: toCode(won) }
    // Only now is it read: why this caller has lost decides nothing about who has won.
    const row = await rows.findOne({ _id }, within)
    return row === null || row.consumedAt === null
      ? { outcome: 'unknown' }
      : { outcome: 'replayed', code: toCode(row) }
  }

  return {
    async save({ codeHash, ...rest }) {
      await rows.insertOne({ ...checked(rest), _id: key(codeHash), userId: key(rest.userId) })
    },

    async find(codeHash) {
      const row = await rows.findOne({ _id: { $eq: key(codeHash) } })
      return row === null ? null : toCode(row)
    },

    consume: (codeHash, now) => consume(codeHash, now),

    redemption: {
      sessions: sessions.store,
      redeem: (codeHash, session, now) =>
        atomically(client, async (within) => {
          const result = await consume(codeHash, now, within)
          if (result.outcome === 'consumed') await insertSession(sessions.rows, session, within)
          return result
        }),
    },

    purge: (now, limit) =>
      deleteDue(
        rows,
        [
          { consumedAt: null, expiresAt: { $lte: now } },
          { consumedAt: { $ne: null }, retainUntil: { $lte: now } },
        ],
        limit,
      ),
  }
}

function toCode({ _id, ...rest }: CodeRow): AuthorizationCodeRecord {
  return { codeHash: _id, ...rest }
}
