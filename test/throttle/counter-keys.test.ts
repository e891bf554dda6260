import { describe, expect, it } from 'vitest'
import type { LimiterSettings } from '../../src/throttle/counter.js'
import {
  accountKeys,
  attemptKeys,
  createCounterKey,
  networkKey,
  prefixKeys,
} from '../../src/throttle/counter-keys.js'
import { createCounters } from '../../src/throttle/limits.js'
import { memoryLimiter } from '../support/memory-limiter.js'

// What stands in a host's counter store. Processes of two versions count together while one
// replaces the other: a key or a prefix that changes gives every attacker a fresh start.
const where = { identifier: { name: 'NAME' }, network: 'NETWORK' }

describe('in the store of the host', () => {
  it('each counter has a prefix of its own, which stays as it is', () => {
    const made: LimiterSettings[] = []
    const limiter = (settings: LimiterSettings) =>
      memoryLimiter(made[made.push(settings) - 1] as LimiterSettings) as never
    createCounters({ limiter }, 7_776_000)
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
      { keyPrefix: 'mar-2fa-cleared', points: 1, duration: 86_400 },
      { keyPrefix: 'mar-endpoint', points: 300, duration: 900 },
      { keyPrefix: 'mar-known-from', points: 1, duration: 7_776_000 },
      { keyPrefix: 'mar-known-epoch', points: 1, duration: 315_360_000 },
    ])
  })

  it('the keys say what they count and whom, and are told apart by all of it', () => {
    const digests = { name: 'NAME', typed: 'TYPED' }
    const spelled = (...parts: readonly string[]) => parts.join('|')
    expect(networkKey(spelled, '2001:db8:1:203::1')).toBe('network|2001:db8:1:203::/64')
    expect(prefixKeys(spelled, '2001:db8:1:203::1')).toEqual([
      'network|2001:db8:1:203::/64',
      'network|2001:db8:1:200::/56',
      'network|2001:db8:1::/48',
    ])
    expect(attemptKeys(digests, 'NETWORK')).toEqual({
      here: 'NAME.NETWORK',
      failedHere: 'TYPED.NETWORK',
      failedWhereKnown: 'TYPED.NETWORK.known',
    })
    expect(accountKeys(spelled, 'u-1', where)).toEqual({
      total: 'account|u-1',
      account: 'account|u-1',
      known: 'account|u-1.NETWORK',
    })
  })

  it('a name that nobody has is counted by itself, after as many digests', () => {
    const asked: string[] = []
    const counting = (...parts: readonly string[]) => {
      asked.push(parts.join('|'))
      return 'DIGEST'
    }
    expect(accountKeys(counting, null, where).total).toBe('NAME')
    expect(accountKeys(counting, 'u-1', where).total).toBe('DIGEST')
    expect(asked).toEqual(['account|', 'account|u-1'])
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
