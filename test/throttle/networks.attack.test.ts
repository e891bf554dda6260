import { afterEach, describe, expect, it, vi } from 'vitest'
import { headersOf } from '../support/client.js'
import { behindProxy, from, guess, guessedAt, network, right, statusesOf, tally } from '../support/guessing.js'
import { startHost } from '../support/host.js'

afterEach(() => vi.useRealTimers())

const days = (count: number) => vi.setSystemTime(Date.now() + count * 86_400_000)
const fakeDate = () => vi.useFakeTimers({ toFake: ['Date'] })
const home = '203.0.113.7'

describe('a hundred wrong passwords from rotating networks', () => {
  it('stop all networks that the name does not know, also with the right password; the known one signs in and re-opens them', async () => {
    const host = await guessedAt()
    expect((await right(host, home)).status).toBe(200)
    const statuses = await statusesOf(103, (i) => guess(host, network(i)))
    expect(statuses).toEqual([...Array<number>(100).fill(401), 429, 429, 429])
    expect(host.events.at(-1)).toMatchObject({ type: 'login.throttled', scope: 'unknown-networks', userId: null, dryRun: false })
    const stranger = await right(host, network(500))
    expect(stranger.status).toBe(429)
    expect(Number(stranger.headers['retry-after'])).toBeGreaterThan(86_000)
    expect((await right(host, home)).status).toBe(200)
    expect((await right(host, network(501))).status).toBe(200)
  })

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
    const answers = await Promise.all(Array.from({ length: 200 }, (_none, i) => guess(host, network(i)).then((r) => r.status)))
    expect(tally(answers)).toEqual({ 401: 100, 429: 100 })
  })

  it('are not refunded to their network, nor counted where another limit refused them', async () => {
    const throttle = { unknownNetworks: { points: 2, duration: 900 }, network: { points: 4, duration: 900 } }
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
  it('has a limit of its own, which a sign-in there clears', async () => {
    const throttle = { account: { points: 50, duration: 900 }, knownNetwork: { points: 3, duration: 86_400 } }
    const host = await guessedAt({ throttle })
    for (let round = 0; round < 2; round += 1) {
      expect((await right(host, home)).status).toBe(200)
      expect(await statusesOf(2, () => guess(host, home))).toEqual([401, 401])
    }
    expect(await statusesOf(2, () => guess(host, home))).toEqual([401, 429])
    expect(host.events.at(-1)).toMatchObject({ type: 'login.throttled', scope: 'known-network' })
    expect((await right(host, network(1))).status).toBe(200)
  })

  it('is known for 30 days, also in memory, whose timers end after 24.8', async () => {
    const host = await guessedAt({ throttle: { unknownNetworks: { points: 1, duration: 2_592_000 } } })
    fakeDate()
    expect((await right(host, home)).status).toBe(200)
    expect((await guess(host, network(1))).status).toBe(401)
    expect((await right(host, network(2))).status).toBe(429)
    days(29.9)
    // Wrong on purpose: a right one would make it known anew.
    expect((await guess(host, home)).status).toBe(401)
    expect((await right(host, network(2))).status).toBe(429)
  })

  it('is forgotten after them', async () => {
    const host = await guessedAt({ throttle: { unknownNetworks: { points: 1, duration: 86_400 } } })
    fakeDate()
    expect((await right(host, home)).status).toBe(200)
    days(30.01)
    expect((await guess(host, network(1))).status).toBe(401)
    expect((await right(host, home)).status).toBe(429)
  })

  it('is not known for another user’s name, nor for a password without its second factor', async () => {
    const host = await guessedAt({ throttle: { unknownNetworks: { points: 1, duration: 86_400 } } })
    expect((await right(host, home)).status).toBe(200)
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash: host.users.rows.get('u-alice')?.passwordHash ?? null })
    await host.auth.secondFactors.importTotp({ userId: 'u-bob', secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' })
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
      // Eight from each network: five are judged, then the pause; after twenty networks the day's hundred.
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
    const garbage = ['not-an-address', '', '999.1.1.1', '1.2.3.4.5', 'unknown', "'; drop table", '[::1', '203.0.113.7:99999x']
    const statuses = await statusesOf(garbage.length, (i) => guess(host, garbage[i], `name${i}`))
    expect(tally(statuses)).toEqual({ 401: 1, 429: garbage.length - 1 })
  })

  it('is not what a client writes in front of it', async () => {
    const host = await guessedAt(one)
    const statuses = await statusesOf(5, (i) => guess(host, `10.9.9.${i}, 198.51.100.9`, `name${i}`))
    expect(tally(statuses)).toEqual({ 401: 1, 429: 4 })
  })

  it('is not guessed under `trust proxy: true`: the request fails, and says so to the host', async () => {
    const host = await startHost({ before: (app) => void app.set('trust proxy', true) })
    expect((await guess(host)).status).toBe(500)
    expect(host.unforeseen[0]).toMatchObject({ name: 'AuthConfigError', option: "app.set('trust proxy', true)" })
  })
})

it('behindProxy and from are what the tests above go by', async () => {
  const host = await startHost({ ...behindProxy })
  await guess(host, '198.51.100.9')
  expect(host.events.at(-1)).toMatchObject({ ip: Object.values(from('198.51.100.9'))[0] })
})
