import type {
  KeyStore,
  SocketTicketRecord,
  SocketTicketStore,
  StoredSigningKey,
} from 'messaging-auth-router'
import type { Collection, MongoClient } from 'mongodb'
import { type CodeRow, mongoCodes } from './mongo-codes.js'
import { checked, deleteDue, isDuplicate, key, openDatabase } from './mongo-database.js'
import { mongoProofs, type ProofRow } from './mongo-proofs.js'
import {
  type FactorRow,
  mongoSecondFactors,
  type PendingRow,
  type RecoveryCodeRow,
} from './mongo-second-factors.js'
import { mongoSessions, type SessionRow } from './mongo-sessions.js'

type TicketRow = Omit<SocketTicketRecord, 'ticketHash'> & { readonly _id: string }
type KeyRow = Omit<StoredSigningKey, 'generation'> & { readonly _id: number }

/**
 * The stores of a router without the options `oauth`, `passkeys` and `watchPasswordHash`.
 * Call `createIndexes()` at the start, before the server listens.
 */
export function mongoStores(client: MongoClient, database: string) {
  const db = openDatabase(client, database)
  const codes = db.collection<CodeRow>('auth_codes')
  const sessions = db.collection<SessionRow>('auth_sessions')
  const tickets = db.collection<TicketRow>('auth_tickets')
  const proofs = db.collection<ProofRow>('auth_proofs')
  const factors = db.collection<FactorRow>('auth_second_factors')
  const pending = db.collection<PendingRow>('auth_enrolments')
  const recoveryCodes = db.collection<RecoveryCodeRow>('auth_recovery_codes')
  const keys = db.collection<KeyRow>('auth_signing_keys')
  const sessionStore = mongoSessions(sessions)

  return {
    codes: mongoCodes(client, codes, { store: sessionStore, rows: sessions }),
    sessions: sessionStore,
    tickets: mongoTickets(tickets),
    proofs: mongoProofs(proofs),
    secondFactors: mongoSecondFactors(client, { factors, pending, recoveryCodes }),
    keys: mongoKeys(keys),

    async createIndexes() {
      await sessions.createIndexes([
        { key: { userId: 1, endedAt: 1 } },
        ...ascending('endedAt', 'idleExpiresAt', 'expiresAt'),
      ])
      await codes.createIndexes(ascending('expiresAt', 'retainUntil'))
      await tickets.createIndexes(ascending('expiresAt'))
      await proofs.createIndexes([{ key: { userId: 1, purpose: 1 } }, ...ascending('expiresAt')])
      await pending.createIndexes(ascending('expiresAt'))
      await recoveryCodes.createIndexes(ascending('_id.userId'))
    },
  }
}

function mongoTickets(rows: Collection<TicketRow>): SocketTicketStore {
  return {
    async save({ ticketHash, ...rest }) {
      await rows.insertOne({ ...checked(rest), _id: key(ticketHash), userId: key(rest.userId) })
    },

    async consume(ticketHash, now) {
      const row = await rows.findOneAndDelete({
        _id: { $eq: key(ticketHash) },
        expiresAt: { $gt: now },
      })
      if (row === null) return { outcome: 'unknown' }
      const { _id, ...rest } = row
      return { outcome: 'consumed', ticket: { ticketHash: _id, ...rest } }
    },

    purge: (now, limit) => deleteDue(rows, [{ expiresAt: { $lte: now } }], limit),
  }
}

function mongoKeys(rows: Collection<KeyRow>): KeyStore {
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

function ascending(...fields: string[]) {
  return fields.map((field) => ({ key: { [field]: 1 } }))
}
