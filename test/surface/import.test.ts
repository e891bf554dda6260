// What a process pays that imports the package: everything else waits until it is needed.
import { describe, expect, it } from 'vitest'
import { loadedBy, packagesOf } from '../support/loaded-files.js'

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
