// Builds, then runs the test files of a tier: `npm test`, `npm run test:rest`, `npm run test:long`.
// More arguments are handed to vitest. Ends with what it did not run, and how to run that.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './support.mjs'
import { filesOf } from './tiers.mjs'

const [tier = 'test', ...more] = process.argv.slice(2)

function run(command, args, env = {}) {
  const options = { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } }
  const { status } = spawnSync(command, args, options)
  if (status !== 0) process.exit(status ?? 1)
}

const others = [
  ['test', 'of promises', 'npm test'],
  ['rest', 'other quick ones', 'npm run test:rest'],
  ['long', 'of promises that take longer', 'npm run test:long'],
  ['further', 'other slow ones', 'npm run test:all -- --only further'],
]

// The example is started by some files.
run(process.execPath, ['test/rules/build.mjs', ...(tier === 'test' ? [] : ['example'])])
run(join(root, 'node_modules/.bin/vitest'), ['run', ...more], { TIER: tier })
if (!others.some(([name]) => name === tier)) process.exit()
const rows = others
  .filter(([name]) => name !== tier)
  .map(([name, what, how]) => `  ${String(filesOf(name).length).padStart(4)} ${what}: ${how}`)
process.stdout.write(
  `Not run here, of the test files:\n${rows.join('\n')}\n` +
    'Everything, with all databases, outages, third-party servers and clients: npm run test:all\n' +
    'Skipped tests need a server or a browser; CONTRIBUTING.md says how to install it\n',
)
