// How long the import of the built package takes, beside other builds of it and Express:
//   node test/bench/import-time.mjs [dist folder …]
// Aimed at: at most 2.6 times the processor's time of importing Express. What is loaded is counted
// by `test/rules/check-loaded.mjs`, which no machine makes slower.
// Every round starts one process for each, so that a machine that is busy is busy for all of them;
// the processor's time says more than the clock then.
import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../rules/support.mjs'

const rounds = 15
/** Times the processor's time of importing Express, at most. */
const aim = 2.6
const builds = process.argv.length > 2 ? process.argv.slice(2) : [join(root, 'dist')]
const contestants = new Map([['express', { before: '', specifier: 'express' }]])
for (const build of builds) {
  const entry = pathToFileURL(join(resolve(build), 'index.js')).href
  contestants.set(build, { before: '', specifier: entry })
  contestants.set(`${build}, Express loaded`, {
    before: "await import('express')",
    specifier: entry,
  })
}

const taken = new Map([...contestants.keys()].map((name) => [name, []]))
for (let round = 0; round < rounds; round += 1) {
  for (const [name, contestant] of contestants) taken.get(name).push(importTime(contestant))
}
for (const [name, times] of taken) {
  const [clock, processor] = ['clock', 'processor'].map((of) => median(times.map((one) => one[of])))
  const figures = `${milliseconds(clock)}, ${milliseconds(processor)} of the processor`
  process.stdout.write(`${figures}  ${name}${toExpress(name)}\n`)
}

function importTime({ before, specifier }) {
  const code = `${before}
    const [started, used] = [performance.now(), process.cpuUsage()]
    await import(${JSON.stringify(specifier)})
    const clock = performance.now() - started
    const { user, system } = process.cpuUsage(used)
    process.stdout.write(JSON.stringify({ clock, processor: (user + system) / 1000 }))`
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', code],
    { cwd: root, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

function median(numbers) {
  return numbers.sort((one, other) => one - other)[Math.floor(numbers.length / 2)]
}

/** The least of each, which a neighbour on the machine disturbs least. */
function toExpress(name) {
  if (!builds.includes(name)) return ''
  const least = (of) => Math.min(...taken.get(of).map(({ processor }) => processor))
  const ratio = least(name) / least('express')
  return `: ${ratio.toFixed(2)} times Express, ${ratio <= aim ? 'met' : 'missed'}`
}

function milliseconds(number) {
  return `${number.toFixed(0).padStart(4)} ms`
}
