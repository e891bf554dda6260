// Which files of other packages a process loads.
import { spawnSync } from 'node:child_process'
import { expect } from 'vitest'

const root = new URL('../../', import.meta.url)

const asUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`

// ES modules are seen by a hook, which runs in a thread of its own; those in CommonJS lie in a
// cache.
const hook = asUrl(`
  import { writeSync } from 'node:fs'
  export async function load(url, context, next) {
    writeSync(1, url + '\\n')
    return next(url, context)
  }`)
const watch = asUrl(`
  import { createRequire, register } from 'node:module'
  register(${JSON.stringify(hook)})
  process.on('exit', () => {
    for (const file of Object.keys(createRequire(process.cwd() + '/').cache)) console.log(file)
  })`)

/** The files of other packages that a process has loaded when it has done this. */
export function loadedDoing(code: string): string[] {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--no-warnings', '--import', watch, '--input-type=module', '--eval', code],
    { cwd: root, encoding: 'utf8' },
  )
  expect(status, stderr).toBe(0)
  const files = stdout.split('\n').filter((line) => line.includes('/node_modules/'))
  return [...new Set(files.map((file) => file.split('/node_modules/').at(-1) as string))]
}

/** The same after these imports. */
export const loadedBy = (...specifiers: readonly string[]): string[] =>
  loadedDoing(specifiers.map((specifier) => `await import('${specifier}')`).join(';'))

/** The packages that they are of. */
export const packagesOf = (files: readonly string[]): Set<string> =>
  new Set(files.map((file) => file.split('/', file.startsWith('@') ? 2 : 1).join('/')))
