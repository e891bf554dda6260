import { firstEntry } from './map-order.js'

/** A cache that is bounded in entries and in age. */
export interface BoundedCache<Value> {
  get(key: string, now: Date): Value | undefined
  set(key: string, value: Value, now: Date): void
  /** Replaces a value without making it younger. */
  update(key: string, value: Value): void
  delete(key: string): void
  /** Deletes what the test holds for. Looks at every entry. */
  deleteWhere(test: (value: Value) => boolean): void
  readonly size: number
}

/** Makes a cache of at most `maxEntries`, none older than `maxAgeSeconds`. The oldest make room. */
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
      // A negative age: the clock was set back, and how old the entry really is cannot be known.
      if (age >= 0 && age < maxAgeSeconds * 1000) return entry.value
      entries.delete(key)
      return undefined
    },
    set(key, value, now) {
      // Deleted first, so that the map's order is the order of age.
      entries.delete(key)
      entries.set(key, { value, at: now.getTime() })
      // What is too old to be answered goes as well, or what is never asked for again would fill
      // all the room there is.
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
