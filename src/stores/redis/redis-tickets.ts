import { randomId } from '../../lib/random.js'
import { ticketRow } from '../rows/one-time-rows.js'
import type { SocketTicketStore } from '../ticket-contract.js'
import { jsonShape, toJson } from './json-rows.js'
import { json, readReply, rowText } from './replies.js'
import { gcGraceMs, keyOf, lifetime, type RunScript, script } from './scripts.js'

// A script that a driver sends twice finds the mark of its first run, and answers the same.
const save = script(`
if redis.call('EXISTS', KEYS[1]) == 1 then
  return redis.call('HGET', KEYS[1], 'savedBy') == ARGV[4] and '1' or '0'
end
redis.call('HSET', KEYS[1], 'record', ARGV[1], 'expires', ARGV[2], 'savedBy', ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return '1'`)

// Reading and deleting in one script: between two commands, two sockets would open with one ticket.
// A script that a driver sends twice finds nothing the second time, and the client asks for another
// ticket.
const consume = script(`
local row = redis.call('HMGET', KEYS[1], 'record', 'expires')
if not row[1] or tonumber(ARGV[1]) >= tonumber(row[2]) then return false end
redis.call('DEL', KEYS[1])
return row[1]`)

const shape = json(jsonShape(ticketRow)).nullable()

/** Tickets for sockets, each in one hash. */
export function redisTickets(run: RunScript, prefix: string): SocketTicketStore {
  const key = (ticketHash: string) => keyOf(prefix, 't', ticketHash)
  return {
    async save(ticket) {
      const keep = lifetime(ticket.expiresAt.getTime() - ticket.createdAt.getTime() + gcGraceMs)
      const saved = await run(
        save,
        key(ticket.ticketHash),
        rowText(shape, toJson(ticketRow, ticket), 'socket ticket'),
        ticket.expiresAt.getTime(),
        keep,
        randomId(),
      )
      if (saved !== '1') throw new Error('redisStores: duplicate socket ticket')
    },
    async consume(ticketHash, now) {
      const ticket = readReply(
        shape,
        await run(consume, key(ticketHash), now.getTime()),
        'socket ticket',
      )
      return ticket === null ? { outcome: 'unknown' } : { outcome: 'consumed', ticket }
    },
    // Redis deletes what is over by itself.
    purge: async () => 0,
  }
}
