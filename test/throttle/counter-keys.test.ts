import { RateLimiterMemory } from 'rate-limiter-flexible'
import { describe, expect, it } from 'vitest'
import { createCounterKey } from '../../src/throttle/counter-key.js'
import { createCounters } from '../../src/throttle/counters.js'
import type { LimiterSettings } from '../../src/throttle/limits.js'
import { loginKeys } from '../../src/throttle/login-keys.js'

// What stands in a host's counter store. Processes of two versions count together while one replaces the other: a key or a prefix that
// changes gives every attacker a fresh start, and lifts every pause.
describe('in the store of the host', () => {
  it('each counter has a prefix of its own, which stays as it is', () => {
    const made: LimiterSettings[] = []
    createCounters(
      { limiter: (settings) => new RateLimiterMemory(made[made.push(settings) - 1] as LimiterSettings) },
      async (_name, work) => work(),
    )
    expect(made).toEqual([
      { keyPrefix: 'mar-login', points: 5, duration: 900 },
      { keyPrefix: 'mar-network', points: 100, duration: 900 },
      { keyPrefix: 'mar-unknown', points: 100, duration: 86_400 },
      { keyPrefix: 'mar-known', points: 100, duration: 86_400 },
      { keyPrefix: 'mar-2fa', points: 10, duration: 3600 },
      { keyPrefix: 'mar-endpoint', points: 300, duration: 900 },
      { keyPrefix: 'mar-wrong', points: 5, duration: 960 },
      { keyPrefix: 'mar-paused', points: 1, duration: 86_400 },
      { keyPrefix: 'mar-pause', points: 1, duration: 86_400 },
      { keyPrefix: 'mar-against', points: 1, duration: 86_400 },
      { keyPrefix: 'mar-signed-in', points: 1, duration: 2_592_000 },
    ])
  })

  it('the keys of a login say what they count and whom, and are told apart by all of it', () => {
    const spelled = loginKeys((...parts) => parts.join('|'), { name: 'NAME', exact: 'EXACT' }, '203.0.113.7')
    const { against, ...fixed } = spelled
    expect(fixed).toEqual({
      network: 'network|203.0.113.7',
      account: 'account|NAME|203.0.113.7',
      identifier: 'identifier|NAME',
      known: 'known|EXACT|203.0.113.7',
    })
    expect([
      against('account', 'u-1'),
      against('pauses', null),
      against('known-network', 'u-1'),
      against('unknown-networks', 'u-1'),
    ]).toEqual([
      'against|account|NAME|203.0.113.7|u-1',
      'against|pauses|NAME|203.0.113.7|',
      'against|known-network|NAME|203.0.113.7|u-1',
      'against|unknown-networks|NAME||u-1',
    ])
  })

  it('keys are digests under the first encryption key, or a fixed one where there is none', () => {
    const keys = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    expect(createCounterKey(keys)('account', 'alice', '203.0.113.7')).toBe('2IDbcLd5596M3Y8CQH7cfkNEZlyhBE2R8Esf8nUX72I')
    expect(createCounterKey([])('account', 'alice', '203.0.113.7')).toBe('kyhQYQTHu8Ud2wUjcHnjjn5UuAgAXdOLPuEAm3wDuNQ')
  })
})
