// What the package is built on: versions that are mended, few, and nothing that runs while it is
// installed.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

interface Locked {
  readonly version: string
  readonly integrity?: string
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly peer?: boolean
  readonly optional?: boolean
  readonly hasInstallScript?: boolean
}

const json = (path: string) =>
  JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))
const manifest = json('package.json') as Record<
  'dependencies' | 'devDependencies',
  Record<string, string>
>
const packages = Object.entries(
  json('package-lock.json').packages as Record<string, Locked>,
).filter(([path]) => path !== '')
const nameOf = (path: string) =>
  path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
const installed = packages.filter(
  ([, { dev, devOptional, peer }]) => dev !== true && devOptional !== true && peer !== true,
)

const numbers = (version: string) => version.split(/[.+-]/).slice(0, 3).map(Number)
function isAtLeast(version: string, floor: string): boolean {
  const [have, want] = [numbers(version), numbers(floor)]
  const at = have.findIndex((part, index) => part !== want[index])
  return at < 0 || (have[at] as number) > (want[at] as number)
}

describe('a dependency', () => {
  it.each([
    ['passport', '0.6.0', 'CVE-2022-25896: a session is kept over a login'],
    ['jose', '4.15.5', 'CVE-2024-28176, CVE-2022-36083: costly JWE headers'],
    ['zod', '4.0.0', 'CVE-2023-4316: an e-mail pattern that backtracks'],
    ['express', '4.21.0', 'CVE-2024-43796: redirect'],
    ['body-parser', '1.20.3', 'CVE-2024-45590: nested bodies'],
    ['ws', '8.17.1', 'CVE-2024-37890: many headers'],
    ['socket.io', '4.6.2', 'CVE-2024-38355: an unhandled error'],
    ['socket.io-parser', '4.2.3', 'CVE-2023-32695'],
    ['engine.io', '6.4.2', 'CVE-2023-31125'],
    ['mysql2', '3.9.8', 'CVE-2024-21508, CVE-2024-21511: code from a row'],
    ['cookie', '0.7.0', 'CVE-2024-47764'],
    ['qs', '6.14.1', 'CVE-2025-15284: arrays without end'],
    ['send', '0.19.0', 'CVE-2024-43799'],
  ])('%s is at %s or above, wherever it is installed (%s)', (name, floor) => {
    const versions = packages
      .filter(([path]) => nameOf(path) === name)
      .map(([, { version }]) => version)
    expect(versions).not.toHaveLength(0)
    expect(versions.filter((version) => !isAtLeast(version, floor))).toEqual([])
  })

  it(
    'body-parser of the Express 5 that we test with is at 2.2.1 or above (CVE-2025-13466: ' +
      'urlencoded bodies)',
    () => {
      const two = packages.filter(
        ([path, { version }]) => nameOf(path) === 'body-parser' && version.startsWith('2.'),
      )
      expect(two).not.toHaveLength(0)
      expect(two.filter(([, { version }]) => !isAtLeast(version, '2.2.1'))).toEqual([])
    },
  )

  it('is the version that was tested: pinned exactly, locked with a hash, installed as locked', () => {
    const asked = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
    expect(asked.filter(([, version]) => !/^(npm:\w+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([])
    expect(
      packages
        .filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))
        .map(([path]) => path),
    ).toEqual([])
    for (const [name, version] of Object.entries(manifest.dependencies)) {
      expect([name, json(`node_modules/${name}/package.json`).version]).toEqual([name, version])
    }
  })

  it('runs nothing while it is installed, and there are few: eight that are asked for', () => {
    expect(
      installed
        .filter(([, { hasInstallScript }]) => hasInstallScript === true)
        .map(([path]) => path),
    ).toEqual([])
    expect(Object.keys(manifest.dependencies)).toHaveLength(8)
    // The others are what those need; optional ones are builds of one thread-priority module for
    // platforms, which is never loaded.
    expect(installed.filter(([, { optional }]) => optional !== true).length).toBeLessThanOrEqual(14)
  })

  it('with a known weakness is named in docs/security.md, with what contains it', () => {
    const guide = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8')
    for (const name of [
      'bcryptjs',
      'speakeasy',
      'passport-local',
      'passport',
      'jose',
      'express',
      'body-parser',
    ]) {
      expect(guide).toMatch(new RegExp(`^\\| ${name} `, 'm'))
    }
  })
})
