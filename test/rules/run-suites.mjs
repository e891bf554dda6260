// Runs suites of test/rules/suites.mjs, and tells how they went: for test-all.mjs and ci.mjs.
import { spawn } from 'node:child_process'
import { root } from './support.mjs'
import { countTests } from './test-counts.mjs'

/**
 * @typedef {object} Result
 * @property {string} name
 * @property {{ passed: number, failed: number } | null} counts Null where nothing was counted.
 * @property {number} seconds
 * @property {boolean} ok
 */

/**
 * Runs a suite, and shows what it prints: at once, or with `later` when it has ended, so that the
 * lines of two suites never mix.
 *
 * @returns {Promise<Result>}
 */
export async function runSuite(
  { name, command: [program, ...args] },
  { later = false, signal } = {},
) {
  const heading = `\n== ${name}: ${[program, ...args].join(' ')}\n`
  const started = performance.now()
  const child = spawn(program, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    // What is missing here must not count as passed.
    env: { ...process.env, REQUIRE_SERVICES: '1' },
    // Where it may be ended, of a group of its own, so that what it has started ends with it.
    detached: signal !== undefined,
  })
  signal?.addEventListener('abort', () => endGroup(child))
  if (!later) process.stdout.write(heading)
  const pieces = []
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece) => {
      pieces.push(piece)
      if (!later) process.stdout.write(piece)
    })
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const printed = pieces.join('')
  if (later) process.stdout.write(`${heading}${printed}`)
  const seconds = Math.round((performance.now() - started) / 1000)
  return { name, counts: countTests(printed), seconds, ok: code === 0 }
}

function endGroup({ pid, exitCode }) {
  if (pid === undefined || exitCode !== null) return
  try {
    process.kill(-pid)
  } catch {
    // It has ended meanwhile.
  }
}

/** A line for each suite: its tests, its seconds, its verdict. */
export function tableOf(results) {
  const rows = results.map(({ name, counts, seconds, ok }) => [
    name,
    counts === null ? '-' : String(counts.passed + counts.failed),
    String(seconds),
    ok ? 'passed' : counts?.failed > 0 ? `FAILED (${counts.failed})` : 'FAILED',
  ])
  return [['suite', 'tests', 'seconds', 'verdict'], ['---', '---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}
