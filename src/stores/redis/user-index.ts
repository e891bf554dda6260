import { z } from 'zod'
import type { SessionRecord, StoredReason } from '../contract.js'
import { momentDigits, readReply } from './replies.js'
import { identifier, keyOf, type RunScript } from './scripts.js'
import {
  forgetSessions,
  indexedSessions,
  indexSession,
  readCutoff,
  setCutoff,
} from './user-scripts.js'

/** Every session of a user that was opened before it is over, but one. */
export interface Cutoff {
  readonly number: number
  readonly at: Date
  readonly reason: StoredReason
  /** The id of the session that is not over; empty for none. */
  readonly except: string
}

/** A session, and the number of the cutoff that it was opened after. */
export interface Opened {
  readonly id: string
  readonly after: number
}

/**
 * What is known of the sessions of a user: which there may be, at least those that are there, and
 * which are over.
 */
export interface UserIndex {
  /** Answers the number of the cutoff that a session which is opened now was opened after. */
  add(session: Pick<SessionRecord, 'id' | 'userId' | 'expiresAt' | 'lastSeenAt'>): Promise<number>
  idsOf(userId: string): Promise<string[]>
  /**
   * Ends all sessions of the user but `except`, and answers the ids of those that are to be marked
   * as ended.
   */
  cutOff(userId: string, reason: StoredReason, at: Date, except: Opened | null): Promise<string[]>
  cutoffOf(userId: string): Promise<Cutoff | null>
  /** Only for sessions that have ended. Never rejects. */
  forget(userId: string, ids: readonly string[]): Promise<void>
}

/** How many ids one script forgets. */
const chunk = 1000

const idsShape = z.array(z.string())

/** A number of a cutoff, as the field of a hash holds it. */
export const number: z.ZodType<number> = z
  .string()
  .regex(/^\d{1,16}$/)
  .transform(Number)

const cutoffShape = z.union([
  z.tuple([z.null(), z.null(), z.null(), z.null()]),
  z.tuple([number, momentDigits, z.string(), z.string()]),
])

/** Whether a session was opened before the cutoff of its user. */
export function isCutOff({ id, after }: Opened, cutoff: Cutoff | null): boolean {
  return cutoff !== null && after < cutoff.number && id !== cutoff.except
}

/** A sorted set and a hash for each user, in a slot of their own. */
export function userIndex(run: RunScript, prefix: string): UserIndex {
  const key = (userId: string) => keyOf(prefix, 'u', userId)
  const cutoffKey = (userId: string) => `${key(userId)}:cutoff`
  const both = (userId: string) => [key(userId), cutoffKey(userId)]
  return {
    async add({ id, userId, expiresAt, lastSeenAt }) {
      const reply = await run(
        indexSession,
        both(userId),
        identifier(id),
        expiresAt.getTime(),
        lastSeenAt.getTime(),
      )
      return readReply(number, reply, 'cutoff')
    },
    idsOf: async (userId) =>
      readReply(idsShape, await run(indexedSessions, key(userId)), 'list of sessions'),
    async cutOff(userId, reason, at, except) {
      const excepted = except === null ? ['', ''] : [identifier(except.id), except.after]
      return readReply(
        idsShape,
        await run(setCutoff, both(userId), at.getTime(), reason, ...excepted),
        'list of sessions',
      )
    },
    async cutoffOf(userId) {
      const [number, at, reason, except] = readReply(
        cutoffShape,
        await run(readCutoff, cutoffKey(userId)),
        'cutoff',
      )
      return number === null ? null : { number, at, reason, except }
    },
    async forget(userId, ids) {
      // Keeps the index short, and is no part of the end: what stays in it is asked in vain until
      // its time is over.
      try {
        // A call takes only so many arguments.
        for (let from = 0; from < ids.length; from += chunk) {
          await run(forgetSessions, key(userId), ...ids.slice(from, from + chunk))
        }
      } catch {}
    },
  }
}
