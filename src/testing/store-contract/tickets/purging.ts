import { inTurns, newTicket } from '../../../stores/new-records.js'
import type { SocketTicketStore } from '../../../stores/ticket-contract.js'
import { countTrue, purgeContract } from '../every-store/purge-contract.js'
import type { Part } from '../harness/suite.js'

/** Deleting tickets. */
export function ticketsPurge(part: Part<SocketTicketStore>): void {
  const consume = async (tickets: SocketTicketStore, hash: string, now: Date) =>
    (await tickets.consume(hash, now)).outcome === 'consumed'

  purgeContract(part, {
    method: 'tickets.purge',
    row: 'ticket',
    moments: [
      {
        title: 'a ticket at the moment it expires',
        tooEarly: 'deleted a ticket one millisecond before it expired',
        over: 30,
        async add(tickets, at) {
          const ticket = newTicket(at)
          await tickets.save(ticket)
          return () => consume(tickets, ticket.ticketHash, at(1))
        },
      },
    ],
    // A ticket can be looked at only by using it up.
    isCountable: false,
    purge: (tickets, now, limit) => tickets.purge(now, limit),
    addLiving: (tickets, at) => tickets.save(newTicket(at, { expiresAt: at(60) })),
    async addOver(tickets, at, count) {
      const rows = Array.from({ length: count }, () => newTicket(at))
      await inTurns(rows, (ticket) => tickets.save(ticket))
      return () => countTrue(rows.map(({ ticketHash }) => consume(tickets, ticketHash, at(1))))
    },
    over: 30,
  })
}
