// docs/security.md names the test behind each promise. That its quotes are titles of tests which
// every change runs is looked at by test/rules/check-promises.mjs.
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const lines = read('docs/security.md').split('\n')
const rows = lines.filter((line) => /`(test|src)\//.test(line))
const pathsIn = (line: string) =>
  [...line.matchAll(/`((?:test|src)\/[^`]+)`/g)].map(([, path]) => path as string)
const namesIn = (line: string) => [...line.matchAll(/“([^”]+)”/g)].map(([, name]) => name as string)

describe('docs/security.md', () => {
  it('has a proof for every promise: each row of its tables of promises names a test', () => {
    const tables = lines.filter(
      (line) => line.startsWith('|') && !/^\| (promise|claim|attacker|component|---)/.test(line),
    )
    expect(rows.length).toBeGreaterThan(60)
    expect(
      tables.filter(
        (line) =>
          line.split(' | ').length === 3 && /\bV\d|\d{4} /.test(line) && namesIn(line).length === 0,
      ),
    ).toEqual([])
  })

  it.each([...new Set(rows.flatMap(pathsIn))])('names %s, which is there', (path) => {
    expect(existsSync(new URL(path, root))).toBe(true)
  })

  it('says how to report', () => {
    expect(lines.join('\n')).toContain('](../SECURITY.md)')
    expect(read('SECURITY.md')).toContain('](docs/security.md)')
    expect(read('README.md')).toContain('](docs/security.md)')
  })
})
