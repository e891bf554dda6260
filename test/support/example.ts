// Builds and starts the example, as a process of its own that keeps nothing outside a folder of its
// own.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const built = join(root, 'example-app/build')

/** The people that the example is seeded with. */
export const alice = { username: 'alice', password: 'correct horse battery staple' }
export const bob = { username: 'bob', password: 'another long passphrase' }
export const bobsSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

/** Compiles the example where it is not what its sources say. */
export function buildExample(): void {
  execFileSync(process.execPath, ['test/rules/build.mjs', 'example'], { cwd: root, stdio: 'pipe' })
}

const folders: string[] = []
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A folder that is gone when the tests are over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'example-'))
  folders.push(folder)
  return folder
}

/** The environment of an example with an SQLite database and an encryption key in a folder. */
export function environmentIn(folder: string): Record<string, string> {
  return {
    DATABASE_URL: `sqlite:${join(folder, 'chat.db')}`,
    AUTH_ENCRYPTION_KEY_FILE: join(folder, 'encryption.key'),
  }
}

/** Launches the built example with nothing of this process's environment but the path. */
export function launchExample(env: Record<string, string> = environmentIn(temporaryFolder())) {
  const child = spawn(process.execPath, [join(built, 'server.js')], {
    // Elsewhere: what it keeps must not depend on the folder it is started in.
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], PORT: '0', ...env },
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (output.stdout += chunk))
  child.stderr.on('data', (chunk) => (output.stderr += chunk))
  const exited = once(child, 'close').then(([code]) => code as number | null)
  return { child, output, exited }
}

/** The same, and waits until it listens. */
export async function startExample(env?: Record<string, string>) {
  const { child, output, exited } = launchExample(env)
  const line = once(createInterface(child.stdout), 'line').then(([text]) => String(text))
  const early = exited.then((code) =>
    Promise.reject(new Error(`exited with ${code}: ${output.stderr}`)),
  )
  const url = /^listening on (http:\/\/127\.0\.0\.1:\d+)$/.exec(
    await Promise.race([line, early]),
  )?.[1]
  if (url === undefined) throw new Error(`unexpected output: ${output.stdout}`)
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    early.catch(() => {})
    child.kill(signal)
    return exited
  }
  return { url, output, stop }
}

/** A running example. */
export type Example = Awaited<ReturnType<typeof startExample>>
