// Every test file passes alone, and with its tests in any order: `npm run test:alone` draws a tenth
// of the files and runs each in a process of its own, its tests shuffled. Files that run after
// others in one process may need what those left behind, and nobody would notice. The seed is
// printed; `SEED=<seed> npm run test:alone` draws the same again. `-- --all` runs every file, and
// `-- <files>` the named ones.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root, runTool } from './support.mjs'

const { values, positionals: named } = parseArgs({
  options: { all: { type: 'boolean' } },
  allowPositionals: true,
})
const seed = Number(process.env['SEED'] || Math.floor(Math.random() * 1e9))
if (!Number.isInteger(seed)) throw new Error(`SEED=${process.env['SEED']} is no whole number`)

/** The settings with which the files are run, those of the quickest suite first. */
const settings = [
  { args: [], env: {} },
  { args: ['--config', 'test/long/vitest.config.ts'], env: { SUITE: 'long' } },
  { args: ['--config', 'test/long/vitest.config.ts'], env: { SUITE: 'further' } },
  { args: ['--config', 'test/long/vitest.config.ts'], env: { SUITE: 'engines' } },
]

/**
 * Each test file of `npm test`, test:long, test:further and test:engines, with the settings of the
 * first.
 */
function allFiles() {
  const found = new Map()
  for (const setting of settings)
    for (const file of filesOf(setting)) if (!found.has(file)) found.set(file, setting)
  return found
}

function filesOf({ args, env }) {
  const { ok, stdout, output } = runTool('vitest', ['list', '--filesOnly', '--json', ...args], {
    env: { ...process.env, ...env },
  })
  if (!ok) throw new Error(output)
  return JSON.parse(stdout).map(({ file }) => file.slice(root.length))
}

/** Some of them, the same for the same seed. */
function drawn(files, count) {
  let state = seed >>> 0
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return files
    .map((file) => ({ file, at: next() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, count)
    .map(({ file }) => file)
}

function chosen(files) {
  const unknown = named.find((file) => !files.includes(file))
  if (unknown !== undefined) throw new Error(`no test file ${unknown} of test, long or engines`)
  if (named.length > 0) return named
  return drawn(files, values.all ? files.length : Math.ceil(files.length / 10))
}

/** Runs one; what it printed is shown where it failed. */
async function passesAlone(file, { args, env }) {
  const shuffled = ['--sequence.shuffle.tests', '--sequence.seed', String(seed)]
  const child = spawn(
    join(root, 'node_modules/.bin/vitest'),
    ['run', '--root', '.', ...args, ...shuffled, file],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } },
  )
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece) => {
      printed = (printed + piece).slice(-20_000)
    })
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  process.stdout.write(code === 0 ? `passed ${file}\n` : `FAILED ${file}\n${printed}\n`)
  return code === 0
}

const files = allFiles()
const queue = chosen([...files.keys()].sort())
process.stdout.write(`${queue.length} of ${files.size} test files alone, SEED=${seed}\n`)
const count = queue.length
const failed = []
async function work() {
  for (let file = queue.shift(); file !== undefined; file = queue.shift())
    if (!(await passesAlone(file, files.get(file)))) failed.push(file)
}
await Promise.all([work(), work()])
for (const file of failed)
  process.stdout.write(`again: SEED=${seed} npm run test:alone -- ${file}\n`)
process.stdout.write(`${count - failed.length} passed, ${failed.length} failed\n`)
process.exitCode = failed.length === 0 ? 0 : 1
