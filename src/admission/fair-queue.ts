/** Entries that wait, by source. Sources take turns; within one it is first come, first served. */
export interface FairQueue<Entry extends object> {
  add(source: string, entry: Entry): void
  /** The next whose turn it is. */
  take(): Entry | undefined
  /** Removes an entry that waits no more; false when it was not waiting. */
  remove(source: string, entry: Entry): boolean
  /**
   * Makes room for one more of this source: removes the newest entry of the source that has the
   * most, if that leaves it no worse off than the newcomer. Undefined when the newcomer has its
   * share already.
   */
  makeRoomFor(source: string): Entry | undefined
  /** Removes the newest entry of the source that has the most. */
  takeNewestOfLongest(): Entry | undefined
  /** How many of this source wait. */
  countOf(source: string): number
  readonly size: number
  /** How many sources wait. */
  readonly sources: number
}

/**
 * Makes an empty queue. A source that has nothing waiting is forgotten, so the queue is as large as
 * what is in it.
 */
export function createFairQueue<Entry extends object>(): FairQueue<Entry> {
  // The order of the map is the order of the turns; sets keep the order of arrival.
  const bySource = new Map<string, Set<Entry>>()
  let size = 0

  function remove(source: string, entry: Entry): boolean {
    const entries = bySource.get(source)
    if (entries?.delete(entry) !== true) return false
    if (entries.size === 0) bySource.delete(source)
    size -= 1
    return true
  }

  function longest(): [source: string, entries: Set<Entry>] | undefined {
    let found: [string, Set<Entry>] | undefined
    for (const turn of bySource)
      if (found === undefined || turn[1].size > found[1].size) found = turn
    return found
  }

  function takeNewest([source, entries]: [string, Set<Entry>]): Entry | undefined {
    const newest = [...entries].at(-1)
    if (newest !== undefined) remove(source, newest)
    return newest
  }

  return {
    add(source, entry) {
      const entries = bySource.get(source) ?? new Set()
      bySource.set(source, entries.add(entry))
      size += 1
    },
    take() {
      for (const [source, entries] of bySource) {
        const [next] = entries
        if (next === undefined) break
        // To the end of the turns, however many it still has waiting.
        bySource.delete(source)
        bySource.set(source, entries)
        remove(source, next)
        return next
      }
      return undefined
    },
    remove,
    makeRoomFor(source) {
      const most = longest()
      const own = bySource.get(source)?.size ?? 0
      // One more for the newcomer and one less for the other must not turn the tables, or two
      // sources would displace each other for ever.
      return most === undefined || own + 1 >= most[1].size ? undefined : takeNewest(most)
    },
    takeNewestOfLongest() {
      const most = longest()
      return most && takeNewest(most)
    },
    countOf: (source) => bySource.get(source)?.size ?? 0,
    get size() {
      return size
    },
    get sources() {
      return bySource.size
    },
  }
}
