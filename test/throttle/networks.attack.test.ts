import { afterEach, describe, expect, it, vi } from 'vitest'
import { bearer, get, headersOf, post } from '../support/client.js'
import {
  behindProxy,
  from,
  guess,
  guessedAt,
  network,
  right,
  statusesOf,
  tally,
} from '../support/guessing.js'
import { password, startHost } from '../support/host.js'

afterEach(() => vi.useRealTimers())

const days = (count: number) => vi.setSystemTime(Date.now() + count * 86_400_000)
const fakeDate = () => vi.useFakeTimers({ toFake: ['Date'] })
const home = '203.0.113.7'

describe('a hundred wrong passwords from rotating networks', () => {
  it(
    'stop all networks that the account does not know, also with the right password; the known ' +
      'one signs in',
    async () => {
      const host = await guessedAt()
      expect((await right(host, home)).status).toBe(200)
      const statuses = await statusesOf(103, (i) => guess(host, network(i)))
      expect(statuses).toEqual([...Array<number>(100).fill(401), 429, 429, 429])
      expect(host.events.at(-1)).toMatchObject({
        type: 'login.throttled',
        scope: 'unknown-networks',
        userId: null,
        identifierDigest: (
          host.events.find(({ type }) => type === 'login.failed') as { identifierDigest?: string }
        ).identifierDigest,
        dryRun: false,
      })
      const stranger = await right(host, network(500))
      expect(stranger.status).toBe(429)
      expect(Number(stranger.headers['retry-after'])).toBeGreaterThan(86_000)
      expect((await right(host, home)).status).toBe(200)
      // A poller elsewhere is not told that the owner has just signed in.
      expect((await right(host, network(501))).status).toBe(429)
    },
  )

  it('stop them for a day', async () => {
    const host = await guessedAt({ throttle: { unknownNetworks: { points: 3, duration: 86_400 } } })
    fakeDate()
    expect(await statusesOf(4, (i) => guess(host, network(i)))).toEqual([401, 401, 401, 429])
    days(0.99)
    expect((await right(host, network(9))).status).toBe(429)
    days(0.02)
    expect((await right(host, network(9))).status).toBe(200)
  })

  it('are a hundred judged of 200 at once', async () => {
    const host = await guessedAt()
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_none, i) => guess(host, network(i)).then((r) => r.status)),
    )
    expect(tally(answers)).toEqual({ 401: 100, 429: 100 })
  })

  it('are not refunded to their network, nor counted where another limit refused them', async () => {
    const throttle = {
      unknownNetworks: { points: 2, duration: 900 },
      network: { points: 4, duration: 900 },
    }
    const host = await guessedAt({ throttle })
    // Refused for alice, so the network is charged with two and no more.
    expect(await statusesOf(6, () => guess(host, home))).toEqual([401, 401, 429, 429, 429, 429])
    expect(await statusesOf(3, () => guess(host, home, 'bob'))).toEqual([401, 401, 429])
    expect(host.events.at(-1)).toMatchObject({ scope: 'network' })
  })

  it('count right passwords of no network: a user who travels is not stopped', async () => {
    const host = await guessedAt({ throttle: { unknownNetworks: { points: 3, duration: 86_400 } } })
    expect(tally(await statusesOf(10, (i) => right(host, network(i))))).toEqual({ 200: 10 })
  })
})

