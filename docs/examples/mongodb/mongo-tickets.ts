import type { SocketTicketRecord, SocketTicketStore } from 'messaging-auth-router'
import type { Collection } from 'mongodb'
import { checked, deleteDue, key } from './mongo-database.js'

export type TicketRow = Omit<SocketTicketRecord, 'ticketHash'> & { readonly _id: string }

export function mongoTickets(rows: Collection<TicketRow>): SocketTicketStore {
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
