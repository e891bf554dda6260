import { describe, expect, it } from 'vitest'
import type { AuthEvent, RequestContext } from '../../src/audit/events.js'
import { AuthError } from '../../src/errors.js'
import type { ThrottleOptions } from '../../src/throttle/limits.js'
import type { LimiterSettings } from '../../src/throttle/memory-limiter.js'
import { createThrottle } from '../../src/throttle/throttle.js'
import { memoryLimiter } from '../support/memory-limiter.js'

function start(options: ThrottleOptions = {}) {
  const events: AuthEvent[] = []
  const { countRefusedClient, limitLookups } = createThrottle({
    options,
    encryptionKeys: [],
    knownFor: 60,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    call: async (_name, work) => work(),
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
  async function lookUp(find: () => Promise<string | null>, ip = '203.0.113.7') {
    const context: RequestContext = { requestId: null, ip, userAgent: null }
    return limitLookups({ context }, find).catch(({ code, retryAfter }: AuthError) =>
      retryAfter === undefined ? code : `${code}, later`,
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

  it('are 300 for each network, also of 400 at once', async () => {
    let asked = 0
    const { lookUp } = start()
    const find = async () => {
      asked += 1
      await new Promise((resolve) => setImmediate(resolve))
      return null
    }
    const answers = await Promise.all(Array.from({ length: 400 }, () => lookUp(find)))
    expect([asked, answers.filter((one) => one === 'too-many-requests, later').length]).toEqual([
      300, 100,
    ])
    expect(await lookUp(nothing, '203.0.113.8')).toBeNull()
  })

  it('leave those alone that find something, or that fail', async () => {
    const { lookUp } = start({ endpoints: { points: 1, duration: 60 } })
    const failing = () => Promise.reject(new AuthError('temporarily-unavailable'))
    for (let index = 0; index < 5; index += 1) {
      expect(await lookUp(async () => 'wiki')).toBe('wiki')
      expect(await lookUp(failing)).toBe('temporarily-unavailable')
    }
    expect(await lookUp(nothing)).toBeNull()
    expect(await lookUp(nothing)).toBe('too-many-requests, later')
  })

  it('go on while the limit is only tried', async () => {
    const { lookUp, events } = start({ dryRun: true, endpoints: { points: 1, duration: 60 } })
    expect([await lookUp(nothing), await lookUp(nothing)]).toEqual([null, null])
    expect(events).toMatchObject([{ type: 'login.throttled', scope: 'endpoint', dryRun: true }])
  })
})
