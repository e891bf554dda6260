import { median } from './mann-whitney.js'

/** Pairs on either side that are taken for the machine's pace of a moment. */
const neighbours = 5

/**
 * Takes the pace of the machine off two samples that were measured in turns: from each value the
 * median of those around it, of both sides alike. A machine that becomes slower and faster over
 * seconds would hide a difference that is there in every moment. Where there is none, z scatters as
 * without it.
 */
export function withoutDrift(
  one: readonly number[],
  other: readonly number[],
): [number[], number[]] {
  const paces = one.map((_value, at) => {
    const around = [Math.max(0, at - neighbours), at + neighbours + 1] as const
    return median([...one.slice(...around), ...other.slice(...around)])
  })
  const relative = (values: readonly number[]) =>
    values.map((value, at) => value - (paces[at] ?? 0))
  return [relative(one), relative(other)]
}
