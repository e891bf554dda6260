import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { suites, suitesOf } from '../rules/suites.mjs'
import { countTests } from '../rules/test-counts.mjs'

const root = join(import.meta.dirname, '../..')
const namesOf = (...changed: string[]) => suitesOf(changed).map(({ name }) => name)
const always = ['check', 'test', 'rest', 'long']

describe('npm run test:all', () => {
  it('runs every test file: of each tier, and of each folder with settings of its own', () => {
    const commands = suites.map(({ command }) => command.join(' '))
    for (const tier of ['rest', 'long', 'further', 'engines', 'rounds'])
      expect(commands).toContain(`node test/rules/test.mjs ${tier}`)
    expect(commands).toContain('npm test')
    const own = readdirSync(join(root, 'test')).filter((folder) =>
      existsSync(join(root, 'test', folder, 'vitest.config.ts')),
    )
    expect(own.length).toBeGreaterThan(3)
    for (const folder of own)
      expect(
        commands.some((command) => command.includes(` test/${folder}/`)),
        folder,
      ).toBe(true)
  })

  it('names no part of the project that is gone', () => {
    const named = suites.flatMap(({ rooms }) => rooms)
    expect(named.filter((room) => !existsSync(join(root, room)))).toEqual([])
  })

  it('runs more than what always runs after a change of any part of the package', () => {
    const parts = readdirSync(join(root, 'src'), { withFileTypes: true }).map((entry) =>
      entry.isDirectory() ? `src/${entry.name}/x.ts` : `src/${entry.name}`,
    )
    const others = [
      'package.json',
      'test/support/host.ts',
      'example-app/server.ts',
      'docs/oauth.md',
    ]
    for (const file of [...parts, ...others])
      expect(namesOf(file).length, file).toBeGreaterThan(always.length)
  })

  it.each([
    ['src/stores/sql/tables.ts', ['engines', 'outages', 'soak'], ['recipes']],
    ['src/client/transport.ts', ['packed', 'rounds'], ['timing', 'outages']],
    ['src/throttle/limits.ts', ['timing', 'hosts'], ['engines']],
    ['src/provider-sign-in/upstream.ts', ['hosts', 'outages'], ['engines']],
    ['docs/moving.md', ['recipes', 'readme'], ['outages', 'packed']],
    ['test/hosts/thelounge.test.ts', ['hosts'], ['oauth-clients', 'timing']],
  ])('since a change of %s runs what that concerns', (file, concerned, others) => {
    const names = namesOf(file)
    expect(names).toEqual(expect.arrayContaining([...always, ...concerned]))
    for (const other of others) expect(names).not.toContain(other)
  })

  it('since nothing has changed runs nothing', () => {
    expect(namesOf()).toEqual([])
  })
})

describe('the table at the end counts', () => {
  it.each([
    [' Tests  7949 passed (7949)\n', { passed: 7949, failed: 0 }],
    [
      '\u001b[2m Tests \u001b[22m \u001b[1m2 failed\u001b[22m | 5 passed | 3 skipped (10)',
      { passed: 5, failed: 2 },
    ],
    ['Tests  3 passed (3)\n...\n Tests  1 failed | 1 passed (2)', { passed: 4, failed: 1 }],
    ['ok a\n31 passed, 2 failed\n', { passed: 31, failed: 2 }],
    ['words: 3 files hold none\n', null],
  ])('%j', (printed, counts) => {
    expect(countTests(printed)).toEqual(counts)
  })
})
