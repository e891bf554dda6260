// Starts a program of the example: compiles what is stale, and then runs it in this very process,
// so that no child of it is left behind.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { builds, isFresh } from './builds.mjs'
import { root } from './support.mjs'

const [program = ''] = process.argv.slice(2)
const { ppid } = process

// A shell is between npm and this process. It takes the signal that ends npm, and passes none on:
// the server would stay, and hold its port. By `exec` in the script Windows would start nothing.
setInterval(() => {
  if (process.ppid !== ppid) process.kill(process.pid, 'SIGTERM')
}, 250).unref()

if (!isFresh(builds.package) || !isFresh(builds.example)) {
  // On stderr: scripts read the first line of stdout.
  process.stderr.write('compiling, once; it takes about a minute\n')
  const args = [join(root, 'test/rules/build.mjs'), 'example']
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
await import(pathToFileURL(join(root, builds.example.output, program)).href)
