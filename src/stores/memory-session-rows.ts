import { boundedTable } from './bounded-table.js'
import type { SessionRecord } from './contract.js'
import { copyOf } from './copy-of.js'
import { type IdsByKey, idsByKey } from './ids-by-key.js'

/** What sessions are found by, besides their ids. */
export type SessionOwner = 'userId' | 'clientId' | 'parentId'

/** The rows of sessions. They are copies that nobody else holds. */
export interface SessionRows {
  get(id: string): SessionRecord | undefined
  /** The session, unless it has ended. */
  living(id: string): SessionRecord | undefined
  /** Those of an owner that have not ended. */
  livingOf(owner: SessionOwner, key: string): SessionRecord[]
  /** How many an owner has, ended or not. */
  countOf(owner: SessionOwner, key: string): number
  insert(session: SessionRecord): void
  change(session: SessionRecord, changed: Partial<SessionRecord>): void
  purge(now: Date, limit?: number): number
}

/** At most `maxSessions` rows, with indexes by owner. */
export function sessionRows(maxSessions: number): SessionRows {
  const indexes = {
    userId: idsByKey(),
    clientId: idsByKey(),
    parentId: idsByKey(),
  } satisfies Record<SessionOwner, unknown>
  const owners = Object.entries(indexes) as [SessionOwner, IdsByKey][]
  const table = boundedTable<SessionRecord>(maxSessions, mayGo, (session) => {
    for (const [owner, ids] of owners) ids.delete(session[owner], session.id)
  })
  const living = (id: string) => {
    const session = table.get(id)
    return session?.endedAt === null ? session : undefined
  }
  return {
    get: table.get,
    living,
    livingOf: (owner, key) => indexes[owner].of(key).flatMap((id) => living(id) ?? []),
    countOf: (owner, key) => indexes[owner].count(key),
    insert(session) {
      table.insert(session.id, copyOf(session), session.createdAt)
      for (const [owner, ids] of owners) ids.add(session[owner], session.id)
    },
    // In place: a new row would need a second look-up, and leave the old one to the collector.
    change: (session, changed) => void Object.assign(session, copyOf(changed)),
    purge: table.purge,
  }
}

// A process whose clock is behind does not delete what ended after the moment it knows.
function mayGo({ endedAt, idleExpiresAt, expiresAt }: SessionRecord, now: Date): boolean {
  return (endedAt !== null && endedAt <= now) || idleExpiresAt <= now || expiresAt <= now
}
