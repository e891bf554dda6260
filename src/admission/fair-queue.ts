/** A queue in which sources take turns; within a source it is first come, first served. */
export interface FairQueue<Entry extends object> {
  add(source: string, entry: Entry): void
  /** Removes the entry whose turn it is. */
  take(): Entry | undefined
  /** Removes an entry; false if it was not in the queue. */
  remove(source: string, entry: Entry): boolean
  /**
   * Makes room for one more entry of this source: removes the newest entry of the longest source,
   * if that source keeps at least as many entries as the newcomer then has. Undefined if the
   * newcomer already has its share.
   */
  makeRoomFor(source: string): Entry | undefined
  /** Removes the newest entry of the longest source. */
  takeNewestOfLongest(): Entry | undefined
  /** Number of entries of this source. */
  countOf(source: string): number
  readonly size: number
  /** Number of sources with entries. */
  readonly sources: number
}

/** Forgets sources without entries, so memory is proportional to the entries. */
export function createFairQueue<Entry extends object>(): FairQueue<Entry> {
  // The map is in the order of turns, each set in the order of arrival.
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
        // The source moves to the end, however many entries it still has.
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
      // After the exchange the newcomer must not have more than the other; otherwise two sources
      // would displace each other forever.
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
