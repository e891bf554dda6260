// Measures this package beside its peers. `npm run bench` measures everything and writes
// docs/performance.md and docs/performance.svg; `npm run bench -- guard` measures one suite
// (storm, guard, tokens, oauth, pages, growth, import) and only prints it; `--quick` is a smoke
// run; `render` writes the documents again from the last whole run. A whole run that has stopped
// goes on with `npm run bench -- rest`: what was measured is kept after each suite.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describeMachine } from './report/machine.mjs'
import { markdownOf } from './report/markdown.mjs'
import { writeDocs } from './report/write-docs.mjs'
import { measureGrowth } from './suites/growth.mjs'
import { measureGuards } from './suites/guard.mjs'
import { measureImport } from './suites/import.mjs'
import { measureOAuth } from './suites/oauth.mjs'
import { measurePages } from './suites/pages.mjs'
import { measureStorms } from './suites/storm.mjs'
import { measureTokens } from './suites/tokens.mjs'

const suites = {
  storm: measureStorms,
  guard: measureGuards,
  tokens: measureTokens,
  oauth: measureOAuth,
  pages: measurePages,
  growth: measureGrowth,
  import: measureImport,
}
const million = 1_000_000
const whole = {
  storm: { rounds: 3, logins: { 10: 160, 12: 80 } },
  guard: { rounds: 7, seconds: 2, warmUp: 15_000 },
  tokens: { rounds: 7, count: 2000, warmUp: 15_000 },
  oauth: { rounds: 7, count: 2000 },
  pages: { rounds: 7, count: 2000 },
  // Less than a thousand calls in all, so that each session of the smaller table is asked for once.
  growth: {
    rounds: 8,
    turns: 100,
    sizes: {
      memory: [1000, million],
      postgres: [1000, million],
      redis: [1000, million],
      sockets: [100, 10_000],
      throttle: [1000, million],
    },
  },
  import: { rounds: 21 },
}
const quick = {
  storm: { rounds: 1, logins: { 10: 20 } },
  guard: { rounds: 1, seconds: 0.3, warmUp: 200 },
  tokens: { rounds: 1, count: 200, warmUp: 200 },
  oauth: { rounds: 1, count: 200 },
  pages: { rounds: 1, count: 200 },
  growth: {
    rounds: 1,
    turns: 50,
    sizes: { memory: [1000, 10_000], sockets: [100, 500], throttle: [1000, 5000] },
  },
  import: { rounds: 3 },
}
const resultsFile = fileURLToPath(new URL('./results.json', import.meta.url))

const say = (text) => process.stdout.write(`${text}\n`)

async function measure(names, settings, results = {}, keep = () => {}) {
  for (const name of names) {
    const started = performance.now()
    results[name] = await suites[name](settings[name])
    say(
      `\n${markdownOf(name, results[name])}\n\n(${name}: ` +
        `${((performance.now() - started) / 1000).toFixed(0)} s)`,
    )
    keep()
  }
  return results
}

function resultsSoFar() {
  return existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, 'utf8')).suites : {}
}

async function measureWhole(results) {
  const missing = Object.keys(suites).filter((name) => !(name in results))
  const run = { machine: describeMachine(), suites: results }
  const keep = () => writeFileSync(resultsFile, JSON.stringify(run, null, 2))
  await measure(missing, whole, results, keep)
  writeDocs(run)
  say('\ndocs/performance.md and docs/performance.svg were written')
}

// The peers are no dependencies of the package, so nobody has them who has not asked for them.
function installPeers() {
  const folder = fileURLToPath(new URL('.', import.meta.url))
  const wanted = readFileSync(`${folder}/package-lock.json`, 'utf8')
  const stamp = `${folder}/node_modules/.installed-lock.json`
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  say('installing the peers: npm ci in test/bench')
  execFileSync('npm', ['ci', '--silent', '--include=dev'], { cwd: folder, stdio: 'inherit' })
  writeFileSync(stamp, wanted)
}

function readArguments(given) {
  const names = given.filter((word) => word !== '--quick')
  const words = ['render', 'rest']
  const unknown = names.find((name) => !(name in suites) && !words.includes(name))
  if (unknown !== undefined)
    throw new Error(
      `there is no suite "${unknown}"; there are ${[...Object.keys(suites), ...words].join(', ')}`,
    )
  return { names, isQuick: given.includes('--quick') }
}

async function main() {
  const { names, isQuick } = readArguments(process.argv.slice(2))
  if (names.includes('render')) {
    if (!existsSync(resultsFile))
      throw new Error('there is no whole run to write about; make one: npm run bench')
    writeDocs(JSON.parse(readFileSync(resultsFile, 'utf8')))
    return
  }
  installPeers()
  if (names.includes('rest')) return measureWhole(resultsSoFar())
  if (names.length === 0 && !isQuick) return measureWhole({})
  await measure(names.length === 0 ? Object.keys(suites) : names, isQuick ? quick : whole)
  if (isQuick) say('\nThis was a smoke run: its figures mean nothing, and nothing was written.')
}

await main()
