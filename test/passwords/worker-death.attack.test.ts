import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { bcryptHasher } from '../../src/index.js'
import { logIn, post } from '../support/client.js'
import { until } from '../support/gated-hasher.js'
import { password, startHost, type TestHost } from '../support/host.js'

const workerUrl = new URL('../support/fatal-worker.mjs', import.meta.url)
const made: { close(): Promise<void> }[] = []
afterEach(() => void vi.useRealTimers())
afterAll(() => Promise.all(made.map((one) => one.close())))

async function startWithThreads(threads: number, worker = workerUrl): Promise<TestHost> {
  const passwords = bcryptHasher({
    cost: 4,
    threads,
    dangerouslyAllowLowCost: true,
    workerUrl: worker,
  })
  made.push(passwords)
  return startHost({
    options: {
      passwords,
      maxPasswordWait: 30,
      throttle: { account: { points: 100, duration: 900 } },
    },
  })
}
const attempt = (host: TestHost, given: string) =>
  post(host, '/login', { username: 'alice', password: given }).then((answer) => answer)

describe('a hashing thread that dies', () => {
  it(
    'fails the one login that it had in hand, with a 503; the other nineteen and the next are ' +
      'answered',
    async () => {
      const host = await startWithThreads(2)
      const logins = Array.from({ length: 20 }, (_none, index) =>
        attempt(host, index === 7 ? 'exit' : password),
      )
      const answers = await Promise.all(logins)
      expect(answers.map(({ status }) => status)).toEqual(
        Array.from({ length: 20 }, (_none, index) => (index === 7 ? 503 : 200)),
      )
      expect(answers[7]?.headers['retry-after']).toBe('1')
      expect(host.auth.stats().passwords).toMatchObject({ running: 0, waiting: 0, failed: 1 })
      await logIn(host)
    },
  )

  it('is replaced each time, also when it is the only one and dies again and again', async () => {
    const host = await startWithThreads(1)
    for (let i = 0; i < 4; i += 1) expect((await attempt(host, 'exit')).status).toBe(503)
    const both = await Promise.all([attempt(host, 'exit'), attempt(host, password)])
    expect(both.map(({ status }) => status)).toEqual([503, 200])
    expect(host.events.filter(({ type }) => type === 'host.failed')).toHaveLength(5)
  })

  it('before it was given any work does not take the process with it', async () => {
    // Two threads for the first login: one of them dies with nothing in hand, and its error belongs
    // to nobody.
    const host = await startWithThreads(2, new URL('../support/broken-worker.mjs', import.meta.url))
    for (let i = 0; i < 3; i += 1) expect((await attempt(host, password)).status).toBe(503)
    expect(host.auth.stats().passwords).toMatchObject({ running: 0, waiting: 0, failed: 3 })
  })
})

describe('a hashing thread that hangs', () => {
  it('is ended after 20 seconds of work and replaced; whoever waited behind it is answered', async () => {
    const host = await startWithThreads(1)
    await logIn(host)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const hung = attempt(host, 'hang')
    await until(() => host.auth.stats().passwords.running === 1)
    const next = attempt(host, password)
    await until(() => host.auth.stats().passwords.waiting === 1)
    vi.advanceTimersByTime(20_000)
    expect((await hung).status).toBe(503)
    expect((await next).status).toBe(200)
    expect(host.auth.stats().passwords).toMatchObject({ running: 0, waiting: 0, failed: 1 })
  })
})

describe('a hasher of the host’s that never answers', () => {
  it(
    'has its place taken back after 30 seconds of work, in which the time of waiting does not ' +
      'count',
    async () => {
      // Before the router is made, whose calls share a timer.
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
      const host = await startHost({
        options: {
          passwords: {
            hash: async (plain) => `hash of ${plain}`,
            verify: (plain) => (plain === 'hang' ? new Promise(() => {}) : Promise.resolve(true)),
            needsRehash: () => false,
            concurrency: 1,
          },
        },
      })
      await attempt(host, 'first')
      const answers = [attempt(host, 'hang')]
      await until(() => host.auth.stats().passwords.running === 1)
      for (const [given, waiting] of [
        ['hang', 1],
        ['right', 2],
      ] as const) {
        answers.push(attempt(host, given))
        await until(() => host.auth.stats().passwords.waiting === waiting)
      }
      vi.advanceTimersByTime(30_000)
      expect((await answers[0])?.status).toBe(503)
      // The second began to hang only now, and is not yet given up.
      await until(() => host.auth.stats().passwords.waiting === 1)
      vi.advanceTimersByTime(29_000)
      expect(host.auth.stats().passwords).toMatchObject({ running: 1, waiting: 1, failed: 1 })
      vi.advanceTimersByTime(1000)
      expect((await answers[1])?.status).toBe(503)
      expect((await answers[2])?.status).toBe(200)
    },
  )
})
