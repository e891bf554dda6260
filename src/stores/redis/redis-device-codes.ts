import { z } from 'zod'
import { randomId } from '../../lib/secrets.js'
import type { DeviceCodeRecord, DeviceCodeStore } from '../one-time-contract.js'
import { without } from '../rows/members.js'
import { deviceCodeRow } from '../rows/one-time-rows.js'
import { integerDigits, json, momentDigits, readReply, rowText } from './redis-client.js'
import { jsonShape, toJson } from './redis-rows.js'
import {
  gcGraceMs,
  identifier,
  keyOf,
  lifetime,
  type RunScript,
  type Script,
  script,
} from './scripts.js'

const recordRow = without(
  deviceCodeRow,
  'expiresAt',
  'state',
  'triesLeft',
  'interval',
  'nextPollAt',
  'userId',
  'claimedAt',
  'authorizationCodeHash',
)
const recordShape = json(jsonShape(recordRow))
const wholeShape = json(jsonShape(deviceCodeRow))
const rowShape = z
  .tuple([
    recordShape,
    momentDigits,
    z.string(),
    integerDigits,
    integerDigits,
    momentDigits,
    z.string().nullable(),
    momentDigits.nullable(),
    z.string().nullable(),
  ])
  .transform(codeOf)
const foundShape = rowShape.nullable()
const claimedShape = z.union([z.tuple([z.literal('1'), rowShape]), z.tuple([z.literal('0')])])
const polledShape = z.tuple([z.enum(['0', '1']), rowShape])
const what = 'device code'

/** Device codes, each in one hash. */
export function redisDeviceCodes(run: RunScript, prefix: string): DeviceCodeStore {
  const key = (userCodeHash: string) => keyOf(prefix, 'd', userCodeHash)
  return {
    async save(code) {
      const saved = await run(saveDeviceCode, key(code.userCodeHash), ...fieldsOf(code))
      if (saved !== '1') throw new Error('redisStores: duplicate device code')
    },
    find: async (userCodeHash) =>
      readReply(foundShape, await run(findDeviceCode, key(userCodeHash)), what),
    async claim(userCodeHash, userId, now) {
      const given = [identifier(userId), now.getTime()] as const
      const reply = await run(claimDeviceCode, key(userCodeHash), ...given)
      const claimed = readReply(claimedShape.nullable(), reply, what)
      if (claimed === null) return { outcome: 'unknown' }
      const [, code] = claimed
      return code === undefined ? { outcome: 'foreign' } : { outcome: 'claimed', code }
    },
    async takeTry(userCodeHash, userId, now) {
      const given = [identifier(userId), randomId(), now.getTime()] as const
      const reply = await run(takeTryOfDeviceCode, key(userCodeHash), ...given)
      const code = readReply(foundShape, reply, what)
      return code === null ? { outcome: 'void' } : { outcome: 'taken', code }
    },
    async decide(userCodeHash, userId, verdict, now) {
      const given = [identifier(userId), randomId(), now.getTime(), verdict.state] as const
      const more = verdict.state === 'approved' ? [identifier(verdict.authorizationCodeHash)] : []
      const reply = await run(decideDeviceCode, key(userCodeHash), ...given, ...more)
      const isDecided = readReply(z.enum(['0', '1']), reply, what) === '1'
      return { outcome: isDecided ? 'decided' : 'unknown' }
    },
    async poll(userCodeHash, deviceCodeHash, now) {
      const given = [identifier(deviceCodeHash), randomId(), now.getTime()] as const
      const reply = await run(pollDeviceCode, key(userCodeHash), ...given)
      const polled = readReply(polledShape.nullable(), reply, what)
      if (polled === null) return { outcome: 'unknown' }
      const [soon, code] = polled
      return { outcome: soon === '1' ? 'too-soon' : 'polled', code }
    },
    // Redis deletes expired keys by itself.
    purge: async () => 0,
  }
}

function fieldsOf(code: DeviceCodeRecord): (string | number)[] {
  // The whole record is checked before anything is written.
  rowText(wholeShape, toJson(deviceCodeRow, code), what)
  const { userId, claimedAt, authorizationCodeHash } = code
  const [begin, end] = [code.createdAt.getTime(), code.expiresAt.getTime()]
  return [
    randomId(),
    lifetime(end - begin + gcGraceMs),
    rowText(recordShape, toJson(recordRow, code), what),
    code.deviceCodeHash,
    end,
    code.state,
    code.triesLeft,
    code.interval,
    code.nextPollAt.getTime(),
    ...(userId === null ? [] : ['user', userId]),
    ...(claimedAt === null ? [] : ['claimed', claimedAt.getTime()]),
    ...(authorizationCodeHash === null ? [] : ['authorization', authorizationCodeHash]),
  ]
}

