/** Counts things under way by key. A key at zero is forgotten, so the tally is as large as what is under way. */
export interface Tally {
  add(key: string): void
  remove(key: string): void
  has(key: string): boolean
}

/** Makes an empty tally. */
export function createTally(): Tally {
  const counts = new Map<string, number>()
  return {
    add: (key) => void counts.set(key, (counts.get(key) ?? 0) + 1),
    remove(key) {
      const left = (counts.get(key) ?? 0) - 1
      if (left > 0) counts.set(key, left)
      else counts.delete(key)
    },
    has: (key) => counts.has(key),
  }
}
