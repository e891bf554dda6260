/** What is kept of many latencies, in milliseconds. */
export function summary(times, seconds) {
  times.sort((one, other) => one - other)
  return {
    count: times.length,
    seconds,
    perSecond: times.length / seconds,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
  }
}

function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

/** The middle one. */
export function median(numbers) {
  return quantile(
    numbers.toSorted((one, other) => one - other),
    0.5,
  )
}
