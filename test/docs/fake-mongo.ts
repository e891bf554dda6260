import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'

type Fields = Record<string, unknown>
type Within = { readonly session?: unknown } | undefined

/**
 * The part of the driver that the recipe uses, over Maps: one document is changed at a time, and
 * others get their turn in between.
 */
export interface FakeMongo {
  /** Hand it to the recipe in place of a `MongoClient`. */
  readonly client: object
  /** With which options databases were opened and transactions begun. */
  readonly databaseOptions: unknown[]
  readonly transactionOptions: unknown[]
  /** Collection and keys of each index that was asked for. */
  readonly indexes: [collection: string, keys: string][]
}

/**
 * Makes one. Every third transaction is undone and run again, as the driver does after a conflict.
 */
export function fakeMongo(): FakeMongo {
  const collections = new Map<string, Map<string, Fields>>()
  const inTransaction = new AsyncLocalStorage<true>()
  const databaseOptions: unknown[] = []
  const transactionOptions: unknown[] = []
  const indexes: [string, string][] = []
  let lastInLine: Promise<void> = Promise.resolve()

  // What is outside of a transaction waits for its end: its writes must not be undone with it.
  function alone<T>(work: () => Promise<T>): Promise<T> {
    const before = lastInLine
    const mine = before.then(work)
    lastInLine = mine.then(
      () => {},
      () => {},
    )
    return mine
  }

  async function transaction<T>(work: () => Promise<T>): Promise<T> {
    const saved = new Map([...collections].map(([name, rows]) => [name, new Map(rows)]))
    const undo = () => {
      for (const [name, rows] of collections) {
        rows.clear()
        for (const [id, row] of saved.get(name) ?? []) rows.set(id, row)
      }
    }
    try {
      const result = await inTransaction.run(true, work)
      if (transactionOptions.length % 3 !== 0) return result
      undo()
      return await inTransaction.run(true, work)
    } catch (error) {
      undo()
      throw error
    }
  }

  const session = {
    withTransaction: (work: () => Promise<unknown>, options: unknown) => {
      transactionOptions.push(options)
      return alone(() => transaction(work))
    },
  }

  async function operation<T>(within: Within, work: () => T): Promise<T> {
    const isInside = within?.session === session
    if (isInside !== (inTransaction.getStore() === true))
      throw new Error('a call that is not part of the transaction it is made in')
    const inTurn = async () => {
      await pause()
      return work()
    }
    if (isInside) return inTurn()
    await pause()
    return alone(inTurn)
  }

  function rowsOf(name: string): Map<string, Fields> {
    const rows = collections.get(name) ?? new Map<string, Fields>()
    collections.set(name, rows)
    return rows
  }

  const client = {
    db(_name: string, options: unknown) {
      databaseOptions.push(options)
      return { collection: (name: string) => collection(name, rowsOf(name), operation, indexes) }
    },
    withSession: (work: (given: typeof session) => unknown) => work(session),
  }
  return { client, databaseOptions, transactionOptions, indexes }
}

interface Change {
  readonly $set?: Fields
  readonly $inc?: Readonly<Record<string, number>>
}

type Operation = <T>(within: Within, work: () => T) => Promise<T>

