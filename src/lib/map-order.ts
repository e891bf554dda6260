/**
 * Answers a function that answers the entry which has been in the map for longest, and undefined for an empty map.
 *
 * A new iterator passes over every place that a deletion has left, so that a map of 250,000 from which the oldest is taken again and
 * again needs a quarter of a millisecond each time. One that is kept passes over each place once. An entry that is set anew must be
 * deleted first and be another object.
 */
export function firstEntry<Key, Value extends object>(map: ReadonlyMap<Key, Value>): () => [Key, Value] | undefined {
  const next = nextEntry(map)
  let first: [Key, Value] | undefined
  return () => {
    while (first === undefined || map.get(first[0]) !== first[1]) {
      first = next()
      if (first === undefined) return undefined
    }
    return first
  }
}

/** Answers a function that answers one entry after the other, and begins anew after the last; undefined for an empty map. */
export function nextEntry<Key, Value>(map: ReadonlyMap<Key, Value>): () => [Key, Value] | undefined {
  let entries = map.entries()
  return () => {
    const next = entries.next()
    if (next.done !== true) return next.value
    entries = map.entries()
    return entries.next().value
  }
}
