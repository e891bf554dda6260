// Text messages cost their sender money, and bring some to whoever rents a range of numbers. Robots
// ask for as many as they can; nobody types the codes.
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { AuthEvent, RequestContext } from '../../src/audit/events.js'
import type { MailKind } from '../../src/audit/mail.js'
import { createThrottle } from '../../src/throttle/throttle.js'

afterEach(() => vi.useRealTimers())

const hour = 60 * 60
const budget = { hour: 200, day: 2000 }

async function start() {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 1_800_000_000_000 })
  const events: AuthEvent[] = []
  const { limitTexts, knownNetworks } = createThrottle({
    options: {},
    encryptionKeys: [],
    knownFor: 90 * 24 * hour,
    reportsNetworks: false,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    call: async (_name, work, _accept, asked) => (await work(asked as never)) as never,
    audit: (event) => void events.push(event as AuthEvent),
  })
  const limits = await limitTexts(budget)
  const from = (ip: string): RequestContext => ({ requestId: null, ip, userAgent: null })
  /** Whether a message is sent. */
  async function send(
    to: { number: string; prefix?: string; userId?: string; kind?: MailKind },
    ip = '203.0.113.7',
  ) {
    const { number, prefix = number.slice(0, 7), userId = null, kind = 'sign-in-code' } = to
    return (await limits.takeText({ kind, number, prefix, userId }, from(ip))) === null
  }
  /** How many of so many are sent. */
  async function count(times: number, one: (at: number) => Promise<boolean>) {
    const sent = await Promise.all(Array.from({ length: times }, (_none, at) => one(at)))
    return sent.filter(Boolean).length
  }
  const know = async (userId: string, ip: string) =>
    (await knownNetworks.standing(userId, from(ip))).remember()
  return { ...limits, send, count, know, events }
}

