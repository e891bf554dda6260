import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { AuthError } from '../errors.js'
import type { CompareTask, HashTask } from './bcrypt-worker.js'

/** Runs hashing work, a bounded number at a time, with a bounded number waiting. */
export interface HashingPool {
  hash(task: HashTask): Promise<string>
  compare(task: CompareTask): Promise<boolean>
  /** Lets what was accepted finish, refuses what comes after, ends the threads. */
  close(): Promise<void>
}

/** How large the pool is. */
export interface HashingPoolSettings {
  readonly threads: number
  readonly maxQueue: number
  /** Seconds until a full queue has been worked off; what a refused client is told to wait. */
  readonly drainSeconds: number
  /** Where the compiled worker lies; default: beside this file. */
  readonly workerUrl: URL | undefined
}

type Work = 'hash' | 'compare'

interface Runner {
  run(name: Work, task: HashTask | CompareTask): Promise<unknown>
  close(): Promise<void>
}

/**
 * Makes a pool of worker threads, started with the first task. Where the worker file is not to be found, as in a bundle,
 * hashing happens on the main thread, one at a time, and one process warning says so.
 */
export function createHashingPool(settings: HashingPoolSettings): HashingPool {
  let waiting = 0
  let closed = false
  let runner: Runner | undefined

  async function run(name: Work, task: HashTask | CompareTask): Promise<unknown> {
    // Refused before anything is queued: a client that waits longer than it would retry only adds to the storm.
    if (waiting >= settings.maxQueue + settings.threads) throw overloaded(settings.drainSeconds, 'the hashing queue is full')
    waiting += 1
    try {
      if (closed) throw new Error('the hasher is closed')
      runner ??= startRunner(settings)
      return await runner.run(name, task)
    } catch (cause) {
      throw overloaded(1, 'hashing failed', cause)
    } finally {
      waiting -= 1
    }
  }

  return {
    hash: (task) => run('hash', task) as Promise<string>,
    compare: (task) => run('compare', task) as Promise<boolean>,
    close: async () => {
      closed = true
      await runner?.close()
    },
  }
}

function startRunner(settings: HashingPoolSettings): Runner {
  const filename = workerFile(settings.workerUrl)
  return filename === null ? mainThread() : workerThreads(filename, settings)
}

function overloaded(retryAfter: number, message: string, cause?: unknown): AuthError {
  return new AuthError('temporarily-unavailable', { retryAfter, message, cause })
}

// `import.meta.url` is empty in a CommonJS bundle, where `new URL` throws; a missing file means an ESM bundle.
function workerFile(url: URL | undefined): string | null {
  try {
    const filename = fileURLToPath(url ?? new URL('./bcrypt-worker.js', import.meta.url))
    return existsSync(filename) ? filename : null
  } catch {
    return null
  }
}

function workerThreads(filename: string, { threads, maxQueue }: HashingPoolSettings): Runner {
  const pool = new Piscina({
    filename,
    minThreads: threads,
    maxThreads: threads,
    maxQueue: maxQueue + threads,
    // A worker needs no secret that the environment may hold, and no flag the host was started with.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 64 },
  })
  return { run: (name, task) => pool.run(task, { name }), close: () => pool.close() }
}

function mainThread(): Runner {
  process.emitWarning(
    'The password worker file was not found, so passwords are hashed on the main thread: every login stalls the server.',
    {
      code: 'MAR_HASHING_ON_MAIN_THREAD',
      detail: 'Keep messaging-auth-router out of the bundle (mark it external), or pass bcryptHasher({ workerUrl }).',
    },
  )
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(name, task) {
      const result = last.then(async () => {
        const worker = await import('./bcrypt-worker.js')
        return name === 'hash' ? worker.hash(task as HashTask) : worker.compare(task as CompareTask)
      })
      last = result.catch(() => {})
      return result
    },
    close: async () => void (await last),
  }
}
