import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { fileStore } from '../../src/client/node/file-store.js'
import { startHost } from '../support/host.js'
import { clientOf, signedIn } from './recorded.js'

async function temporaryFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'client-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'of', 'chat', 'sign-in.json')
}

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

describe('fileStore()', () => {
  it('keeps a sign-in over a restart, for its owner alone', async () => {
    const file = await temporaryFile()
    const host = await startHost()
    await signedIn(host, { storage: fileStore(file) })
    expect(await modeOf(file)).toBe('600')
    expect(await modeOf(join(file, '..'))).toBe('700')
    const later = clientOf(host, { storage: fileStore(file) })
    host.clock.advance(700)
    expect((await later.me()).username).toBe('alice')
    expect(await modeOf(file)).toBe('600')
    expect(await readdir(join(file, '..'))).toEqual(['sign-in.json', 'sign-in.json.lock'])
    await later.signOut()
    expect(await readdir(join(file, '..'))).toEqual(['sign-in.json.lock'])
  })

  it('takes a file that somebody has spoilt for none, and one that is too long for an error', async () => {
    const file = await temporaryFile()
    const host = await startHost()
    const client = await signedIn(host, { storage: fileStore(file) })
    for (const text of ['', '{"accessTo', 'null', '[]', '{"accessToken":1}', '"text"']) {
      await writeFile(file, text)
      await expect(client.me(), text).rejects.toMatchObject({ code: 'Unauthorized' })
    }
    await writeFile(file, 'x'.repeat(70_000))
    await expect(client.me()).rejects.toMatchObject({ code: 'storage-failed' })
    await rm(file)
    expect(
      (await client.signIn({ user: 'alice', password: 'correct horse battery staple' })).status,
    ).toBe('signed-in')
  })

  it('says that it failed where nothing can be locked', async () => {
    const file = await temporaryFile()
    const host = await startHost()
    const client = await signedIn(host, { storage: fileStore(file) })
    const lock = `${file}.lock`
    await rm(lock, { recursive: true })
    await writeFile(lock, '')
    host.clock.advance(700)
    await expect(client.me()).rejects.toMatchObject({ code: 'storage-failed' })
    await rm(lock)
    expect((await client.me()).username).toBe('alice')
  })

  it('does the work of two stores one after the other, also where it fails', async () => {
    const file = await temporaryFile()
    const stores = [fileStore(file), fileStore(file)]
    let inside = 0
    let most = 0
    const work = async () => {
      inside += 1
      most = Math.max(most, inside)
      await new Promise((resolve) => setTimeout(resolve, 2))
      inside -= 1
      throw new Error('of the work')
    }
    const all = [...Array(20)].map((_, at) => stores[at % 2]?.exclusively?.(work))
    const outcomes = await Promise.allSettled(all)
    expect(outcomes.map(({ status }) => status)).toEqual(Array(20).fill('rejected'))
    expect(most).toBe(1)
  })
})

describe('its lock', () => {
  /** Puts a holder in place, as a process writes itself down. */
  async function heldBy(holder: object, ageMs = 0) {
    const file = await temporaryFile()
    const store = fileStore(file)
    await store.exclusively?.(async () => {})
    const number = Math.max(...(await readdir(`${file}.lock`)).map(Number))
    const held = join(`${file}.lock`, String(number + 1))
    await writeFile(held, JSON.stringify(holder))
    const since = new Date(Date.now() - ageMs)
    await utimes(held, since, since)
    return { store, held }
  }

  const isTakenWithin = (store: ReturnType<typeof fileStore>, ms: number) =>
    Promise.race([
      store.exclusively?.(async () => true),
      new Promise((resolve) => setTimeout(resolve, ms, false)),
    ])

  it('is free once its process is gone', async () => {
    const { pid } = spawnSync(process.execPath, ['--version'])
    const { store } = await heldBy({ pid, host: hostname() })
    expect(await isTakenWithin(store, 5000)).toBe(true)
  })

  it.each([
    ['of a process that had the same number before, as in a container, is free', 60, true],
    ['of this process is held', 3600, false],
  ])('%s', async (_name, uptime, isFree) => {
    const running = vi.spyOn(process, 'uptime').mockReturnValue(uptime)
    onTestFinished(() => running.mockRestore())
    const { store } = await heldBy({ pid: process.pid, host: hostname() }, 110_000)
    expect(await isTakenWithin(store, isFree ? 5000 : 300)).toBe(isFree)
  })

  it('is held while its process lives, be it on another machine, until that is too long', async () => {
    const other = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'])
    onTestFinished(() => void other.kill())
    const here = await heldBy({ pid: other.pid, host: hostname() })
    expect(await isTakenWithin(here.store, 300)).toBe(false)
    other.kill()
    expect(await isTakenWithin(here.store, 5000)).toBe(true)
    const there = await heldBy({ pid: 1, host: 'elsewhere' })
    expect(await isTakenWithin(there.store, 300)).toBe(false)
    const long = await heldBy({ pid: process.pid, host: hostname() }, 130_000)
    expect(await isTakenWithin(long.store, 5000)).toBe(true)
    expect(await readFile(long.held, 'utf8')).not.toBe('')
  })
})
