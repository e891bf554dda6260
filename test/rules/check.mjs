// Builds, then runs every script of package.json whose name begins with `check:`, as many at once
// as there are processors. Runs all of them, whatever fails, and ends with those that did.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { root, run } from './support.mjs'

/** Prints what a check has said when it has ended: the lines of two never mix. */
function runCheck(name) {
  const child = spawn('npm', ['run', '--silent', name], {
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

const built = run('npm', ['run', '--silent', 'build'])
process.stdout.write(built.output === '' ? '' : `${built.output}\n`)
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
const waiting = built.ok ? Object.keys(scripts).filter((name) => name.startsWith('check:')) : []
const failed = built.ok ? [] : ['build']

async function runWaiting() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
    if (!(await runCheck(name))) failed.push(name)
}
await Promise.all(Array.from({ length: availableParallelism() }, runWaiting))
if (failed.length > 0) {
  process.stderr.write(`failed: ${failed.join(', ')}\n`)
  process.exitCode = 1
}
