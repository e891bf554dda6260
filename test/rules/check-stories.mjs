// A file holds one story: a step that only one neighbour in its folder reads stands in that
// neighbour's file, if both fit into 400 lines. A page, a worker or an entry may stand alone: one
// file in twenty may. Then a story that is cut into steps must be reported.
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { filesBelow, finish, root } from './support.mjs'

const longest = 400
const mostPercent = 5

/** The steps that would fit into the one file that reads them. `texts`: by path. */
function stepsIn(texts) {
  const readers = new Map()
  for (const [path, text] of texts)
    for (const [, from = '', lazy = from] of text.matchAll(
      /from '(\.[^']+)'|import\('(\.[^']+)'\)/g,
    )) {
      const read = normalize(join(dirname(path), lazy)).replace(/\.js$/, '.ts')
      readers.set(read, new Set([...(readers.get(read) ?? []), path]))
    }
  const linesOf = (path) => texts.get(path).trimEnd().split('\n').length
  return [...texts.keys()].filter((path) => {
    const [reader, ...more] = readers.get(path) ?? []
    if (reader === undefined || more.length > 0 || dirname(reader) !== dirname(path)) return false
    return linesOf(path) + linesOf(reader) <= longest
  })
}

const bait = new Map([
  ['src/a/story.ts', "import { begin } from './begin.js'\nimport { step } from '../b/step.js'\n"],
  ['src/a/begin.ts', "import { end } from './end.js'\n"],
  ['src/a/end.ts', `${'// long\n'.repeat(400)}`],
  ['src/b/step.ts', 'export const step = 1\n'],
])
const found = stepsIn(bait)
const files = filesBelow('src', '.ts')
const steps = stepsIn(new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')])))
const percent = (100 * steps.length) / files.length
const tooMany =
  percent > mostPercent
    ? steps.map(
        (step) => `${step}: only its neighbour reads it, and both fit into ${longest} lines`,
      )
    : []
finish(
  'stories',
  `${found}` === 'src/a/begin.ts'
    ? tooMany
    : [`check-stories.mjs does not bite: it found ${found}`],
  `${steps.length} of ${files.length} files of src are steps of a neighbour, at most ` +
    `${mostPercent} %; shown to bite`,
)
