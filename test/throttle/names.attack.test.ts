// Nobody can ask the limits whether a name is taken: whatever is tried, in which order and from
// where, the answers are byte for byte those of a name that nobody has.
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ThrottleOptions } from '../../src/index.js'
import { headersOf, post } from '../support/client.js'
import { from, guessedAt } from '../support/guessing.js'
import { password, type TestHost } from '../support/host.js'
import { rounds } from '../support/rounds.js'

afterEach(() => vi.useRealTimers())

const numRuns = rounds(12)

/** One wrong password, or the owner's right one from a network of the owner's own. */
interface Step {
  readonly field: 'username' | 'email' | 'user'
  readonly spelling: (name: string) => string
  readonly network: string
  readonly owner: boolean
  readonly wait: number
}

const spellings = [
  (name: string) => name,
  (name: string) => name.toUpperCase(),
  (name: string) => (name[0] as string).toUpperCase() + name.slice(1),
]
const strangers = [
  '203.0.113.7',
  '203.0.113.7',
  '198.51.100.9',
  '2001:db8:1:1::1',
  '2001:db8:1:2::1',
]
const step: fc.Arbitrary<Step> = fc.record({
  field: fc.constantFrom('username', 'email', 'user'),
  spelling: fc.constantFrom(...spellings),
  network: fc.constantFrom(...strangers),
  owner: fc.boolean(),
  wait: fc.constantFrom(0, 0, 0, 30, 901, 86_401),
})

// Low enough that twelve attempts meet every limit.
const limits: ThrottleOptions = {
  account: { points: 2, duration: 900 },
  unknownNetworks: { points: 4, duration: 86_400 },
  accountTotal: { points: 5, duration: 86_400 },
  network: { points: 3, duration: 900 },
  knownNetwork: { points: 2, duration: 86_400 },
}

interface Answers {
  readonly answers: readonly unknown[]
  /** The steps in which the owner was refused: too many others had guessed at the account. */
  readonly refused: ReadonlySet<Step>
}

/** @param alsoAt - the steps in which somebody else types the name, at the owner's network */
async function answersFor(
  name: string,
  steps: readonly Step[],
  throttle: ThrottleOptions,
  alsoAt: ReadonlySet<Step> = new Set(),
): Promise<Answers> {
  const host = await guessedAt({ throttle })
  const answers: unknown[] = []
  const refused = new Set<Step>()
  for (const step of steps) {
    vi.setSystemTime(Date.now() + step.wait * 1000)
    if (step.owner && (await signIn(host)).status !== 200) refused.add(step)
    if (alsoAt.has(step)) await tryWrong(host, name, { ...ownerTypes, network: ownersNetwork })
    const response = await tryWrong(host, name, step)
    answers.push([response.status, headersOf(response), response.text])
  }
  return { answers, refused }
}

function tryWrong(
  host: TestHost,
  name: string,
  { field, spelling, network }: Pick<Step, 'field' | 'spelling' | 'network'>,
) {
  const typed = field === 'email' ? `${spelling(name)}@example.com` : spelling(name)
  return post(host, '/login', { [field]: typed, password: 'wrong' }, from(network))
}

// From a network that no stranger shares; a known one answers 401 where others answer 429, and that
// is said.
const ownersNetwork = '192.0.2.200'
const ownerTypes = { field: 'username', spelling: (name: string) => name } as const
const signIn = (host: TestHost) =>
  post(host, '/login', { username: 'alice', password }, from(ownersNetwork))

