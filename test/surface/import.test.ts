// What a process pays that imports the package: everything else waits until it is needed.
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'

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

/** The files of other packages that a process has loaded after these imports. */
function loadedBy(...specifiers: readonly string[]): string[] {
  const code = specifiers.map((specifier) => `await import('${specifier}')`).join(';')
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--no-warnings', '--import', watch, '--input-type=module', '--eval', code],
    { cwd: root, encoding: 'utf8' },
  )
  expect(status, stderr).toBe(0)
  const files = stdout.split('\n').filter((line) => line.includes('/node_modules/'))
  return [...new Set(files.map((file) => file.split('/node_modules/').at(-1) as string))]
}

const packagesOf = (files: readonly string[]) => new Set(files.map((file) => file.split('/')[0]))
const limitersOf = (files: readonly string[]) =>
  files.filter((file) => /^rate-limiter-flexible\/(index|lib\/[^/]+)\.js$/.test(file)).toSorted()

describe('importing the package', () => {
  const late = ['piscina', 'bowser', 'speakeasy', 'bcryptjs']
  const files = loadedBy('./dist/index.js')

  it.each(late)('does not load %s, which is loaded when it is needed', (name) => {
    expect(packagesOf(files)).not.toContain(name)
  })

  it('loads the limiter in memory, and that of no database', () => {
    expect(limitersOf(files)).toEqual([
      'rate-limiter-flexible/lib/RateLimiterAbstract.js',
      'rate-limiter-flexible/lib/RateLimiterMemory.js',
      'rate-limiter-flexible/lib/RateLimiterRes.js',
    ])
  })

  it('loads of jose what reads and signs tokens, and nothing that encrypts', () => {
    expect(packagesOf(files)).toContain('jose')
    expect(files.filter((file) => /^jose\/.*\/jwe\//.test(file))).toEqual([])
  })

  it('would be seen to load them', () => {
    const all = loadedBy('rate-limiter-flexible', 'jose', ...late)
    expect(limitersOf(all)).toContain('rate-limiter-flexible/lib/RateLimiterRedis.js')
    expect(all).toContainEqual(expect.stringMatching(/^jose\/.*\/jwe\//))
    for (const name of late) expect(packagesOf(all)).toContain(name)
  })
})
