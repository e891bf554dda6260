import { z } from 'zod'
import { randomId, sha256 } from '../../lib/secrets.js'
import type {
  AuthorizationCodeRecord,
  AuthorizationCodeStore,
  OnceStore,
  ProofRecord,
  ProofStore,
  SocketTicketStore,
} from '../one-time-contract.js'
import { without } from '../rows/members.js'
import { codeRow, proofRow, ticketRow } from '../rows/one-time-rows.js'
import { indexedIds, indexProof } from './owner-index.js'
import {
  inChunks,
  integerDigits,
  json,
  momentDigits,
  type RedisClient,
  readReply,
  rowText,
} from './redis-client.js'
import { jsonShape, toJson } from './redis-rows.js'
import {
  gcGraceMs,
  identifier,
  keyOf,
  lifetime,
  openScripts,
  type RedisStoresOptions,
  type RunScript,
  type Script,
  script,
} from './scripts.js'

// Fields: record (JSON, never changes), expires, retain, savedBy; once used also consumed and
// consumedBy. A driver that lost its connection may send a script twice (ioredis does). The second
// run recognises its own mark and answers like the first.
const saveCode = script(`
if redis.call('EXISTS', KEYS[1]) == 1 then
  return redis.call('HGET', KEYS[1], 'savedBy') == ARGV[5] and '1' or '0'
end
redis.call('HSET', KEYS[1],
  'record', ARGV[1], 'expires', ARGV[2], 'retain', ARGV[3], 'savedBy', ARGV[5])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return '1'`)

const findCode = script(`
local row = redis.call('HMGET', KEYS[1], 'record', 'expires', 'retain', 'consumed')
if not row[1] then return false end
return row`)

// Here, an honest client would be taken for a replay otherwise, which ends its session.
const consumeCode = script(`
local row = redis.call('HMGET', KEYS[1], 'record', 'expires', 'retain', 'consumed', 'consumedBy')
if not row[1] then return false end
if row[4] then
  local outcome = row[5] == ARGV[2] and 'consumed' or 'replayed'
  return {outcome, row[1], row[2], row[3], row[4]}
end
if tonumber(ARGV[1]) >= tonumber(row[2]) then return false end
redis.call('HSET', KEYS[1], 'consumed', ARGV[1], 'consumedBy', ARGV[2])
local keep = math.max(1, tonumber(row[3]) - tonumber(ARGV[1]) + ${gcGraceMs})
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', keep))
return {'consumed', row[1], row[2], row[3], ARGV[1]}`)

const codeRecordRow = without(codeRow, 'expiresAt', 'retainUntil', 'consumedAt')
const codeRecordShape = json(jsonShape(codeRecordRow))
const codeColumns = [codeRecordShape, momentDigits, momentDigits, momentDigits.nullable()] as const
const codeRowShape = z.tuple([...codeColumns]).nullable()
const consumedCodeShape = z.tuple([z.enum(['consumed', 'replayed']), ...codeColumns]).nullable()

/** Authorization codes, each in one hash. */
export function redisCodes(run: RunScript, prefix: string): AuthorizationCodeStore {
  const key = (codeHash: string) => keyOf(prefix, 'c', codeHash)
  return {
    async save(code) {
      const keep = lifetime(code.expiresAt.getTime() - code.createdAt.getTime() + gcGraceMs)
      const [expires, retain] = [code.expiresAt.getTime(), code.retainUntil.getTime()]
      const saved = await run(
        saveCode,
        key(code.codeHash),
        rowText(codeRecordShape, toJson(codeRecordRow, code), 'authorization code'),
        expires,
        retain,
        keep,
        randomId(),
      )
      if (saved !== '1') throw new Error('redisStores: duplicate authorization code')
    },
    async find(codeHash) {
      const row = readReply(codeRowShape, await run(findCode, key(codeHash)), 'authorization code')
      return row === null ? null : codeOf(row)
    },
    async consume(codeHash, now) {
      const attempt = randomId()
      const reply = await run(consumeCode, key(codeHash), now.getTime(), attempt)
      const row = readReply(consumedCodeShape, reply, 'authorization code')
      if (row === null) return { outcome: 'unknown' }
      const [outcome, ...columns] = row
      return { outcome, code: codeOf(columns) }
    },
    // Redis deletes expired keys by itself.
    purge: async () => 0,
  }
}

