import { link, mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { randomId } from '../lib/random.js'
import type { KeyStore, StoredSigningKey } from './contract.js'

const pattern = /^key-(\d{6})\.json$/

const schema = z.object({
  generation: z.int().positive(),
  kid: z.string().min(1),
  sealedKey: z.string().min(1),
  createdAt: z.iso.datetime().transform((text) => new Date(text)),
  activatesAt: z.iso.datetime().transform((text) => new Date(text)),
})

/**
 * Keeps the generations of a key ring as files, readable by their owner only, in a folder that all processes share. A generation is
 * written whole under another name and then linked to its own, which the file system grants to one process only.
 */
export function fileKeyStore(folder: string): KeyStore {
  const nameOf = (generation: number) => join(folder, `key-${String(generation).padStart(6, '0')}.json`)

  return {
    async list() {
      const names = await readdir(folder).catch(unlessCode('ENOENT', []))
      const files = names.filter((name) => pattern.test(name))
      // Another process may delete a generation that is over between the two looks.
      const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8').catch(unlessCode('ENOENT', null))))
      return texts.flatMap((text) => (text === null ? [] : [schema.parse(JSON.parse(text))]))
    },

    async insert(key) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const written = join(folder, `.${randomId()}.tmp`)
      try {
        await writeDurably(written, key)
        return await link(written, nameOf(key.generation)).then(
          () => ({ outcome: 'inserted' as const }),
          unlessCode('EEXIST', { outcome: 'exists' as const }),
        )
      } finally {
        await rm(written, { force: true })
      }
    },

    remove: (generation) => rm(nameOf(generation), { force: true }),
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

function unlessCode<T>(code: string, value: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === code) return value
    throw error
  }
}