const wait = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)
const ipOf = (at: number) => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`
const numberOf = (at: number) => `+491${String(at).padStart(10, '0')}`

describe('a number gets', () => {
  it('three messages in 15 minutes, and eight a day, of many that are asked for at once', async () => {
    const { send, count } = await start()
    const ask = (at: number) => send({ number: numberOf(1) }, ipOf(at))
    expect(await count(20, ask)).toBe(3)
    wait(15 * 60 + 1)
    expect(await count(20, ask)).toBe(3)
    wait(15 * 60 + 1)
    expect(await count(20, ask)).toBe(2)
    wait(2 * hour)
    expect(await count(20, ask)).toBe(0)
    wait(24 * hour)
    expect(await count(20, ask)).toBe(3)
  })
})

describe('a user at home gets', () => {
  it.each<MailKind>(['sign-in-code', 'second-factor-code'])(
    'each %s, whatever strangers have used up',
    async (kind) => {
      const { send, count, know } = await start()
      const to = { number: numberOf(1), userId: 'u-alice', kind }
      await know('u-alice', '192.0.2.1')
      for (let times = 0; times < 4; times += 1) {
        await count(20, (at) => send(to, ipOf(at)))
        wait(15 * 60 + 1)
      }
      expect(await send(to)).toBe(false)
      expect(await count(20, () => send(to, '192.0.2.1'))).toBe(3)
      // Only what signs in, and only the user.
      expect(await send({ ...to, userId: 'u-bob' }, '192.0.2.1')).toBe(false)
      await count(20, (at) => send({ ...to, kind: 'change-address' }, ipOf(at)))
      expect(await send({ ...to, kind: 'change-address' }, '192.0.2.1')).toBe(false)
    },
  )
})

describe('an account and a network get', () => {
  it('eight and twenty messages, to however many numbers', async () => {
    const { send, count } = await start()
    const byAccount = (at: number) => send({ number: numberOf(at), userId: 'thief' }, ipOf(at))
    expect(await count(50, byAccount)).toBe(8)
    const byNetwork = (at: number) =>
      send({ number: numberOf(100 + at), prefix: `+1${at}`, userId: `u${at}` }, '198.51.100.1')
    expect(await count(50, byNetwork)).toBe(20)
  })
})

describe('a prefix', () => {
  it('gets a tenth of the budget', async () => {
    const { send, count } = await start()
    const ask = (at: number) => send({ number: numberOf(at), prefix: '+491701' }, ipOf(at))
    expect(await count(100, ask)).toBe(20)
    expect(await send({ number: numberOf(500), prefix: '+491702' }, ipOf(500))).toBe(true)
  })

  it('is paused for an hour when fewer than ten of 50 codes were typed, and is told once', async () => {
    const { send, count, noteTyped, events } = await start()
    const prefix = '+491701'
    const ask = (at: number) => send({ number: numberOf(at), prefix }, ipOf(at))
    for (let round = 0; round < 2; round += 1) {
      expect(await count(20, (at) => ask(round * 20 + at))).toBe(20)
      wait(hour + 1)
    }
    for (let typed = 0; typed < 9; typed += 1) await noteTyped(prefix)
    const sent: boolean[] = []
    for (let at = 0; at < 20; at += 1) sent.push(await ask(100 + at))
    expect(sent.filter(Boolean)).toHaveLength(10)
    const paused = events.filter(({ type }) => type === 'phone.prefix-paused')
    expect(paused).toEqual([expect.objectContaining({ prefix })])
    expect(await ask(150)).toBe(false)
    expect(await send({ number: numberOf(300), prefix: '+491702' }, ipOf(300))).toBe(true)
    wait(hour + 1)
    expect(await ask(200)).toBe(true)
  })

  it('goes on when people type their codes', async () => {
    const { send, count, noteTyped, events } = await start()
    const prefix = '+491701'
    for (let round = 0; round < 6; round += 1) {
      const ask = (at: number) => send({ number: numberOf(round * 20 + at), prefix }, ipOf(at))
      expect(await count(20, ask)).toBe(20)
      for (let typed = 0; typed < 8; typed += 1) await noteTyped(prefix)
      wait(hour + 1)
    }
    expect(events).toEqual([])
  })
})

describe('the budget', () => {
  it('is the whole cost of 100,000 requests of 10,000 networks over 500 prefixes in a day', async () => {
    const { send, know } = await start()
    const home = (at: number) => `192.0.2.${at}`
    for (let at = 0; at < 50; at += 1) await know(`user-${at}`, home(at))
    // A walk that meets every network with every prefix, and no number and no account twice.
    const byRobot = (at: number) =>
      send(
        { number: numberOf(at), prefix: `+49${at % 500}`, userId: `robot-${at}` },
        ipOf((at * 7919) % 10_000),
      )
    const byUser = (at: number) => {
      const to = { number: `+4917099999${at}`, prefix: '+490', userId: `user-${at}` }
      return send({ ...to, kind: 'second-factor-code' }, home(at))
    }
    const sent = { robots: 0, users: 0 }
    for (let at = 0; at < 100_000; at += 1) {
      if (await byRobot(at)) sent.robots += 1
      // Each user signs in twice on that day, at home.
      if (at % 1000 === 0 && (await byUser((at / 1000) % 50))) sent.users += 1
      wait((24 * hour) / 100_000)
    }
    expect(sent).toEqual({ robots: budget.day, users: 100 })
  })

  it('is told before anybody is looked up, to strangers alone', async () => {
    const { send, count, know, requireRoom, events } = await start()
    await know('owner', '192.0.2.1')
    const ask = (at: number) =>
      send({ number: numberOf(at), prefix: `+49${at % 25}`, userId: `u${at}` }, ipOf(at))
    expect(await count(1000, ask)).toBe(200)
    await expect(requireRoom()).rejects.toMatchObject({ status: 503 })
    const factor = { number: numberOf(5000), userId: 'owner', kind: 'second-factor-code' } as const
    expect(await send(factor, '192.0.2.1')).toBe(true)
    expect(await send(factor, '192.0.2.2')).toBe(false)
    expect(await send({ ...factor, kind: 'sign-in-code' }, '192.0.2.1')).toBe(false)
    expect(events.some((event) => 'scope' in event && event.scope === 'text-budget')).toBe(true)
  })
})
