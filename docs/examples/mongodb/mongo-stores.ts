import type { MongoClient } from 'mongodb'
import { type CodeRow, mongoCodes } from './mongo-codes.js'
import { openDatabase } from './mongo-database.js'
import { type KeyRow, mongoKeys } from './mongo-keys.js'
import {
  type FactorRow,
  mongoSecondFactors,
  type PendingRow,
  type RecoveryCodeRow,
} from './mongo-second-factors.js'
import { mongoSessions, type SessionRow } from './mongo-sessions.js'
import { mongoTickets, type TicketRow } from './mongo-tickets.js'

/**
 * What a router needs that has none of the options `oauth`, `passkeys` and `watchPasswordHash`.
 * Call `createIndexes()` at start, before the server listens.
 */
export function mongoStores(client: MongoClient, database: string) {
  const db = openDatabase(client, database)
  const codes = db.collection<CodeRow>('auth_codes')
  const sessions = db.collection<SessionRow>('auth_sessions')
  const tickets = db.collection<TicketRow>('auth_tickets')
  const factors = db.collection<FactorRow>('auth_second_factors')
  const pending = db.collection<PendingRow>('auth_pending_second_factors')
  const recoveryCodes = db.collection<RecoveryCodeRow>('auth_recovery_codes')
  const keys = db.collection<KeyRow>('auth_signing_keys')
  const sessionStore = mongoSessions(sessions)

  return {
    codes: mongoCodes(client, codes, { store: sessionStore, rows: sessions }),
    sessions: sessionStore,
    tickets: mongoTickets(tickets),
    secondFactors: mongoSecondFactors(client, { factors, pending, recoveryCodes }),
    keys: mongoKeys(keys),

    async createIndexes() {
      await sessions.createIndexes([
        { key: { userId: 1, endedAt: 1 } },
        ...ascending('endedAt', 'idleExpiresAt', 'expiresAt'),
      ])
      await codes.createIndexes(ascending('expiresAt', 'retainUntil'))
      await tickets.createIndexes(ascending('expiresAt'))
      await pending.createIndexes(ascending('expiresAt'))
      await recoveryCodes.createIndexes(ascending('_id.userId'))
    },
  }
}

function ascending(...fields: string[]) {
  return fields.map((field) => ({ key: { [field]: 1 } }))
}
