// What a process pays that imports the package: everything else waits until it is needed.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { loadedBy, packagesOf } from '../support/loaded-files.js'

const textOf = (name: string) =>
  readFileSync(new URL(`../../dist/${name}.js`, import.meta.url), 'utf8')

/** One of each capability that the map has by an option. */
const optional = [
  'createBrowserSessions',
  'createPasskeys',
  'createAccounts',
  'createEmailSignIn',
  'createRegistration',
  'createDeletion',
  'createProviderSignIn',
  'createDeviceLinks',
  'createBrowserPages',
  'createOAuth',
]

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
    const loaded = ['index', 'shared'].map(textOf)
    expect(loaded.join('')).toMatch(/function createAuthRouter\(/)
    expect(loaded.join('')).not.toMatch(/function (?:adminOf|createAdminKeys|runCommand|examine)\(/)
  })

  it('loads nothing of what only an option asks for', () => {
    const loaded = ['index', 'shared'].map(textOf).join('')
    const later = ['optional-capabilities', 'optional-shared'].map(textOf).join('')
    for (const factory of optional) {
      expect(later).toContain(`function ${factory}(`)
      expect(loaded).not.toContain(`function ${factory}(`)
    }
    expect(loaded).not.toContain('function createReadNumber(')
  })

  it('would be seen to load them', () => {
    const all = loadedBy('jose', ...late)
    expect(all).toContainEqual(expect.stringMatching(/^jose\/.*\/jwe\//))
    for (const name of late) expect(packagesOf(all)).toContain(name)
  })
})
