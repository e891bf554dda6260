import cluster from 'node:cluster'
import { AuthConfigError } from '../errors.js'

/**
 * Warns in production, where a restart forgets everything.
 *
 * @throws AuthConfigError in a cluster worker
 */
export function checkMemoryIsEnough(factory: string): void {
  if (cluster.isWorker) {
    throw new AuthConfigError(
      `${factory}()`,
      'this is a cluster worker, and memory is not shared between workers.',
      'use a store that all workers reach.',
    )
  }
  if (process.env['NODE_ENV'] !== 'production') return
  process.emitWarning(
    `${factory}() forgets everything at a restart and works for a single process only.`,
    { code: 'MAR_MEMORY_STORES_IN_PRODUCTION' },
  )
}
