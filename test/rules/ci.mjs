// The steps of `.ci/run` once everything is installed, in the order of how soon they fail. At the
// end two lanes run beside each other: one is busy with the processor, the other waits for npm. The
// first suite that fails ends all, and a table of those that ran is printed.
import { runSuite, tableOf } from './run-suites.mjs'
import { suites } from './suites.mjs'

/** Suites of suites.mjs; with what `.ci/run` hands to them, which is less than all. */
const alone = ['check', 'test', 'rest']
const lanes = [
  ['long', 'smoke'],
  ['packed --quick', 'hosts thelounge', 'oauth-clients appauth', 'openapi-clients', 'readme'],
]

const planned = [...alone, ...lanes.flat()]
const ending = new AbortController()
const results = []
if (process.env['INSTALL_SECONDS'] !== undefined)
  results.push({
    name: 'install',
    counts: null,
    seconds: Number(process.env['INSTALL_SECONDS']),
    ok: true,
  })

function suiteOf(step) {
  const [name, ...handedOn] = step.split(' ')
  const { command } = suites.find((suite) => suite.name === name)
  return { name, command: [...command, ...handedOn] }
}

/** One after the other, up to the first that fails: that ends the other lane as well. */
async function runLane(steps, later) {
  for (const step of steps) {
    if (ending.signal.aborted) return
    const result = await runSuite(suiteOf(step), { later, signal: ending.signal })
    results.push(result)
    if (!result.ok) ending.abort()
  }
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => ending.abort())
await runLane(alone, false)
await Promise.all(lanes.map((lane) => runLane(lane, true)))

const sumOf = (what) => results.reduce((sum, { counts }) => sum + (counts?.[what] ?? 0), 0)
const failed = results.filter(({ ok }) => !ok).length
const left = planned.length - results.filter(({ name }) => name !== 'install').length
process.stdout.write(`\n${tableOf(results)}\n`)
if (left > 0) process.stdout.write(`${left} of the steps did not run.\n`)
// The last line is there however the run ends, and a run that ends early has failed.
process.stdout.write(
  `\n${sumOf('passed')} passed, ${Math.max(sumOf('failed'), failed, left)} failed\n`,
)
process.exitCode = failed === 0 && left === 0 ? 0 : 1
