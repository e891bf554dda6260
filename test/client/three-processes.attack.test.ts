// Several processes over one file, at their worst: the token is over whenever one of them has just
// replaced it, answers get lost, and processes die at any moment.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { fileStore } from '../../src/client/node/file-store.js'
import { startHost, type TestHost } from '../support/host.js'
import { rounds } from '../support/rounds.js'
import { layWire } from '../support/wire.js'
import { clientOf, signedIn, toldOf } from './recorded.js'

const program = new URL('./file-store-process.mjs', import.meta.url).pathname
/** More than an access token lives, in seconds. */
const later = 700
const lifetimes = { sessionIdle: 10 * 365 * 86_400, sessionAbsolute: 10 * 365 * 86_400 }

async function temporaryFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'client-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'sign-in.json')
}

interface Report {
  readonly asked: number
  readonly failures: string[]
  readonly signedOut: number
}

function start(url: string, file: string): ChildProcess {
  const child = fork(program, [url, file])
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function stop(child: ChildProcess): Promise<Report> {
  const said = once(child, 'message')
  child.send('stop')
  const [report] = (await said) as [Report]
  return report
}

interface Refreshing extends TestHost {
  refreshes(): number
  /** From now on the clock stands still. */
  rest(): void
}

/** A host with a token that is over; each refresh makes the next one due. */
function startRefreshing(): Promise<Refreshing> {
  let count = 0
  let isMoving = true
  let host: TestHost | undefined
  const onEvent = (event: { readonly type: string }) => {
    host?.events.push(event as never)
    if (!/^refresh\.(?:succeeded|repeated)$/.test(event.type)) return
    count += 1
    // Not at once: whoever was first is to be seen with its token now and then.
    setTimeout(() => isMoving && host?.clock.advance(later), 25)
  }
  return startHost({ options: { lifetimes, purgeInterval: 0, onEvent } }).then((started) => {
    host = started
    const rest = () => {
      isMoving = false
    }
    return { ...started, refreshes: () => count, rest }
  })
}

async function expectOneLineage(host: Refreshing, file: string): Promise<void> {
  host.rest()
  expect(toldOf(host, 'refresh.reused', 'refresh.refused', 'session.ended')).toEqual([])
  const live = await host.stores.sessions.listForUser('u-alice', host.clock())
  expect(live).toHaveLength(1)
  const late = clientOf(host, { storage: fileStore(file), clock: () => new Date() })
  expect((await late.me()).username).toBe('alice')
}

it('three processes that share a file refresh hundreds of times, and nobody is signed out', {
  timeout: 600_000,
}, async () => {
  const file = await temporaryFile()
  const host = await startRefreshing()
  await signedIn(host, { storage: fileStore(file), clock: () => new Date() })
  host.clock.advance(later)
  const processes = [1, 2, 3].map(() => start(host.url, file))
  await expect
    .poll(() => host.refreshes(), { timeout: 500_000 })
    .toBeGreaterThanOrEqual(rounds(200))
  const reports = await Promise.all(processes.map(stop))
  for (const { asked, failures, signedOut } of reports) {
    expect(failures).toEqual([])
    expect(signedOut).toBe(0)
    expect(asked).toBeGreaterThan(10)
  }
  await expectOneLineage(host, file)
  // An answer that got lost is asked for again, with the same token: on a machine that is busy a
  // connection may be closed under a request. Without the lock it would be hundreds.
  expect(toldOf(host, 'refresh.repeated').length).toBeLessThan(10)
  expect(readdirSync(`${file}.lock`).length).toBeLessThan(20)
})

it('nor is anybody when processes are killed and connections are cut at any moment', {
  timeout: 600_000,
}, async () => {
  const file = await temporaryFile()
  const host = await startRefreshing()
  const wire = await layWire(host.url)
  onTestFinished(() => wire.cut())
  await signedIn(host, { storage: fileStore(file), clock: () => new Date() })
  host.clock.advance(later)
  const processes = [1, 2, 3].map(() => start(wire.url, file))
  for (let round = 0; round < 12; round += 1) {
    const before = host.refreshes()
    await expect.poll(() => host.refreshes(), { interval: 1 }).toBeGreaterThan(before + 3)
    await wire.cut()
    if (round % 2 === 0) {
      processes[round % 3]?.kill('SIGKILL')
      processes[round % 3] = start(wire.url, file)
    }
    await wire.mend()
  }
  for (const { failures, signedOut } of await Promise.all(processes.map(stop))) {
    expect(failures).toEqual([])
    expect(signedOut).toBe(0)
  }
  await expectOneLineage(host, file)
})
