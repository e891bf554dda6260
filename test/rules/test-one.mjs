// Runs the named test files: `npm run test:one -- test/login/login.test.ts`. Each suite has
// settings of its own; they are found by the folder.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './support.mjs'

const files = process.argv.slice(2)
if (files.length === 0) throw new Error('name a file: npm run test:one -- test/login/login.test.ts')

const isIn = (suite) => files.some((file) => file.startsWith(`test/${suite}/`))
const suite = ['outages', 'timing'].find(isIn)
const config = suite === undefined ? [] : ['--config', `test/${suite}/vitest.config.ts`]

function run(command, args) {
  // Whichever tier they are of.
  const env = { ...process.env, TIER: 'all' }
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env })
  if (status !== 0) process.exit(status ?? 1)
}

// They are packages of their own.
const ownPackage = ['hosts', 'oauth-clients'].find(isIn)
if (ownPackage !== undefined) {
  run(process.execPath, [join(root, `test/${ownPackage}/run.mjs`), ...files])
  process.exit()
}
run('npm', ['run', '--silent', 'build'])
run(join(root, 'node_modules/.bin/vitest'), ['run', '--root', '.', ...config, ...files])
