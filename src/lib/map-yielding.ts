import { setImmediate } from 'node:timers/promises'

/** Milliseconds before it yields. */
const turn = 2

/** Maps items with costly work and yields to the event loop in between. */
export async function mapYielding<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  let began = performance.now()
  for (const item of items) {
    if (performance.now() - began >= turn) {
      await setImmediate()
      began = performance.now()
    }
    results.push(work(item))
  }
  return results
}
