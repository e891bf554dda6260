// Wrong and right passwords from many networks, for the tests of the limits.
import type { PasswordHasher } from '../../src/index.js'
import { post } from './client.js'
import { cheapHasher, type HostSettings, password, startHost, type TestHost } from './host.js'

/** A host behind one proxy, so that a test can come from any address. */
export const behindProxy: Pick<HostSettings, 'before'> = {
  before: (app) => void app.set('trust proxy', 1),
}

/** As the proxy names the client. */
export const from = (ip: string) => ({ 'X-Forwarded-For': ip })

/** One of many networks: every third one of IPv6, with other addresses inside of its /64. */
export function network(i: number): string {
  return i % 3 === 0 ? `2001:db8:${i.toString(16)}:1::${(i % 7) + 1}` : `10.${i >> 8}.${i & 255}.1`
}

export const guess = (host: TestHost, ip = '203.0.113.7', username = 'alice') =>
  post(host, '/login', { username, password: 'wrong' }, from(ip))

export const right = (host: TestHost, ip = '203.0.113.7', username = 'alice') =>
  post(host, '/login', { username, password }, from(ip))

/** The statuses of so many requests, one after the other. */
export async function statusesOf(
  count: number,
  ask: (i: number) => PromiseLike<{ status: number }>,
): Promise<number[]> {
  const statuses: number[] = []
  for (let i = 0; i < count; i += 1) statuses.push((await ask(i)).status)
  return statuses
}

/** How many there are of each. */
export function tally(statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** A hasher that counts what it judges, and while it holds judges nothing. */
export function holdingHasher() {
  const held: (() => void)[] = []
  const state = { judged: 0, holding: true }
  const hasher: PasswordHasher = {
    ...cheapHasher,
    async verify(plain, hash) {
      state.judged += 1
      if (state.holding) await new Promise<void>((resolve) => held.push(resolve))
      return cheapHasher.verify(plain, hash)
    },
  }
  const release = () => {
    state.holding = false
    for (const go of held.splice(0)) go()
  }
  return { hasher, state, held, release }
}

/** A host behind a proxy with these options. */
export function guessedAt(options: HostSettings['options'] = {}): Promise<TestHost> {
  return startHost({ ...behindProxy, options })
}
