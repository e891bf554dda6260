// What a process pays that imports the package: everything else waits until it is needed.
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { loadedBy, packagesOf } from '../support/loaded-files.js'

/** Milliseconds of the processor for an import, in a process of its own. */
function processorTimeOf(specifier: string): number {
  const code = `const before = process.cpuUsage()
    await import('${specifier}')
    const { user, system } = process.cpuUsage(before)
    console.log((user + system) / 1000)`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: new URL('../../', import.meta.url),
    encoding: 'utf8',
  })
  expect(Number(stdout)).toBeGreaterThan(0)
  return Number(stdout)
}

describe('importing the package', () => {
  const late = [
    'piscina',
    'bowser',
    'speakeasy',
    'bcryptjs',
    'passport',
    'passport-local',
    // Only a host that counts in a store loads it, to make its limiter.
    'rate-limiter-flexible',
  ]
  const files = loadedBy('./dist/index.js')

  it.each(late)('does not load %s, which is loaded when it is needed', (name) => {
    expect(packagesOf(files)).not.toContain(name)
  })

  it('loads of jose what reads and signs tokens, and nothing that encrypts', () => {
    expect(packagesOf(files)).toContain('jose')
    expect(files.filter((file) => /^jose\/.*\/jwe\//.test(file))).toEqual([])
  })

  it('takes the processor at most 2.6 times as long as importing Express', () => {
    // One after the other, so that a machine that is busy is busy for both; the least of each.
    const rounds = Array.from({ length: 21 }, () => ({
      own: processorTimeOf('./dist/index.js'),
      express: processorTimeOf('express'),
    }))
    const least = (name: 'own' | 'express') => Math.min(...rounds.map((round) => round[name]))
    expect(least('own') / least('express')).toBeLessThanOrEqual(2.6)
  })

  it('would be seen to load them', () => {
    const all = loadedBy('jose', ...late)
    expect(all).toContainEqual(expect.stringMatching(/^jose\/.*\/jwe\//))
    for (const name of late) expect(packagesOf(all)).toContain(name)
  })
})