describe('a network in which the user has signed in', () => {
  it('has a limit of its own, and then what strangers have', async () => {
    const throttle = {
      account: { points: 50, duration: 900 },
      knownNetwork: { points: 3, duration: 86_400 },
    }
    const host = await guessedAt({
      throttle: { ...throttle, unknownNetworks: { points: 2, duration: 86_400 } },
    })
    expect((await right(host, home)).status).toBe(200)
    expect(await statusesOf(6, () => guess(host, home))).toEqual([401, 401, 401, 401, 401, 429])
    expect(host.events.at(-1)).toMatchObject({ type: 'login.throttled', scope: 'known-network' })
    expect((await right(host, home)).status).toBe(429)
  })

  it('takes nothing of what other networks have', async () => {
    const throttle = {
      unknownNetworks: { points: 2, duration: 86_400 },
      accountTotal: { points: 2, duration: 86_400 },
    }
    const host = await guessedAt({ throttle })
    expect((await right(host, home)).status).toBe(200)
    expect(await statusesOf(5, () => guess(host, home))).toEqual([401, 401, 401, 401, 401])
    expect(await statusesOf(3, () => guess(host, network(1)))).toEqual([401, 401, 429])
  })

  it(
    'is not refused by the ceiling of its network: neighbours who fail take nothing from the ' +
      'owner',
    async () => {
      const host = await guessedAt({ throttle: { network: { points: 3, duration: 900 } } })
      expect((await right(host, home)).status).toBe(200)
      expect(await statusesOf(4, (i) => guess(host, home, `invented${i}`))).toEqual([
        401, 401, 401, 429,
      ])
      expect((await right(host, home)).status).toBe(200)
      expect((await guess(host, home)).status).toBe(401)
    },
  )

  it('is known to the account, and not to a spelling or a field', async () => {
    const host = await guessedAt({ throttle: { unknownNetworks: { points: 1, duration: 86_400 } } })
    expect((await post(host, '/login', { user: 'alice', password }, from(home))).status).toBe(200)
    for (const body of [
      { username: 'Alice' },
      { username: 'alice' },
      { user: 'alice' },
      { email: 'alice@example.com' },
      { user: 'u-alice' },
    ]) {
      await post(host, '/login', { ...body, password: 'wrong' }, from(network(1)))
      expect((await post(host, '/login', { ...body, password }, from(network(2)))).status).toBe(429)
      expect((await post(host, '/login', { ...body, password }, from(home))).status).toBe(200)
    }
  })

  it('is known for as long as a session may live, and then forgotten', async () => {
    const host = await guessedAt({
      throttle: { unknownNetworks: { points: 1, duration: 2_592_000 } },
    })
    fakeDate()
    expect((await right(host, home)).status).toBe(200)
    days(89.9)
    expect((await guess(host, network(1))).status).toBe(401)
    // Wrong on purpose: a right one would make it known anew.
    expect((await guess(host, home)).status).toBe(401)
    days(0.2)
    expect((await right(host, home)).status).toBe(429)
  })

  it(
    'stays known while a session is used there, and is not made known by one that is used ' +
      'elsewhere',
    async () => {
      const host = await guessedAt({
        throttle: { unknownNetworks: { points: 1, duration: 2_592_000 } },
        lifetimes: { sessionIdle: 86_400 * 30 },
      })
      fakeDate()
      const { authToken } = (await right(host, home)).body.data
      for (let day = 1; day <= 60; day += 1) {
        days(1)
        host.clock.advance(86_400)
        for (const ip of [home, '198.51.100.7']) {
          expect((await get(host, '/me', { ...bearer(authToken), ...from(ip) })).status).toBe(200)
        }
      }
      days(60)
      expect((await guess(host, network(1))).status).toBe(401)
      expect((await right(host, '198.51.100.7')).status).toBe(429)
      expect((await right(host, home)).status).toBe(200)
    },
  )

  it('that was forgotten does not come back when it is forgotten a second time, long after', async () => {
    const host = await guessedAt({ throttle: { unknownNetworks: { points: 1, duration: 86_400 } } })
    fakeDate()
    await host.auth.sessions.revokeAllForUser('u-alice')
    days(89)
    expect((await right(host, home)).status).toBe(200)
    days(1.5)
    expect((await guess(host, network(1))).status).toBe(401)
    expect((await right(host, home)).status).toBe(200)
    days(10)
    await host.auth.sessions.revokeAllForUser('u-alice')
    expect((await guess(host, network(1))).status).toBe(401)
    expect((await right(host, home)).status).toBe(429)
  })

  it('is not made known by a login that was refused after all', async () => {
    const host = await guessedAt({ throttle: { unknownNetworks: { points: 1, duration: 86_400 } } })
    const { findById } = host.users
    // The user is disabled while the password is judged.
    host.users.findById = async (id) => {
      const user = await findById(id)
      return user === null ? null : { ...user, disabled: true }
    }
    expect((await right(host, home)).status).toBe(401)
    host.users.findById = findById
    await guess(host, network(1))
    expect((await right(host, home)).status).toBe(429)
  })

  it(
    'has a hundred guesses a day over all names of the account, and then those of strangers, ' +
      'and no more',
    async () => {
      const throttle = {
        account: { points: 1000, duration: 900 },
        knownNetwork: { points: 4, duration: 86_400 },
        accountTotal: { points: 3, duration: 86_400 },
      }
      const host = await guessedAt({ throttle })
      expect((await right(host, home)).status).toBe(200)
      for (let i = 0; i < 10; i += 1) {
        const name = [{ username: 'alice' }, { email: 'alice@example.com' }, { user: 'u-alice' }][
          i % 3
        ]
        await post(host, '/login', { ...name, password: 'wrong' }, from(home))
      }
      const judged = host.events.filter(
        (event) => event.type === 'login.failed' && event.reason === 'wrong-password',
      )
      expect(judged).toHaveLength(7)
      expect((await right(host, home)).status).toBe(401)
    },
  )

  it('is forgotten, as all networks of the account, when the host ends all of its sessions', async () => {
    const host = await guessedAt({ throttle: { unknownNetworks: { points: 1, duration: 86_400 } } })
    for (const ip of [home, '198.51.100.7']) expect((await right(host, ip)).status).toBe(200)
    await host.auth.sessions.revokeAllForUser('u-alice')
    expect((await guess(host, network(1))).status).toBe(401)
    for (const ip of [home, '198.51.100.7']) expect((await right(host, ip)).status).toBe(429)
    await host.auth.unlockLogin({ kind: 'username', value: 'alice' })
    expect((await right(host, home)).status).toBe(200)
    expect((await guess(host, network(1))).status).toBe(401)
    expect((await right(host, home)).status).toBe(200)
  })

  it('gives back what was failed in it while it was known to its own limit alone, also later', async () => {
    const host = await guessedAt({ throttle: { unknownNetworks: { points: 6, duration: 86_400 } } })
    expect((await right(host, home)).status).toBe(200)
    expect(await statusesOf(4, () => guess(host, home))).toEqual([401, 401, 401, 401])
    await host.auth.sessions.revokeAllForUser('u-alice')
    // Strangers have two of six left.
    expect(await statusesOf(4, (i) => guess(host, network(i)))).toEqual([401, 401, 401, 401])
    expect((await right(host, home)).status).toBe(200)
    expect(await statusesOf(3, (i) => guess(host, network(10 + i)))).toEqual([401, 401, 429])
  })

  it('is not made known, and nothing is taken, by a login whose session cannot be stored', async () => {
    const limit = { points: 5, duration: 86_400 }
    const host = await guessedAt({
      throttle: { account: limit, unknownNetworks: limit, accountTotal: limit },
    })
    const create = vi.spyOn(host.stores.sessions, 'create').mockRejectedValue(new Error('away'))
    expect(await statusesOf(8, () => right(host, home))).toEqual(Array(8).fill(503))
    const atOnce = await Promise.all(Array.from({ length: 8 }, () => right(host, home)))
    expect(tally(atOnce.map(({ status }) => status))).toEqual({ 503: 8 })
    create.mockRestore()
    expect(await statusesOf(6, (i) => guess(host, network(i)))).toEqual([
      ...Array<number>(5).fill(401),
      429,
    ])
    expect((await right(host, home)).status).toBe(429)
  })

  it('is not known for another user’s name, nor for a password without its second factor', async () => {
    const host = await guessedAt({ throttle: { unknownNetworks: { points: 1, duration: 86_400 } } })
    expect((await right(host, home)).status).toBe(200)
    host.users.add({
      id: 'u-bob',
      username: 'bob',
      passwordHash: host.users.rows.get('u-alice')?.passwordHash ?? null,
    })
    await host.auth.secondFactors.importTotp({
      userId: 'u-bob',
      secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    })
    expect((await right(host, home, 'bob')).body.error).toBe('totp-required')
    expect((await guess(host, network(1), 'bob')).status).toBe(401)
    expect((await right(host, home, 'bob')).status).toBe(429)
  })
})

