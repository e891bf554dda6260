import { z } from 'zod'
import type { SessionRecord } from '../contract.js'
import { readReply } from './replies.js'
import { identifier, keyOf, type RunScript } from './scripts.js'
import { forgetSessions, indexedSessions, indexSession } from './session-scripts.js'

/** Which sessions a user may have: at least those that are there. */
export interface UserIndex {
  add(session: SessionRecord): Promise<void>
  idsOf(userId: string): Promise<string[]>
  /** Only for sessions that have ended. Never rejects. */
  forget(userId: string, ids: readonly string[]): Promise<void>
}

/** How many ids one script forgets. */
const chunk = 1000

const idsShape = z.array(z.string())

/** A sorted set for each user, in a slot of its own. */
export function userIndex(run: RunScript, prefix: string): UserIndex {
  const key = (userId: string) => keyOf(prefix, 'u', userId)
  return {
    async add({ id, userId, expiresAt, lastSeenAt }) {
      await run(indexSession, key(userId), identifier(id), expiresAt.getTime(), lastSeenAt.getTime())
    },
    idsOf: async (userId) => readReply(idsShape, await run(indexedSessions, key(userId)), 'list of sessions'),
    async forget(userId, ids) {
      // Keeps the index short, and is no part of the end: what stays in it is asked in vain until its time is over.
      try {
        // A call takes only so many arguments.
        for (let from = 0; from < ids.length; from += chunk) {
          await run(forgetSessions, key(userId), ...ids.slice(from, from + chunk))
        }
      } catch {}
    },
  }
}
