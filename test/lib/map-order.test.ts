import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { firstEntry, nextEntry } from '../../src/lib/bounded-cache.js'
import { rounds } from '../support/rounds.js'

const key = fc.integer({ min: 0, max: 9 })
const steps = fc.array(
  fc.oneof(fc.record({ set: key }), fc.record({ delete: key }), fc.constant('ask' as const)),
  {
    maxLength: 200,
  },
)

describe('the first entry of a map', () => {
  it(
    'is the one that a new iterator would answer, whatever was set, moved and deleted in ' +
      'between',
    () => {
      fc.assert(
        fc.property(steps, (all) => {
          const map = new Map<number, object>()
          const first = firstEntry(map)
          for (const step of all) {
            if (step === 'ask') expect(first()).toEqual(map.entries().next().value)
            else if ('delete' in step) map.delete(step.delete)
            else {
              map.delete(step.set)
              map.set(step.set, {})
            }
          }
          expect(first()?.[1]).toBe(map.values().next().value)
        }),
        { numRuns: rounds(200) },
      )
    },
  )

  it('is found where 100,000 were deleted before it without beginning anew each time', () => {
    const map = new Map(Array.from({ length: 250_000 }, (_none, i) => [i, {}]))
    const first = firstEntry(map)
    // Each new iterator walks over all that was deleted; one that goes on does not.
    const begun = vi.spyOn(map, 'entries')
    const whole = vi.spyOn(map, Symbol.iterator)
    for (let i = 0; i < 100_000; i += 1) map.delete(first()?.[0] as number)
    expect(begun.mock.calls.length + whole.mock.calls.length).toBeLessThanOrEqual(100)
    expect(first()?.[0]).toBe(100_000)
  })
})

describe('one entry of a map after the other', () => {
  it(
    'comes round to each, with those that were added meanwhile and without those that were ' +
      'deleted',
    () => {
      const map = new Map([1, 2, 3].map((number) => [number, number]))
      const next = nextEntry(map)
      expect([next(), next()]).toEqual([
        [1, 1],
        [2, 2],
      ])
      map.delete(3)
      map.set(4, 4)
      expect([next(), next(), next()].map((entry) => entry?.[0])).toEqual([4, 1, 2])
      map.clear()
      expect([next(), next()]).toEqual([undefined, undefined])
      map.set(5, 5)
      expect(next()).toEqual([5, 5])
    },
  )
})
