import { maxNextMarks } from '../stored-values.js'
import { gcGraceMs, type Script, script } from './scripts.js'
import { ownerFields } from './session-owners.js'

// A session is one hash. Never changing: user, record (JSON), expires. Replaced whole: seen (JSON),
// refresh (JSON) with refreshHash. Set once: endedAt, endReason. client, parent: the other owners
// it has, if any. after, afterClient, afterPair, afterParent: the numbers of the owners' cutoffs
// that it was opened after. mark and nextMarks: of the user's password. createdBy, rotatedBy and
// endedBy mark the call that did it, and namedBy the one that answers for an end by a cutoff: a
// driver that lost its connection may send a script twice (ioredis does), and the second run must
// answer like the first, not "somebody else was faster".

/**
 * ARGV: user, record, expires, seen, refresh, refreshHash, endedAt, endReason, lifetime, mark,
 * nextMarks, attempt; the middle four and the marks may be empty. Then come names and values of the
 * owner fields.
 */
export const createSession: Script = script(`
if redis.call('EXISTS', KEYS[1]) == 1 then
  return redis.call('HGET', KEYS[1], 'createdBy') == ARGV[12] and '1' or '0'
end
redis.call('HSET', KEYS[1],
  'user', ARGV[1], 'record', ARGV[2], 'expires', ARGV[3], 'seen', ARGV[4],
  'createdBy', ARGV[12])
for i = 13, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
if ARGV[5] ~= '' then redis.call('HSET', KEYS[1], 'refresh', ARGV[5], 'refreshHash', ARGV[6]) end
if ARGV[7] ~= '' then redis.call('HSET', KEYS[1], 'endedAt', ARGV[7], 'endReason', ARGV[8]) end
if ARGV[10] ~= '' then redis.call('HSET', KEYS[1], 'mark', ARGV[10]) end
if ARGV[11] ~= '' then redis.call('HSET', KEYS[1], 'nextMarks', ARGV[11]) end
redis.call('PEXPIRE', KEYS[1], ARGV[9])
return '1'`)

/** Answers the fields of the session, or null. */
export const findSession: Script = script(`
local row = redis.call('HMGET', KEYS[1],
  'record', 'expires', 'seen', 'refresh', 'endedAt', 'endReason', 'mark', 'nextMarks',
  ${ownerFields})
if not row[1] then return false end
return row`)

/**
 * ARGV: names and values of the numbers. Sets them in a session that is being created, while
 * cutoffs of its owners have moved on. An ended session stays ended, and the answer tells if a
 * cutoff has ended it.
 */
export const openAfter: Script = script(`
local row = redis.call('HMGET', KEYS[1], 'user', 'endedAt', 'endedBy')
if row[2] and row[3] == 'cutoff' then return 'cut off' end
if not row[1] or row[2] then return '0' end
redis.call('HSET', KEYS[1], unpack(ARGV))
return '1'`)

/** Answers the values that tell whether the session is over, or null. */
export const sessionTimes: Script = script(`
local row = redis.call('HMGET', KEYS[1], 'expires', 'seen', 'endedAt', ${ownerFields})
if not row[1] then return false end
return row`)

// The garbage may be collected an hour after the session is over: at the idle end, or at the
// absolute one if that is sooner.
const keepUntilIdle = `
local over = math.min(tonumber(ARGV[3]), tonumber(row[1]))
redis.call('PEXPIRE', KEYS[1],
  string.format('%.0f', math.max(1, over - tonumber(ARGV[2]) + ${gcGraceMs})))`

// A member that is in the old JSON and not in the new JSON was put there by a newer release: it
// stays. The new text itself is not made anew, so that its numbers stay exact.
const keepingUnknown = `
local function keeping(old, new)
  local known, text = cjson.decode(new), string.sub(new, 1, -2)
  for name, value in pairs(old and cjson.decode(old) or {}) do
    if known[name] == nil then
      text = text .. ',' .. cjson.encode(name) .. ':' .. cjson.encode(value)
    end
  end
  return text .. '}'
end`

/**
 * ARGV: seen, lastSeenAt, idleExpiresAt. Only a session that is there and has not ended: HSET alone
 * would bring a dead one back. Answers the absolute end of one that was touched, and
 * its owners.
 */
