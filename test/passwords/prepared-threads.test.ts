// What the first password would have to wait for is there before it.
import { createHook } from 'node:async_hooks'
import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { bcryptHasher } from '../../src/index.js'
import { logIn } from '../support/client.js'
import { until } from '../support/gated-hasher.js'
import { startHost } from '../support/host.js'

const dist = new URL('../../dist/index.js', import.meta.url).href
const workerUrl = new URL('../../dist/bcrypt-worker.js', import.meta.url)
const plugAndPlay = fileURLToPath(new URL('../support/plug-and-play.cjs', import.meta.url))
const brokenWorker = new URL('../support/broken-worker.mjs', import.meta.url)

/** Counts the threads that are started from here on. */
function countThreads(): () => number {
  let count = 0
  const hook = createHook({
    init(_id, type) {
      if (type === 'WORKER') count += 1
    },
  })
  hook.enable()
  onTestFinished(() => void hook.disable())
  return () => count
}

function newHasher(worker = workerUrl, threads = 2) {
  const hasher = bcryptHasher({
    cost: 4,
    threads,
    dangerouslyAllowLowCost: true,
    workerUrl: worker,
  })
  onTestFinished(() => hasher.close())
  return hasher
}

describe('hashing threads', () => {
  it('are started a moment after the router was made, before anybody signs in', async () => {
    const started = countThreads()
    const host = await startHost({ options: { passwords: newHasher() } })
    await until(() => started() === 2)
    await logIn(host)
    expect(started(), 'the login found them there').toBe(2)
  })

  it('are not started by a router that is closed at once', async () => {
    const started = countThreads()
    const host = await startHost({ options: { passwords: newHasher() } })
    await host.auth.close()
    await pause(200)
    expect(started()).toBe(0)
  })

  it('are not started by a hasher that no router has, until it is asked', async () => {
    const started = countThreads()
    const hasher = newHasher()
    await pause(200)
    expect(started()).toBe(0)
    await hasher.hash('a password')
    expect(started()).toBe(2)
  })

  it('that die while nobody waits for them fail the first password, which is told so', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const hasher = newHasher(brokenWorker, 1)
    hasher.prepare()
    await until(() => warn.mock.calls.length > 0)
    expect(warn.mock.calls[0]?.[1]).toMatchObject({ code: 'MAR_HASHING_THREAD_DIED' })
    await expect(hasher.hash('a password')).rejects.toMatchObject({
      code: 'temporarily-unavailable',
    })
  })

  it('load what Yarn Plug’n’Play needs to find a package', async () => {
    const script = `import { bcryptHasher } from ${JSON.stringify(dist)}
      const hasher = bcryptHasher({ cost: 10, threads: 1 })
      await hasher.hash('a password')
      await hasher.close()`
    const args = ['--require', plugAndPlay, '--input-type=module', '--eval', script]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    expect(stdout.trim()).toBe('loaded in a thread')
  })

  it('that were prepared keep no process alive', async () => {
    const script = `import { bcryptHasher } from ${JSON.stringify(dist)}; bcryptHasher().prepare()`
    const run = promisify(execFile)
    await run(process.execPath, ['--input-type=module', '--eval', script])
  })
})

it('a hasher whose prepare fails, at once or later, is used all the same', async () => {
  let asked = 0
  const fails = [() => Promise.reject(new Error('no')), () => expect.unreachable()]
  for (const [before, fail] of fails.entries()) {
    const passwords = Object.assign(newHasher(), {
      prepare() {
        asked += 1
        return fail() as never
      },
    })
    const host = await startHost({ options: { passwords } })
    await until(() => asked > before)
    await logIn(host)
  }
  expect(asked).toBe(2)
})
