// Builds, then runs every check of this folder, as many at once as there are processors: `npm run
// check`. Runs all of them, whatever fails, and ends with those that did. `--only walls,types` runs
// those two. `npm run update` hands `--update` to those that write what they compare.
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root, run } from './support.mjs'

const { values } = parseArgs({
  options: { only: { type: 'string' }, update: { type: 'boolean', default: false } },
})
const here = join(root, 'test/rules')
/** In the order in which they write: the guide of requests is made of the description. */
const writers = ['openapi', 'http-api', 'events', 'api']
// After a run of all tests, by hand.
const byHand = new Set(['answers'])
const checks = new Map([
  ['style', [join(root, 'node_modules/.bin/biome'), 'check', '.']],
  ...readdirSync(here)
    .flatMap((file) => /^check-([\w-]+)\.mjs$/.exec(file)?.[1] ?? [])
    .filter((name) => !byHand.has(name))
    .map((name) => [name, [process.execPath, join(here, `check-${name}.mjs`)]]),
])
const names = values.only?.split(',') ?? (values.update ? writers : [...checks.keys()])
const unknown = names.find((name) => !checks.has(name))
if (unknown !== undefined)
  throw new Error(`no check ${unknown}. There are: ${[...checks.keys()].join(', ')}.`)

/** Prints what a check has said when it has ended: the lines of two never mix. */
function runCheck(name) {
  const [program, ...args] = checks.get(name)
  const child = spawn(program, values.update ? [...args, '--update'] : args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece) => (printed += piece))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      process.stdout.write(printed)
      resolve(code === 0)
    })
  })
}

const built = run(process.execPath, ['test/rules/build.mjs'])
process.stdout.write(built.output === '' ? '' : `${built.output}\n`)
const waiting = built.ok ? [...names] : []
const failed = built.ok ? [] : ['build']

async function runWaiting() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
    if (!(await runCheck(name))) failed.push(name)
}
const atOnce = values.update ? 1 : availableParallelism()
await Promise.all(Array.from({ length: atOnce }, runWaiting))
if (failed.length > 0) {
  process.stderr.write(
    `failed: ${failed.join(', ')}; again: npm run check -- --only ${failed.join(',')}\n`,
  )
  process.exitCode = 1
}
