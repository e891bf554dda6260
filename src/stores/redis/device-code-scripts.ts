import { type Script, script } from './scripts.js'

// Fields of a device code: record (JSON, never changes), device, expires, state, tries, interval,
// next and savedBy; once claimed user and claimed, once a try was taken takenBy, once decided
// decidedBy, with authorization where it was approved, once asked askedBy and soon. A driver that
// lost its connection may send a script twice. The second run recognises its own mark and answers
// like the first.

/**
 * ARGV: mark, lifetime, record, device, expires, state, tries, interval, next, and the names and
 * values of fields that need not be there. Answers 1, or 0 for a hash that is there.
 */
export const saveDeviceCode: Script = script(`
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

export const findDeviceCode: Script = script(`${answers}
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
return row()`)

const pending = `${answers}
local function isPending(now)
  return get('state') == 'pending' and tonumber(now) < tonumber(get('expires'))
end`

/**
 * ARGV: user, now. Answers 1 and the row, 0 for the code of somebody else, or nothing. Without a
 * mark: a second run finds the user's own code.
 */
export const claimDeviceCode: Script = script(`${pending}
if not isPending(ARGV[2]) then return false end
local user = get('user')
if user and user ~= ARGV[1] then return {'0'} end
if not user then redis.call('HSET', KEYS[1], 'user', ARGV[1], 'claimed', ARGV[2]) end
return {'1', row()}`)

/** ARGV: user, mark, now. Answers nothing for a try that may not be taken. */
export const takeTryOfDeviceCode: Script = script(`${pending}
if get('takenBy') == ARGV[2] then return row() end
if not isPending(ARGV[3]) or get('user') ~= ARGV[1] or tonumber(get('tries')) <= 0 then
  return false
end
redis.call('HINCRBY', KEYS[1], 'tries', -1)
redis.call('HSET', KEYS[1], 'takenBy', ARGV[2])
return row()`)

/** ARGV: user, mark, now, state, and the authorization if it is approved. Answers 1 or 0. */
export const decideDeviceCode: Script = script(`${pending}
if get('decidedBy') == ARGV[2] then return '1' end
if not isPending(ARGV[3]) or get('user') ~= ARGV[1] then return '0' end
redis.call('HSET', KEYS[1], 'state', ARGV[4], 'decidedBy', ARGV[2])
if ARGV[5] then redis.call('HSET', KEYS[1], 'authorization', ARGV[5]) end
return '1'`)

/**
 * ARGV: device, mark, now. Answers 1 for a question that came too soon, or else 0, and the row; or
 * nothing.
 */
export const pollDeviceCode: Script = script(`${answers}
if get('device') ~= ARGV[1] then return false end
if get('askedBy') == ARGV[2] then return {get('soon'), row()} end
local interval = tonumber(get('interval'))
local soon = tonumber(ARGV[3]) < tonumber(get('next'))
if soon then interval = interval + 5 end
redis.call('HSET', KEYS[1], 'askedBy', ARGV[2], 'soon', soon and '1' or '0',
  'interval', string.format('%.0f', interval),
  'next', string.format('%.0f', tonumber(ARGV[3]) + interval * 1000))
return {soon and '1' or '0', row()}`)
