import { z } from 'zod'
import { randomId } from '../../lib/random.js'
import type { AuthorizationCodeRecord, AuthorizationCodeStore } from '../code-contract.js'
import { without } from '../rows/members.js'
import { codeRow } from '../rows/one-time-rows.js'
import { jsonShape, toJson } from './json-rows.js'
import { json, momentDigits, readReply, rowText } from './replies.js'
import { gcGraceMs, keyOf, lifetime, type RunScript, script } from './scripts.js'

// Fields: record (JSON, never changes), expires, retain, savedBy; once used also consumed and
// consumedBy. A driver that lost its connection may send a script twice (ioredis does). The second
// run recognises its own mark and answers like the first.
const save = script(`
if redis.call('EXISTS', KEYS[1]) == 1 then
  return redis.call('HGET', KEYS[1], 'savedBy') == ARGV[5] and '1' or '0'
end
redis.call('HSET', KEYS[1],
  'record', ARGV[1], 'expires', ARGV[2], 'retain', ARGV[3], 'savedBy', ARGV[5])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return '1'`)

const find = script(`
local row = redis.call('HMGET', KEYS[1], 'record', 'expires', 'retain', 'consumed')
if not row[1] then return false end
return row`)

// Here, an honest client would be taken for a replay otherwise, which ends its session.
const consume = script(`
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

const recordRow = without(codeRow, 'expiresAt', 'retainUntil', 'consumedAt')
const recordShape = json(jsonShape(recordRow))
const columns = [recordShape, momentDigits, momentDigits, momentDigits.nullable()] as const
const rowShape = z.tuple([...columns]).nullable()
const consumedShape = z.tuple([z.enum(['consumed', 'replayed']), ...columns]).nullable()

/** Authorization codes, each in one hash. */
export function redisCodes(run: RunScript, prefix: string): AuthorizationCodeStore {
  const key = (codeHash: string) => keyOf(prefix, 'c', codeHash)
  return {
    async save(code) {
      const keep = lifetime(code.expiresAt.getTime() - code.createdAt.getTime() + gcGraceMs)
      const [expires, retain] = [code.expiresAt.getTime(), code.retainUntil.getTime()]
      const saved = await run(
        save,
        key(code.codeHash),
        rowText(recordShape, toJson(recordRow, code), 'authorization code'),
        expires,
        retain,
        keep,
        randomId(),
      )
      if (saved !== '1') throw new Error('redisStores: duplicate authorization code')
    },
    async find(codeHash) {
      const row = readReply(rowShape, await run(find, key(codeHash)), 'authorization code')
      return row === null ? null : codeOf(row)
    },
    async consume(codeHash, now) {
      const attempt = randomId()
      const reply = await run(consume, key(codeHash), now.getTime(), attempt)
      const row = readReply(consumedShape, reply, 'authorization code')
      if (row === null) return { outcome: 'unknown' }
      const [outcome, ...columns] = row
      return { outcome, code: codeOf(columns) }
    },
    // Redis deletes what is over by itself.
    purge: async () => 0,
  }
}

function codeOf([record, expiresAt, retainUntil, consumedAt]: NonNullable<
  z.output<typeof rowShape>
>): AuthorizationCodeRecord {
  return { ...record, expiresAt, retainUntil, consumedAt }
}
