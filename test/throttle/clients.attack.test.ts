import { randomUUID } from 'node:crypto'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { AuthEvent, RequestContext } from '../../src/audit/events.js'
import { AuthError } from '../../src/errors.js'
import type { LimiterSettings } from '../../src/throttle/counter.js'
import type { ThrottleOptions } from '../../src/throttle/limits.js'
import { createThrottle } from '../../src/throttle/throttle.js'
import { memoryLimiter } from '../support/memory-limiter.js'

function start(options: ThrottleOptions = {}) {
  const events: AuthEvent[] = []
  const { countRefusedClient, limitLookups } = createThrottle({
    options,
    encryptionKeys: [],
    knownFor: 60,
    reportsNetworks: false,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    call: async (_name, work, _accept, asked) => (await work(asked as never)) as never,
    audit: (event) => void events.push(event as AuthEvent),
  })
  /** What a client is told that was refused, and with which headers. */
  async function refuse(clientId: string, ip = '203.0.113.7') {
    let sent: Readonly<Record<string, string>> = {}
    const context: RequestContext = { requestId: null, ip, userAgent: null }
    const setHeaders = (headers: typeof sent) => {
      sent = headers
    }
    const refusal = new AuthError('invalid_client')
    const { code } = await countRefusedClient(clientId, { context, setHeaders }, refusal)
    return { code, left: sent['RateLimit-Remaining'] }
  }
  const times = async (count: number, ...of: Parameters<typeof refuse>) =>
    (await Promise.all(Array.from({ length: count }, () => refuse(...of)))).map(({ code }) => code)
  /** What comes of a look-up, which finds something or nothing. */
  async function lookUp(
    find: () => Promise<string | null>,
    { ip = '203.0.113.7', name = randomUUID() as string, hasProof = false } = {},
  ) {
    const context: RequestContext = { requestId: null, ip, userAgent: null }
    return limitLookups({ context }, { name, hasProof, find }).catch(
      ({ code, retryAfter }: AuthError) => (retryAfter === undefined ? code : `${code}, later`),
    )
  }
  return { refuse, times, lookUp, events }
}

const over = (codes: readonly string[]) => codes.filter((code) => code === 'too-many-requests')

describe('clients that are refused', () => {
  it('are counted by client and network, and 50 at once are no more than 20', async () => {
    const { times } = start()
    expect(over(await times(50, 'wiki'))).toHaveLength(30)
    expect(over(await times(20, 'another'))).toEqual([])
    expect(over(await times(20, 'wiki', '203.0.113.8'))).toEqual([])
    // One line of IPv6 is one network.
    expect(over(await times(20, 'wiki', '2001:db8::1'))).toEqual([])
    expect(over(await times(1, 'wiki', '2001:db8::2'))).toHaveLength(1)
  })

  it('are counted by network, under whatever ids: of 500 at once 300 are told why', async () => {
    const { refuse, times, events } = start()
    const answers = await Promise.all(
      Array.from({ length: 500 }, (_none, index) => refuse(`invented-${index}`)),
    )
    expect(over(answers.map(({ code }) => code))).toHaveLength(200)
    expect(events).toHaveLength(200)
    expect(over(await times(1, 'another'))).toHaveLength(1)
    expect(over(await times(1, 'another', '203.0.113.8'))).toEqual([])
  })

  it('are counted by a limit that the host can set', async () => {
    const { refuse } = start({ endpoints: { points: 2, duration: 60 } })
    const codes = []
    for (const id of ['a', 'b', 'c']) codes.push((await refuse(id)).code)
    expect(codes).toEqual(['invalid_client', 'invalid_client', 'too-many-requests'])
  })

  it('are told how many are left', async () => {
    const { refuse } = start()
    expect((await refuse('wiki')).left).toBe('19')
    expect((await refuse('wiki')).left).toBe('18')
  })

  it('beyond the limit are let know why while it is only tried', async () => {
    const { times, events } = start({ dryRun: true })
    expect(over(await times(25, 'wiki'))).toEqual([])
    expect(events).toHaveLength(5)
    expect(events[0]).toMatchObject({ type: 'login.throttled', scope: 'endpoint', dryRun: true })
  })

  it('are told the same where the counter is out of reach', async () => {
    const limiter = (settings: LimiterSettings) =>
      Object.assign(memoryLimiter(settings), {
        consume: () => Promise.reject(new Error('down')),
      })
    const { times } = start({ limiter })
    expect(new Set(await times(25, 'wiki'))).toEqual(new Set(['invalid_client']))
  })

  it('are counted apart from everything else, and no id stands in a key', async () => {
    const keys: string[] = []
    const limiter = (settings: LimiterSettings) => {
      const memory = memoryLimiter(settings)
      const consume = memory.consume.bind(memory)
      return Object.assign(memory, {
        consume: (key: string, points?: number) => {
          keys.push(`${settings.keyPrefix}:${settings.points}/${settings.duration}:${key}`)
          return consume(key, points)
        },
      })
    }
    const { times, refuse } = start({ limiter })
    await times(1, 'wiki')
    expect(keys).toEqual([
      expect.stringMatching(/^mar-endpoint:300\/900:[\w-]{43}$/),
      expect.stringMatching(/^mar-client:20\/900:[\w-]{43}$/),
    ])
    // Ids that somebody invents have no more counters than the network has refusals.
    for (let index = 0; index < 400; index += 1) await refuse(`invented-${index}`)
    expect(new Set(keys.filter((key) => key.startsWith('mar-client'))).size).toBe(300)
  })

  it('cost a host that has none nothing: no limiter is asked for before the first refusal', async () => {
    const prefixes: string[] = []
    const limiter = (settings: LimiterSettings) => {
      prefixes.push(settings.keyPrefix)
      return memoryLimiter(settings)
    }
    const { times } = start({ limiter })
    expect(prefixes).not.toContain('mar-client')
    expect(over(await times(50, 'wiki'))).toHaveLength(30)
    expect(prefixes.filter((prefix) => prefix === 'mar-client')).toHaveLength(1)
  })
})