export const touchSession: Script = script(`${keepingUnknown}
local row = redis.call('HMGET', KEYS[1], 'expires', 'endedAt', 'seen')
if not row[1] or row[2] then return false end
redis.call('HSET', KEYS[1], 'seen', keeping(row[3], ARGV[1]))
${keepUntilIdle}
return redis.call('HMGET', KEYS[1], 'expires', ${ownerFields})`)

/**
 * ARGV: record as it was read, record. Sets the record of a session that has not ended; answers
 * 'superseded' if the record has changed.
 */
export const setRecord: Script = script(`
local row = redis.call('HMGET', KEYS[1], 'record', 'endedAt')
if not row[1] or row[2] then return 'ended' end
if row[1] ~= ARGV[1] then return 'superseded' end
redis.call('HSET', KEYS[1], 'record', ARGV[2])
return 'set'`)

/**
 * ARGV: user, from, to. Sets the mark of a session of that user which has not ended. The end of the
 * session is the earlier of its own end and the cutoff, which each reader asks for. Run again, it
 * changes nothing.
 */
export const addPasswordMark: Script = script(`
local row = redis.call('HMGET', KEYS[1], 'user', 'endedAt', 'mark', 'nextMarks')
if row[1] ~= ARGV[1] or row[2] then return '0' end
local function isNext(mark)
  return row[4] and string.find(' ' .. row[4] .. ' ', ' ' .. mark .. ' ', 1, true)
end
if isNext(ARGV[2]) then
  redis.call('HSET', KEYS[1], 'mark', ARGV[2], 'nextMarks', ARGV[3])
elseif row[3] == ARGV[2] and not isNext(ARGV[3]) then
  local marks = row[4] and row[4] .. ' ' .. ARGV[3] or ARGV[3]
  redis.call('HSET', KEYS[1], 'nextMarks', string.sub(marks, -${maxNextMarks}))
else
  return '0'
end
return '1'`)

/**
 * ARGV: seen, lastSeenAt, idleExpiresAt, presentedHash, refresh, refreshHash, attempt. Answers the
 * outcome and the owners.
 */
export const rotateSession: Script = script(`${keepingUnknown}
local row = redis.call('HMGET', KEYS[1],
  'expires', 'endedAt', 'refreshHash', 'rotatedBy', 'seen')
if not row[1] or row[2] then return {'ended'} end
local owners = redis.call('HMGET', KEYS[1], ${ownerFields})
if row[4] == ARGV[7] then return {'rotated', owners} end
if row[3] ~= ARGV[4] then return {'superseded', owners} end
local seen = keeping(row[5], ARGV[1])
redis.call('HSET', KEYS[1],
  'seen', seen, 'refresh', ARGV[5], 'refreshHash', ARGV[6], 'rotatedBy', ARGV[7])
${keepUntilIdle}
return {'rotated', owners}`)

/**
 * ARGV: endedAt, endReason, attempt, and names and values of the owners whose session it must be.
 * Answers its owners if this call ended it. A Redis whose memory is full takes no new fields, but
 * still deletes: signing out has to work then, too.
 */
export const endSession: Script = script(`
-- A reader has ended the session by the cutoff of a call that comes only now: it names it.
local function nameOnce(attempt, cutAt)
  local ended = redis.call('HMGET', KEYS[1], 'endedAt', 'namedBy')
  if attempt == 'cutoff' or ended[1] ~= cutAt then return false end
  if ended[2] then return ended[2] == attempt end
  local named = redis.pcall('HSET', KEYS[1], 'namedBy', attempt)
  if type(named) == 'table' and named.err then redis.call('DEL', KEYS[1]) end
  return true
end
local row = redis.call('HMGET', KEYS[1], 'user', 'endedAt', 'endedBy')
if not row[1] then return false end
for i = 4, #ARGV, 2 do
  if redis.call('HGET', KEYS[1], ARGV[i]) ~= ARGV[i + 1] then return false end
end
local owners = redis.call('HMGET', KEYS[1], ${ownerFields})
if row[2] and row[3] == 'cutoff' and #ARGV > 3 then return nameOnce(ARGV[3], ARGV[1]) and owners end
if row[2] then return row[3] == ARGV[3] and owners end
local marked = redis.pcall('HSET', KEYS[1],
  'endedAt', ARGV[1], 'endReason', ARGV[2], 'endedBy', ARGV[3])
if type(marked) == 'table' and marked.err then
  redis.call('DEL', KEYS[1])
else
  redis.call('PEXPIRE', KEYS[1], ${gcGraceMs})
end
return owners`)
