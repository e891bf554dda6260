import { newTicket } from '../../stores/new-records.js'
import type { ConsumeTicketResult, SocketTicketStore } from '../../stores/one-time-contract.js'
import { purgeContract } from './every-store/purge-contract.js'
import { goodUntil } from './every-store/rows.js'
import {
  answers,
  check,
  longAwkwardText,
  otherCase,
  type Part,
  rejects,
  resolves,
  same,
  spoil,
  told,
} from './harness.js'

/** Socket tickets, but for their races and `purge`. */
export function ticketsContract(part: Part<SocketTicketStore>): void {
  ticketRows(part)
  ticketIdentity(part)
  ticketExpiry(part)
}

function ticketRows({ it }: Part<SocketTicketStore>): void {
  it('a ticket comes back as it was saved, once', async (tickets, at) => {
    for (const ticket of [
      newTicket(at),
      newTicket(at, { userId: longAwkwardText, sessionId: longAwkwardText, scope: '' }),
    ]) {
      const consume = () => tickets.consume(ticket.ticketHash, at(1))
      await tickets.save(ticket)
      await answers([
        [consume, { outcome: 'consumed', ticket }, 'tickets.consume of a good ticket.'],
        [consume, told('unknown'), 'tickets.consume of a used ticket.'],
      ])
    }
    const unknown = await tickets.consume(newTicket(at).ticketHash, at(1))
    same(unknown, told('unknown'), 'tickets.consume of an unknown ticket.')
  })

  it('two tickets of one session are both good', async (tickets, at) => {
    const first = newTicket(at)
    const second = newTicket(at, { sessionId: first.sessionId, userId: first.userId })
    for (const ticket of [first, second]) {
      await resolves(
        tickets.save(ticket),
        'tickets.save refused a second ticket of one session. Keep a row for each ticket.',
      )
    }
    for (const { ticketHash } of [first, second]) {
      const { outcome } = await tickets.consume(ticketHash, at(1))
      check(
        outcome === 'consumed',
        `tickets.consume answered ${outcome} for one of two tickets of one session: a page ` +
          'opens two sockets. Keep a row for each ticket.',
      )
    }
  })
}

function ticketIdentity({ it }: Part<SocketTicketStore>): void {
  it('saving a hash again rejects and changes nothing', async (tickets, at) => {
    const ticket = newTicket(at)
    await tickets.save(ticket)
    const again = newTicket(at, { ticketHash: ticket.ticketHash })
    await rejects(
      tickets.save(again),
      'tickets.save took a hash that is already there: it would open a socket of somebody else.',
    )
    const answer = await tickets.consume(ticket.ticketHash, at(1))
    same(userOf(answer), ticket.userId, 'A rejected tickets.save must leave the first record.')
  })

  it('hashes that differ by case are different tickets', async (tickets, at) => {
    const one = newTicket(at)
    const other = newTicket(at, { ticketHash: otherCase(one.ticketHash) })
    await tickets.save(one)
    const bytewise = 'ignores case. Compare bytewise.'
    const others = await tickets.consume(other.ticketHash, at(1))
    same(others, told('unknown'), `tickets.consume ${bytewise}`)
    await resolves(tickets.save(other), `tickets.save ${bytewise}`)
    const answer = await tickets.consume(one.ticketHash, at(1))
    same(userOf(answer), one.userId, `tickets.consume ${bytewise}`)
  })

  it('records are copies: changing one does not change the store', async (tickets, at) => {
    const ticket = newTicket(at)
    const twin = newTicket(at)
    const given = structuredClone(ticket)
    await tickets.save(given)
    await tickets.save(twin)
    spoil(given)
    const answer = await tickets.consume(ticket.ticketHash, at(1))
    const untouched = await tickets.consume(twin.ticketHash, at(1))
    const { ticketHash, sessionId, userId } = ticket
    const expected =
      'ticket' in untouched
        ? { outcome: 'consumed', ticket: { ...untouched.ticket, ticketHash, sessionId, userId } }
        : null
    same(
      answer,
      expected,
      'Changing the record that was given to tickets.save changed the stored one.',
    )
  })
}

function ticketExpiry(part: Part<SocketTicketStore>): void {
  goodUntil(part, {
    row: 'ticket',
    method: 'tickets.consume',
    by: 'delete',
    outcomes: { good: 'consumed', over: 'unknown' },
    seconds: 30,
    async save(tickets, at) {
      const ticket = newTicket(at)
      await tickets.save(ticket)
      return (now) => tickets.consume(ticket.ticketHash, now)
    },
  })
}

function userOf(answer: ConsumeTicketResult): string | undefined {
  return answer.outcome === 'consumed' ? answer.ticket.userId : undefined
}

/** Deleting tickets. */
export function ticketsPurge(part: Part<SocketTicketStore>): void {
  purgeContract(part, {
    method: 'tickets.purge',
    row: 'ticket',
    moments: [['a ticket at the moment it expires', 30, newTicket]],
    save: (tickets, ticket) => tickets.save(ticket),
    // A ticket can be looked at only by using it up.
    isThere: async (tickets, { ticketHash }, at) =>
      (await tickets.consume(ticketHash, at(1))).outcome === 'consumed',
    isCountable: false,
    living: (at) => newTicket(at, { expiresAt: at(60) }),
    make: (at) => newTicket(at),
    over: 30,
  })
}
