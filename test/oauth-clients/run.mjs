// Builds the package and the example, installs the clients that others wrote, and the provider that
// is the control, and runs the tests of this folder. Arguments are handed to vitest: `-- appauth`.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../surface/packed/pack.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '../..')
const tools = join(root, 'node_modules')
/** In milliseconds. The tests of one file have a limit of their own, support/time-limit.ts. */
const limits = { build: 600_000, install: 1_200_000, types: 600_000, tests: 1_800_000 }

async function must(command, args, limit) {
  const { ok, output } = await run(command, args, { cwd: here, limit })
  if (!ok) throw new Error(`${command} ${args.join(' ')} failed\n${output}`)
}

/** Only when the lock file is another one. */
async function install() {
  const wanted = readFileSync(join(here, 'package-lock.json'), 'utf8')
  const stamp = join(here, 'node_modules/.installed-lock.json')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  // None of them has to compile anything.
  await must('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--silent'], limits.install)
  writeFileSync(stamp, wanted)
}

/** In a process group of its own: whatever hangs in it, no worker and no browser is left behind. */
function test(files) {
  const config = join(here, 'vitest.config.ts')
  const args = ['run', '--config', config, '--root', root, ...files]
  const child = spawn(process.execPath, [join(tools, 'vitest/vitest.mjs'), ...args], {
    cwd: root,
    stdio: 'inherit',
    detached: true,
  })
  const killAll = () => {
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch (error) {
      if (error.code !== 'ESRCH') throw error
    }
  }
  const giveUp = () => {
    process.stderr.write(`the tests took longer than ${limits.tests / 1000} s\n`)
    killAll()
  }
  const timer = setTimeout(giveUp, limits.tests)
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, killAll)
  child.once('exit', (code) => {
    clearTimeout(timer)
    killAll()
    process.exitCode = code ?? 1
  })
}

await must(process.execPath, [join(root, 'test/rules/build.mjs'), 'example'], limits.build)
await install()
const compiler = join(tools, 'typescript/bin/tsc')
await must(process.execPath, [compiler, '--pretty', 'false', '-p', here], limits.types)
test(process.argv.slice(2))