type Fields = [
  record: Pick<DeviceCodeRecord, keyof typeof recordRow>,
  expiresAt: Date,
  state: string,
  triesLeft: number,
  interval: number,
  nextPollAt: Date,
  userId: string | null,
  claimedAt: Date | null,
  authorizationCodeHash: string | null,
]

function codeOf([record, expiresAt, state, triesLeft, ...fields]: Fields): DeviceCodeRecord {
  const [interval, nextPollAt, userId, claimedAt, authorizationCodeHash] = fields
  const ofUser = { userId, claimedAt, authorizationCodeHash }
  return { ...record, expiresAt, state, triesLeft, interval, nextPollAt, ...ofUser }
}

// Fields of a device code: record (JSON, never changes), device, expires, state, tries, interval,
// next and savedBy; once claimed user and claimed, once a try was taken takenBy, once decided
// decidedBy, with authorization where it was approved, once asked askedBy and soon. A driver that
// lost its connection may send a script twice. The second run recognises its own mark and answers
// like the first.

/**
 * ARGV: mark, lifetime, record, device, expires, state, tries, interval, next, and the names and
 * values of fields that need not be there. Answers 1, or 0 for a hash that is there.
 */
const saveDeviceCode: Script = script(`
if redis.call('EXISTS', KEYS[1]) == 1 then
  return redis.call('HGET', KEYS[1], 'savedBy') == ARGV[1] and '1' or '0'
end
redis.call('HSET', KEYS[1], 'savedBy', ARGV[1], 'record', ARGV[3], 'device', ARGV[4],
  'expires', ARGV[5], 'state', ARGV[6], 'tries', ARGV[7], 'interval', ARGV[8], 'next', ARGV[9])
for index = 10, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[index], ARGV[index + 1]) end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return '1'`)

const answers = `
local function row()
  return redis.call('HMGET', KEYS[1], 'record', 'expires', 'state', 'tries', 'interval', 'next',
    'user', 'claimed', 'authorization')
end
local function get(field) return redis.call('HGET', KEYS[1], field) end`

const findDeviceCode: Script = script(`${answers}
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
return row()`)

const pending = `${answers}
local function isPending(now)
  return get('state') == 'pending' and tonumber(now) < tonumber(get('expires'))
end`

/**
 * ARGV: user, now. Answers 1 and the row, 0 for the code of somebody else, or nothing. The script
 * has no mark: a second run finds the user's own code.
 */
const claimDeviceCode: Script = script(`${pending}
if not isPending(ARGV[2]) then return false end
local user = get('user')
if user and user ~= ARGV[1] then return {'0'} end
if not user then redis.call('HSET', KEYS[1], 'user', ARGV[1], 'claimed', ARGV[2]) end
return {'1', row()}`)

/** ARGV: user, mark, now. Answers nothing for a try that may not be taken. */
const takeTryOfDeviceCode: Script = script(`${pending}
if get('takenBy') == ARGV[2] then return row() end
if not isPending(ARGV[3]) or get('user') ~= ARGV[1] or tonumber(get('tries')) <= 0 then
  return false
end
redis.call('HINCRBY', KEYS[1], 'tries', -1)
redis.call('HSET', KEYS[1], 'takenBy', ARGV[2])
return row()`)

/** ARGV: user, mark, now, state, and the authorization if it is approved. Answers 1 or 0. */
const decideDeviceCode: Script = script(`${pending}
if get('decidedBy') == ARGV[2] then return '1' end
if not isPending(ARGV[3]) or get('user') ~= ARGV[1] then return '0' end
redis.call('HSET', KEYS[1], 'state', ARGV[4], 'decidedBy', ARGV[2])
if ARGV[5] then redis.call('HSET', KEYS[1], 'authorization', ARGV[5]) end
return '1'`)

/**
 * ARGV: device, mark, now. Answers 1 for a question that came too soon, or else 0, and the row; or
 * nothing.
 */
const pollDeviceCode: Script = script(`${answers}
if get('device') ~= ARGV[1] then return false end
if get('askedBy') == ARGV[2] then return {get('soon'), row()} end
local interval = tonumber(get('interval'))
local soon = tonumber(ARGV[3]) < tonumber(get('next'))
if soon then interval = interval + 5 end
redis.call('HSET', KEYS[1], 'askedBy', ARGV[2], 'soon', soon and '1' or '0',
  'interval', string.format('%.0f', interval),
  'next', string.format('%.0f', tonumber(ARGV[3]) + interval * 1000))
return {soon and '1' or '0', row()}`)
