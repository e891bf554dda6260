/** A cache with a maximum number of entries and a maximum age. */
export interface BoundedCache<Value> {
  get(key: string, now: Date): Value | undefined
  set(key: string, value: Value, now: Date): void
  /** Replaces a value and keeps its age. */
  update(key: string, value: Value): void
  delete(key: string): void
  /** Deletes the entries that pass the test. Visits every entry. */
  deleteWhere(test: (value: Value) => boolean): void
  readonly size: number
}

/** At most `maxEntries` entries, none older than `maxAgeSeconds`. Drops the oldest ones. */
export function boundedCache<Value>(
  maxEntries: number,
  maxAgeSeconds: number,
): BoundedCache<Value> {
  const entries = new Map<string, { value: Value; at: number }>()
  const oldest = firstEntry(entries)
  return {
    get(key, now) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      const age = now.getTime() - entry.at
      // A negative age means that the clock was set back, so the true age is unknown.
      if (age >= 0 && age < maxAgeSeconds * 1000) return entry.value
      entries.delete(key)
      return undefined
    },
    set(key, value, now) {
      // Deleted first, so that the map is ordered by age.
      entries.delete(key)
      entries.set(key, { value, at: now.getTime() })
      // Also drops expired entries: entries that nobody reads again would fill the cache.
      for (let first = oldest(); first !== undefined; first = oldest()) {
        const [key, { at }] = first
        if (entries.size <= maxEntries && now.getTime() - at < maxAgeSeconds * 1000) break
        entries.delete(key)
      }
    },
    update(key, value) {
      const entry = entries.get(key)
      if (entry !== undefined) entry.value = value
    },
    delete: (key) => void entries.delete(key),
    deleteWhere(test) {
      for (const [key, { value }] of entries) if (test(value)) entries.delete(key)
    },
    get size() {
      return entries.size
    },
  }
}

/**
 * Returns a function that returns the oldest entry, or undefined for an empty map.
 *
 * Deletions leave holes in a map, and each new iterator skips all of them: a quarter of a
 * millisecond for a map of 250,000 entries whose oldest is removed repeatedly. A kept iterator
 * skips each hole once. To replace an entry, delete it first and set another object.
 */
export function firstEntry<Key, Value extends object>(
  map: ReadonlyMap<Key, Value>,
): () => [Key, Value] | undefined {
  const next = nextEntry(map)
  let first: [Key, Value] | undefined
  return function oldest() {
    while (first === undefined || map.get(first[0]) !== first[1]) {
      first = next()
      if (first === undefined) return undefined
    }
    return first
  }
}

/**
 * Returns a function that returns one entry after the other and starts again after the last;
 * undefined for an empty map.
 */
export function nextEntry<Key, Value>(
  map: ReadonlyMap<Key, Value>,
): () => [Key, Value] | undefined {
  let entries = map.entries()
  return function nextInTurn() {
    const next = entries.next()
    if (next.done !== true) return next.value
    entries = map.entries()
    return entries.next().value
  }
}
