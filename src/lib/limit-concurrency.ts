/**
 * Makes a gate that lets so many pieces of work run at once; the others wait in the order they
 * came.
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
      // The place is handed on, not given back: a caller that comes in this moment must not
      // overtake those that wait.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
