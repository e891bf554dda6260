import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { AuthError } from '../errors.js'
import { limitConcurrency } from '../lib/limit-concurrency.js'
import type { CompareTask, HashTask } from './bcrypt-worker.js'

/** Runs hashing work, a bounded number at a time. */
export interface HashingPool {
  hash(task: HashTask): Promise<string>
  compare(task: CompareTask): Promise<boolean>
  /** Starts the threads, without waiting for them. */
  prepare(): void
  /** Lets what was accepted finish, refuses what comes after, ends the threads. */
  close(): Promise<void>
}

/** How large the pool is. */
export interface HashingPoolSettings {
  readonly threads: number
  /** Where the compiled worker lies; default: beside this file. */
  readonly workerUrl: URL | undefined
}

type Work = 'hash' | 'compare'

interface Runner {
  run(name: Work, task: HashTask | CompareTask): Promise<unknown>
  close(): Promise<void>
}

/** Milliseconds a thread may take for one password, about ten times what the dearest cost needs. */
const timeLimit = 20_000

/**
 * Makes a pool of worker threads, started by `prepare`, or with the first task. Where the worker
 * file is not to be found, as in a bundle, hashing happens on the main thread, one at a time, and
 * one process warning says so.
 */
export function createHashingPool(settings: HashingPoolSettings): HashingPool {
  const accepted = new Set<Promise<unknown>>()
  let closed = false
  let starting: Promise<Runner> | undefined

  function start(): Promise<Runner> {
    starting ??= startRunner(settings).catch((cause: unknown) => {
      // The next password tries again.
      starting = undefined
      throw cause
    })
    return starting
  }

  async function run(name: Work, task: HashTask | CompareTask): Promise<unknown> {
    if (closed) throw unavailable('the hasher is closed')
    const work = start().then((runner) => runner.run(name, task))
    accepted.add(work)
    try {
      return await work
    } catch (cause) {
      throw unavailable('hashing failed', cause)
    } finally {
      accepted.delete(work)
    }
  }

  return {
    prepare() {
      // Without the file there are no threads, and the first password says so.
      if (!closed && workerFile(settings.workerUrl) !== null) start().catch(() => {})
    },
    hash: (task) => run('hash', task) as Promise<string>,
    compare: (task) => run('compare', task) as Promise<boolean>,
    close: async () => {
      closed = true
      await Promise.allSettled(accepted)
      const runner = await starting?.catch(() => undefined)
      await runner?.close()
    },
  }
}

async function startRunner(settings: HashingPoolSettings): Promise<Runner> {
  const filename = workerFile(settings.workerUrl)
  return filename === null ? mainThread() : workerThreads(filename, settings)
}

function unavailable(message: string, cause?: unknown): AuthError {
  return new AuthError('temporarily-unavailable', { retryAfter: 1, message, cause })
}

// `import.meta.url` is empty in a CommonJS bundle, where `new URL` throws; a missing file means an
// ESM bundle.
function workerFile(url: URL | undefined): string | null {
  try {
    const filename = fileURLToPath(url ?? new URL('./bcrypt-worker.js', import.meta.url))
    return existsSync(filename) ? filename : null
  } catch {
    return null
  }
}

async function workerThreads(filename: string, { threads }: HashingPoolSettings): Promise<Runner> {
  // Not with the router, which may never see a password.
  const { Piscina } = await import('piscina')
  const pool = new Piscina({
    filename,
    minThreads: threads,
    maxThreads: threads,
    // A worker needs no secret that the environment may hold, and no flag the host was started
    // with.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 64 },
  })
  const inHand = new Set<AbortController>()
  // The error of a thread that dies while it has nothing to do. Without a listener it would end the
  // process.
  pool.on('error', () => {})
  // Threads that die before they are ready, as from a bundle that lacks bcryptjs, are not replaced:
  // what the pool holds then would never be answered.
  pool.on('workerDestroy', () =>
    queueMicrotask(() => pool.threads.length === 0 && abortAll(inHand)),
  )

  async function run(name: Work, task: HashTask | CompareTask): Promise<unknown> {
    // The pool ends the thread of work that is aborted and starts another: a thread that hangs
    // would be lost otherwise.
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), timeLimit).unref()
    inHand.add(limit)
    try {
      return await pool.run(task, { name, signal: limit.signal })
    } finally {
      clearTimeout(timer)
      inHand.delete(limit)
    }
  }

  // Nothing waits inside the pool, so the time limit is for the work alone.
  const oneEach = limitConcurrency(threads)
  return { run: (name, task) => oneEach(() => run(name, task)), close: () => pool.close() }
}

function abortAll(controllers: Iterable<AbortController>): void {
  for (const controller of controllers) controller.abort()
}

function mainThread(): Runner {
  process.emitWarning(
    'The password worker file was not found, so passwords are hashed on the main thread: every ' +
      'login stalls the server.',
    {
      code: 'MAR_HASHING_ON_MAIN_THREAD',
      detail:
        'Keep messaging-auth-router out of the bundle (mark it external), or pass ' +
        'bcryptHasher({ workerUrl }).',
    },
  )
  const oneAtATime = limitConcurrency(1)
  return {
    run: (name, task) =>
      oneAtATime(async () => {
        const worker = await import('./bcrypt-worker.js')
        return name === 'hash' ? worker.hash(task as HashTask) : worker.compare(task as CompareTask)
      }),
    close: async () => {},
  }
}
