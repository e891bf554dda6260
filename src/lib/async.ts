import { setImmediate } from 'node:timers/promises'

/**
 * A value, or the promise of one. Where requests pass in thousands, `instanceof Promise` comes
 * before `await`, which would make two promises of a value that is there already.
 */
export type Soon<Value> = Value | Promise<Value>

/** What follows a value: at once, or when its promise is fulfilled. */
export function soon<Value, Result>(
  value: Soon<Value>,
  next: (value: Value) => Soon<Result>,
): Soon<Result> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/**
 * For a promise that is not awaited: its rejection must not end the process.
 */
export function forgetRejection(answer: unknown): void {
  if (answer instanceof Promise) answer.catch(() => {})
}

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

/**
 * Starts several callers at the same moment and resolves with the indexes of the winners. Waits for
 * all of them, so that none is still writing afterwards; rejects with the first failure.
 */
export async function raceWinners(
  callers: number,
  attempt: (caller: number) => Promise<boolean>,
): Promise<number[]> {
  const results = await Promise.allSettled(
    Array.from({ length: callers }, async (_none, caller) => attempt(caller)),
  )
  return results.flatMap((result, caller) => {
    if (result.status === 'rejected') throw result.reason
    return result.value ? [caller] : []
  })
}

/** Waits for work, but not longer than this. */
export async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([work, over])
  clearTimeout(timer)
}

/**
 * Makes a value at the first call, and only once. For schemas that most processes never need.
 */
export function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return function madeOnce() {
    made ??= { value: make() }
    return made.value
  }
}
