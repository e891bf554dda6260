import type { SessionRecord } from './contract.js'

/**
 * The order of a user's sessions: by `createdAt`, and by the bytes of the id where that is the
 * same.
 */
export function oldestFirst(one: SessionRecord, other: SessionRecord): number {
  return (
    one.createdAt.getTime() - other.createdAt.getTime() ||
    Buffer.compare(Buffer.from(one.id), Buffer.from(other.id))
  )
}
