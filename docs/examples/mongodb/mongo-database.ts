import type { ClientSession, Collection, Document, Filter, MongoClient } from 'mongodb'

/** `_id` is the id or hash itself: its unique index cannot be forgotten. */
export interface Row extends Document {
  _id: string | object
}

/** Acknowledged means durable, and read from the primary: whatever the connection string says. */
export function openDatabase(client: MongoClient, name: string) {
  return client.db(name, {
    writeConcern: { w: 'majority', journal: true },
    readPreference: 'primary',
  })
}

/**
 * A key as it is stored. `{ $gt: '' }` is no string; half a surrogate pair would be stored as
 * U+FFFD, as would any other half.
 */
export function key(value: unknown): string {
  if (
    typeof value === 'string' &&
    Buffer.byteLength(value) <= 1024 &&
    !/\p{Surrogate}/u.test(value)
  )
    return value
  throw new TypeError('an id or hash is not well-formed text of at most 1024 bytes')
}

/** The members of a record, if its texts can be stored as they are. */
export function checked<T extends object>(record: T): T {
  for (const value of Object.values(record)) {
    if (typeof value === 'string' && (value.length > 16_000 || /\p{Surrogate}/u.test(value)))
      throw new TypeError('a text is not well-formed, or longer than 16,000 characters')
  }
  return record
}

/** Whether a unique index refused the row. */
export function isDuplicate(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 11000
}

/** The options of each call inside a transaction; a call without them is not part of it. */
export interface Within {
  readonly session?: ClientSession
}

/**
 * All or nothing. The work may be run more than once: MongoDB undoes a transaction that meets
 * another, and the driver repeats it.
 */
export function atomically<T>(
  client: MongoClient,
  work: (within: Within) => Promise<T>,
): Promise<T> {
  return client.withSession((session) =>
    session.withTransaction(() => work({ session }), {
      readPreference: 'primary',
      readConcern: { level: 'snapshot' },
      writeConcern: { w: 'majority', journal: true },
    }),
  )
}

/**
 * Deletes what one of the conditions meets, at most `limit` rows. The condition is part of the
 * delete: a row may be used meanwhile.
 */
export async function deleteDue<T extends Row>(
  rows: Collection<T>,
  due: readonly Filter<T>[],
  limit = Number.POSITIVE_INFINITY,
) {
  let deleted = 0
  for (const condition of due) {
    // limit(0) means "no limit" to MongoDB.
    if (deleted >= limit) break
    deleted += (await rows.deleteMany(await atMost(rows, condition, limit - deleted))).deletedCount
  }
  return deleted
}

async function atMost<T extends Row>(
  rows: Collection<T>,
  condition: Filter<T>,
  limit: number,
): Promise<Filter<T>> {
  if (limit === Number.POSITIVE_INFINITY) return condition
  const found = await rows
    .find(condition, { projection: { _id: 1 } })
    .limit(limit)
    .toArray()
  return { ...condition, _id: { $in: found.map(({ _id }) => _id) } } as Filter<T>
}
