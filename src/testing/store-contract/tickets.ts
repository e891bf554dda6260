import type { SocketTicketStore } from '../../stores/contract.js'
import { check, rejects, same, spoil } from './checks.js'
import { moments, newTicket } from './records.js'
import type { Part } from './suite.js'
import { longAwkwardText, otherCase } from './texts.js'

/** Socket tickets, but for their races and `purge`. */
export function ticketsContract(part: Part<SocketTicketStore>): void {
  ticketRows(part)
  ticketExpiry(part)
}

function ticketRows({ it, store }: Part<SocketTicketStore>): void {
  it('a ticket comes back as it was saved, once', async () => {
    const at = moments()
    const tickets = await store()
    for (const ticket of [newTicket(at), newTicket(at, { userId: longAwkwardText, sessionId: longAwkwardText, scope: '' })]) {
      await tickets.save(ticket)
      same(await tickets.consume(ticket.ticketHash, at(1)), { outcome: 'consumed', ticket }, 'tickets.consume of a good ticket.')
      same(await tickets.consume(ticket.ticketHash, at(1)), { outcome: 'unknown' }, 'tickets.consume of a used ticket.')
    }
    same(await tickets.consume(newTicket(at).ticketHash, at(1)), { outcome: 'unknown' }, 'tickets.consume of an unknown ticket.')
  })

  it('saving a hash again rejects and changes nothing', async () => {
    const at = moments()
    const tickets = await store()
    const ticket = newTicket(at)
    await tickets.save(ticket)
    const again = newTicket(at, { ticketHash: ticket.ticketHash })
    await rejects(tickets.save(again), 'tickets.save took a hash that is already there: it would open a socket of somebody else.')
    const answer = await tickets.consume(ticket.ticketHash, at(1))
    same(answer, { outcome: 'consumed', ticket }, 'A rejected tickets.save must leave the first record.')
  })

  it('hashes that differ by case are different tickets', async () => {
    const at = moments()
    const tickets = await store()
    const one = newTicket(at)
    const other = newTicket(at, { ticketHash: otherCase(one.ticketHash) })
    await tickets.save(one)
    same(await tickets.consume(other.ticketHash, at(1)), { outcome: 'unknown' }, 'tickets.consume ignores case. Compare bytewise.')
    await tickets.save(other)
    const answer = await tickets.consume(one.ticketHash, at(1))
    same(answer, { outcome: 'consumed', ticket: one }, 'tickets.consume ignores case. Compare bytewise.')
  })

  it('records are copies: changing one does not change the store', async () => {
    const at = moments()
    const tickets = await store()
    const ticket = newTicket(at)
    const given = structuredClone(ticket)
    await tickets.save(given)
    spoil(given)
    const answer = await tickets.consume(ticket.ticketHash, at(1))
    same(answer, { outcome: 'consumed', ticket }, 'Changing the record that was given to tickets.save changed the stored one.')
  })
}

function ticketExpiry({ it, store }: Part<SocketTicketStore>): void {
  it('a ticket is good one millisecond before it expires', async () => {
    const at = moments()
    const tickets = await store()
    const ticket = newTicket(at)
    await tickets.save(ticket)
    const { outcome } = await tickets.consume(ticket.ticketHash, at(29.999))
    check(outcome === 'consumed', `tickets.consume answered ${outcome} one millisecond before expiresAt. Keep milliseconds.`)
  })

  it('a ticket is void at the very moment it expires', async () => {
    const at = moments()
    const tickets = await store()
    const ticket = newTicket(at)
    await tickets.save(ticket)
    for (const now of [at(30), at(31)]) {
      const answer = await tickets.consume(ticket.ticketHash, now)
      same(answer, { outcome: 'unknown' }, 'tickets.consume of a ticket that has expired. It is good while now < expiresAt.')
    }
  })
}
