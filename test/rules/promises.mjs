// The promises of docs/security.md, and test/promises.md, which has the tests of each.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './support.mjs'

const linesOf = (file) => readFileSync(join(root, file), 'utf8').split('\n')
const lines = linesOf('test/promises.md')

/** Each promise of docs/security.md: a claim, a line of a list, or the last line. */
export const promised = linesOf('docs/security.md').flatMap((text, index, all) => {
  const heading = all.findLast((line, at) => at < index && line.startsWith('## '))
  const [, claim] = /^- (.*)$/.exec(text) ?? []
  if (heading === '## Eight claims') return claim ?? []
  // The source stands behind it.
  const [, promise] = /^- (.*?)(?: \([^()]*\))?$/.exec(text) ?? []
  if (heading === '## What is covered' && promise !== undefined) return promise
  return heading === '## Not offered' && text.startsWith('The router') ? text : []
})

/** Each promise that has tests. */
export const proven = lines.flatMap((text, index) =>
  lines[index + 1]?.startsWith('  - `test/') === true ? (/^- (.*)$/.exec(text)?.[1] ?? []) : [],
)

/**
 * @typedef {object} Quote
 * @property {string} title A title of a test, or a part of one.
 * @property {string | undefined} file The file before it in its line.
 * @property {number} line Of test/promises.md.
 */

/** Every title that is named. */
export function quotes() {
  return lines.flatMap((text, index) => {
    const [, file] = /^ {2}- `(test\/[^`]+)`/.exec(text) ?? []
    return [...text.matchAll(/“([^”]+)”/g)].map(([, title]) => ({ title, file, line: index + 1 }))
  })
}

/** Every test file that is named, with a title or without. */
export const promisedFiles = new Set(
  lines.flatMap((text) => [...text.matchAll(/`(test\/[^`]+\.test\.ts)`/g)].map(([, path]) => path)),
)
