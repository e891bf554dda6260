import { expect, it } from 'vitest'
import { mannWhitney } from './mann-whitney.js'
import { withoutDrift } from './without-drift.js'

// The same numbers in every run: a small generator with a seed.
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1103515245 + 12345) % 2 ** 31
    return state / 2 ** 31
  }
}

/**
 * Two samples of a machine whose pace wanders by 4 ms, 400 values each; the other side takes `leak`
 * longer.
 */
function samples(seed: number, leak: number): [number[], number[]] {
  const next = numbers(seed)
  const paceAt = (at: number) => 15 + 2 * Math.sin(at / 40)
  const one = Array.from({ length: 400 }, (_, at) => paceAt(at) + next())
  const other = Array.from({ length: 400 }, (_, at) => paceAt(at) + next() + leak)
  return [one, other]
}

it('finds a difference that a wandering pace hides', () => {
  const [one, other] = samples(1, 0.2)
  expect(Math.abs(mannWhitney(one, other).z)).toBeLessThan(3)
  expect(mannWhitney(...withoutDrift(one, other)).z).toBeGreaterThan(4.5)
})

it('finds none where there is none: z scatters by about 1', () => {
  const zs = Array.from(
    { length: 200 },
    (_, seed) => mannWhitney(...withoutDrift(...samples(seed + 1, 0))).z,
  )
  const scatter = Math.sqrt(zs.reduce((sum, z) => sum + z * z, 0) / zs.length)
  expect(scatter).toBeGreaterThan(0.8)
  expect(scatter).toBeLessThan(1.2)
})
