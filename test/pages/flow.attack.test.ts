// Somebody has a flow, or makes one up. Whatever it is: as if there were none, and never an error.
import '../support/steps.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createVault } from '../../src/lib/vault.js'
import { bytesOfFlow, flowOfBytes, maxFlowChars } from '../../src/pages/flow.js'
import { rounds } from '../support/rounds.js'
import { stepsOf } from '../support/steps.js'
import { binding, digestOf, flowParts, halfWay, key, now, otherKey, request } from './flow-parts.js'

/** A flow with somebody half way in it. */
function sealedOne() {
  const parts = flowParts()
  const { flows } = parts
  const flow = flows.withPending(flows.withStep(flows.begin(), 'login'), halfWay)
  return { ...parts, flow, sealed: flows.seal(flow, binding) }
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

describe('as if there were no flow is taken', () => {
  it.each<[string, Partial<typeof binding>]>([
    ['one of another browser', { browser: 'IBzMkG0tXVXnKUQcHPSTqB' }],
    ['one in a browser that has no cookie', { browser: null }],
    ['one of a browser whose cookie is empty', { browser: '' }],
    ['one of another request', { request: `${request}&prompt=none` }],
    [
      'one of the same request in another order',
      { request: request.split('&').toReversed().join('&') },
    ],
    ['one of the same request in other letters', { request: request.replace('%3A', '%3a') }],
    [
      'one of the request and the browser the other way round',
      { request: String(binding.browser), browser: request },
    ],
  ])('%s', (_name, other) => {
    const { flows, sealed } = sealedOne()
    expect(flows.open(sealed, binding)).not.toBeNull()
    expect(flows.open(sealed, { ...binding, ...other })).toBeNull()
  })

  it('one under another key', () => {
    const { sealed, withKeys } = sealedOne()
    expect(withKeys(otherKey).open(sealed, binding)).toBeNull()
  })

  it.each(['totp-seed', 'signing-key', 'csrf', ''])('what was sealed for %s', (purpose) => {
    const { flows, flow } = sealedOne()
    const { sealed } = sealedOne()
    // The owner of a flow, as its own vault would be told.
    const owner = ownerThatOpens(sealed)
    const foreign = createVault(purpose, [key]).seal(owner, bytesOfFlow(flow))
    expect(flows.open(foreign, binding)).toBeNull()
    const own = createVault('oauth-flow', [key]).seal(owner, bytesOfFlow(flow))
    expect(flows.open(own, binding)).not.toBeNull()
  })

  it('one that was cut off, wherever', () => {
    const { flows, sealed } = sealedOne()
    for (let length = 0; length < sealed.length; length += 1)
      expect(flows.open(sealed.slice(0, length), binding), `${length}`).toBeNull()
    expect(flows.open(null, binding)).toBeNull()
  })

  it('each of a thousand that were changed', () => {
    const { flows, sealed } = sealedOne()
    let taken = 0
    const change = fc.record({
      at: fc.nat(sealed.length - 1),
      by: fc.oneof(
        fc.constantFrom(...alphabet, '.', '=', ' ', '\n', '%', '+', '/', '\0', '\u00e9', ''),
        fc.string({ maxLength: 30 }),
      ),
      drop: fc.nat(4),
    })
    fc.assert(
      fc.property(change, ({ at, by, drop }) => {
        const changed = sealed.slice(0, at) + by + sealed.slice(at + drop)
        if (changed === sealed) return
        taken += 1
        expect(flows.open(changed, binding)).toBeNull()
      }),
      { numRuns: rounds(1050) },
    )
    expect(taken).toBeGreaterThan(rounds(1000))
  })

  it('one whose last character is another with the same bytes', () => {
    const { flows } = flowParts()
    // Of each length: with 0, 2 and 4 bits to spare at the end.
    for (const userId of ['abc', 'abcd', 'abcde']) {
      const sealed = flows.seal(flows.withPending(flows.begin(), { ...halfWay, userId }), binding)
      const others = [...alphabet].map((last) => sealed.slice(0, -1) + last)
      expect(others.filter((other) => flows.open(other, binding) !== null)).toEqual([sealed])
    }
  })

  it('any text', () => {
    const { flows } = flowParts()
    fc.assert(
      fc.property(fc.string({ maxLength: 500 }), (text) => flows.open(text, binding) === null),
    )
  })

  it('bytes that no version of ours has written', () => {
    const whole = bytesOfFlow({
      startedAt: now,
      done: [],
      pending: { ...halfWay, id: 'A'.repeat(22), at: now },
    })
    const plain = bytesOfFlow({ startedAt: now, done: ['login'], pending: null })
    const withByte = (bytes: Buffer, at: number, value: number) => {
      const copy = Buffer.from(bytes)
      copy[at] = value
      return copy
    }
    const bad = [
      Buffer.alloc(0),
      plain.subarray(0, 7),
      withByte(plain, 0, 2),
      withByte(plain, 1, 0x20),
      withByte(plain, 1, 0x10),
      Buffer.concat([plain, Buffer.from('x')]),
      whole.subarray(0, 110),
      withByte(whole, 110, 0xff),
      withByte(whole, 110, 0),
      Buffer.concat([whole, Buffer.alloc(1024, 'x')]),
    ]
    expect(bad.map(flowOfBytes)).toEqual(bad.map(() => null))
  })
})

describe('a sign-in that is half done', () => {
  it('is used by one of a hundred at once, in whichever process and address', async () => {
    const { sealed, withKeys } = sealedOne()
    const all = Array.from({ length: 100 }, async (_one, i) => {
      const flows = withKeys(key)
      const pending = flows.open(sealed, binding)?.pending
      if (pending == null) throw new Error('no flow')
      // Sealed anew it is the same one.
      const again = flows.open(flows.seal({ startedAt: now, done: [], pending }, binding), binding)
      return flows.claim(i % 2 === 0 ? pending : (again?.pending ?? pending))
    })
    expect((await Promise.all(all)).filter(Boolean)).toHaveLength(1)
  })

  it('stays used for as long as it could be opened', async () => {
    const { flows, clock, sealed } = sealedOne()
    const pendingOf = () => flows.open(sealed, binding)?.pending ?? null
    // Made by a process whose clock is ahead.
    clock.advance(-60)
    const pending = pendingOf()
    if (pending === null) throw new Error('no flow')
    expect(await flows.claim(pending)).toBe(true)
    for (let seconds = 0; pendingOf() !== null; seconds += 10) {
      expect(await flows.claim(pending), `${seconds}`).toBe(false)
      clock.advance(10)
    }
    expect(clock().getTime() - now.getTime()).toBeLessThan(6 * 60_000)
  })

  it('of another begin is another one', async () => {
    const { flows } = flowParts()
    const [one, two] = [1, 2].map(() => flows.withPending(flows.begin(), halfWay).pending)
    if (one == null || two == null) throw new Error('no flow')
    expect([await flows.claim(one), await flows.claim(two)]).toEqual([true, true])
  })
})

describe('a flow that is too long', () => {
  it('costs nothing, however long it is', () => {
    const { flows, sealed } = sealedOne()
    const stepsFor = (length: number) => {
      const text = sealed + 'A'.repeat(length)
      return stepsOf(() => expect(flows.open(text, binding)).toBeNull())
    }
    stepsFor(maxFlowChars)
    expect(stepsFor(4_000_000)).toBeLessThan(1000)
    expect(stepsFor(8_000_000)).toBe(stepsFor(4_000_000))
  })

  it.each<[string, (length: number) => string]>([
    ['letters', (n) => `v1.${'A'.repeat(8)}.${'A'.repeat(16)}.${'A'.repeat(n)}`],
    ['dots', (n) => `v1.${'.'.repeat(n)}`],
    ['letters that end in none', (n) => `v1.${'A'.repeat(8)}.${'A'.repeat(16)}.${'A'.repeat(n)}=`],
  ])('is read in steps that grow no faster than its length: %s', (_name, textOf) => {
    const { flows } = flowParts()
    const stepsFor = (length: number) => {
      const text = textOf(length)
      return stepsOf(() => flows.open(text, binding))
    }
    stepsFor(2000)
    expect(stepsFor(4200)).toBeLessThan(2.1 * stepsFor(2100))
    expect(stepsFor(4200)).toBeLessThan(20 * 4200)
  })
})

// Who the vault is told to be the owner, worked out as flow.ts does.
function ownerThatOpens(sealed: string): string {
  const owner = `${digestOf(binding.request)}.${digestOf(String(binding.browser))}`
  expect(createVault('oauth-flow', [key]).open(owner, sealed)).not.toBeNull()
  return owner
}
