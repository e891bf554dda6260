import { existsSync, readdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { keyRing } from '../../src/index.js'
import { fileKeyStore } from '../../src/signers/file-key-store.js'
import { encryptionKey } from '../support/host.js'
import { claimsAt, keptLog, keyFolder, signerOf, worthOf } from '../support/key-stores.js'

/** What was asked of the file system, in its order, and what it refuses. */
const disk = vi.hoisted(() => ({ done: [] as string[], refused: new Map<string, string>() }))

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>()
  const refuse = (what: string) => {
    const code = disk.refused.get(what)
    if (code !== undefined) throw Object.assign(new Error(`${code}: refused`), { code })
  }
  return {
    ...real,
    async open(...given: Parameters<typeof real.open>) {
      const path = String(given[0])
      const handle = await real.open(...given)
      const { sync, writeFile } = handle
      handle.sync = async () => {
        await sync.call(handle)
        disk.done.push(`sync ${path}`)
      }
      handle.writeFile = async (...content) => {
        refuse('write')
        await writeFile.apply(handle, content)
      }
      return handle
    },
    async link(from: string, to: string) {
      refuse('link')
      await real.link(from, to)
      disk.done.push(`link ${to}`)
    },
  }
})

const encryptionKeys = [encryptionKey]
const key = (generation: number) => ({
  generation,
  kid: `kid-${generation}`,
  sealedKey: 'sealed',
  createdAt: new Date('2030-01-01T00:00:00Z'),
  activatesAt: new Date('2030-01-01T00:10:00Z'),
})

beforeEach(() => {
  disk.done.length = 0
  disk.refused.clear()
})

describe('a key that is acknowledged', () => {
  it(
    'is on the disk: its file before it has its name, its name after, and the folders that were ' +
      'made for it',
    async () => {
      const folder = join(keyFolder(), 'of', 'chat')
      await fileKeyStore(folder).insert(key(1))
      const short = disk.done.map((step) =>
        step.replace(dirname(dirname(dirname(folder))), '').replace(/\/\.[\w-]+\.tmp$/, '/draft'),
      )
      expect(short).toEqual([
        'sync /keys/of',
        'sync /keys',
        'sync ',
        'sync /keys/of/chat/draft',
        'link /keys/of/chat/key-000001.json',
        'sync /keys/of/chat',
      ])
    },
  )

  it('is so, too, when another process had put it there', async () => {
    const folder = keyFolder()
    const store = fileKeyStore(folder)
    await store.insert(key(1))
    disk.done.length = 0
    expect(await store.insert(key(1))).toEqual({ outcome: 'exists' })
    expect(disk.done.at(-1)).toBe(`sync ${folder}`)
  })
})

describe.each(['EPERM', 'ENOTSUP', 'ENOSYS'])('a folder without hard links (%s)', (code) => {
  it('gives each generation to exactly one of many, whole', async () => {
    disk.refused.set('link', code)
    const folder = keyFolder()
    const inserts = Array.from({ length: 10 }, (_, i) =>
      fileKeyStore(folder).insert({ ...key(1), kid: `of process ${i}` }),
    )
    const outcomes = (await Promise.all(inserts)).map(({ outcome }) => outcome)
    expect(outcomes.filter((outcome) => outcome === 'inserted')).toHaveLength(1)
    const [only, ...others] = await fileKeyStore(folder).list()
    expect(only?.kid).toBe(`of process ${outcomes.indexOf('inserted')}`)
    expect(others).toEqual([])
    expect(readdirSync(folder)).toEqual(['key-000001.json'])
    expect(disk.done.at(-1)).toBe(`sync ${folder}`)
  })

  it('holds the keys of a ring', async () => {
    disk.refused.set('link', code)
    const files = keyFolder()
    const clock = () => new Date()
    const [ring, other] = [keyRing({ files, encryptionKeys }), keyRing({ files, encryptionKeys })]
    await ring.ready()
    expect(
      await worthOf(signerOf(other, clock), await signerOf(ring, clock).sign(claimsAt(clock()))),
    ).toBe('good')
    expect(await ring.rotate()).toHaveLength(2)
  })
})

describe('a disk that is full', () => {
  it.each([undefined, 'EPERM'])(
    'leaves nothing behind, with hard links or without (%s)',
    async (linkCode) => {
      const folder = keyFolder()
      await fileKeyStore(folder).insert(key(1))
      if (linkCode !== undefined) disk.refused.set('link', linkCode)
      disk.refused.set('write', 'ENOSPC')
      await expect(fileKeyStore(folder).insert(key(2))).rejects.toMatchObject({ code: 'ENOSPC' })
      disk.refused.delete('write')
      expect(readdirSync(folder)).toEqual(['key-000001.json'])
      expect(await fileKeyStore(folder).insert(key(2))).toEqual({ outcome: 'inserted' })
    },
  )
})

describe('a ring with create: false', () => {
  it('makes neither a key nor a folder, and says what is missing', async () => {
    const files = keyFolder()
    const ring = keyRing({ files, encryptionKeys, create: false, logger: keptLog() })
    await expect(ring.ready()).rejects.toMatchObject({
      name: 'AuthConfigError',
      option: 'keyRing.files',
      problem: expect.stringContaining('create: false'),
    })
    await expect(ring.rotate()).rejects.toThrow('holds no signing key')
    await expect(ring.snapshot()).rejects.toThrow('holds no signing key')
    expect(existsSync(files)).toBe(false)
  })

  it(
    'treats a folder that is not mounted as an outage, and no token as refused; and goes on ' +
      'once it is there',
    async () => {
      const files = keyFolder()
      const clock = () => new Date()
      const token = await signerOf(keyRing({ files, encryptionKeys }), clock).sign(
        claimsAt(clock()),
      )
      renameSync(files, `${files}-elsewhere`)
      const ring = keyRing({ files, encryptionKeys, create: false, logger: keptLog() })
      const signer = signerOf(ring, clock)
      expect(await worthOf(signer, token)).toBe('outage')
      renameSync(`${files}-elsewhere`, files)
      expect(await worthOf(signer, token)).toBe('good')
      expect(await ring.rotate()).toHaveLength(2)
    },
  )

  it('over an empty store names the store', async () => {
    const store = {
      list: async () => [],
      insert: async () => ({ outcome: 'inserted' as const }),
      remove: async () => {},
    }
    const ring = keyRing({ store, encryptionKeys, create: false, logger: keptLog() })
    await expect(ring.ready()).rejects.toMatchObject({
      name: 'AuthConfigError',
      option: 'keyRing.store',
    })
  })
})
