import '../support/steps.js'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { PasswordHasher, PasswordRules } from '../../src/index.js'
import { stepsUntil } from '../support/steps.js'
import { ada, judging } from './judging.js'

const good = 'correct horse battery staple'
const outage = expect.objectContaining({ name: 'AuthError', code: 'temporarily-unavailable' })
const refused = expect.objectContaining({ name: 'AuthError', code: 'invalid-request', status: 400 })

afterEach(() => void vi.useRealTimers())

describe('what is no password', () => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a number', 123_456_789_012_345],
    ['a list', ['correct horse battery staple']],
    ['an object that becomes text', { toString: () => 'correct horse battery staple' }],
    ['a lone surrogate', `${good}\ud83e`],
    ['a lone surrogate at the start', `\udd89${good}`],
    ['a NUL', `${good}\0`],
    ['a NUL in the middle', 'correct\0horse battery staple'],
  ])('is 400 and reaches nobody: %s', async (_what, plain) => {
    const asked: unknown[] = []
    const note = (given: unknown) => {
      asked.push(given)
      return false
    }
    const { reasonsOf } = judging({ blocklist: note, breached: async (one) => [String(note(one))] })
    await expect(reasonsOf(plain)).rejects.toEqual(refused)
    await expect(reasonsOf(plain)).rejects.not.toThrow(/correct|staple/)
    expect(asked).toEqual([])
  })
})

describe('a password of a million characters', () => {
  const never = () => {
    throw new Error('was asked')
  }
  const asksNobody: PasswordRules = { blocklist: never, breached: never, context: never }
  const hasher: PasswordHasher = {
    hash: never,
    verify: never,
    needsRehash: never,
    whyRefused: never,
    unmatchable: 'none',
  }

  it.each([
    ['a letter', 'a'],
    ['an owl', '🦉'],
    ['a lone surrogate', '\ud83e'],
    ['a NUL', '\0'],
    ['a combining mark', '\u0301'],
    ['a ligature that grows eighteenfold', '\ufdfa'],
  ])('is refused before anything reads it: %s', async (_what, character) => {
    const { reasonsOf, reported } = judging(asksNobody, hasher)
    for (const count of [1_000_000, 2_000_000]) {
      const plain = character.repeat(count)
      expect(await reasonsOf(plain)).toEqual(['too-long'])
      expect(await stepsUntil(() => reasonsOf(plain))).toBeLessThan(500)
    }
    expect(reported).toEqual([])
  })

  const longest = 1024
  it.each([
    ['marks in the wrong order', '\u0301\u0323', 1],
    ['ligatures', '\ufdfa', 2],
    ['one letter, for the search of repetitions', 'a', 2],
    ['nearly repeated letters', `${'a'.repeat(63)}b`, 1 / 32],
    ['supplementary characters', '𝒜', 2],
  ])(
    'and one of the greatest length takes steps that grow with it: %s',
    async (_what, unit, times) => {
      const context = () => Array.from({ length: 100 }, () => unit.repeat(400).slice(0, 400))
      const { reasonsOf } = judging({ maxLength: longest, context })
      const plain = unit.repeat((longest * times) / 2)
      const half = plain.slice(0, plain.length / 2)
      await reasonsOf(half)
      expect(await stepsUntil(() => reasonsOf(plain))).toBeLessThan(20_000_000)
      // Without the words, which are most of it: sorted marks are quadratic, and nothing else is.
      const alone = judging({ maxLength: longest, context: () => [] }).reasonsOf
      await alone(half)
      const [once, twice] = [
        await stepsUntil(() => alone(half)),
        await stepsUntil(() => alone(plain)),
      ]
      expect(twice / once).toBeLessThan(unit === '\u0301\u0323' ? 4.1 : 2.1)
      expect(twice).toBeLessThan(2_000_000)
    },
  )
})