describe('a name that belongs to nobody', () => {
  it('answers byte for byte like one that does, through 120 guesses and all limits', async () => {
    const sequence = async (username: string) => {
      const host = await guessedAt()
      const answers: unknown[] = []
      // Eight from each network: five are judged, then the pause; after twenty networks the day's
      // hundred.
      for (let i = 0; i < 120; i += 1) {
        const response = await guess(host, network(Math.floor(i / 6)), username)
        const length = response.headers['content-length']
        answers.push([response.status, { ...headersOf(response), length }, response.text])
      }
      answers.push((await right(host, network(999), username)).text)
      return answers
    }
    fakeDate()
    const known = await sequence('alice')
    expect(await sequence('nobody')).toEqual(known)
    expect(new Set(known.map((answer) => (answer as unknown[])[0]))).toContain(429)
    expect(JSON.stringify(known.at(-1))).toContain('too-many-requests')
  })
})

describe('one line of IPv6', () => {
  it('has twice the ceiling in a /56 and four times in a /48, however many networks it has', async () => {
    const host = await guessedAt({ throttle: { network: { points: 3, duration: 900 } } })
    const tried = (subnet: (i: number) => string) =>
      statusesOf(14, (i) => guess(host, subnet(i), `name${i}`))
    const of56 = tally(await tried((i) => `2001:db8:1:${(0xa00 + i).toString(16)}::1`))
    expect(of56).toEqual({ 401: 6, 429: 8 })
    // The rest of the /48 has what is left of twelve.
    const of48 = tally(await tried((i) => `2001:db8:1:${(0x100 * (i + 1)).toString(16)}::1`))
    expect(of48).toEqual({ 401: 6, 429: 8 })
    expect((await guess(host, '2001:db8:2:1::1', 'name')).status).toBe(401)
  })
})

