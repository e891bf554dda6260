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
