import { availableParallelism } from 'node:os'
import { limitConcurrency } from '../../lib/async.js'

/**
 * How many hashes run in Node's thread pool at once. One thread stays free: the same pool reads
 * files and resolves host names, which would wait behind passwords.
 */
export const threadPoolRoom: number = Math.max(1, Math.min(availableParallelism(), poolSize() - 1))

/** Runs work in that pool. One gate for the process, since there is one pool. */
export const inThreadPool: <T>(work: () => Promise<T>) => Promise<T> =
  limitConcurrency(threadPoolRoom)

// Like libuv: 4 by default, at most 1024.
function poolSize(): number {
  const size = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4)
  return Number.isSafeInteger(size) && size > 0 ? Math.min(size, 1024) : 4
}
