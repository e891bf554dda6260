import { z } from 'zod'
import { UnexpectedAnswer, withTimeout } from '../lib/host-call.js'
import type { KeyStore, StoredSigningKey } from './contract.js'
import type { RingReport } from './list-ring.js'

/** How often each process reads the store, in seconds. */
export const reloadSeconds = 60
/** How long signing waits for a fresh read before it uses the known keys, in milliseconds. */
const maxWaitMs = 250

/** The generations of a ring, oldest first, as one process knows them. */
export interface KeyRows {
  /** Reads the store now. */
  reload(): Promise<FoundRows>
  /**
   * The keys in memory. For a known `kid` it answers at once; every minute it also reads the store
   * in the background. Keys read more than two minutes ago are read again first, if the store
   * answers. For an unknown `kid` it reads the store, and rejects while the store fails: only a
   * read can tell that a key does not exist.
   */
  rowsFor(kid: string | undefined): Promise<FoundRows>
}

export interface KeyRowsSettings {
  readonly store: RowStore
  readonly clock: () => Date
  /** Milliseconds before a call of the store counts as failed. */
  readonly timeoutMs: number
  /** Called if the store has never had a key: makes the first one, or throws. */
  readonly onEmpty: () => Promise<unknown>
  readonly report: RingReport
}

/** Decides which callers wait for the store. */
export function createKeyRows(settings: KeyRowsSettings): KeyRows {
  const reader = createKeyReader(settings)
  const isWithin = (seconds: number, moment: Date) =>
    Math.abs(settings.clock().getTime() - moment.getTime()) < seconds * 1000

  function known(found: FoundRows): FoundRows {
    if (!reader.isReading && !isWithin(1, reader.lastTry)) reader.readTogether().catch(() => {})
    return found
  }

  // An idle process may have missed a new key, so it reads before it signs, unless the store has
  // just failed.
  async function freshIfPossible(found: FoundRows): Promise<FoundRows> {
    const { failure } = reader
    if (failure !== undefined && isWithin(reloadSeconds, failure.at)) return known(found)
    return withTimeout(reader.readTogether, maxWaitMs).catch(() => found)
  }

  // Another process may have just made the key. At most one read a second: an attacker may invent
  // kids.
  async function forUnknown(found: FoundRows): Promise<FoundRows> {
    if (reader.isReading || !isWithin(1, reader.lastTry)) return reader.readTogether()
    if (reader.failure !== undefined) throw reader.failure.error
    return found
  }

  return {
    // Never shares a running read, which may miss a key that the caller has just added.
    reload: reader.read,
    async rowsFor(kid) {
      if (reader.loaded === undefined) return reader.readTogether()
      const { found, at } = reader.loaded
      const isKnown = kid === undefined || found.rows.some((row) => row.kid === kid)
      if (!isKnown) return forUnknown(found)
      if (isWithin(reloadSeconds, at)) return found
      // A key may have been retired: an idle process must not keep using it.
      const isStale = !isWithin(2 * reloadSeconds, at)
      return kid === undefined || isStale ? freshIfPossible(found) : known(found)
    },
  }
}

/** The last read of a key store, and its last failure. */
interface KeyReader {
  /** Undefined until the store has answered once. */
  readonly loaded: { readonly found: FoundRows; readonly at: Date } | undefined
  /** The failure of the last read; undefined if it succeeded. */
  readonly failure: { readonly error: unknown; readonly at: Date } | undefined
  /** Whether a shared read is running. */
  readonly isReading: boolean
  /** When `readTogether` was last called. */
  readonly lastTry: Date
  /** Reads the store now. */
  read(): Promise<FoundRows>
  /** Reads the store, or joins a running read. */
  readTogether(): Promise<FoundRows>
}

/**
 * Every read has a time limit, so that a store which once did not answer does not block later
 * callers.
 */
function createKeyReader(settings: KeyRowsSettings): KeyReader {
  const { clock, report } = settings
  let loaded: { found: FoundRows; at: Date; turn: number } | undefined
  let failed: { error: unknown; at: Date; turn: number } | undefined
  let turns = 0
  let reading: Promise<FoundRows> | undefined
  let lastTry = new Date(0)

  async function read(): Promise<FoundRows> {
    turns += 1
    const [turn, at] = [turns, clock()]
    try {
      const found = await listOrMakeFirst(settings, loaded !== undefined)
      // A slow read must not overwrite the result of a later one.
      if (loaded === undefined || turn > loaded.turn) loaded = { found, at, turn }
      report.storeIsWell()
      return found
    } catch (error) {
      if (failed === undefined || turn > failed.turn) failed = { error, at: clock(), turn }
      report.storeFailed(error)
      throw error
    }
  }

  return {
    get loaded() {
      return loaded
    },
    get failure() {
      return failed !== undefined && failed.turn > (loaded?.turn ?? 0) ? failed : undefined
    },
    get isReading() {
      return reading !== undefined
    },
    get lastTry() {
      return lastTry
    },
    read,
    readTogether() {
      lastTry = clock()
      reading ??= read().finally(() => {
        reading = undefined
      })
      return reading
    },
  }
}

async function listOrMakeFirst(
  { store, timeoutMs, onEmpty, report }: KeyRowsSettings,
  hadKeys: boolean,
): Promise<FoundRows> {
  const list = async () => readRows(await withTimeout(() => store.list(), timeoutMs))
  let found = await list()
  if (isEmpty(found)) {
    // A store that has lost its keys, by an unmounted folder for example, is an outage; new keys
    // would sign all users out.
    if (hadKeys) throw new UnexpectedAnswer('the key store has lost its keys')
    // One process makes the first key; the others find it.
    await onEmpty()
    found = await list()
    if (isEmpty(found))
      throw new UnexpectedAnswer('the key store does not show the key that was put into it')
  }
  for (const generation of found.damaged) report.unreadable(generation, 'is damaged')
  if (found.rows.length > 0) return found
  throw new UnexpectedAnswer(
    `the key store holds no whole key; generation ${highestGeneration(found)} is damaged`,
  )
}

function isEmpty({ rows, damaged }: FoundRows): boolean {
  return rows.length === 0 && damaged.length === 0
}

/** A key store whose rows are unchecked. */
export interface RowStore extends Omit<KeyStore, 'list'> {
  list(): Promise<unknown>
}

/** The valid keys of a store, oldest first, and the generations of damaged rows. */
export interface FoundRows {
  readonly rows: readonly StoredSigningKey[]
  readonly damaged: readonly number[]
}

const schema = z.object({
  generation: z.int().positive(),
  kid: z.string().min(1),
  sealedKey: z.string().min(1),
  createdAt: z.date(),
  activatesAt: z.date(),
})

/** Checks each row by itself: a damaged row does not affect the others. */
function readRows(listed: unknown): FoundRows {
  if (!Array.isArray(listed))
    throw new UnexpectedAnswer('the key store answered something that is not a list')
  const found = listed.map((row: unknown) => schema.safeParse(row))
  const rows = found
    .flatMap(({ data }) => (data === undefined ? [] : [data]))
    .sort((a, b) => a.generation - b.generation)
  return {
    rows,
    damaged: listed.filter((_row, i) => found[i]?.success === false).map(generationOf),
  }
}

/** The highest generation in use, by a key or by a damaged row. */
export function highestGeneration({ rows, damaged }: FoundRows): number {
  return Math.max(0, ...rows.map(({ generation }) => generation), ...damaged)
}

function generationOf(row: unknown): number {
  const generation: unknown = (row as { generation?: unknown } | null | undefined)?.generation
  return Number.isSafeInteger(generation) ? (generation as number) : 0
}
