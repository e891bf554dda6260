// No line of code or comment is wider than 100 columns, so that two files stand side by side. The
// formatter breaks code; it leaves comments, texts and the titles of tests alone. And no file of
// src or the example is longer than 500 lines: it would be about more than its name says.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesBelow, finish, root } from './support.mjs'

const widest = 100
const longest = 500
/** The formatter keeps a title on the line of its test, and there it can be searched for. */
const title = /^\s*(?:it|test|describe)\b.*\(['"`].*, (?:async )?\(.*(?:\) => \{|\{)$/

const files = [
  ...['src', 'test', 'example-app', 'docs']
    .flatMap((folder) => ['.ts', '.mjs', '.cjs', '.js'].flatMap((type) => filesBelow(folder, type)))
    .filter((file) => !/(?:^|\/)(?:node_modules|build|generated|\.scratch)\//.test(file)),
  'vitest.config.ts',
]

const linesOf = (file) => readFileSync(join(root, file), 'utf8').trimEnd().split('\n')
const wide = (file) =>
  linesOf(file).flatMap((line, index) =>
    line.length > widest && !title.test(line)
      ? [`${file}:${index + 1}: ${line.length} columns, not ${widest}`]
      : [],
  )

const long = (file) =>
  /^(?:src|example-app)\//.test(file) && linesOf(file).length > longest
    ? [`${file}: ${linesOf(file).length} lines, not ${longest}`]
    : []

if (files.length < 400) throw new Error(`only ${files.length} files were looked at`)
finish(
  'width',
  files.flatMap((file) => [...wide(file), ...long(file)]),
  `${files.length} files, no line over ${widest} columns, no file of src over ${longest}`,
)
