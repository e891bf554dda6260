// Installs what others wrote, with the package as it would be published beside it, and runs the
// tests of this folder against that. Arguments are handed to vitest: `-- rocketchat`.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builds, sourcesDigest } from '../rules/builds.mjs'
import { pack, run } from '../surface/packed/pack.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('../../', import.meta.url))
const tools = join(root, 'node_modules')
/** What node_modules was made from. */
const notes = {
  pins: join(here, 'node_modules/.made-from-lock'),
  package: join(here, 'node_modules/.made-from-sources'),
}
/** The pinned packages come over the net. */
const limit = 1_800_000
/** Some download or compile what no test here needs. */
const quietly = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']

async function must(command, args, cwd = here) {
  const { ok, output } = await run(command, args, { cwd, limit })
  if (!ok) throw new Error(`${command} ${args.join(' ')} failed\n${output}`)
}

/** Does what takes long only where what it is made from has changed. */
async function once(note, digest, work) {
  if (existsSync(note) && readFileSync(note, 'utf8') === digest) return
  await work()
  writeFileSync(note, digest)
}

const digestOf = (file) => createHash('sha256').update(readFileSync(file)).digest('hex')

/** npm also says here whether the package's peers go with what the hosts pin. */
async function installPackage() {
  const folder = mkdtempSync(join(tmpdir(), 'packed-'))
  try {
    const tarball = await pack(folder)
    rmSync(join(here, 'node_modules/messaging-auth-router'), { recursive: true, force: true })
    await must('npm', ['install', '--no-save', ...quietly, tarball])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

await once(notes.pins, digestOf(join(here, 'package-lock.json')), () =>
  must('npm', ['ci', ...quietly]),
)
await once(notes.package, sourcesDigest(builds.package), installPackage)
await must(process.execPath, [join(tools, 'typescript/bin/tsc'), '--pretty', 'false', '-p', here])
const config = join(here, 'vitest.config.ts')
const vitest = [join(tools, 'vitest/vitest.mjs'), 'run', '--config', config, '--root', root]
const { status, error } = spawnSync(process.execPath, [...vitest, ...process.argv.slice(2)], {
  stdio: 'inherit',
  cwd: root,
  // A host that hangs must not hold up whatever comes next.
  timeout: limit,
})
if (error !== undefined) throw error
process.exitCode = status ?? 1
