// docs/security.md is for those who want to know what holds. That each of its promises has tests,
// which every change runs, is looked at by test/rules/check-promises.mjs.
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const page = read('docs/security.md')
const named = [...`${page}${read('test/promises.md')}`.matchAll(/`((?:test|src)\/[^`]+)`/g)]

describe('docs/security.md', () => {
  it.each([...new Set(named.map(([, path]) => path as string))])(
    'names %s, which is there',
    (path) => {
      expect(existsSync(new URL(path, root))).toBe(true)
    },
  )

  it('says how to report', () => {
    expect(page).toContain('](../SECURITY.md)')
    expect(read('SECURITY.md')).toContain('](docs/security.md)')
    expect(read('README.md')).toContain('](docs/security.md)')
  })
})