describe('a service of leaked passwords', () => {
  const hangs = () => new Promise<never>(() => {})
  const garbage: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['rejects', () => Promise.reject(new Error(`ECONNREFUSED ${good}`))],
    ['answers nothing', async () => undefined],
    ['answers a page of HTML', async () => ['<html>', '<p>busy</p>']],
    ['answers one text', async () => `${'A'.repeat(35)}:1`],
    ['answers numbers', async () => [1, 2]],
    ['answers a line of a million characters', async () => ['A'.repeat(1_000_000)]],
    ['answers a million lines', async () => Array(1_000_000).fill(`${'A'.repeat(35)}:1`)],
    [
      'answers without an end',
      async () => ({
        *[Symbol.iterator]() {
          for (;;) yield `${'A'.repeat(35)}:1`
        },
      }),
    ],
    [
      'throws while it is read',
      async () => ({
        [Symbol.iterator]() {
          throw new Error(good)
        },
      }),
    ],
  ]

  it.each(garbage)('that %s lets the password pass, and is reported', async (_what, answer) => {
    const { reasonsOf, failures, reported } = judging({ breached: answer as never })
    expect(await reasonsOf(good)).toEqual([])
    expect(failures).toEqual([expect.objectContaining({ operation: 'passwordRules.breached' })])
    expect(JSON.stringify([failures, reported])).not.toContain(good)
  })

  it.each(garbage)('that %s is an outage with breachedFailsClosed', async (_what, answer) => {
    const { reasonsOf, failures } = judging({
      breached: answer as never,
      breachedFailsClosed: true,
    })
    await expect(reasonsOf(good)).rejects.toEqual(outage)
    expect(failures).toHaveLength(1)
  })

  it('that throws is no worse', async () => {
    const { reasonsOf, failures } = judging({
      breached() {
        throw new Error(good)
      },
    })
    expect(await reasonsOf(good)).toEqual([])
    expect(failures).toHaveLength(1)
  })

  it('takes steps that grow with its lines, up to the most that are read', async () => {
    const line = `${'A'.repeat(35)}:1`
    const stepsFor = async (count: number) => {
      const lines = Array(count).fill(line)
      const { reasonsOf } = judging({ breached: async () => lines })
      return stepsUntil(() => reasonsOf(good))
    }
    await stepsFor(10)
    const [half, most, more] = [await stepsFor(5000), await stepsFor(10_000), await stepsFor(1e6)]
    expect(most / half).toBeLessThan(2.1)
    expect(more / most).toBeLessThan(1.1)
    expect(most).toBeLessThan(200 * 10_000)
  })

  it.each([false, true])('that hangs is given up after a second: %s', async (failsClosed) => {
    vi.useFakeTimers()
    const { reasonsOf, failures } = judging({ breached: hangs, breachedFailsClosed: failsClosed })
    const answer = reasonsOf(good).catch(({ code }) => code)
    await vi.advanceTimersByTimeAsync(999)
    expect(failures).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(await answer).toEqual(failsClosed ? 'temporarily-unavailable' : [])
    expect(failures[0]?.error).toContain('1000 ms')
  })

  it('that rejects too late ends nothing', async () => {
    vi.useFakeTimers()
    const late = () =>
      new Promise<never>((_resolve, reject) => setTimeout(() => reject(new Error('late')), 5000))
    const { reasonsOf, failures } = judging({ breached: late })
    const answer = reasonsOf(good)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await answer).toEqual([])
    expect(failures).toHaveLength(1)
  })
})

describe('a part of the host that fails', () => {
  it.each<[string, PasswordRules]>([
    [
      'a list that throws',
      {
        blocklist: () => {
          throw new Error(good)
        },
      },
    ],
    ['a list that answers a promise', { blocklist: (async () => false) as never }],
    ['a list that answers nothing', { blocklist: (() => undefined) as never }],
    ['words that are none', { context: () => [7] as never }],
    ['words that are one text', { context: () => 'ada' as never }],
    [
      'words that throw',
      {
        context: () => {
          throw new Error(good)
        },
      },
    ],
  ])('is an outage, and no password passes: %s', async (_what, rules) => {
    const { reasonsOf, reported } = judging(rules)
    await expect(reasonsOf(good)).rejects.toEqual(outage)
    expect(reported).toHaveLength(1)
    expect(JSON.stringify(reported)).not.toContain(good)
  })

  it('has a list that is asked for the folded password alone', async () => {
    const asked: unknown[][] = []
    const blocklist = (...given: unknown[]) => asked.push(given) === 0
    await judging({ blocklist }).reasonsOf('Correct Horse Battery Staple')
    expect(asked).toEqual([[good]])
  })

  it('has words without an end, of which the first hundred count', async () => {
    const context = () => [...Array(99).fill('x'.repeat(1_000_000)), 'word of the team', good]
    const { reasonsOf } = judging({ context })
    expect(await reasonsOf('Word of the team')).toEqual(['context'])
    expect(await reasonsOf(good)).toEqual([])
    // A hundred times 400 characters, and none of the million.
    expect(await stepsUntil(() => reasonsOf(good))).toBeLessThan(100 * 400 * 50)
  })

  it('has a user with names of any length and kind', async () => {
    const user = { ...ada, name: 'x'.repeat(1_000_000), username: undefined as never }
    const { reasonsOf } = judging()
    expect(await reasonsOf(good, { user })).toEqual([])
    expect(await stepsUntil(() => reasonsOf(good, { user }))).toBeLessThan(400 * 50)
  })
})
