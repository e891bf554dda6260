import type { InsertObject, Selectable } from 'kysely'
import type { SocketTicketRecord, SocketTicketStore } from '../ticket-contract.js'
import type { SqlEngine } from './engine.js'
import { purgeInBatches } from './purge.js'
import type { SocketTicketsTable, SqlAuthTables } from './tables.js'
import { fromKey, fromMoment, toMoment } from './values.js'

/** Socket tickets in SQL. */
export function sqlTickets(engine: SqlEngine): SocketTicketStore {
  const { db, tables, key } = engine
  const table = tables.tickets
  const hashIs = (ticketHash: string) => key(ticketHash, 'ticketHash')

  return {
    save: (ticket) =>
      engine.write(
        async () => void (await db.insertInto(table).values(toRow(engine, ticket)).execute()),
      ),

    consume: (ticketHash, now) =>
      engine.write(async () => {
        // Read first: what is in a ticket never changes, and whether this call is the one that may
        // use it, the deletion tells.
        const row = await db
          .selectFrom(table)
          .selectAll()
          .where('ticket_hash', '=', hashIs(ticketHash))
          .executeTakeFirst()
        if (row === undefined) return { outcome: 'unknown' }
        const { numDeletedRows } = await db
          .deleteFrom(table)
          .where('ticket_hash', '=', hashIs(ticketHash))
          .where('expires_at', '>', toMoment(now))
          .executeTakeFirstOrThrow()
        return numDeletedRows === 1n
          ? { outcome: 'consumed', ticket: toTicket(row) }
          : { outcome: 'unknown' }
      }),

    purge: (now, limit) => purgeInBatches(engine, table, 'ticket_hash', 'expires_at', now, limit),
  }
}

function toRow(
  { key, text }: SqlEngine,
  ticket: SocketTicketRecord,
): InsertObject<SqlAuthTables, 'mar_socket_tickets'> {
  return {
    ticket_hash: key(ticket.ticketHash, 'ticketHash'),
    session_id: key(ticket.sessionId, 'sessionId'),
    user_id: key(ticket.userId, 'userId'),
    scope: text(ticket.scope, 'scope'),
    token_expires_at: toMoment(ticket.tokenExpiresAt),
    created_at: toMoment(ticket.createdAt),
    expires_at: toMoment(ticket.expiresAt),
  }
}

function toTicket(row: Selectable<SocketTicketsTable>): SocketTicketRecord {
  return {
    ticketHash: fromKey(row.ticket_hash),
    sessionId: fromKey(row.session_id),
    userId: fromKey(row.user_id),
    scope: row.scope,
    tokenExpiresAt: fromMoment(row.token_expires_at),
    createdAt: fromMoment(row.created_at),
    expiresAt: fromMoment(row.expires_at),
  }
}
