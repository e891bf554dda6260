import { availableParallelism } from 'node:os'
import { limitConcurrency } from '../../lib/limit-concurrency.js'

/**
 * How much hashing the thread pool of Node does at once. One thread is always left over: files and
 * names of hosts are read by the same pool, and would wait behind passwords.
 */
export const threadPoolRoom: number = Math.max(1, Math.min(availableParallelism(), poolSize() - 1))

/** Runs work in that pool. One gate for the process, because there is one pool. */
export const inThreadPool: <T>(work: () => Promise<T>) => Promise<T> =
  limitConcurrency(threadPoolRoom)

// As libuv reads it: 4 where nothing is said, and never more than 1024.
function poolSize(): number {
  const size = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4)
  return Number.isSafeInteger(size) && size > 0 ? Math.min(size, 1024) : 4
}