function codeOf([record, expiresAt, retainUntil, consumedAt]: NonNullable<
  z.output<typeof codeRowShape>
>): AuthorizationCodeRecord {
  return { ...record, expiresAt, retainUntil, consumedAt }
}

// A script that a driver sends twice finds the mark of its first run, and answers the same.
const saveTicket = script(`
if redis.call('EXISTS', KEYS[1]) == 1 then
  return redis.call('HGET', KEYS[1], 'savedBy') == ARGV[4] and '1' or '0'
end
redis.call('HSET', KEYS[1], 'record', ARGV[1], 'expires', ARGV[2], 'savedBy', ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return '1'`)

// Reading and deleting in one script: between two commands, two sockets would open with one ticket.
// A script that a driver sends twice finds nothing the second time, and the client asks for another
// ticket.
const consumeTicket = script(`
local row = redis.call('HMGET', KEYS[1], 'record', 'expires')
if not row[1] or tonumber(ARGV[1]) >= tonumber(row[2]) then return false end
redis.call('DEL', KEYS[1])
return row[1]`)

const ticketShape = json(jsonShape(ticketRow)).nullable()

/** Tickets for sockets, each in one hash. */
export function redisTickets(run: RunScript, prefix: string): SocketTicketStore {
  const key = (ticketHash: string) => keyOf(prefix, 't', ticketHash)
  return {
    async save(ticket) {
      const keep = lifetime(ticket.expiresAt.getTime() - ticket.createdAt.getTime() + gcGraceMs)
      const saved = await run(
        saveTicket,
        key(ticket.ticketHash),
        rowText(ticketShape, toJson(ticketRow, ticket), 'socket ticket'),
        ticket.expiresAt.getTime(),
        keep,
        randomId(),
      )
      if (saved !== '1') throw new Error('redisStores: duplicate socket ticket')
    },
    async consume(ticketHash, now) {
      const ticket = readReply(
        ticketShape,
        await run(consumeTicket, key(ticketHash), now.getTime()),
        'socket ticket',
      )
      return ticket === null ? { outcome: 'unknown' } : { outcome: 'consumed', ticket }
    },
    // Redis deletes expired keys by itself.
    purge: async () => 0,
  }
}

// `SET … NX PX` would go by the clock of Redis: the router's clock decides whether a note is over.
// A script that a driver sends twice finds the mark of its first run, and answers the same.
const claimOnce = script(`
local note = redis.call('HMGET', KEYS[1], 'expires', 'claimedBy')
if note[1] and tonumber(note[1]) > tonumber(ARGV[2]) then
  return note[2] == ARGV[4] and '1' or '0'
end
redis.call('HSET', KEYS[1], 'expires', ARGV[1], 'claimedBy', ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return '1'`)

const yesOrNo = z.enum(['1', '0'])

/**
 * Names that are used once, such as the `jti` of a client's assertion, in Redis 6.2 or later: for
 * hosts that keep consents in SQL and have many of these. The names are kept as digests, each until
 * an hour after it is over. The rules of `redisStores` for lost data hold here, too: a note that is
 * lost lets an assertion be used once more while it is good, for five minutes at most.
 *
 * @param client - as for `redisStores`
 * @throws AuthConfigError as `redisStores` does
 *
 * @example
 * ```ts
 * import { redisOnceStore } from 'messaging-auth-router/stores/redis'
 * import { createClient } from 'redis'
 *
 * const client = createClient({ url: 'redis://127.0.0.1:6379', disableOfflineQueue: true })
 * client.on('error', () => {})
 * await client.connect()
 * export const once = redisOnceStore(client)
 * ```
 */