function collection(
  name: string,
  rows: Map<string, Fields>,
  operation: Operation,
  indexes: [string, string][],
) {
  const matching = (filter: Fields) => [...rows].filter(([, row]) => matches(row, filter))

  function insert(document: Fields): void {
    const id = JSON.stringify(asStored(document['_id']))
    if (rows.has(id)) throw Object.assign(new Error('E11000 duplicate key'), { code: 11000 })
    rows.set(id, asStored(document))
  }

  function update(found: [string, Fields][], { $set = {}, $inc = {}, ...unknown }: Change) {
    if (Object.keys(unknown).length > 0) throw new Error('only $set and $inc are known here')
    for (const [id, row] of found) {
      const sums = Object.entries($inc).map(([name, by]) => [name, Number(row[name]) + by])
      rows.set(id, { ...row, ...asStored($set), ...Object.fromEntries(sums) })
    }
    return {
      matchedCount: found.length,
      modifiedCount: found.filter(([, row]) => !matches(row, $set)).length,
    }
  }

  function remove(found: [string, Fields][]) {
    for (const [id] of found) rows.delete(id)
    return { deletedCount: found.length }
  }

  const first = (filter: Fields) => matching(filter).slice(0, 1)
  return {
    insertOne: (document: Fields, within?: Within) => operation(within, () => insert(document)),
    insertMany: (documents: Fields[], within?: Within) =>
      operation(within, () => documents.forEach(insert)),
    findOne: (filter: Fields, within?: Within) =>
      operation(within, () => structuredClone(first(filter)[0]?.[1] ?? null)),
    find: (filter: Fields, options?: Within) =>
      cursor(() => operation(options, () => matching(filter).map(([, row]) => row))),
    countDocuments: (filter: Fields, within?: Within) =>
      operation(within, () => matching(filter).length),
    findOneAndUpdate: (filter: Fields, change: Change, options: Within) =>
      operation(options, () => {
        const [found] = first(filter)
        if (found === undefined) return null
        update([found], change)
        return structuredClone(rows.get(found[0]))
      }),
    findOneAndDelete: (filter: Fields, within?: Within) =>
      operation(within, () => {
        const [found] = first(filter)
        if (found === undefined) return null
        remove([found])
        return found[1]
      }),
    updateOne: (filter: Fields, change: Change, within?: Within) =>
      operation(within, () => update(first(filter), change)),
    updateMany: (filter: Fields, change: Change, within?: Within) =>
      operation(within, () => update(matching(filter), change)),
    // Two upserts at once may both find nothing: the second is refused, as by MongoDB.
    async replaceOne(
      filter: { _id: { $eq: string } },
      document: Fields,
      { upsert, ...within }: { upsert: true } & Within,
    ) {
      const row = { _id: filter._id.$eq, ...document }
      const replaced = await operation(within, () => {
        const [found] = first(filter)
        if (found !== undefined) rows.set(found[0], structuredClone(row))
        return found !== undefined
      })
      if (!replaced) await operation(within, () => insert(row))
    },
    deleteOne: (filter: Fields, within?: Within) => operation(within, () => remove(first(filter))),
    deleteMany: (filter: Fields, within?: Within) =>
      operation(within, () => remove(matching(filter))),
    async createIndexes(wanted: { key: Fields }[]) {
      indexes.push(...wanted.map(({ key }): [string, string] => [name, Object.keys(key).join()]))
    },
  }
}

// Texts become UTF-8: half a character is replaced, as by the driver.
function asStored<T>(value: T): T {
  if (typeof value === 'string') return Buffer.from(value).toString() as T
  if (typeof value !== 'object' || value === null || value instanceof Date)
    return structuredClone(value)
  if (Array.isArray(value)) return value.map(asStored) as T
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, asStored(field)]),
  ) as T
}

function cursor(read: () => Promise<Fields[]>, order: string[] = [], most = 0) {
  return {
    sort: (fields: Fields) => cursor(read, Object.keys(fields), most),
    limit: (count: number) => cursor(read, order, count),
    async toArray() {
      const sorted = (await read()).sort((one, other) => {
        const field = order.find((name) => compare(one[name], other[name]) !== 0)
        return field === undefined ? 0 : (compare(one[field], other[field]) ?? 0)
      })
      // As in MongoDB, 0 is no limit.
      return structuredClone(most === 0 ? sorted : sorted.slice(0, most))
    },
  }
}

function matches(row: Fields, filter: Fields): boolean {
  return Object.entries(filter).every(([path, condition]) => {
    const value = path
      .split('.')
      .reduce<unknown>((found, name) => (found as Fields | null | undefined)?.[name], row)
    if (!isOperators(condition)) return isEqual(value, condition)
    return Object.entries(condition).every(([name, operand]) => apply(name, value, operand))
  })
}

function isOperators(condition: unknown): condition is Fields {
  return (
    typeof condition === 'object' &&
    condition !== null &&
    Object.keys(condition).length > 0 &&
    Object.keys(condition)[0]?.[0] === '$'
  )
}

function apply(operator: string, value: unknown, operand: unknown): boolean {
  const order = compare(value, operand)
  const operators: Record<string, () => boolean> = {
    $eq: () => isEqual(value, operand),
    $ne: () => !isEqual(value, operand),
    $in: () => (operand as unknown[]).some((one) => isEqual(value, one)),
    $gt: () => order !== null && order > 0,
    $lt: () => order !== null && order < 0,
    $lte: () => order !== null && order <= 0,
  }
  const known = operators[operator]
  if (known === undefined) throw new Error(`${operator} is not known here`)
  return known()
}

// To MongoDB a missing field equals null, and documents are compared field by field in their order.
function isEqual(value: unknown, other: unknown): boolean {
  const asked = asStored(other)
  return (
    isDeepStrictEqual(value ?? null, asked) &&
    JSON.stringify(value ?? null) === JSON.stringify(asked)
  )
}

/** Null where MongoDB does not compare: values of different types. */
function compare(one: unknown, other: unknown): number | null {
  const [left, right] = [one, other].map((value) =>
    value instanceof Date ? value.getTime() : value,
  )
  if (
    one instanceof Date !== other instanceof Date ||
    typeof left !== typeof right ||
    left === null ||
    right === null
  )
    return null
  if (left === right) return 0
  // As the simple collation has it: by bytes.
  if (typeof left === 'string')
    return Buffer.compare(Buffer.from(left), Buffer.from(right as string))
  return (left as number) < (right as number) ? -1 : 1
}
