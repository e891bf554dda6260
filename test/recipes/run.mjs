// The examples of docs/ that import what is no dependency of the package: ORMs, express-session.
// Installs those here, compiles the examples as a host would, and runs them.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '../..')
const examples = ['users', 'moving']

function run(command, args, env = {}) {
  // What hangs must not hold up whatever comes next.
  const options = {
    cwd: here,
    stdio: 'inherit',
    timeout: 1_800_000,
    env: { ...process.env, ...env },
  }
  const { status, error } = spawnSync(command, args, options)
  if (error !== undefined) throw error
  if (status !== 0) process.exit(status ?? 1)
}

// As bench.mjs does: only when the lock file is another one.
function install() {
  const wanted = readFileSync(join(here, 'package-lock.json'), 'utf8')
  const stamp = join(here, 'node_modules/.installed-lock.json')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  process.stdout.write('installing what the examples import: npm ci in test/recipes\n')
  run('npm', ['ci', '--ignore-scripts', '--silent', '--include=dev'])
  // The examples import the package by its name. A dependency by path would install its own again,
  // and a link to the project would hold itself.
  const self = join(here, 'node_modules/messaging-auth-router')
  mkdirSync(self)
  cpSync(join(root, 'package.json'), join(self, 'package.json'))
  symlinkSync(join(root, 'dist'), join(self, 'dist'), 'dir')
  writeFileSync(stamp, wanted)
}

install()
// Copied to where their packages are found.
rmSync(join(here, '.scratch'), { recursive: true, force: true })
for (const name of examples)
  cpSync(join(root, 'docs/examples', name), join(here, '.scratch', name), { recursive: true })

// The client is generated from the schema alone. Prisma would first download its engine for
// migrations, which nobody asks for here, unless it is told that there is one.
run(
  join(here, 'node_modules/.bin/prisma'),
  ['generate', '--no-hints', '--schema', '.scratch/users/schema.prisma'],
  { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' },
)
run(join(root, 'node_modules/.bin/tsc'), ['-p', '.'])
run(join(root, 'node_modules/.bin/vitest'), ['run', '--root', '.', ...process.argv.slice(2)])
