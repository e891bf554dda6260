// Every test file passes alone, and with its tests in any order: `npm run test:all -- --only alone`
// draws a tenth of the files and runs each in a process of its own, its tests shuffled. Files that
// run after others in one process may need what those left behind, and nobody would notice. The
// seed is printed; `SEED=<seed>` before the command draws the same again. `--all` behind it runs
// every file, and names of files run those.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './support.mjs'
import { testFiles } from './tiers.mjs'

const { values, positionals: named } = parseArgs({
  options: { all: { type: 'boolean' } },
  allowPositionals: true,
})
const seed = Number(process.env['SEED'] || Math.floor(Math.random() * 1e9))
if (!Number.isInteger(seed)) throw new Error(`SEED=${process.env['SEED']} is no whole number`)

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

function chosen() {
  const unknown = named.find((file) => !testFiles.includes(file))
  if (unknown !== undefined) throw new Error(`${unknown} is no test file of vitest.config.ts`)
  if (named.length > 0) return named
  return drawn(testFiles, values.all ? testFiles.length : Math.ceil(testFiles.length / 10))
}

/** Runs one; what it printed is shown where it failed. */
async function passesAlone(file) {
  const shuffled = ['--sequence.shuffle.tests', '--sequence.seed', String(seed)]
  const child = spawn(
    join(root, 'node_modules/.bin/vitest'),
    ['run', '--isolate', ...shuffled, file],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, TIER: 'all' } },
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

const queue = chosen()
process.stdout.write(`${queue.length} of ${testFiles.length} test files alone, SEED=${seed}\n`)
const count = queue.length
const failed = []
async function work() {
  for (let file = queue.shift(); file !== undefined; file = queue.shift())
    if (!(await passesAlone(file))) failed.push(file)
}
await Promise.all([work(), work()])
for (const file of failed)
  process.stdout.write(`again: SEED=${seed} npm run test:all -- --only alone ${file}\n`)
process.stdout.write(`${count - failed.length} passed, ${failed.length} failed\n`)
process.exitCode = failed.length === 0 ? 0 : 1
