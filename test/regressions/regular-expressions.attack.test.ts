// Every regular expression of the source, found by the TypeScript parser so that a new one is here
// without anybody adding it. Each is run by a matcher that counts its steps.
import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { slowTextFor } from '../support/slow-patterns.js'

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

describe('a regular expression', () => {
  it('is a literal that this test can see: none is put together while the server runs', () => {
    expect(literals.length).toBeGreaterThan(20)
    const built = files.filter((file) =>
      /\bRegExp\s*\(/.test(readFileSync(new URL(file, source), 'utf8')),
    )
    expect(built).toEqual([])
  })

  it('that backtracks is found out', () => {
    for (const pattern of [/\s+$/, /^(\w+ *)+$/]) expect(slowTextFor(pattern)).not.toBeNull()
  })

  it.each([...new Set(literals.map(({ literal }) => literal))])(
    '%s takes twice as many steps for twice as many characters, whichever they are',
    (literal) => {
      expect(slowTextFor(patternOf(literal))).toBeNull()
    },
  )
})