describe('any twelve wrong passwords over fields, spellings and networks', () => {
  it.each<[string, ThrottleOptions]>([
    ['all limits within reach', limits],
    ['the limits of a host that sets none', {}],
  ])(
    'are answered alike for a taken and a free name, with %s',
    async (_name, throttle) => {
      vi.useFakeTimers({ toFake: ['Date'] })
      const begin = Date.now()
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
          vi.setSystemTime(begin)
          const taken = await answersFor('alice', steps, throttle)
          vi.setSystemTime(begin)
          // An owner who is refused counts as anybody does who types the name, also one of nobody.
          const free = await answersFor('nobdy', steps, throttle, taken.refused)
          expect(free.answers).toEqual(taken.answers)
        }),
        { numRuns },
      )
    },
    // Ten times the rounds take ten times as long.
    rounds(60_000),
  )

  it('meet every limit of passwords in such runs', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const scopes = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 12 }), async (steps) => {
        const host = await guessedAt({ throttle: limits })
        for (const step of steps) await tryWrong(host, 'alice', step)
        for (const event of host.events)
          if (event.type === 'login.throttled') scopes.add(event.scope)
      }),
      { numRuns: 12, seed: 1 },
    )
    expect([...scopes].sort()).toEqual(['account', 'identifier', 'network', 'unknown-networks'])
  })
})

describe('an account that has been guessed at a hundred times by all its names', () => {
  const names = [
    { username: 'alice' },
    { email: 'alice@example.com' },
    { user: 'u-alice' },
    { user: 'alice' },
  ]

  it(
    'answers a right password like a wrong one where it does not know the network, and tells ' +
      'the operator',
    async () => {
      const host = await guessedAt()
      for (let i = 0; i < 102; i += 1) {
        const ip = `10.0.${Math.floor(i / 4)}.${i % 4}`
        expect(
          (await post(host, '/login', { ...names[i % 4], password: 'wrong' }, from(ip))).status,
        ).toBe(401)
      }
      const wrong = await post(
        host,
        '/login',
        { username: 'alice', password: 'wrong' },
        from('192.0.2.1'),
      )
      const right = await post(host, '/login', { username: 'alice', password }, from('192.0.2.2'))
      expect([right.status, headersOf(right), right.text]).toEqual([
        wrong.status,
        headersOf(wrong),
        wrong.text,
      ])
      expect(host.events).toContainEqual(
        expect.objectContaining({
          type: 'login.throttled',
          scope: 'account',
          userId: 'u-alice',
          ip: '192.0.2.2',
        }),
      )
      expect(host.events.at(-1)).toMatchObject({
        type: 'login.failed',
        reason: 'account-limit',
        userId: 'u-alice',
      })
    },
  )

  it('lets its owner in at home, which begins it anew', async () => {
    const host = await guessedAt({ throttle: { accountTotal: { points: 3, duration: 86_400 } } })
    const home = from('203.0.113.7')
    expect((await post(host, '/login', { username: 'alice', password }, home)).status).toBe(200)
    for (let i = 0; i < 6; i += 1) {
      await post(host, '/login', { ...names[i % 4], password: 'wrong' }, from(`10.0.0.${i}`))
    }
    expect(
      (await post(host, '/login', { username: 'alice', password }, from('192.0.2.1'))).status,
    ).toBe(401)
    expect(
      (await post(host, '/login', { email: 'alice@example.com', password }, home)).status,
    ).toBe(200)
    expect(
      (await post(host, '/login', { username: 'alice', password }, from('192.0.2.1'))).status,
    ).toBe(200)
  })
})

describe('who has used up a limit over all networks', () => {
  it('is looked up by the same calls whether the name is somebody’s or nobody’s, and only then', async () => {
    const callsFor = async (username: string) => {
      const host = await guessedAt({
        throttle: { unknownNetworks: { points: 2, duration: 86_400 } },
      })
      const { findByIdentifier } = host.users
      let calls = 0
      host.users.findByIdentifier = (identifier) => {
        calls += 1
        return findByIdentifier(identifier)
      }
      const counts: number[] = []
      for (let i = 0; i < 4; i += 1) {
        await post(host, '/login', { username, password: 'wrong' }, from(`10.0.0.${i}`))
        counts.push(calls)
      }
      return counts
    }
    expect(await callsFor('alice')).toEqual([1, 2, 3, 4])
    expect(await callsFor('nobody')).toEqual([1, 2, 3, 4])
  })
})
