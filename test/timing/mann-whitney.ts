/** How two samples differ, by the ranks of their values alone: a few slow outliers move nothing. */
export interface Difference {
  /**
   * Standard deviations from "no difference". Positive where the second sample is the larger one.
   */
  readonly z: number
  /**
   * How often a value of the second sample is larger than one of the first. 0.5 is no difference, 0
   * and 1 are complete separation.
   */
  readonly auc: number
}

/**
 * The Mann-Whitney U test of two samples, with the normal approximation that holds from about 20
 * values each, and its correction for ties: clocks are coarse enough to show the same time twice.
 */
export function mannWhitney(first: readonly number[], second: readonly number[]): Difference {
  const values = [...first, ...second].sort((one, other) => one - other)
  const { rankOf, tieTerm } = midRanks(values)
  const rankSum = second.reduce((sum, value) => sum + (rankOf.get(value) ?? Number.NaN), 0)
  const u = rankSum - (second.length * (second.length + 1)) / 2
  const all = values.length
  const combinations = first.length * second.length
  const variance = (combinations / 12) * (all + 1 - tieTerm / (all * (all - 1)))
  // Where every value is the same there is nothing to tell apart.
  return {
    z: variance === 0 ? 0 : (u - combinations / 2) / Math.sqrt(variance),
    auc: u / combinations,
  }
}

// Equal values share the mean of the ranks that they take up together.
function midRanks(sorted: readonly number[]): { rankOf: Map<number, number>; tieTerm: number } {
  const counts = new Map<number, number>()
  for (const value of sorted) counts.set(value, (counts.get(value) ?? 0) + 1)
  const rankOf = new Map<number, number>()
  let before = 0
  let tieTerm = 0
  for (const [value, count] of counts) {
    rankOf.set(value, before + (count + 1) / 2)
    tieTerm += count ** 3 - count
    before += count
  }
  return { rankOf, tieTerm }
}

/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  const upper = Math.floor(sorted.length / 2)
  return ((sorted[upper] ?? Number.NaN) + (sorted[sorted.length - 1 - upper] ?? Number.NaN)) / 2
}
