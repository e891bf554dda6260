import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { AuthError } from '../errors.js'
import { limitConcurrency } from '../lib/async.js'
import type { CompareTask, HashTask } from './bcrypt-worker.js'

/** Runs hashing work in threads, a bounded number at a time. */
export interface HashingPool {
  hash(task: HashTask): Promise<string>
  compare(task: CompareTask): Promise<boolean>
  /** Starts the threads and does not wait for them. */
  prepare(): void
  /** Finishes accepted work, refuses new work, ends the threads. */
  close(): Promise<void>
}

/** Settings of the pool. */
export interface HashingPoolSettings {
  readonly threads: number
  /** The compiled worker; default: beside this file. */
  readonly workerUrl: URL | undefined
}

type Work = 'hash' | 'compare'

interface Runner {
  run(name: Work, task: HashTask | CompareTask): Promise<unknown>
  close(): Promise<void>
}

/** Milliseconds for one password, about ten times the need of the highest cost. */
const timeLimit = 20_000

/**
 * A pool of worker threads, started by `prepare` or by the first task. If the worker file is
 * missing, as in a bundle, hashing runs on the main thread, one at a time, and a process warning
 * says so once.
 */
export function createHashingPool(settings: HashingPoolSettings): HashingPool {
  const accepted = new Set<Promise<unknown>>()
  let closed = false
  let starting: Promise<Runner> | undefined

  function start(): Promise<Runner> {
    starting ??= startRunner(settings).catch((cause: unknown) => {
      // The next password starts them again.
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
      // Without the file there are no threads; the first password warns of that.
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

// In a CommonJS bundle `import.meta.url` is empty and `new URL` throws; in an ESM bundle the file
// is missing.
function workerFile(url: URL | undefined): string | null {
  try {
    const filename = fileURLToPath(url ?? new URL('./bcrypt-worker.js', import.meta.url))
    return existsSync(filename) ? filename : null
  } catch {
    return null
  }
}

async function workerThreads(filename: string, { threads }: HashingPoolSettings): Promise<Runner> {
  // Imported on demand: the router may never see a password.
  const { Piscina } = await import('piscina')
  const pool = new Piscina({
    filename,
    minThreads: threads,
    maxThreads: threads,
    // Workers need neither the secrets in the environment nor the host's flags.
    env: {},
    execArgv: loaderOfPnP(filename),
    resourceLimits: { maxOldGenerationSizeMb: 64 },
  })
  const inHand = new Set<AbortController>()
  // An idle thread may die with an error, which without a listener would end the process.
  pool.once('error', warnOfThreads).on('error', () => {})
  // Threads that die before they are ready, in a bundle without bcryptjs for example, are not
  // replaced, so pending work would never finish.
  pool.on('workerDestroy', () =>
    queueMicrotask(() => pool.threads.length === 0 && abortAll(inHand)),
  )

  async function run(name: Work, task: HashTask | CompareTask): Promise<unknown> {
    // The pool replaces the thread of aborted work; a hanging thread would be lost otherwise.
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

  // Nothing waits inside the pool, so the time limit covers only the work.
  const oneEach = limitConcurrency(threads)
  return { run: (name, task) => oneEach(() => run(name, task)), close: () => pool.close() }
}

// Only the code is logged: the message of a thread may quote its input.
function warnOfThreads(error: { readonly code?: unknown; readonly name?: unknown }): void {
  process.emitWarning(
    `A thread that hashes passwords has died (${String(error.code ?? error.name)}): while none ` +
      'is left, every sign-in is answered 503.',
    { code: 'MAR_HASHING_THREAD_DIED', detail: 'Can it load bcryptjs from where its file is?' },
  )
}

// Yarn Plug'n'Play has its packages in archives: a thread needs its loader to find any.
function loaderOfPnP(filename: string): string[] {
  if (process.versions['pnp'] === undefined) return []
  const loader = createRequire(filename).resolve('pnpapi')
  const ofModules = join(dirname(loader), '.pnp.loader.mjs')
  const more = existsSync(ofModules) ? ['--experimental-loader', pathToFileURL(ofModules).href] : []
  return ['--require', loader, ...more]
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
