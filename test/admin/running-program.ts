// The program as a shell runs it, in a folder with an auth-admin.mjs.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
/** Where it is built. */
export const program: string = join(root, 'dist/cli.js')

/** A folder inside the package, which knows itself by its name there. */
export function scratchFolder(): string {
  const scratch = join(root, 'test/rules/.scratch')
  mkdirSync(scratch, { recursive: true })
  return mkdtempSync(join(scratch, 'admin-'))
}

/** Runs it with nobody to ask; resolves with its exit code and what it has said. */
export async function runProgram(
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  args: readonly string[],
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [program, ...args], { cwd, env })
  child.stdin.end()
  const said = { out: '', err: '' }
  child.stdout.on('data', (piece) => (said.out += piece))
  child.stderr.on('data', (piece) => (said.err += piece))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, ...said }
}
