// Each promise of docs/security.md has its tests in test/promises.md. Each title that is named
// there stands in one test file, the one that is named before it, and `.ci/run` runs that file. A
// promise that two files prove is kept by two; one that no run proves is a sentence.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { promised, promisedFiles, proven, quotes } from './promises.mjs'
import { filesBelow, finish, root } from './support.mjs'
import { filesOf, isRunByCi, testFiles, tierOf } from './tiers.mjs'

const folders = /^test\/(?:[a-z-]+\/)*(?:node_modules|build|\.scratch)\//
const files = filesBelow('test', '.test.ts').filter((file) => !folders.test(file))
const textsOf = new Map(files.map((file) => [file, titlesIn(file)]))

/** Titles may stand in tables, and a table of many in a file beside the test. */
function titlesIn(file) {
  const text = readFileSync(join(root, file), 'utf8')
  const tables = [...text.matchAll(/ from '\.\/([\w-]+)\.js'/g)].map(([, name]) =>
    join(dirname(file), `${name}.ts`),
  )
  return [file, ...tables].flatMap(textsIn)
}

/** Every text of a file, as it is when the file runs. */
function textsIn(file) {
  const found = []
  const visit = (node) => {
    const text = textOf(node)
    if (text === undefined) ts.forEachChild(node, visit)
    else found.push(text)
  }
  const text = readFileSync(join(root, file), 'utf8')
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest))
  return found
}

// A title that is too long for a line stands on two.
function textOf(node) {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isTemplateExpression(node))
    return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…')
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken)
    return undefined
  const [left, right] = [textOf(node.left), textOf(node.right)]
  return left === undefined || right === undefined ? undefined : left + right
}

function problemsOf({ title, file, line }) {
  const where = `test/promises.md:${line}: “${title}”`
  const holders = files.filter((one) => textsOf.get(one).some((text) => text.includes(title)))
  if (holders.length === 0) return [`${where} is the title of no test`]
  if (holders.length > 1)
    return [`${where} stands in ${holders.join(' and ')}; quote more of it, or give one another`]
  if (holders[0] !== file) return [`${where} stands in ${holders[0]}, not in ${file}`]
  return []
}

/**
 * A bare name of a file is a promise as well. But no change is judged by the clock: the files of
 * test/timing/ measure, and are run by `npm run test:all`.
 */
const notRun = [...promisedFiles]
  .filter((file) => !file.startsWith('test/timing/') && !isRunByCi(file))
  .map(
    (file) =>
      `${file}: test/promises.md names it; .ci/run leaves it to ${tierOf(file) ?? 'others'}`,
  )

/** So that `npm test` fails for each room that is broken. */
const withoutSmoke = readdirSync(join(root, 'src'), { withFileTypes: true })
  .map(({ name }) => name)
  .filter((room) => testFiles.some((file) => file.startsWith(`test/${room}/`)))
  .filter((room) => !filesOf('test').some((file) => file.startsWith(`test/${room}/`)))
  .map((room) => `src/${room}: npm test runs no file of test/${room}/; name one in tiers.mjs`)

const unproven = promised
  .filter((promise) => !proven.includes(promise))
  .map((promise) => `docs/security.md: “${promise}” has no line in test/promises.md`)
const unsaid = proven
  .filter((promise, index) => !promised.includes(promise) || proven.indexOf(promise) !== index)
  .map((promise) => `test/promises.md: “${promise}” is no promise of docs/security.md, or twice`)
const titles = quotes()
if (promised.length < 200) throw new Error(`only ${promised.length} promises were found`)
if (titles.length < 300) throw new Error(`only ${titles.length} titles were found`)
finish(
  'promises',
  [...unproven, ...unsaid, ...titles.flatMap(problemsOf), ...notRun, ...withoutSmoke],
  `${promised.length} promises, ${new Set(titles.map(({ title }) => title)).size} titles in ` +
    `${promisedFiles.size} files`,
)
