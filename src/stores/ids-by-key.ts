/** The ids of rows by what they are found by, in memory. */
export interface IdsByKey {
  of(key: string): string[]
  count(key: string): number
  /** Undefined: of nobody, and not kept. */
  add(key: string | undefined, id: string): void
  delete(key: string | undefined, id: string): void
}

/** An index that holds nothing for a key without rows. */
export function idsByKey(): IdsByKey {
  const idsOf = new Map<string, Set<string>>()
  return {
    of: (key) => [...(idsOf.get(key) ?? [])],
    count: (key) => idsOf.get(key)?.size ?? 0,
    add(key, id) {
      if (key !== undefined) idsOf.set(key, (idsOf.get(key) ?? new Set()).add(id))
    },
    delete(key, id) {
      if (key === undefined) return
      const ids = idsOf.get(key)
      ids?.delete(id)
      if (ids?.size === 0) idsOf.delete(key)
    },
  }
}