export function redisOnceStore(client: RedisClient, options: RedisStoresOptions = {}): OnceStore {
  const { run, prefix } = openScripts('redisOnceStore', client, options)
  return {
    async claim(name, expiresAt, now) {
      const until = expiresAt.getTime()
      const answer = await run(
        claimOnce,
        keyOf(prefix, 'o', sha256(identifier(name))),
        until,
        now.getTime(),
        lifetime(until - now.getTime() + gcGraceMs),
        randomId(),
      )
      const isOwn = readReply(yesOrNo, answer, 'a name that is used once') === '1'
      return { outcome: isOwn ? 'claimed' : 'known' }
    },
    // Redis deletes expired keys by itself.
    purge: async () => 0,
  }
}

const proofRecordRow = without(proofRow, 'triesLeft', 'expiresAt', 'consumedAt')
const proofRecordShape = json(jsonShape(proofRecordRow))
const wholeProofShape = json(jsonShape(proofRow))
const proofColumns = [
  proofRecordShape,
  momentDigits,
  integerDigits,
  momentDigits.nullable(),
] as const
const proofRowShape = z.tuple([...proofColumns]).nullable()
const proofIdsShape = z.array(z.string())
const voidedShape = z.enum(['0', '1'])
const proofName = 'proof'

/**
 * Proofs, each in one hash, and sets of ids: the proofs of a user, and the proofs of nobody for a
 * purpose.
 */
export function redisProofs(run: RunScript, prefix: string): ProofStore {
  const key = (idHash: string) => keyOf(prefix, 'v', idHash)
  const indexOf = (userId: string) => keyOf(prefix, 'w', userId)
  const indexOfNobody = (purpose: string) => keyOf(prefix, 'n', purpose)
  const read = (reply: unknown) => proofOf(readReply(proofRowShape, reply, proofName))
  const change = async (how: Script, idHash: string, purpose: string, now: Date) =>
    read(await run(how, key(idHash), identifier(purpose), randomId(), now.getTime()))
  return {
    async save(proof) {
      const { idHash, purpose, userId, triesLeft, createdAt, expiresAt, consumedAt } = proof
      // The whole record is checked before anything is written.
      rowText(wholeProofShape, toJson(proofRow, proof), proofName)
      const text = rowText(proofRecordShape, toJson(proofRecordRow, proof), proofName)
      const [begin, end] = [createdAt.getTime(), expiresAt.getTime()]
      // The index is written first: a proof that is in no index would outlive the event that must
      // void it.
      const index = userId === null ? indexOfNobody(purpose) : indexOf(userId)
      await run(indexProof, index, identifier(idHash), end, begin)
      const saved = await run(
        saveProof,
        key(idHash),
        randomId(),
        lifetime(end - begin + gcGraceMs),
        text,
        identifier(purpose),
        end,
        triesLeft,
        consumedAt?.getTime() ?? '',
        ...(userId === null ? [] : [userId]),
      )
      if (saved !== '1') throw new Error('redisStores: duplicate proof')
    },
    find: async (idHash, purpose) => read(await run(findProof, key(idHash), identifier(purpose))),
    async takeTry(...named) {
      const proof = await change(takeTryOfProof, ...named)
      return proof === null ? { outcome: 'void' } : { outcome: 'taken', proof }
    },
    async consume(...named) {
      const proof = await change(consumeProof, ...named)
      return proof === null ? { outcome: 'void' } : { outcome: 'consumed', proof }
    },
    async voidForUser(userId, purposes, now) {
      const given = [userId, randomId(), now.getTime(), ...purposes.map(identifier)] as const
      const ids = await proofIdsIn(run, indexOf(userId))
      const voided = await inChunks(ids, async (idHash) =>
        readReply(voidedShape, await run(voidProof, key(idHash), ...given), proofName),
      )
      return voided.filter((answer) => answer === '1').length
    },
    async list(purpose, userId, now) {
      const ids = await proofIdsIn(run, userId === null ? indexOfNobody(purpose) : indexOf(userId))
      const found = await inChunks(ids, async (idHash) =>
        read(await run(findProof, key(idHash), identifier(purpose))),
      )
      return found.flatMap((proof) =>
        proof?.userId === userId && isUsable(proof, now) ? [proof] : [],
      )
    },
    // Redis deletes expired keys by itself.
    purge: async () => 0,
  }
}

