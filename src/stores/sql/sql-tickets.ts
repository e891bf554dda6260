import { ticketRow } from '../rows/one-time-rows.js'
import type { SocketTicketRecord, SocketTicketStore } from '../ticket-contract.js'
import { columnsOf } from './columns.js'
import type { SqlEngine } from './engine.js'
import { purgeInBatches } from './purge.js'
import { toMoment } from './values.js'

const columns = columnsOf<SocketTicketRecord, 'mar_socket_tickets'>(ticketRow)

/** Socket tickets in SQL. */
export function sqlTickets(engine: SqlEngine): SocketTicketStore {
  const { db, tables, key } = engine
  const table = tables.tickets
  const hashIs = (ticketHash: string) => key(ticketHash, 'ticketHash')

  return {
    save: (ticket) =>
      engine.write(
        async () => void (await db.insertInto(table).values(columns.of(engine, ticket)).execute()),
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
          ? { outcome: 'consumed', ticket: columns.read(row) }
          : { outcome: 'unknown' }
      }),

    purge: (now, limit) => purgeInBatches(engine, table, 'ticket_hash', 'expires_at', now, limit),
  }
}