describe('look-ups of what there is not', () => {
  const nothing = async () => null
  const slowly = () => new Promise<null>((resolve) => setTimeout(resolve, 2, null))
  const used = { endpoints: { points: 1, duration: 60 } }

  /** What is looked up at once, at most. */
  function counted() {
    const seen = { now: 0, most: 0, all: 0 }
    const find = async () => {
      seen.now += 1
      seen.all += 1
      seen.most = Math.max(seen.most, seen.now)
      await slowly()
      seen.now -= 1
      return null
    }
    return { seen, find }
  }

  it('are 300 at once for each network, then one after the other, 50 of which wait', async () => {
    const { seen, find } = counted()
    const { lookUp, events } = start()
    const answers = await Promise.all(Array.from({ length: 400 }, () => lookUp(find)))
    expect([seen.all, answers.filter((one) => one === 'too-many-requests, later').length]).toEqual([
      350, 50,
    ])
    // One says that the limit is reached, the others that somebody was refused.
    expect(events).toHaveLength(51)
    seen.most = 0
    await Promise.all(Array.from({ length: 50 }, () => lookUp(find)))
    expect([seen.most, seen.all]).toEqual([1, 400])
    expect(await lookUp(nothing, { ip: '203.0.113.8' })).toBeNull()
    expect(events).toHaveLength(51)
  })

  it('are four at once beyond the limit, from however many networks', async () => {
    const { lookUp } = start(used)
    const ips = Array.from({ length: 60 }, (_none, at) => `198.51.100.${at}`)
    for (const ip of ips) await lookUp(nothing, { ip })
    const { seen, find } = counted()
    const flood = ips.flatMap((ip) => Array.from({ length: 30 }, () => lookUp(find, { ip })))
    const answers = await Promise.all(flood)
    expect([seen.most, seen.all]).toEqual([4, 1000])
    expect(answers.filter((one) => one === 'too-many-requests, later')).toHaveLength(800)
    expect(await lookUp(async () => 'wiki', { ip: '198.51.100.1' })).toBe('wiki')
  })

  it('shut nobody out: what there is is found behind them, and at once by who brings a secret', async () => {
    const { lookUp } = start(used)
    await lookUp(nothing)
    const { seen, find } = counted()
    const flood = Array.from({ length: 49 }, () => lookUp(find))
    const wiki = async () => 'wiki'
    const same = Array.from({ length: 20 }, () => lookUp(wiki, { name: 'wiki' }))
    expect(await lookUp(wiki, { name: 'wiki', hasProof: true })).toBe('wiki')
    expect(seen.all).toBeLessThan(10)
    // Of one name there is one in the line, however many ask for it.
    expect(new Set(await Promise.all(same))).toEqual(new Set(['wiki']))
    await Promise.all(flood)
  })

  it('wait for no store that hangs: whoever is too late is told to come again', async () => {
    const { lookUp } = start(used)
    await lookUp(nothing)
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const hanging = lookUp(() => new Promise((resolve) => setTimeout(resolve, 5100, null)))
    const behind = lookUp(async () => 'wiki')
    await vi.advanceTimersByTimeAsync(5100)
    expect([await hanging, await behind]).toEqual([null, 'too-many-requests, later'])
    expect(await lookUp(async () => 'wiki')).toBe('wiki')
  })

  it('leave those alone that find something, or that fail', async () => {
    const { lookUp, events } = start(used)
    const failing = () => Promise.reject(new AuthError('temporarily-unavailable'))
    for (let index = 0; index < 5; index += 1) {
      expect(await lookUp(async () => 'wiki')).toBe('wiki')
      expect(await lookUp(failing)).toBe('temporarily-unavailable')
    }
    expect(events).toEqual([])
    expect(await lookUp(nothing)).toBeNull()
    expect(await lookUp(failing)).toBe('temporarily-unavailable')
    expect(await lookUp(nothing)).toBeNull()
    expect(events).toMatchObject([{ type: 'login.throttled', scope: 'endpoint', dryRun: false }])
  })

  it('go on while the limit is only tried', async () => {
    const { lookUp, events } = start({ ...used, dryRun: true })
    const { seen, find } = counted()
    await Promise.all(Array.from({ length: 100 }, () => lookUp(find)))
    expect([seen.most, seen.all]).toEqual([100, 100])
    expect(events).toMatchObject([{ type: 'login.throttled', scope: 'endpoint', dryRun: true }])
  })
})
