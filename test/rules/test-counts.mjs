// How many tests a suite ran, from what it printed: vitest's own line, or `3 passed, 1 failed` of
// the programs in this folder. A suite may print several such lines; they are added.
import { stripVTControlCharacters } from 'node:util'

/**
 * @param {string} printed
 * @returns {{ passed: number, failed: number } | null} Null where nothing was counted.
 */
export function countTests(printed) {
  const lines = stripVTControlCharacters(printed).split('\n')
  const counted = lines.filter((line) => /^\s*Tests\s+\d|^\d+ passed, \d+ failed$/.test(line))
  if (counted.length === 0) return null
  const sumOf = (what) =>
    counted.reduce(
      (sum, line) => sum + Number(new RegExp(`(\\d+) ${what}`).exec(line)?.[1] ?? 0),
      0,
    )
  return { passed: sumOf('passed'), failed: sumOf('failed') }
}
