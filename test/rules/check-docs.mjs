// Compiles every example that a reader may copy: the `ts` blocks of the README and of docs/, and
// the `@example`s in src/. Each is compiled by itself, as a host would, against the package as it
// is built. A block that begins with `// name.ts` is the file of that name, which other blocks may
// import, as they may the files below docs/examples. Those that import what is no dependency of the
// project are compiled and run by `npm run test:all -- --only recipes`. `js` blocks are at least
// parsed.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { requireFreshBuild } from './builds.mjs'
import { filesBelow, finish, root, run, runTool, scratchFolder } from './support.mjs'

const extensions = {
  ts: 'ts',
  typescript: 'ts',
  js: 'mjs',
  javascript: 'mjs',
  mjs: 'mjs',
  cjs: 'cjs',
}
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
  noImplicitReturns: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
}

/** The fenced blocks of a text; `line` is where the first line of code stands. */
function fencedBlocks(file, text) {
  const blocks = []
  let open = null
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^(\s*)```\s*([\w-]*)/.exec(line)
    if (fence !== null && open === null) {
      open = {
        file,
        line: index + 2,
        indent: fence[1].length,
        extension: extensions[fence[2]],
        code: [],
      }
    } else if (fence !== null) {
      blocks.push({ ...open, code: open.code.join('\n') })
      open = null
    } else {
      open?.code.push(line.slice(open.indent))
    }
  }
  if (open !== null) throw new Error(`${file}:${open.line - 1}: this block is never closed`)
  return blocks.filter(({ extension }) => extension !== undefined)
}

// A comment's asterisks become blanks in place, so that lines keep their numbers.
function withoutCommentMarks(text) {
  return text.replaceAll(/\/\*\*[\s\S]*?\*\//g, (comment) =>
    comment.replaceAll(/^[ \t]*\* ?/gm, ''),
  )
}

// Outside of comments a line of TypeScript never begins with a fence; inside of them only examples
// hold one.
function blocksOf(file) {
  const text = readFileSync(join(root, file), 'utf8')
  return fencedBlocks(file, file.endsWith('.md') ? text : withoutCommentMarks(text))
}

function write(folder, block, index) {
  const commonJs = block.extension === 'mjs' && /\brequire\(/.test(block.code)
  const [, named] = /^\/\/ ([\w-]+\.ts)\n/.exec(block.code) ?? []
  const name = named ?? `block-${index}.${commonJs ? 'cjs' : block.extension}`
  writeFileSync(join(folder, name), `${block.code}\n`)
  return { ...block, name }
}

function compile(folder, blocks) {
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: blocks.map(({ name }) => name) }),
  )
  const { ok, output } = runTool('tsc', ['--pretty', 'false', '-p', '.'], { cwd: folder })
  const said = output.replaceAll(/^([\w-]+\.ts)\((\d+),(\d+)\)/gm, (_all, name, line) => {
    const { file, line: first } = blocks.find((block) => block.name === name)
    const where = first === 0 ? '' : ` (block of line ${first - 1})`
    return `${file}:${first + Number(line) - 1}${where}`
  })
  return ok ? [] : said.split('\n')
}

function parse(folder, { name, file, line }) {
  const { ok, output } = run(process.execPath, ['--check', name], { cwd: folder })
  return ok ? [] : [`${file}:${line}: this block does not parse\n${output}`]
}

/** A file below docs/examples, as if it were a block; a line with its name stands before it. */
function exampleFile(file) {
  const code = readFileSync(join(root, file), 'utf8')
  return { file, line: 0, indent: 0, extension: 'ts', code: `// ${basename(file)}\n${code}` }
}

/** Compiled beside the strategies that they import, by `npm run test:all -- --only hosts`. */
const compiledElsewhere = ['docs/passport-strategies.md']

requireFreshBuild()
const guides = (existsSync(join(root, 'docs')) ? filesBelow('docs', '.md') : []).filter(
  (file) => !compiledElsewhere.includes(file),
)
const readme = existsSync(join(root, 'README.md')) ? ['README.md'] : []
const elsewhere = /^docs\/examples\/(?:users|moving)\//
const exampleFiles = existsSync(join(root, 'docs'))
  ? filesBelow('docs', '.ts').filter((file) => !elsewhere.test(file))
  : []
const sources = filesBelow('src', '.ts')
const folder = scratchFolder('docs')
const blocks = [
  ...[...readme, ...guides, ...sources].flatMap(blocksOf),
  ...exampleFiles.map(exampleFile),
].map((block, index) => write(folder, block, index))
const typed = blocks.filter(({ name }) => name.endsWith('.ts'))
const untyped = blocks.filter(({ name }) => !name.endsWith('.ts'))

const examples = sources.reduce(
  (sum, file) => sum + readFileSync(join(root, file), 'utf8').split('* @example').length - 1,
  0,
)
const names = blocks.map(({ name }) => name)
const missing = [
  ...blocks
    .filter(({ name }, index) => names.indexOf(name) !== index)
    .map(({ file, name }) => `${file}: a second block is ${name}`),
  ...(readme.length > 0 && !typed.some(({ file }) => file === 'README.md')
    ? ['README.md: not one ts block was found']
    : []),
  ...(blocks.filter(({ file }) => file.startsWith('src/')).length < examples
    ? ['src: an @example without a ts block']
    : []),
]
const problems = [
  ...missing,
  ...compile(folder, typed),
  ...untyped.flatMap((block) => parse(folder, block)),
]
const inReadme = blocks.filter(({ file }) => file === 'README.md').length
finish(
  'docs',
  problems,
  `${typed.length} blocks compile, ${untyped.length} parse; ${inReadme} of them in README.md`,
)
