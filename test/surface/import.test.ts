// What a process pays that imports the package: everything else waits until it is needed.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
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

  it('loads nothing of what operators call from a terminal', () => {
    const loaded = ['index', 'shared'].map((name) =>
      readFileSync(new URL(`../../dist/${name}.js`, import.meta.url), 'utf8'),
    )
    expect(loaded.join('')).toMatch(/function createAuthRouter\(/)
    expect(loaded.join('')).not.toMatch(/function (?:adminOf|createAdminKeys|runCommand|doctor)\(/)
  })

  it('takes the processor at most 2.6 times as long as importing Express', () => {
    // One after the other, so that a machine that is busy is busy for both; the least of each. A
    // neighbour disturbs the longer one more often, so a busy machine gets more rounds.
    const least = { own: Number.POSITIVE_INFINITY, express: Number.POSITIVE_INFINITY }
    const ratio = () => least.own / least.express
    for (let round = 0; round < 21 || (round < 84 && ratio() > 2.6); round += 1) {
      least.own = Math.min(least.own, processorTimeOf('./dist/index.js'))
      least.express = Math.min(least.express, processorTimeOf('express'))
    }
    expect(ratio()).toBeLessThanOrEqual(2.6)
  })

  it('would be seen to load them', () => {
    const all = loadedBy('jose', ...late)
    expect(all).toContainEqual(expect.stringMatching(/^jose\/.*\/jwe\//))
    for (const name of late) expect(packagesOf(all)).toContain(name)
  })
})
