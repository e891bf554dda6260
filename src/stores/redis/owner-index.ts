import { z } from 'zod'
import type { SessionRecord, StoredReason } from '../contract.js'
import {
  countIndexed,
  forgetSessions,
  indexedIds,
  indexSession,
  pageOfSessions,
  readCutoff,
  setCutoff,
} from './owner-scripts.js'
import { momentDigits, readReply } from './replies.js'
import { identifier, type RunScript } from './scripts.js'
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
 * What is known of the sessions of an owner: which there may be, at least those that are there, and
 * which are over.
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
  /** The same page by page, for owners that may have very many; an id may come twice. */
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
      // Keeps the index short, and is no part of the end: what stays in it is asked in vain until
      // its time is over.
      try {
        // The number of arguments of a call is limited.
        for (let from = 0; from < ids.length; from += chunk) {
          await run(forgetSessions, key, ...ids.slice(from, from + chunk))
        }
      } catch {}
    },
  }
}
