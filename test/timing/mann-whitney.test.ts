import { describe, expect, it } from 'vitest'
import { mannWhitney, median } from './mann-whitney.js'

// Reference: scipy.stats.mannwhitneyu(method='asymptotic', use_continuity=False).
describe('the difference of two samples', () => {
  it('is none for equal samples, however their values are ordered', () => {
    expect(mannWhitney([1, 2, 3, 4], [4, 2, 1, 3])).toEqual({ z: 0, auc: 0.5 })
  })

  it('is none where all values are the same', () => {
    expect(mannWhitney([7, 7, 7], [7, 7])).toEqual({ z: 0, auc: 0.5 })
  })

  it('is that of the textbook without ties, whichever sample comes first', () => {
    const men = [19, 22, 16, 29, 24]
    const women = [20, 11, 17, 12]
    expect(mannWhitney(women, men).auc).toBe(17 / 20)
    expect(mannWhitney(women, men).z).toBeCloseTo(1.71464, 5)
    expect(mannWhitney(men, women).z).toBeCloseTo(-1.71464, 5)
  })

  it('counts ties half, and corrects the spread for them', () => {
    const { z, auc } = mannWhitney([1, 2, 2, 3, 3], [2, 3, 3, 4, 5])
    expect(auc).toBe(20 / 25)
    expect(z).toBeCloseTo(1.63772, 5)
  })

  it('is complete where the samples do not overlap, 400 values each', () => {
    const low = Array.from({ length: 400 }, (_, i) => i)
    const { z, auc } = mannWhitney(
      low,
      low.map((value) => value + 400),
    )
    expect(auc).toBe(1)
    expect(z).toBeCloseTo(24.4796, 4)
  })
})

it('the median is the middle value, or the mean of the two', () => {
  expect(median([9, 1, 5])).toBe(5)
  expect(median([9, 1, 5, 2])).toBe(3.5)
})
