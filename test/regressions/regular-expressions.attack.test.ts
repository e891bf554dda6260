// Every regular expression of the source, found by the TypeScript parser so that a new one is here
// without anybody adding it.
import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const source = new URL('../../src/', import.meta.url)
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
)

function literalsOf(file: string): { file: string; literal: string }[] {
  const found: { file: string; literal: string }[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push({ file, literal: node.text })
    ts.forEachChild(node, visit)
  }
  visit(
    ts.createSourceFile(
      file,
      readFileSync(new URL(file, source), 'utf8'),
      ts.ScriptTarget.Latest,
      true,
    ),
  )
  return found
}

const literals = files.flatMap(literalsOf)
const patternOf = (literal: string) => {
  const end = literal.lastIndexOf('/')
  return new RegExp(literal.slice(1, end), literal.slice(end + 1))
}

/** The short ones come first: a pattern that is exponential would not come back from a long one. */
const lengths = [24, 20_000, 100_000]
/** Milliseconds of the processor: a machine that is busy with others takes longer by the clock. */
const limit = 5
/** What no collector adds: so slow once is slow. */
const hopeless = 20 * limit
/** One character of each class that our patterns name, and of each that they do not. */
const characters = [
  ...'aZ09_-.~+/=:%{}$[]()|^*?!#&@,;"\'<>\\ \t\n\r\0',
  '\u00e4',
  '\u202e',
  '\ud800',
  '\u{1f600}',
]
/**
 * What makes a backtracking matcher try again: a long run that nearly fits, and then something that
 * does not.
 */
const runs = [
  ...characters,
  'a=',
  '= ',
  ' a',
  'a-',
  'aA',
  '-a',
  'a.',
  '%a',
  '=a ',
  'ab c',
  '0-',
  '. ',
]
const endings = ['', '\u0000', ' x']
const texts = lengths.flatMap((length) =>
  runs.flatMap((unit) =>
    endings.map((ending) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length) + ending),
  ),
)
/** How texts begin that get past the beginning of a pattern. */
const beginnings = ['bearer ', 'bearer a', 'mar_ac_', 'mar_rt_', 'mar_wt_', 'key-', '$2b$10$']

function milliseconds(pattern: RegExp, text: string): number {
  pattern.lastIndex = 0
  const before = process.cpuUsage()
  pattern.exec(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const rounds = 25
const waiting = new Int32Array(new SharedArrayBuffer(4))

// The best of several where the first was slow, each a little later than the one before: neither a
// collector that runs in between nor a neighbour on the same core is the pattern’s fault.
function patiently(pattern: RegExp, text: string): number {
  let least = milliseconds(pattern, text)
  for (let round = 1; round < rounds && least >= limit && least < hopeless; round += 1) {
    Atomics.wait(waiting, 0, 0, 2 * round)
    least = Math.min(least, milliseconds(pattern, text))
  }
  return least
}

function slowest(pattern: RegExp): { took: number; on: string } {
  const own = beginnings.filter((beginning) =>
    pattern.source.replaceAll('\\', '').includes(beginning.slice(0, 4).trim()),
  )
  let worst = { took: 0, on: '' }
  for (const beginning of ['', ...own]) {
    for (const text of texts) {
      const took = patiently(pattern, beginning + text)
      if (took > worst.took)
        worst = {
          took,
          on: JSON.stringify([beginning, text.slice(0, 8), text.slice(-3), text.length]),
        }
      if (took >= limit) return worst
    }
  }
  return worst
}

describe('a regular expression', () => {
  it('is a literal that this test can see: none is put together while the server runs', () => {
    expect(literals.length).toBeGreaterThan(20)
    const built = files.filter((file) =>
      /\bRegExp\s*\(/.test(readFileSync(new URL(file, source), 'utf8')),
    )
    expect(built).toEqual([])
  })

  it('that backtracks is found out by these texts', () => {
    expect(slowest(/\s+$/).took).toBeGreaterThanOrEqual(limit)
    expect(slowest(/^(\w+ *)+$/).took).toBeGreaterThanOrEqual(limit)
  })

  it.each([...new Set(literals.map(({ literal }) => literal))])(
    '%s judges 100,000 characters in less than 5 ms, whichever they are',
    (literal) => {
      const { took, on } = slowest(patternOf(literal))
      expect(took, `on ${on}`).toBeLessThan(limit)
    },
  )
})
