import { UnexpectedAnswer, withTimeout } from '../lib/host-call.js'
import type { RingReport } from './ring-report.js'
import { type FoundRows, highestGeneration, type RowStore, readRows } from './stored-row.js'

/** What one process has read of a key store, and how its last try went. */
export interface KeyReader {
  /** Undefined until the store has answered once. */
  readonly loaded: { readonly found: FoundRows; readonly at: Date } | undefined
  /** Of the last try; undefined when the store was well. */
  readonly failure: { readonly error: unknown; readonly at: Date } | undefined
  /** Whether callers of `readTogether` share a read just now. */
  readonly isReading: boolean
  /** When `readTogether` was last called. */
  readonly lastTry: Date
  /** Reads the store now. */
  read(): Promise<FoundRows>
  /** The same, once for all who ask while it is under way. */
  readTogether(): Promise<FoundRows>
}

export interface KeyReaderDeps {
  readonly store: RowStore
  readonly clock: () => Date
  /** Milliseconds before a call of the store counts as failed. */
  readonly timeoutMs: number
  /** The store has never had a key: makes the first one, or throws. */
  readonly onEmpty: () => Promise<unknown>
  readonly report: RingReport
}

/**
 * Reads a key store. Every read ends in time, so that a store which did not answer once keeps
 * no later caller waiting.
 */
export function createKeyReader(deps: KeyReaderDeps): KeyReader {
  const { clock, report } = deps
  let loaded: { found: FoundRows; at: Date; turn: number } | undefined
  let failed: { error: unknown; at: Date; turn: number } | undefined
  let turns = 0
  let reading: Promise<FoundRows> | undefined
  let lastTry = new Date(0)

  async function read(): Promise<FoundRows> {
    turns += 1
    const [turn, at] = [turns, clock()]
    try {
      const found = await listOrMakeFirst(deps, loaded !== undefined)
      // A slow read that began earlier must not put its old news in the place of newer ones.
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
  { store, timeoutMs, onEmpty, report }: KeyReaderDeps,
  hadKeys: boolean,
): Promise<FoundRows> {
  const list = async () => readRows(await withTimeout(() => store.list(), timeoutMs))
  let found = await list()
  if (isEmpty(found)) {
    // A store that has lost its keys, as when a folder is unmounted, is an outage; new keys would
    // sign all users out.
    if (hadKeys) throw new UnexpectedAnswer('the key store has lost its keys')
    // The first process to come makes the first key; the others find it.
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
