// Looks for words that must not be in the project. Those that would betray this file to itself are
// put together here.
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { finish, root, run } from './support.mjs'

const word = (...parts) => parts.join('')
const escaped = (text) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')
const anyOf = (...texts) => new RegExp(texts.map(escaped).join('|'))

const everywhere = () => true
const inSrc = (file) => file.startsWith('src/')
const inTests = (file) => file.startsWith('test/') && file.endsWith('.ts')

/** `where` picks files, `what` is looked for in each line of them. */
const bans = [
  {
    where: everywhere,
    what: anyOf(word('TO', 'DO'), word('FIX', 'ME')),
    why: 'write an issue, or do it',
  },
  {
    where: everywhere,
    what: new RegExp(word('\\.\\./sh', 'ared|(?<!\\.)\\.lib', 'rary')),
    why: 'names a folder outside the project',
  },
  {
    where: everywhere,
    what: new RegExp(
      word('regis', 'try\\.[\\w.-]*\\.(org|com|net|io|dev)|"resol', 'ved": "(?!file:)'),
    ),
    why: 'names a package registry, which is everybody’s own setting',
  },
  {
    where: inTests,
    what: /\.(only|skip|todo|fails)\(|\bx(it|describe)\(/,
    why: 'a test that does not run',
  },
  { where: inSrc, what: /Math\.random/, why: 'can be guessed; use lib/secrets.ts' },
  { where: inSrc, what: /\bconsole\./, why: 'a library logs through the host’s logger' },
  {
    where: inSrc,
    what: /(:|\bas|<|,)\s*any\b(?!\s+\w)/,
    why: 'says nothing about the type; `unknown` makes the reader look',
    code: true,
  },
  {
    where: inSrc,
    what: /\}(?:: [^=()]+)? = \{\}/,
    why: 'finds what was left out on a polluted Object.prototype; use ownMembers()',
  },
  {
    where: everywhere,
    what: anyOf(word('@ts-', 'ignore'), word('@ts-', 'nocheck')),
    why: 'hides whatever comes next',
  },
]

const binary = new Set(['.png', '.jpg', '.gif', '.ico', '.woff2'])

/** Every file that is or may become part of the project: tracked, or new and not ignored. */
function projectFiles() {
  const { ok, stdout, output } = run('git', [
    'ls-files',
    '-z',
    '--cached',
    '--others',
    '--exclude-standard',
    '--deduplicate',
  ])
  if (!ok) throw new Error(output)
  const gone = new Set(run('git', ['ls-files', '-z', '--deleted']).stdout.split('\0'))
  return stdout
    .split('\0')
    .filter((file) => file !== '' && !gone.has(file) && !binary.has(extname(file)))
}

// Prose in a comment may say "any".
const isComment = (line) => /^\s*(\/\/|\/?\*)/.test(line)

function findIn(file) {
  const banned = bans.filter(({ where }) => where(file))
  const lines = readFileSync(join(root, file), 'utf8').split('\n')
  return lines.flatMap((line, index) =>
    banned
      .filter(({ what, code }) => what.test(line) && !(code === true && isComment(line)))
      .map(({ what, why }) => `${file}:${index + 1}: ${what.exec(line)?.[0].trim()}: ${why}`),
  )
}

const files = projectFiles()
const problems = files.length === 0 ? ['git lists no file at all'] : files.flatMap(findIn)
finish(
  'words',
  problems,
  `${files.length} files hold none of ${bans.length} kinds of unwanted words`,
)
