import { withTimeout } from '../lib/host-call.js'
import { createKeyReader, type KeyReaderDeps } from './key-reader.js'
import type { FoundRows } from './stored-row.js'

/** How often each process reads the store, in seconds. */
export const reloadSeconds = 60
/**
 * How long a signature waits for news of the keys before it goes by what is known, in milliseconds.
 */
const maxWaitMs = 250

/** The generations of a ring, by age, as one process knows them. */
export interface KeyRows {
  /** Reads the store now. */
  reload(): Promise<FoundRows>
  /**
   * What is known, and for a `kid` that is known at once: the store is then read in the background,
   * every minute; what is older than two is read anew first, if the store answers. One that is not
   * known is looked for in the store, and rejects while the store fails: to say "unknown" it must
   * have looked.
   */
  rowsFor(kid: string | undefined): Promise<FoundRows>
}

/** Decides who waits for the key store. */
export function createKeyRows(deps: KeyReaderDeps): KeyRows {
  const reader = createKeyReader(deps)
  const isWithin = (seconds: number, moment: Date) =>
    Math.abs(deps.clock().getTime() - moment.getTime()) < seconds * 1000

  function known(found: FoundRows): FoundRows {
    if (!reader.isReading && !isWithin(1, reader.lastTry)) reader.readTogether().catch(() => {})
    return found
  }

  // A process that had nothing to do may have missed a new key, and asks before it signs; but not a
  // store that has just failed.
  async function freshIfPossible(found: FoundRows): Promise<FoundRows> {
    const { failure } = reader
    if (failure !== undefined && isWithin(reloadSeconds, failure.at)) return known(found)
    return withTimeout(reader.readTogether, maxWaitMs).catch(() => found)
  }

  // It may have been made by another process a moment ago. But a stranger who invents kids must
  // not have the store read for each of them.
  async function forUnknown(found: FoundRows): Promise<FoundRows> {
    if (reader.isReading || !isWithin(1, reader.lastTry)) return reader.readTogether()
    if (reader.failure !== undefined) throw reader.failure.error
    return found
  }

  return {
    // Never one that is under way: it may miss a key that the caller has just added.
    reload: reader.read,
    async rowsFor(kid) {
      if (reader.loaded === undefined) return reader.readTogether()
      const { found, at } = reader.loaded
      const isKnown = kid === undefined || found.rows.some((row) => row.kid === kid)
      if (!isKnown) return forUnknown(found)
      if (isWithin(reloadSeconds, at)) return found
      // A key may have been taken out: a process that had nothing to do must not go by it.
      const isStale = !isWithin(2 * reloadSeconds, at)
      return kid === undefined || isStale ? freshIfPossible(found) : known(found)
    },
  }
}
