import { randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { inTurns, type TokenStore } from '../token-store.js'
import { lockFolder } from './lock-folder.js'

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

// Written under another name and renamed, so that no reader, even after a power failure, finds half
// a file.
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
