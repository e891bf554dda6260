/** What has an age, and an id. */
interface Aged {
  readonly id: string
  readonly createdAt: Date
}

/**
 * The order of a user's rows: by `createdAt`, and by the bytes of the id where that is the
 * same.
 */
export function oldestFirst(one: Aged, other: Aged): number {
  return (
    one.createdAt.getTime() - other.createdAt.getTime() ||
    Buffer.compare(Buffer.from(one.id), Buffer.from(other.id))
  )
}
