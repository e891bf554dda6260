// What every check needs: where the project is, how to run a tool, and one way to say how it went.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's folder, with a slash at the end. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Ends a check: prints its one line, or all that is wrong. The process then ends with that. */
export function finish(check, problems, summary) {
  if (problems.length === 0) {
    process.stdout.write(`${check}: ${summary}\n`)
    return
  }
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  process.stderr.write(`${check}: ${problems.length} wrong\n`)
  process.exitCode = 1
}

/** Runs a program in the project's folder; answers what it printed, and whether it ended well. */
export function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    ...options,
  })
  if (error !== undefined) throw error
  return { ok: status === 0, stdout, stderr, output: `${stdout}${stderr}`.trim() }
}

/** Runs a tool of the development dependencies. */
export function runTool(name, args, options) {
  return run(join(root, 'node_modules/.bin', name), args, options)
}

/** All files below a folder of the project, as paths from the project's folder, sorted. */
export function filesBelow(folder, extension = '') {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length))
    .sort()
}

/**
 * An empty folder inside the project, which git does not see; what lies in it can import the
 * package by its own name.
 */
export function scratchFolder(name) {
  const folder = join(root, 'test/rules/.scratch', name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return folder
}