describe('the network of a request', () => {
  const one = { throttle: { network: { points: 1, duration: 900 } } }

  it('is the same for an IPv4 address and for that address mapped into IPv6', async () => {
    const host = await guessedAt(one)
    expect((await guess(host, '198.51.100.9')).status).toBe(401)
    expect((await guess(host, '::ffff:198.51.100.9', 'bob')).status).toBe(429)
    expect((await guess(host, '::FFFF:c633:6409', 'bob')).status).toBe(429)
    expect((await guess(host, '198.51.100.10', 'bob')).status).toBe(401)
  })

  it('is the socket’s where the proxy forwards garbage: made-up text is no fresh network', async () => {
    const host = await guessedAt(one)
    const garbage = [
      'not-an-address',
      '',
      '999.1.1.1',
      '1.2.3.4.5',
      'unknown',
      "'; drop table",
      '[::1',
      '203.0.113.7:99999x',
    ]
    const statuses = await statusesOf(garbage.length, (i) => guess(host, garbage[i], `name${i}`))
    expect(tally(statuses)).toEqual({ 401: 1, 429: garbage.length - 1 })
  })

  it('is not what a client writes in front of it', async () => {
    const host = await guessedAt(one)
    const statuses = await statusesOf(5, (i) =>
      guess(host, `10.9.9.${i}, 198.51.100.9`, `name${i}`),
    )
    expect(tally(statuses)).toEqual({ 401: 1, 429: 4 })
  })

  it('is not guessed under `trust proxy: true`: the request fails, and says so to the host', async () => {
    const host = await startHost({ before: (app) => void app.set('trust proxy', true) })
    expect((await guess(host)).status).toBe(500)
    expect(host.log.find(({ level }) => level === 'error')?.message).toContain(
      "app.set('trust proxy', true)",
    )
  })
})

it('behindProxy and from are what the tests above go by', async () => {
  const host = await startHost({ ...behindProxy })
  await guess(host, '198.51.100.9')
  expect(host.events.at(-1)).toMatchObject({ ip: Object.values(from('198.51.100.9'))[0] })
})
