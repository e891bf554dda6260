import { type Script, script, slack } from './scripts.js'

// A session is one hash. Never changing: user, record (JSON), expires. Replaced whole: seen (JSON), refresh (JSON) with refreshHash.
// Set once: endedAt, endReason. createdBy, rotatedBy and endedBy mark the call that did it: a driver that lost its connection may send a script
// twice (ioredis does), and the second run must answer like the first, not "somebody else was faster".

/** ARGV: user, record, expires, seen, refresh, refreshHash, endedAt, endReason, lifetime, attempt; the middle four may be empty. */
export const createSession: Script = script(`
if redis.call('EXISTS', KEYS[1]) == 1 then return redis.call('HGET', KEYS[1], 'createdBy') == ARGV[10] and '1' or '0' end
redis.call('HSET', KEYS[1], 'user', ARGV[1], 'record', ARGV[2], 'expires', ARGV[3], 'seen', ARGV[4], 'createdBy', ARGV[10])
if ARGV[5] ~= '' then redis.call('HSET', KEYS[1], 'refresh', ARGV[5], 'refreshHash', ARGV[6]) end
if ARGV[7] ~= '' then redis.call('HSET', KEYS[1], 'endedAt', ARGV[7], 'endReason', ARGV[8]) end
redis.call('PEXPIRE', KEYS[1], ARGV[9])
return '1'`)

/** Answers the fields of the session, or null. */
export const findSession: Script = script(`
local row = redis.call('HMGET', KEYS[1], 'user', 'record', 'expires', 'seen', 'refresh', 'endedAt', 'endReason')
if not row[1] then return false end
return row`)

/** Answers what says whether the session is over, or null. */
export const sessionTimes: Script = script(`
local row = redis.call('HMGET', KEYS[1], 'expires', 'seen', 'endedAt')
if not row[1] then return false end
return row`)

// The garbage may be collected an hour after the session is over: at the idle end, or at the absolute one if that is sooner.
const keepUntilIdle = `
local over = math.min(tonumber(ARGV[3]), tonumber(row[1]))
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.max(1, over - tonumber(ARGV[2]) + ${slack})))`

/** ARGV: seen, lastSeenAt, idleExpiresAt. Only a session that is there and has not ended: HSET alone would bring a dead one back. */
export const touchSession: Script = script(`
local row = redis.call('HMGET', KEYS[1], 'expires', 'endedAt')
if not row[1] or row[2] then return '0' end
redis.call('HSET', KEYS[1], 'seen', ARGV[1])
${keepUntilIdle}
return '1'`)

/** ARGV: record, as it was read but for the methods; nothing else of it ever changes. Only of a session that has not ended. */
export const setRecord: Script = script(`
local row = redis.call('HMGET', KEYS[1], 'record', 'endedAt')
if not row[1] or row[2] then return '0' end
redis.call('HSET', KEYS[1], 'record', ARGV[1])
return '1'`)

/** ARGV: seen, lastSeenAt, idleExpiresAt, presentedHash, refresh, refreshHash, attempt. */
export const rotateSession: Script = script(`
local row = redis.call('HMGET', KEYS[1], 'expires', 'endedAt', 'refreshHash', 'rotatedBy')
if not row[1] or row[2] then return 'ended' end
if row[4] == ARGV[7] then return 'rotated' end
if row[3] ~= ARGV[4] then return 'superseded' end
redis.call('HSET', KEYS[1], 'seen', ARGV[1], 'refresh', ARGV[5], 'refreshHash', ARGV[6], 'rotatedBy', ARGV[7])
${keepUntilIdle}
return 'rotated'`)

/**
 * ARGV: endedAt, endReason, attempt, and optionally the user whose session it must be. Answers the user if this call ended it.
 * A Redis whose memory is full takes no new fields, but still deletes: signing out has to work then, too.
 */
export const endSession: Script = script(`
local row = redis.call('HMGET', KEYS[1], 'user', 'endedAt', 'endedBy')
if not row[1] or (ARGV[4] and ARGV[4] ~= row[1]) then return false end
if row[2] then return row[3] == ARGV[3] and row[1] end
local marked = redis.pcall('HSET', KEYS[1], 'endedAt', ARGV[1], 'endReason', ARGV[2], 'endedBy', ARGV[3])
if type(marked) == 'table' and marked.err then
  redis.call('DEL', KEYS[1])
else
  redis.call('PEXPIRE', KEYS[1], ${slack})
end
return row[1]`)

// The index of a user: a sorted set of session ids, by the absolute end of each.

/**
 * ARGV: session id, its absolute end, now. Nothing leaves the index sooner through it, whatever the clocks of the callers say: a session
 * that is no longer in it would outlive "sign out everywhere". So what is over is judged by the clock of Redis, and a caller whose clock
 * is behind it is given the whole length of the session.
 */
export const indexSession: Script = script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local length = tonumber(ARGV[2]) - tonumber(ARGV[3])
local over = math.max(tonumber(ARGV[2]), now + length)
local known = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not known or tonumber(known) < over then redis.call('ZADD', KEYS[1], string.format('%.0f', over), ARGV[1]) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - ${slack}))
local keep = math.max(1, length + ${slack})
if redis.call('PTTL', KEYS[1]) < keep then redis.call('PEXPIRE', KEYS[1], string.format('%.0f', keep)) end
return '1'`)

/** Answers the ids of all sessions of the user that may still be there, and of some that are not. */
export const indexedSessions: Script = script(`return redis.call('ZRANGE', KEYS[1], 0, -1)`)

/** ARGV: the ids of sessions that have ended, and can never come back under their ids. */
export const forgetSessions: Script = script(`
for _, id in ipairs(ARGV) do redis.call('ZREM', KEYS[1], id) end
return '1'`)