async function proofIdsIn(run: RunScript, index: string): Promise<string[]> {
  return readReply(proofIdsShape, await run(indexedIds, index), 'list of proofs')
}

// A used proof stays in the index, and a refused duplicate is in the index of another owner.
function isUsable({ consumedAt, expiresAt, triesLeft }: ProofRecord, now: Date): boolean {
  return consumedAt === null && now < expiresAt && triesLeft > 0
}

function proofOf(row: z.output<typeof proofRowShape>): ProofRecord | null {
  if (row === null) return null
  const [record, expiresAt, triesLeft, consumedAt] = row
  return { ...record, triesLeft, expiresAt, consumedAt }
}

// Fields of a proof: record (JSON, never changes), purpose, expires, tries, savedBy, and user where
// it is somebody's; once a try was taken takenBy; once used consumed and consumedBy. A driver that
// lost its connection may send a script twice. The second run recognises its own mark and answers
// like the first.

/**
 * ARGV: mark, lifetime, record, purpose, expires, tries, consumed or empty, and the user if it is
 * somebody's. Answers 1, or 0 for a hash that is there.
 */
const saveProof: Script = script(`
if redis.call('EXISTS', KEYS[1]) == 1 then
  return redis.call('HGET', KEYS[1], 'savedBy') == ARGV[1] and '1' or '0'
end
redis.call('HSET', KEYS[1], 'savedBy', ARGV[1],
  'record', ARGV[3], 'purpose', ARGV[4], 'expires', ARGV[5], 'tries', ARGV[6])
if ARGV[7] ~= '' then redis.call('HSET', KEYS[1], 'consumed', ARGV[7]) end
if ARGV[8] then redis.call('HSET', KEYS[1], 'user', ARGV[8]) end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return '1'`)

const ofPurpose = `
local function row()
  return redis.call('HMGET', KEYS[1], 'record', 'expires', 'tries', 'consumed')
end
local function marked(field)
  return redis.call('HGET', KEYS[1], field) == ARGV[2]
end
if redis.call('HGET', KEYS[1], 'purpose') ~= ARGV[1] then return false end
local now = row()`

/** ARGV: purpose. */
const findProof: Script = script(`${ofPurpose}
return now`)

/** ARGV: purpose, mark, now. Answers nothing for a try that may not be taken. */
const takeTryOfProof: Script = script(`${ofPurpose}
if marked('takenBy') then return now end
if now[4] or tonumber(ARGV[3]) >= tonumber(now[2]) or tonumber(now[3]) <= 0 then return false end
redis.call('HINCRBY', KEYS[1], 'tries', -1)
redis.call('HSET', KEYS[1], 'takenBy', ARGV[2])
return row()`)

/** ARGV: purpose, mark, now. Answers nothing for a proof that may not be used. */
const consumeProof: Script = script(`${ofPurpose}
if marked('consumedBy') then return now end
if now[4] or tonumber(ARGV[3]) >= tonumber(now[2]) then return false end
redis.call('HSET', KEYS[1], 'consumed', ARGV[3], 'consumedBy', ARGV[2])
return row()`)

/**
 * ARGV: user, mark, now, and the purposes. The script compares the user: a refused duplicate can
 * leave somebody else's proof in this user's index. Answers 1 if this call has used it up.
 */
const voidProof: Script = script(`
local now = redis.call('HMGET', KEYS[1], 'user', 'purpose', 'consumed', 'consumedBy')
if now[1] ~= ARGV[1] then return '0' end
if now[3] then return now[4] == ARGV[2] and '1' or '0' end
for index = 4, #ARGV do
  if now[2] == ARGV[index] then
    redis.call('HSET', KEYS[1], 'consumed', ARGV[3], 'consumedBy', ARGV[2])
    return '1'
  end
end
return '0'`)
