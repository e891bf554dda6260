// What docs/security.md promises, and the test that it names for each.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './support.mjs'

const lines = readFileSync(join(root, 'docs/security.md'), 'utf8').split('\n')

/**
 * @typedef {object} Quote
 * @property {string} title A title of a test, or a part of one.
 * @property {string | undefined} file The file before it in its row.
 * @property {number} line Of docs/security.md.
 */

/** Every title that the document quotes. */
export function quotes() {
  return lines.flatMap((text, index) => {
    let file
    const found = []
    for (const [, path, title] of text.matchAll(/`((?:test|src)\/[^`]+)`|“([^”]+)”/g)) {
      if (title === undefined) file = path
      else found.push({ title, file, line: index + 1 })
    }
    return found
  })
}

/** Every test file that the document names, with a title or without. */
export const promisedFiles = new Set(
  lines.flatMap((text) => [...text.matchAll(/`(test\/[^`]+\.test\.ts)`/g)].map(([, path]) => path)),
)
