import { onTestFinished, vi } from 'vitest'
import type { AuthRouterOptions, PasswordHasher } from '../../src/index.js'
import { post } from './client.js'
import { startHost, type TestHost } from './host.js'

/**
 * A hasher whose work waits until the test lets it finish, in the order in which it came, and takes
 * exactly a second each time.
 */
export interface GatedHasher extends PasswordHasher {
  /** The passwords that were worked on, in the order in which they were begun. */
  readonly begun: string[]
  /** Lets the oldest work finish, after so many seconds on the stopwatch. */
  finishOne(seconds?: number): void
  /** Lets everything finish, from now on at once. */
  openUp(): void
}

/**
 * Makes one. It holds comparisons, and hashes of passwords that begin with `new`. Time is what this
 * hasher says: the stopwatch that the router measures work with stands still otherwise.
 */
export function gatedHasher(concurrency: number | null = 1): GatedHasher {
  let milliseconds = 0
  const stopwatch = vi.spyOn(performance, 'now').mockImplementation(() => milliseconds)
  onTestFinished(() => stopwatch.mockRestore())
  const held: (() => void)[] = []
  const begun: string[] = []
  let open = false
  const work = async (plain: string) => {
    begun.push(plain)
    if (!open) await new Promise<void>((resolve) => held.push(resolve))
  }
  return {
    ...(concurrency === null ? {} : { concurrency }),
    begun,
    finishOne(seconds = 1) {
      const release = held.shift()
      if (release === undefined) return
      milliseconds += seconds * 1000
      release()
    },
    openUp() {
      open = true
      for (const release of held.splice(0)) release()
    },
    async hash(plain) {
      if (plain.startsWith('new')) await work(plain)
      // Together with the guess of 0.2 s that the router begins with, one second on average.
      else milliseconds += 1800
      return `hash of ${plain}`
    },
    async verify(plain, stored) {
      await work(plain)
      return stored === `hash of ${plain}`
    },
    needsRehash: () => false,
  }
}

/**
 * A host whose hasher is gated: five seconds of work may wait, which are five passwords. Alice's
 * password is `right`.
 */
export interface CrowdedHost extends TestHost {
  readonly hasher: GatedHasher
  /** Sends a login and does not wait for its answer. */
  attempt(
    password: string,
    ip?: string,
  ): Promise<{ status: number; headers: Record<string, string> }>
  /** Sends logins one after the other, each once the one before is in hand or waiting. */
  queueUp(passwords: readonly string[], ip?: string): Promise<ReturnType<CrowdedHost['attempt']>[]>
  /** Lets work finish until nothing is left. */
  finishAll(): Promise<void>
}

const roomy = { points: 1000, duration: 900 }

/** Starts a host with a gated hasher. */
export async function startCrowd(
  options: Partial<AuthRouterOptions> = {},
  hasher = gatedHasher(),
): Promise<CrowdedHost> {
  const host = await startHost({
    before: (app) => void app.set('trust proxy', 1),
    options: { passwords: hasher, throttle: { account: roomy, network: roomy }, ...options },
  })
  host.users.change('u-alice', { passwordHash: 'hash of right' })
  const queue = () => host.auth.stats().passwords
  const attempt = (password: string, ip = '192.0.2.1') => {
    const answer = post(
      host,
      '/login',
      { username: 'alice', password },
      { 'X-Forwarded-For': ip },
    ).then((response) => response)
    // A test may end while its crowd still waits.
    answer.catch(() => {})
    return answer
  }
  return Object.assign(host, {
    hasher,
    attempt,
    async queueUp(passwords: readonly string[], ip?: string) {
      const answers: ReturnType<typeof attempt>[] = []
      for (const password of passwords) {
        const { running, waiting } = queue()
        answers.push(attempt(password, ip))
        await until(
          () => queue().running + queue().waiting > running + waiting && hasher.begun.length > 0,
        )
      }
      return answers
    },
    async finishAll() {
      await until(() => {
        hasher.finishOne()
        return queue().running === 0
      })
    },
  })
}

/**
 * Waits until something holds, looking each time the event loop comes round. Rejects after two
 * minutes, so that what never holds ends.
 */
export async function until(holds: () => boolean): Promise<void> {
  const giveUp = Date.now() + 120_000
  while (!holds()) {
    if (Date.now() > giveUp) throw new Error('it never came to hold')
    await turn()
  }
}

const turn = () => new Promise(setImmediate)
