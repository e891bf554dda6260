import { type Script, script } from './scripts.js'

// Fields of a proof: record (JSON, never changes), purpose, expires, tries, savedBy, and user where
// it is somebody's; once a try was taken takenBy; once used consumed and consumedBy. A driver that
// lost its connection may send a script twice. The second run recognises its own mark and answers
// like the first.

/**
 * ARGV: mark, lifetime, record, purpose, expires, tries, consumed or empty, and the user if it is
 * somebody's. Answers 1, or 0 for a hash that is there.
 */
export const saveProof: Script = script(`
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
export const findProof: Script = script(`${ofPurpose}
return now`)

/** ARGV: purpose, mark, now. Answers nothing for a try that may not be taken. */
export const takeTryOfProof: Script = script(`${ofPurpose}
if marked('takenBy') then return now end
if now[4] or tonumber(ARGV[3]) >= tonumber(now[2]) or tonumber(now[3]) <= 0 then return false end
redis.call('HINCRBY', KEYS[1], 'tries', -1)
redis.call('HSET', KEYS[1], 'takenBy', ARGV[2])
return row()`)

/** ARGV: purpose, mark, now. Answers nothing for a proof that may not be used. */
export const consumeProof: Script = script(`${ofPurpose}
if marked('consumedBy') then return now end
if now[4] or tonumber(ARGV[3]) >= tonumber(now[2]) then return false end
redis.call('HSET', KEYS[1], 'consumed', ARGV[3], 'consumedBy', ARGV[2])
return row()`)

/**
 * ARGV: user, mark, now, and the purposes. With the user: a refused duplicate can leave somebody
 * else's proof in this user's index. Answers 1 if this call has used it up.
 */
export const voidProof: Script = script(`
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
