import { randomUUID } from 'node:crypto'
import {
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { inTurns, type TokenStore } from '../token-store.js'

/** In bytes; a longer file was not written by this client. */
const longest = 65_536

/**
 * Stores the tokens in a file that only its owner may read (mode 0600), for the processes of one
 * user: a command line tool, a bot with several workers. One process at a time refreshes; the lock,
 * a folder beside the file, ends with its process.
 *
 * @param path of the file; a missing folder is created
 *
 * @example
 * ```ts
 * import { homedir } from 'node:os'
 * import { join } from 'node:path'
 * import { createAuthClient } from 'messaging-auth-router/client'
 * import { fileStore } from 'messaging-auth-router/client/node'
 *
 * const storage = fileStore(join(homedir(), '.config/chat/sign-in.json'))
 * const client = createAuthClient({ baseUrl: 'https://chat.example.com/api/v1', storage })
 * ```
 */
export function fileStore(path: string): TokenStore {
  const file = resolve(path)
  const lock = lockFolder(`${file}.lock`)
  // The folder locks out other processes; calls within this process take turns.
  const alone = inTurns()
  const makeFolder = () => mkdir(dirname(file), { recursive: true, mode: 0o700 })
  return {
    get: () => readText(file),
    async set(text) {
      await makeFolder()
      await replace(file, text)
    },
    remove: () => rm(file, { force: true }),
    exclusively: (work) =>
      alone(async () => {
        await makeFolder()
        return lock(work)
      }),
  }
}

async function readText(file: string): Promise<string | null> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (handle === null) return null
  try {
    const { size } = await handle.stat()
    if (size > longest) throw new Error(`${file} is no file of this client: it is too long.`)
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

// The file is written under another name and renamed, so that no reader, even after a power
// failure, finds half a file.
async function replace(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`
  try {
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/**
 * A lock of this age counts as abandoned, in milliseconds: the process id may belong to another
 * process by now, or to another machine. Much longer than the work under the lock takes.
 */
const longestHold = 120_000
/** Number of old files that stay: a process that lists the folder now must find some of them. */
const remembered = 8
const [firstPause, longestPause] = [2, 50]

/**
 * A lock between processes, in its own folder. Its files are numbered, and the highest one names
 * the holder. The lock is free if that file is empty or its process has ended. To take the lock, a
 * process creates the file of the next number. Only one process can do this.
 */
function lockFolder(folder: string): <T>(work: () => Promise<T>) => Promise<T> {
  return async (work) => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const held = await acquire(folder)
    try {
      return await work()
    } finally {
      // Emptied, not deleted: the next number follows it. If that fails, the lock ends with this
      // process or by its age.
      await truncate(held).catch(() => {})
    }
  }
}

async function acquire(folder: string): Promise<string> {
  for (let pause = firstPause; ; pause = Math.min(pause * 1.5, longestPause)) {
    const highest = await highestIn(folder)
    if (await isFree(folder, highest)) {
      const taken = await take(folder, highest + 1)
      if (taken !== null) return taken
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

async function take(folder: string, number: number): Promise<string | null> {
  const file = join(folder, String(number))
  const holder = JSON.stringify({ pid: process.pid, host: hostname() })
  try {
    await writeFile(file, holder, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (isCode(error, 'EEXIST')) return null
    throw error
  }
  // This is checked again after the creation: a slow process may have created an outdated number,
  // and the creator of the empty file may have been about to write it.
  const isMine = (await highestIn(folder)) === number && (await isFree(folder, number - 1))
  if (!isMine) {
    await rm(file, { force: true })
    return null
  }
  await clearBelow(folder, number - remembered)
  return file
}

async function isFree(folder: string, number: number): Promise<boolean> {
  if (number === 0) return true
  const file = join(folder, String(number))
  try {
    const [text, { mtimeMs }] = [await readFile(file, 'utf8'), await stat(file)]
    return text === '' || Date.now() - mtimeMs > longestHold || isGone(text, mtimeMs)
  } catch (error) {
    // Its creator has withdrawn.
    if (isCode(error, 'ENOENT')) return false
    throw error
  }
}

// For a process on another machine or in another container, only the age counts.
function isGone(holder: string, since: number): boolean {
  const { pid, host } = JSON.parse(holder) as { readonly pid: number; readonly host: string }
  if (host !== hostname()) return false
  // In a container, the first process has the same id after each restart.
  if (pid === process.pid) return since < Date.now() - process.uptime() * 1000 - 1000
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return isCode(error, 'ESRCH')
  }
}

async function numbersIn(folder: string): Promise<number[]> {
  const names = await readdir(folder)
  return names.map(Number).filter((number) => Number.isSafeInteger(number) && number > 0)
}

const highestIn = async (folder: string) => Math.max(0, ...(await numbersIn(folder)))

async function clearBelow(folder: string, limit: number): Promise<void> {
  const old = (await numbersIn(folder)).filter((number) => number < limit)
  await Promise.all(old.map((number) => rm(join(folder, String(number)), { force: true })))
}

const isCode = (error: unknown, code: string) => (error as NodeJS.ErrnoException).code === code
