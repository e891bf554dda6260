/**
 * At most `concurrency` pieces of work run at once; the others wait in order of arrival.
 */
export function limitConcurrency(concurrency: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async function runInTurn(work) {
    if (running >= concurrency) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      // Passes the place on without releasing it, so that a newcomer cannot overtake the queue.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
