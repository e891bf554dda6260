import { describe, expect, it } from 'vitest'
import type { AuthEvent, RequestContext } from '../../src/audit/events.js'
import { AuthError } from '../../src/errors.js'
import type { ThrottleOptions } from '../../src/throttle/limits.js'
import type { LimiterSettings } from '../../src/throttle/memory-limiter.js'
import { createThrottle } from '../../src/throttle/throttle.js'
import { memoryLimiter } from '../support/memory-limiter.js'

function start(options: ThrottleOptions = {}) {
  const events: AuthEvent[] = []
  const { countRefusedClient } = createThrottle({
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
  return { refuse, times, events }
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
    await start({ limiter }).times(1, 'wiki')
    expect(keys).toEqual([expect.stringMatching(/^mar-client:20\/900:[\w-]{43}$/)])
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
