// The package as it would be published, made from a copy of the project; and programs run to their
// end.
import { spawn } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Milliseconds after which something hangs: far more than a busy machine takes. */
export const patience = { install: 1_200_000, host: 600_000, exit: 120_000 }

/**
 * Runs a program to its end. `onlyWord` is all that it may say, warnings included; once it has said
 * so, it has `patience.exit` to end by itself.
 */
export function run(command, args, { cwd, limit, onlyWord, env = process.env }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let timer = setTimeout(() => giveUp('took too long'), limit)
    const giveUp = (why) => {
      output += `\n${why}`
      child.kill('SIGKILL')
    }
    const hear = (chunk) => {
      output += chunk
      if (onlyWord === undefined || !output.includes(`${onlyWord}\n`)) return
      clearTimeout(timer)
      timer = setTimeout(
        () => giveUp(`did not end within ${patience.exit / 1000} s of closing`),
        patience.exit,
      )
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.on('error', (error) => hear(String(error)))
    child.on('close', (code) => {
      clearTimeout(timer)
      const silent = onlyWord === undefined || output === `${onlyWord}\n`
      resolve({ ok: code === 0 && silent, output: output.trim() })
    })
  })
}

/**
 * Packs a fresh copy of the project, as after a clone: nothing is built in it, unless packing does
 * so. Answers the path of the tarball.
 */
export async function pack(folder) {
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const clone = join(folder, 'clone')
  for (const part of [
    'src',
    'docs',
    'test/rules',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'README.md',
    'SECURITY.md',
    'CHANGELOG.md',
    'LICENSE',
    'openapi.json',
  ]) {
    cpSync(join(root, part), join(clone, part), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
  const args = ['pack', '--json', '--pack-destination', folder]
  const { ok, output } = await run('npm', args, { cwd: clone, limit: patience.install })
  if (!ok) throw new Error(`npm pack failed\n${output}`)
  return join(folder, `${name}-${version}.tgz`)
}
