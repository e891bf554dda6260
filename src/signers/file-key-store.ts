import { constants } from 'node:fs'
import { link, mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { randomId } from '../lib/secrets.js'
import type { KeyStore, StoredSigningKey } from './contract.js'

const pattern = /^key-(\d{6})\.json$/

const moment = z.iso.datetime().transform((text) => new Date(text))
const schema = z.object({
  generation: z.int().positive(),
  kid: z.string().min(1),
  sealedKey: z.string().min(1),
  createdAt: moment,
  activatesAt: moment,
})

/**
 * Stores the generations of a key ring as files, readable only by their owner, in a folder that all
 * processes share. It writes a generation under a temporary name and then links it to its final
 * name, which succeeds in one process only. On file systems without hard links it creates the final
 * name exclusively instead. `inserted` means that file and name are on the disk.
 *
 * A file without a valid key is listed with its generation only. An unreadable file rejects.
 *
 * @param folder - made with the first key, unless `makesFolder` is false
 */
export function fileKeyStore(folder: string, makesFolder = true): KeyStore {
  const nameOf = (generation: number) =>
    join(folder, `key-${String(generation).padStart(6, '0')}.json`)

  return {
    async list() {
      const names = await readdir(folder).catch(unlessCode(['ENOENT'], []))
      const listed = await Promise.all(
        names.flatMap((name) => (pattern.test(name) ? [readOne(folder, name)] : [])),
      )
      return listed.filter((key) => key !== null)
    },

    async insert(key) {
      if (makesFolder) await makeFolder(folder)
      const outcome = await insertFile(folder, nameOf(key.generation), key)
      await syncFolder(folder)
      return { outcome }
    },

    remove: (generation) => rm(nameOf(generation), { force: true }),
  }
}

async function readOne(folder: string, name: string): Promise<StoredSigningKey | null> {
  // Another process may delete an old generation between the listing and the read.
  const text = await readFile(join(folder, name), 'utf8')
    .catch(unlessCode(['ENOENT'], null))
    .catch(unlessCode(['EISDIR'], ''))
  if (text === null) return null
  const generation = Number(pattern.exec(name)?.[1])
  const key = parse(text)
  // An invalid file is listed too, since it occupies a generation; the ring checks each row.
  return key?.generation === generation ? key : ({ generation } as StoredSigningKey)
}

function parse(text: string): StoredSigningKey | null {
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    return null
  }
}

async function insertFile(
  folder: string,
  file: string,
  key: StoredSigningKey,
): Promise<'inserted' | 'exists'> {
  const written = join(folder, `.${randomId()}.tmp`)
  try {
    await writeDurably(written, key)
    return await link(written, file).then(
      () => 'inserted' as const,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return 'exists'
        if (!linkless.includes(String(error.code))) throw error
        return createExclusively(file, key)
      },
    )
  } finally {
    await rm(written, { force: true })
  }
}

/**
 * Error codes of file systems without hard links: FAT, many network and FUSE mounts, shared folders
 * of virtual machines.
 */
const linkless = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV', 'EINVAL']

// Another process may read half a file, and then skips that key until its next read.
async function createExclusively(
  file: string,
  key: StoredSigningKey,
): Promise<'inserted' | 'exists'> {
  try {
    await writeDurably(file, key)
    return 'inserted'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return 'exists'
    await rm(file, { force: true })
    throw error
  }
}

async function writeDurably(file: string, key: StoredSigningKey): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(JSON.stringify(key))
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  // The name of a new folder is stored in its parent.
  for (let made = resolve(folder); made.startsWith(resolve(first)); made = dirname(made))
    await syncFolder(dirname(made))
}

// Syncing a file writes its content; syncing its folder writes its name.
async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders, and writes names by itself.
  const handle = await open(folder, constants.O_RDONLY).catch(
    unlessCode(['EISDIR', 'EPERM', 'EACCES'], null),
  )
  if (handle === null) return
  try {
    await handle.sync().catch(unlessCode(['EINVAL', 'EPERM', 'ENOTSUP', 'EBADF'], undefined))
  } finally {
    await handle.close()
  }
}

function unlessCode<T>(codes: readonly string[], value: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (codes.includes(String(error.code))) return value
    throw error
  }
}
