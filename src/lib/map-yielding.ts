import { setImmediate } from 'node:timers/promises'

/** Milliseconds before it yields. */
const turn = 2

/**
 * Maps items with costly work and yields to the event loop in between, before the first and after
 * the last: what had to be done to have the items, and what is done with the results, take turns of
 * their own.
 */
export async function mapYielding<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  let began = Number.NEGATIVE_INFINITY
  for (const item of items) {
    if (performance.now() - began >= turn) {
      await setImmediate()
      began = performance.now()
    }
    results.push(work(item))
  }
  await setImmediate()
  return results
}
