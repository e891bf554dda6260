import { z } from 'zod'
import type { SessionRecord, StoredReason } from '../contract.js'
import { momentDigits, readReply } from './redis-client.js'
import { gcGraceMs, identifier, type RunScript, type Script, script } from './scripts.js'
import { number, type OwnedSession, type Owner } from './session-owners.js'

/** Every session of an owner that was opened before it is over, but one. */
export interface Cutoff {
  readonly number: number
  readonly at: Date
  readonly reason: StoredReason
  /** The id of the session that is not over; empty for none. */
  readonly except: string
}

/**
 * The known facts about the sessions of an owner: the sessions that there may be, at least all that
 * are there, and the sessions that are over.
 */
export interface OwnerIndex {
  /** Answers the number of the cutoff that a session which is opened now was opened after. */
  add(
    owner: Owner,
    session: Pick<SessionRecord, 'id' | 'expiresAt' | 'lastSeenAt'>,
  ): Promise<number>
  idsOf(owner: Owner): Promise<string[]>
  /** How many that are. */
  count(owner: Owner): Promise<number>
  /** The ids of `idsOf` page by page, for owners that may have very many; an id may come twice. */
  pagesOf(owner: Owner): AsyncGenerator<readonly string[]>
  /** Ends all sessions of the owner but `except`. */
  cutOff(owner: Owner, reason: StoredReason, at: Date, except: OwnedSession | null): Promise<void>
  cutoffOf(owner: Owner): Promise<Cutoff | null>
  /** Only for sessions that have ended. Never rejects. */
  forget(owner: Owner, ids: readonly string[]): Promise<void>
}

/** How many ids one script forgets. */
const chunk = 1000

const idsShape = z.array(z.string())
const pageShape = z.tuple([z.string(), idsShape])

const cutoffShape = z.union([
  z.tuple([z.null(), z.null(), z.null(), z.null()]),
  z.tuple([number, momentDigits, z.string(), z.string()]),
])

/** Whether a session was opened before the cutoff of its owner. */
export function isCutOff(
  { id, after }: OwnedSession,
  { field }: Owner,
  cutoff: Cutoff | null,
): boolean {
  return cutoff !== null && after[field] < cutoff.number && id !== cutoff.except
}

/** A sorted set and a hash for each owner, in a slot of their own. */
export function ownerIndex(run: RunScript): OwnerIndex {
  const cutoffKey = ({ key }: Owner) => `${key}:cutoff`
  const both = (owner: Owner) => [owner.key, cutoffKey(owner)]
  const trace = ({ leavesTrace }: Owner) => (leavesTrace ? 1 : 0)
  async function cutoffOf(owner: Owner): Promise<Cutoff | null> {
    const reply = await run(readCutoff, cutoffKey(owner))
    const [number, at, reason, except] = readReply(cutoffShape, reply, 'cutoff')
    return number === null ? null : { number, at, reason, except }
  }
  return {
    async add(owner, { id, expiresAt, lastSeenAt }) {
      if (!owner.isIndexed) return (await cutoffOf(owner))?.number ?? 0
      const times = [expiresAt.getTime(), lastSeenAt.getTime(), trace(owner)]
      const reply = await run(indexSession, both(owner), identifier(id), ...times)
      return readReply(number, reply, 'cutoff')
    },
    idsOf: async ({ key }) => readReply(idsShape, await run(indexedIds, key), 'list of sessions'),
    count: async ({ key }) => readReply(number, await run(countIndexed, key), 'number of sessions'),
    async *pagesOf({ key }) {
      let cursor = '0'
      do {
        const reply = await run(pageOfSessions, key, cursor)
        const [next, page] = readReply(pageShape, reply, 'list of sessions')
        // Each id is followed by its score.
        yield page.filter((_text, index) => index % 2 === 0)
        cursor = next
      } while (cursor !== '0')
    },
    async cutOff(owner, reason, at, except) {
      const excepted = except === null ? ['', ''] : [identifier(except.id), except.after.after]
      await run(setCutoff, both(owner), at.getTime(), reason, ...excepted, trace(owner))
    },
    cutoffOf,
    async forget({ key, isIndexed }, ids) {
      if (!isIndexed) return
      // This keeps the index short, and is no part of the end: an id that stays in the index is
      // asked in vain until its time is over.
      try {
        // The number of arguments of a call is limited.
        for (let from = 0; from < ids.length; from += chunk) {
          await run(forgetSessions, key, ...ids.slice(from, from + chunk))
        }
      } catch {}
    },
  }
}

// The index of a user, of a client or of a session that opens others: a sorted set of session ids,
// by the absolute end of each. The proofs of a user have one of the same kind.

