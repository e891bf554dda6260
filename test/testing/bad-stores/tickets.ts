import type { SocketTicketRecord } from '../../../src/index.js'
import { awaited, withTickets } from './helpers.js'

/** Stores of socket tickets that are wrong in one respect each. */
export const badTickets = {
  'tickets: GET and DEL': withTickets(() => {
    const rows = new Map<string, SocketTicketRecord>()
    return {
      async save(ticket) {
        if (rows.has(ticket.ticketHash)) throw new Error('duplicate')
        rows.set(ticket.ticketHash, structuredClone(ticket))
      },
      async consume(ticketHash, now) {
        const ticket = rows.get(ticketHash)
        await awaited()
        if (ticket === undefined || now >= ticket.expiresAt) return { outcome: 'unknown' }
        rows.delete(ticketHash)
        return { outcome: 'consumed', ticket }
      },
      purge: async () => 0,
    }
  }),
  'tickets: good at the moment of expiry': withTickets((good) => ({
    consume: (ticketHash, now) => good.consume(ticketHash, new Date(now.getTime() - 1)),
  })),
  'tickets: save as an upsert': withTickets((good) => ({
    async save(ticket) {
      await good.consume(ticket.ticketHash, ticket.createdAt)
      await good.save(ticket)
    },
  })),
  'tickets: purge takes a limit of 0 for none': withTickets((good) => ({
    purge: (now, limit) => good.purge(now, limit || undefined),
  })),
  'tickets: purge without a limit': withTickets((good) => ({ purge: (now) => good.purge(now) })),
  'tickets: purge too early': withTickets((good) => ({
    purge: (now, limit) => good.purge(new Date(now.getTime() + 1), limit),
  })),
}
