import { describe, expect, it } from 'vitest'
import {
  createCounterKey,
  identifierKeys,
  knownNetworkKey,
  userKey,
} from '../../src/throttle/counter-keys.js'
import { createCounters } from '../../src/throttle/limits.js'
import type { LimiterSettings } from '../../src/throttle/memory-limiter.js'
import { memoryLimiter } from '../../src/throttle/memory-limiter.js'

// What stands in a host's counter store. Processes of two versions count together while one
// replaces the other: a key or a prefix that changes gives every attacker a fresh start.
describe('in the store of the host', () => {
  it('each counter has a prefix of its own, which stays as it is', () => {
    const made: LimiterSettings[] = []
    const limiter = (settings: LimiterSettings) =>
      memoryLimiter(made[made.push(settings) - 1] as LimiterSettings) as never
    createCounters({ limiter }, 7_776_000, async (_name, work) => work())
    expect(made).toEqual([
      { keyPrefix: 'mar-login', points: 5, duration: 900 },
      { keyPrefix: 'mar-network', points: 100, duration: 900 },
      { keyPrefix: 'mar-network-56', points: 200, duration: 900 },
      { keyPrefix: 'mar-network-48', points: 400, duration: 900 },
      { keyPrefix: 'mar-unknown', points: 100, duration: 86_400 },
      { keyPrefix: 'mar-account', points: 100, duration: 86_400 },
      { keyPrefix: 'mar-known', points: 100, duration: 86_400 },
      { keyPrefix: 'mar-failed', points: 1, duration: 900 },
      { keyPrefix: 'mar-2fa', points: 10, duration: 3600 },
      { keyPrefix: 'mar-2fa-total', points: 100, duration: 315_360_000 },
      { keyPrefix: 'mar-endpoint', points: 300, duration: 900 },
      { keyPrefix: 'mar-known-from', points: 1, duration: 7_776_000 },
      { keyPrefix: 'mar-known-epoch', points: 1, duration: 315_360_000 },
    ])
  })

  it('the keys say what they count and whom, and are told apart by all of it', () => {
    const digests = { name: 'NAME', typed: 'TYPED' }
    const spelled = (...parts: readonly string[]) => parts.join('|')
    expect(identifierKeys(spelled, digests, '203.0.113.7')).toEqual({
      here: 'account|NAME|203.0.113.7',
      everywhere: 'identifier|NAME',
      failedHere: 'failed|TYPED|203.0.113.7',
      failedWhereKnown: 'failed-known|TYPED|203.0.113.7',
    })
    expect(knownNetworkKey(spelled, 'u-1', '203.0.113.7')).toBe('known-network|u-1|203.0.113.7')
    expect([userKey(spelled, 'u-1', digests), userKey(spelled, null, digests)]).toEqual([
      'account-total|u-1',
      'account-total||NAME',
    ])
  })

  it('keys are digests under the first encryption key, or a fixed one where there is none', () => {
    const keys = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    expect(createCounterKey(keys)('account', 'alice', '203.0.113.7')).toBe(
      '2IDbcLd5596M3Y8CQH7cfkNEZlyhBE2R8Esf8nUX72I',
    )
    expect(createCounterKey([])('account', 'alice', '203.0.113.7')).toBe(
      'kyhQYQTHu8Ud2wUjcHnjjn5UuAgAXdOLPuEAm3wDuNQ',
    )
  })
})