// Nothing leaves the index sooner through it, whatever the clocks of the callers say: a session
// that is no longer in it could outlive "sign out everywhere". So the clock of Redis judges which
// sessions are over, and a caller whose clock is behind it is given the whole length of the
// session.
const keepInIndex = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local length = tonumber(ARGV[2]) - tonumber(ARGV[3])
local over = math.max(tonumber(ARGV[2]), now + length)
local known = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not known or tonumber(known) < over then
  redis.call('ZADD', KEYS[1], string.format('%.0f', over), ARGV[1])
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - ${gcGraceMs}))
local keep = math.max(1, length + ${gcGraceMs})
if redis.call('PTTL', KEYS[1]) < keep then
  redis.call('PEXPIRE', KEYS[1], string.format('%.0f', keep))
end`

/** KEYS: index. ARGV: the id of a proof, its end, and when it begins. */
export const indexProof: Script = script(`${keepInIndex}
return '1'`)

/**
 * KEYS: index, cutoff. ARGV: session id, its absolute end, now, and 1 for a trace in the cutoff for
 * as long as the session may live. Answers the number of the cutoff.
 */
const indexSession: Script = script(`${keepInIndex}
if ARGV[4] == '1' then
  redis.call('HSET', KEYS[2], 'trace', '1')
  if redis.call('PTTL', KEYS[2]) < keep then
    redis.call('PEXPIRE', KEYS[2], string.format('%.0f', keep))
  end
end
return redis.call('HGET', KEYS[2], 'number') or '0'`)

/** Answers the ids of all rows of the owner that may still be there, and of some that are not. */
export const indexedIds: Script = script(`return redis.call('ZRANGE', KEYS[1], 0, -1)`)

/** Answers how many that are. */
const countIndexed: Script = script(`return tostring(redis.call('ZCARD', KEYS[1]))`)

/** How many ids a page has, or a few more. */
const page = 1000

/**
 * ARGV: the place to go on from, '0' at first and at last. Answers the next place, and a page of
 * ids and scores. An id that is in the index from the first page to the last is on one page, or on
 * several.
 */
const pageOfSessions: Script = script(
  `return redis.call('ZSCAN', KEYS[1], ARGV[1], 'COUNT', ${page})`,
)

/** ARGV: the ids of sessions that have ended, and can never come back under their ids. */
const forgetSessions: Script = script(`
for _, id in ipairs(ARGV) do redis.call('ZREM', KEYS[1], id) end
return '1'`)

// The cutoff of an owner: a hash with number, at, reason and except. Every session of the owner
// that was opened after a lower number is over, but the one excepted. The cutoff also ends a
// session that is not in the index, which Redis may have lost. The cutoff of a parent holds a trace
// from its first child on: the cutoff of a parent with neither index nor trace would end nothing.

/**
 * How long a cutoff is kept at least: 400 days. A session that it ended is used no more, so it
 * idles out.
 */
const maxIdleMs = 400 * 24 * 3_600_000

/** Answers the fields of the cutoff; a missing field is null. */
const readCutoff: Script = script(
  `return redis.call('HMGET', KEYS[1], 'number', 'at', 'reason', 'except')`,
)

/**
 * KEYS: index, cutoff. ARGV: at, reason, the session that is to be excepted with the number it was
 * opened after; both may be empty; 1 where there is a trace, or nothing to end. A session that is
 * not in the index by now is opened after the new number, since it asks for the number once more
 * when it is stored.
 *
 * Numbers only grow, and are compared with nothing but one another: no clock of a process says
 * which session was the earlier. The next cutoff does not except a session that the last cutoff
 * ended: it would live again. A Redis whose memory is full takes no cutoff; the sessions in the
 * index are ended all the same.
 */
const setCutoff: Script = script(`
local keepAtLeast = ${maxIdleMs}
if ARGV[5] == '1' then
  if redis.call('EXISTS', KEYS[1], KEYS[2]) == 0 then return '0' end
  keepAtLeast = redis.call('PTTL', KEYS[2])
end
local known = redis.call('HMGET', KEYS[2], 'number', 'except')
local last = tonumber(known[1] or 0)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local except = ARGV[3]
if except ~= '' and tonumber(ARGV[4]) < last and known[2] ~= except then except = '' end
local number = string.format('%.0f', math.max(last + 1, now))
local set = redis.pcall('HSET', KEYS[2],
  'number', number, 'at', ARGV[1], 'reason', ARGV[2], 'except', except)
if type(set) ~= 'table' then
  local newest = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  local keep = math.max(keepAtLeast, tonumber(newest[2] or 0) - now) + ${gcGraceMs}
  redis.call('PEXPIRE', KEYS[2], string.format('%.0f', keep))
end
return '1'`)
