// docs/passport-strategies.md: its files compile together, with the types of the real strategies.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { examplesFolder, writeExamples } from './support/doc-examples.js'

const tsc = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc')
const compilerOptions = {
  target: 'es2022',
  lib: ['es2023'],
  module: 'nodenext',
  moduleDetection: 'force',
  types: ['node'],
  noEmit: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitReturns: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
}

describe('the files of docs/passport-strategies.md', () => {
  it('compile', () => {
    const files = writeExamples()
    expect(files).toEqual(['saml.ts', 'oauth.ts'])
    const project = join(examplesFolder, 'tsconfig.json')
    writeFileSync(project, JSON.stringify({ compilerOptions, files }))
    const { stdout } = spawnSync(process.execPath, [tsc, '--pretty', 'false', '-p', project])
    expect(String(stdout)).toBe('')
  })
})
