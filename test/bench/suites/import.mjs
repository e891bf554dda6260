// What a process pays that imports the package, beside one that imports Express.
import { spawnSync } from 'node:child_process'
import { root } from '../../rules/support.mjs'
import { median } from '../load/summary.mjs'

const contestants = [
  { label: 'express', before: '', specifier: 'express' },
  { label: 'messaging-auth-router', before: '', specifier: './dist/index.js' },
  // As in a server, which has it already.
  {
    label: 'messaging-auth-router, Express loaded',
    before: "await import('express')",
    specifier: './dist/index.js',
  },
]

/**
 * Every round starts one process for each, so that a machine that is busy is busy for all of them.
 * The least of each is what a neighbour has disturbed least.
 */
export function measureImport({ rounds }) {
  const taken = new Map(contestants.map(({ label }) => [label, []]))
  for (let round = 0; round < rounds; round += 1)
    for (const contestant of contestants) taken.get(contestant.label).push(timesOf(contestant))
  const least = (label) => Math.min(...taken.get(label).map(({ cpu }) => cpu))
  const rows = contestants.map(({ label }) => ({
    label,
    clock: median(taken.get(label).map(({ clock }) => clock)),
    cpu: median(taken.get(label).map(({ cpu }) => cpu)),
    toExpress: least(label) / least('express'),
  }))
  return { rounds, rows }
}

/** Milliseconds, in a process of its own. */
function timesOf({ before, specifier }) {
  const code = `${before}
    const [started, used] = [performance.now(), process.cpuUsage()]
    await import('${specifier}')
    const clock = performance.now() - started
    const { user, system } = process.cpuUsage(used)
    process.stdout.write(JSON.stringify({ clock, cpu: (user + system) / 1000 }))`
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', code],
    { cwd: root, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}
