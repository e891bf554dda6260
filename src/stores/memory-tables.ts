import cluster from 'node:cluster'
import { setImmediate } from 'node:timers/promises'
import { types } from 'node:util'
import { AuthConfigError } from '../errors.js'
import { nextEntry } from '../lib/bounded-cache.js'

/**
 * Warns in production, where a restart forgets everything.
 *
 * @throws AuthConfigError in a cluster worker
 */
export function checkMemoryIsEnough(factory: string): void {
  if (cluster.isWorker) {
    throw new AuthConfigError(
      `${factory}()`,
      'this is a cluster worker, and memory is not shared between workers.',
      'use a store that all workers reach.',
    )
  }
  if (process.env['NODE_ENV'] !== 'production') return
  process.emitWarning(
    `${factory}() forgets everything at a restart and works for a single process only.`,
    { code: 'MAR_MEMORY_STORES_IN_PRODUCTION' },
  )
}

/** Rows by key, bounded in number, cleared of what is over without a timer. */
export interface BoundedTable<Row> {
  get(key: string): Row | undefined
  /**
   * Adds a row. Throws for a key that is there, and when the table is full of rows that are not
   * over.
   */
  insert(key: string, row: Row, now: Date): void
  /** Replaces a row that is there. */
  update(key: string, row: Row): void
  delete(key: string): void
  /**
   * Deletes the rows that are over, at most `limit` of them, and says how many. Other work runs in
   * between.
   */
  purge(now: Date, limit?: number): Promise<number>
}

/** Rows that are looked at in one turn of the event loop: a few milliseconds. */
export const looksOfATurn = 5000
/** Rows that each insert into a larger table looks at: so what is over stays the lesser part. */
const looksOfAnInsert = 2
const smallTable = 1000

/** Makes a table for at most `maxRows` rows; `onDelete` is told of each row that goes. */
export function boundedTable<Row>(
  maxRows: number,
  isOver: (row: Row, now: Date) => boolean,
  onDelete: (row: Row) => void = () => {},
): BoundedTable<Row> {
  const rows = new Map<string, Row>()
  // Each look goes on where the last has stopped, so that none sees the same living rows again and
  // again.
  const next = nextEntry(rows)
  let notBefore = new Date(0)
  let inVain = 0

  function look(now: Date, looks: number, limit = Number.POSITIVE_INFINITY): number {
    const before = rows.size
    for (let left = Math.min(looks, before); left > 0 && before - rows.size < limit; left -= 1) {
      const [key, row] = next() as [string, Row]
      if (!isOver(row, now)) continue
      rows.delete(key)
      onDelete(row)
    }
    return before - rows.size
  }

  // A full table of living rows is not searched again for each row that does not fit.
  function makeRoom(now: Date): void {
    if (now < notBefore) return
    inVain = look(now, looksOfATurn) > 0 ? 0 : inVain + looksOfATurn
    if (inVain < rows.size) return
    inVain = 0
    notBefore = new Date(now.getTime() + 1000)
  }

  return {
    get: (key) => rows.get(key),
    insert(key, row, now) {
      if (rows.has(key)) throw new Error('duplicate key')
      if (rows.size >= smallTable) look(now, looksOfAnInsert)
      if (rows.size >= maxRows) makeRoom(now)
      // Failing is the safe side: throwing out the oldest would sign people out, or make a used
      // code good again.
      if (rows.size >= maxRows) throw new Error('the memory store is full')
      rows.set(key, row)
    },
    update(key, row) {
      if (rows.has(key)) rows.set(key, row)
    },
    delete: (key) => void rows.delete(key),
    async purge(now, limit = Number.POSITIVE_INFINITY) {
      let purged = 0
      for (let left = rows.size; left > 0 && purged < limit; left -= looksOfATurn) {
        purged += look(now, Math.min(left, looksOfATurn), limit - purged)
        if (left > looksOfATurn) await setImmediate()
      }
      return purged
    },
  }
}

/**
 * A copy that shares no Date and no list with the original: a caller that changes its copy must not
 * change the store, as with a real database. Faster than `structuredClone`, and texts are shared.
 */
export function copyOf<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyOf) as Value
  if (types.isDate(value)) return new Date(value.getTime()) as Value
  const whole = { ...value } as Record<string, unknown>
  // Not `Object.keys`, which makes a list for each row; and no call for a text or a date, of which
  // rows mostly are. A copy has all its members itself, so a polluted `Object.prototype` adds none.
  for (const name in whole) {
    const member = whole[name]
    if (typeof member !== 'object' || member === null || !Object.hasOwn(whole, name)) continue
    whole[name] = member instanceof Date ? new Date(member.getTime()) : copyOf(member)
  }
  return whole as Value
}

/** A row whose times are numbers: a Date takes a hundred bytes, and a session has six. */
export type Packed<Value> = Value extends string
  ? Value
  : Value extends Date
    ? number
    : { [Name in keyof Value]: Packed<Value[Name]> }

/** A copy with its times as milliseconds. */
export function packed<Value>(value: Value): Packed<Value> {
  if (types.isDate(value)) return value.getTime() as Packed<Value>
  if (typeof value !== 'object' || value === null) return value as Packed<Value>
  if (Array.isArray(value)) return value.map(packed) as Packed<Value>
  const whole = { ...value } as Record<string, unknown>
  for (const name in whole) {
    const member = whole[name]
    if (typeof member !== 'object' || member === null || !Object.hasOwn(whole, name)) continue
    whole[name] = member instanceof Date ? member.getTime() : packed(member)
  }
  return whole as Packed<Value>
}

/** A copy with Dates again. `times`: the names of the members that are times. */
export function unpacked<Value>(value: Packed<Value>, times: ReadonlySet<string>): Value {
  if (typeof value !== 'object' || value === null) return value as Value
  if (Array.isArray(value)) return value.map((one) => unpacked(one, times)) as Value
  const whole = { ...value } as Record<string, unknown>
  for (const name in whole) {
    const member = whole[name]
    if (typeof member === 'string' || !Object.hasOwn(whole, name)) continue
    if (typeof member === 'object') whole[name] = unpacked(member, times)
    else if (typeof member === 'number' && times.has(name)) whole[name] = new Date(member)
  }
  return whole as Value
}

/** The ids of rows by the values that find them, in memory. */
export interface IdsByKey {
  of(key: string): string[]
  count(key: string): number
  /** Undefined: of nobody, and not kept. */
  add(key: string | undefined, id: string): void
  delete(key: string | undefined, id: string): void
}

/** An index that holds nothing for a key without rows. */
export function idsByKey(): IdsByKey {
  const idsOf = new Map<string, Set<string>>()
  return {
    of: (key) => [...(idsOf.get(key) ?? [])],
    count: (key) => idsOf.get(key)?.size ?? 0,
    add(key, id) {
      if (key !== undefined) idsOf.set(key, (idsOf.get(key) ?? new Set()).add(id))
    },
    delete(key, id) {
      if (key === undefined) return
      const ids = idsOf.get(key)
      ids?.delete(id)
      if (ids?.size === 0) idsOf.delete(key)
    },
  }
}
