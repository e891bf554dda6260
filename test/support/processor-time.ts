// How long something takes by the clock is also a matter of what else a machine does meanwhile.

/**
 * Milliseconds of the processor that `rounds` calls of `work` take, the least of `samples`: a
 * collector may run in one of them.
 */
export function leastCpuMs(
  work: () => unknown,
  { rounds = 1, samples = 15 }: { rounds?: number; samples?: number } = {},
): number {
  const taken = Array.from({ length: samples }, () => {
    const before = process.cpuUsage()
    for (let round = 0; round < rounds; round += 1) work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...taken)
}
