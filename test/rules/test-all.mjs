// Everything there is to test, one suite after the other: `npm run test:all`. Goes on after one
// that failed, and ends with a table. `--only long,outages` runs those two. `--only hosts
// thelounge` hands what follows to the one. `--since <commit>` runs those whose part of the project
// has changed since that commit, as test/rules/suites.mjs has it.
import { spawnSync } from 'node:child_process'
import { runSuite, tableOf } from './run-suites.mjs'
import { suites, suitesOf } from './suites.mjs'
import { root, run } from './support.mjs'

const { only, since, handedOn } = readArguments()

/** All that follows the one suite is its own, options included. */
function readArguments() {
  const [option, value, ...rest] = process.argv.slice(2)
  if (option === undefined) return { handedOn: [] }
  if (value !== undefined && option === '--only') return { only: value.split(','), handedOn: rest }
  if (value !== undefined && option === '--since') return { since: value, handedOn: rest }
  throw new Error('npm run test:all [-- --only <suites> | --since <commit>]')
}

function chosenSuites() {
  const named = only ?? suites.map(({ name }) => name)
  const unknown = named.find((name) => !suites.some((suite) => suite.name === name))
  if (unknown !== undefined) {
    const names = suites.map(({ name }) => name).join(', ')
    throw new Error(`no suite ${unknown}. There are: ${names}.`)
  }
  if (handedOn.length > 0 && named.length !== 1)
    throw new Error(`which of the suites is "${handedOn.join(' ')}" for?`)
  const concerned = since === undefined ? suites : suitesOf(changedSince(since))
  return concerned.filter(({ name }) => named.includes(name))
}

/** Changed, added or deleted since then, committed or not. */
function changedSince(commit) {
  const git = (...args) => {
    const { ok, stdout, output } = run('git', args)
    if (!ok) throw new Error(output)
    return stdout.split('\0').filter((file) => file !== '')
  }
  return [
    ...git('diff', '--name-only', '--no-renames', '-z', commit, '--'),
    ...git('ls-files', '--others', '--exclude-standard', '-z'),
  ]
}

/**
 * Servers, browser, shell and promtool: on a machine without them nothing below could pass. And
 * what is compiled, which the suites start.
 */
function prepare() {
  for (const script of ['.ci/services', '.ci/tools']) {
    const { status } = spawnSync(script, { cwd: root, stdio: 'inherit' })
    if (status !== 0) throw new Error(`${script} failed`)
  }
  const built = run(process.execPath, ['test/rules/build.mjs', 'example'])
  if (!built.ok) throw new Error(built.output)
}

const chosen = chosenSuites()
if (chosen.length > 0) prepare()
const results = []
for (const suite of chosen)
  results.push(await runSuite({ ...suite, command: [...suite.command, ...handedOn] }))
process.stdout.write(`\n${tableOf(results)}\n`)
if (chosen.length === 0) process.stdout.write('Nothing has changed that a suite is about.\n')
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1
