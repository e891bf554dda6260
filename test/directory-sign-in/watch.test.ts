import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DirectoriesOptions } from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { logIn } from '../support/client.js'
import { memoryDirectory } from '../support/memory-directory.js'
import { valuesIn } from '../support/prometheus.js'
import { type DirectoryHost, rightPassword, startDirectories } from './directory-host.js'

/** How many milliseconds after the interval begins: one for each timer, in their order. */
const { waits } = vi.hoisted(() => ({ waits: [] as number[] }))
vi.mock('node:crypto', async (original) => {
  const actual = await original<typeof import('node:crypto')>()
  const randomInt = (...bounds: [number]) =>
    (bounds[0] === 2000 ? waits.shift() : undefined) ?? actual.randomInt(...bounds)
  return { ...actual, randomInt }
})

const asAda = { username: 'ada', password: rightPassword }

// Before the routers, whose timers they are; at the beginning of an interval.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
  vi.setSystemTime('2026-11-01T12:00:00Z')
})
afterEach(() => {
  vi.useRealTimers()
  waits.length = 0
})

/** Two processes with one set of stores and one directory. */
async function startTwo(directories: Partial<DirectoriesOptions> = {}) {
  const directory = memoryDirectory()
  const stores = memoryStores()
  const options = { ...stores, clock: () => new Date() }
  const one = await startDirectories({ directory, directories, options })
  const other = await startDirectories({ directory, directories, options })
  return { directory, options, one, other }
}

const sessionsOf = async ({ auth }: DirectoryHost) => (await auth.sessions.list('u-ada')).length

/** Lets so many seconds pass, and the work that is due then. */
async function pass(seconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(seconds * 1000)
  for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate)
}

/** Waits, by turns and not by the clock, until one of them has noted a complete look just now. */
async function looked(...hosts: readonly DirectoryHost[]): Promise<void> {
  const age = ({ auth }: DirectoryHost) =>
    Number(/^mar_directory_look_age_seconds\{[^}]*\} (.+)$/m.exec(auth.metrics())?.[1])
  while (!hosts.some((host) => age(host) < 10)) await new Promise(setImmediate)
}

/** Waits in the same way until nobody is signed in. */
async function signedOut(host: DirectoryHost): Promise<void> {
  while ((await sessionsOf(host)) > 0) await new Promise(setImmediate)
}

describe('two processes', () => {
  it('look once between them in an interval', async () => {
    const { directory, one, other } = await startTwo()
    await logIn(one, asAda)
    const before = directory.calls.look
    await pass(305)
    await looked(one, other)
    expect(directory.calls.look - before).toBe(1)
    await pass(300)
    await looked(one, other)
    expect(directory.calls.look - before).toBe(2)
  })

  it('sign somebody out within the interval and five seconds', async () => {
    const { directory, one, other } = await startTwo()
    await logIn(one, asAda)
    expect(await sessionsOf(other)).toBe(1)
    directory.disable('ada')
    await pass(305)
    await signedOut(one)
    await signedOut(other)
  })

  it('both know how long ago the last look was, and that an outage goes on', async () => {
    const { directory, one, other } = await startTwo()
    const ages = () =>
      [one, other].map(
        ({ auth }) =>
          valuesIn(auth.metrics())['mar_directory_look_age_seconds{directory="corp"}'] ?? 0,
      )
    for (let interval = 0; interval < 5; interval += 1) await pass(300)
    for (const age of ages()) expect(age).toBeLessThan(900)
    directory.down(true)
    for (let interval = 0; interval < 5; interval += 1) await pass(300)
    for (const age of ages()) expect(age).toBeGreaterThan(900)
  })

  it('never look where the host has said so', async () => {
    const { directory, one } = await startTwo({ watchInterval: false })
    await logIn(one, asAda)
    const before = directory.calls.look
    await pass(3600)
    expect(directory.calls.look).toBe(before)
  })
})

describe('an outage', () => {
  it('ends nobody however long it lasts, and is reported in each interval', async () => {
    const { directory, one, other } = await startTwo()
    await logIn(one, asAda)
    directory.down(true)
    for (let interval = 0; interval < 12; interval += 1) await pass(300)
    expect(await sessionsOf(one)).toBe(1)
    // Either process may be the one that looks.
    const events = [...one.events, ...other.events]
    const reports = events.filter(({ type }) => type === 'directory.not-looked')
    // The last one is under way.
    expect(reports.length).toBeGreaterThanOrEqual(11)
  })

  it('that is longer than `watchGrace` ends the sessions, and a shorter one does not', async () => {
    const { directory, one, other } = await startTwo({ watchGrace: 1000 })
    await logIn(one, asAda)
    await pass(305)
    await looked(one, other)
    directory.down(true)
    await pass(600)
    expect(await sessionsOf(one)).toBe(1)
    directory.down(false)
    await pass(300)
    await looked(one, other)
    directory.down(true)
    await pass(900)
    expect(await sessionsOf(one)).toBe(1)
    await pass(900)
    await signedOut(one)
    const left = [...one.events, ...other.events].filter(({ type }) => type === 'directory.left')
    expect(left).toMatchObject([{ reason: 'outage', userId: 'u-ada' }])
  })

  it('is over with a look of the other process, whichever of them looks when', async () => {
    // Of each pair, the process of the smaller number looks: one, other, other, other, one, one.
    waits.push(0, 1000, 1000, 0, 0, 1000, 0, 1000, 1000, 0, 0, 1000)
    const { directory, one, other } = await startTwo({ watchGrace: 1000 })
    await logIn(one, asAda)
    await pass(305)
    await looked(one)
    directory.down(true)
    await pass(600)
    directory.down(false)
    await pass(300)
    await looked(other)
    directory.down(true)
    await pass(600)
    expect(await sessionsOf(one)).toBe(1)
  })

  it('has not begun while a look takes longer than the interval', async () => {
    // Two look in turns, twelve seconds each; a third is always too late to look.
    waits.push(0, 100, 1900, 100, 1900)
    for (let round = 0; round < 100; round += 1) waits.push(1900, 0)
    const watched = { watchInterval: 10, watchGrace: 300 }
    const { directory, options, one } = await startTwo(watched)
    await startDirectories({ directory, directories: watched, options })
    await logIn(one, asAda)
    const { look } = directory
    directory.look = async (subjects) => {
      await new Promise((resolve) => setTimeout(resolve, 12_000))
      return look(subjects)
    }
    await pass(1000)
    directory.down(true)
    await pass(240)
    expect(await sessionsOf(one)).toBe(1)
    await pass(120)
    await signedOut(one)
  })
})
