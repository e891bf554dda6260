// Everything there is to test, one suite after the other: `npm run test:all`. Goes on after one
// that failed, and ends with a table. `--only long,outages` runs those; `--since <commit>` runs
// those whose part of the project has changed since that commit, as test/rules/suites.mjs has it.
import { spawn, spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { suites, suitesOf } from './suites.mjs'
import { root, run } from './support.mjs'
import { countTests } from './test-counts.mjs'

const { values } = parseArgs({ options: { only: { type: 'string' }, since: { type: 'string' } } })

function chosenSuites() {
  const named = values.only?.split(',') ?? suites.map(({ name }) => name)
  const unknown = named.find((name) => !suites.some((suite) => suite.name === name))
  if (unknown !== undefined) {
    const names = suites.map(({ name }) => name).join(', ')
    throw new Error(`no suite ${unknown}. There are: ${names}.`)
  }
  const concerned = values.since === undefined ? suites : suitesOf(changedSince(values.since))
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

/** Shows what the suite prints, and reads from it how many tests there were. */
async function runSuite({ name, command: [program, ...args] }) {
  process.stdout.write(`\n== ${name}: ${[program, ...args].join(' ')}\n`)
  const started = performance.now()
  let printed = ''
  const child = spawn(program, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    // What is missing here must not count as passed.
    env: { ...process.env, REQUIRE_SERVICES: '1' },
  })
  child.stdout.on('data', (piece) => {
    process.stdout.write(piece)
    printed = (printed + piece).slice(-100_000)
  })
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  return {
    name,
    counts: countTests(printed),
    seconds: Math.round((performance.now() - started) / 1000),
    ok: code === 0,
  }
}

function tableOf(results) {
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

/** Servers, browser, shell and promtool: on a machine without them nothing below could pass. */
function prepare() {
  for (const script of ['.ci/services', '.ci/chromium', '.ci/zsh', '.ci/prometheus']) {
    const { status } = spawnSync(script, { cwd: root, stdio: 'inherit' })
    if (status !== 0) throw new Error(`${script} failed`)
  }
}

const chosen = chosenSuites()
if (chosen.length > 0) prepare()
const results = []
for (const suite of chosen) results.push(await runSuite(suite))
process.stdout.write(`\n${tableOf(results)}\n`)
if (chosen.length === 0) process.stdout.write('Nothing has changed that a suite is about.\n')
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1
