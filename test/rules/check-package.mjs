// Packs the library as it would be published and looks at the tarball: how hosts resolve it, and
// what is in it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { requireFreshBuild } from './builds.mjs'
import { entries, programs, workers } from './bundle.mjs'
import { filesBelow, finish, root, run, runTool } from './support.mjs'

const besides = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'openapi.json',
  'package.json',
]
/** For whoever changes the code, who has the repository: links to them lead there. */
const forContributors = ['CONTRIBUTING.md', 'docs/architecture.md', 'docs/adding-a-capability.md']
const secrets = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\bnpm_\w{36}\b/,
  /\bgh[pousr]_\w{36}\b/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /"d":\s*"[\w-]{20,}"/,
]

/**
 * What a host can import. Another entry is a promise for years, so it is made in bundle.mjs, on
 * purpose, and nowhere by accident.
 */
function checkEntryPoints(manifest, packed) {
  const expected = Object.fromEntries(
    Object.keys(entries).map((name) => [
      `./${name}`.replace(/\/index$/, ''),
      { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` },
    ]),
  )
  const pinned = JSON.stringify({
    ...expected,
    './openapi.json': './openapi.json',
    './package.json': './package.json',
  })
  const moved =
    JSON.stringify(manifest.exports) === pinned
      ? []
      : [`package.json: exports are not those of bundle.mjs: ${pinned}`]
  const files = [
    ...Object.keys(entries).flatMap((name) => [`dist/${name}.js`, `dist/${name}.d.ts`]),
    ...Object.keys({ ...workers, ...programs }).map((name) => `dist/${name}.js`),
  ]
  return [
    ...moved,
    ...files
      .filter((file) => !packed.includes(file))
      .map((file) => `${file}: an entry point, but not in the tarball`),
  ]
}

// dist/ is what was built, and nothing else: `requireFreshBuild`. Besides it and the guides nothing
// belongs in: no test, no source.
function checkContents(packed) {
  const guides = filesBelow('docs').filter((file) => !forContributors.includes(file))
  const expected = [...besides, ...guides, ...filesBelow('dist')]
  return [
    ...packed
      .filter((file) => !expected.includes(file))
      .map((file) => `${file}: does not belong in the tarball`),
    ...expected
      .filter((file) => !packed.includes(file))
      .map((file) => `${file}: is missing from the tarball`),
  ]
}

/** What an installation costs at most: files, and bytes that are fetched. */
const most = { files: 149, bytes: 978_000 }

function checkWeight({ files, size }) {
  return [
    [files.length, most.files, 'files'],
    [size, most.bytes, 'bytes'],
  ]
    .filter(([found, allowed]) => found > allowed)
    .map(([found, allowed, what]) => `the tarball has ${found} ${what}, more than ${allowed}`)
}

/** Where a heading stands on its page, as the sites do that show Markdown. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
const proseOf = (file) =>
  readFileSync(join(root, file), 'utf8').replaceAll(/^([ \t]*)```[\s\S]*?^\1```/gm, '')
const anchorsOf = (file) => [
  ...[...proseOf(file).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading)),
  ...[...proseOf(file).matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id),
]

/**
 * Who reads the guides in node_modules has nothing but the tarball: each link that is not of the
 * web leads to a file in it.
 */
function checkLinks(packed) {
  return packed
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      [...proseOf(file).matchAll(/\]\(([^)\s]+)[^)]*\)|(?:src|href)="([^"]+)"/g)].map((match) => [
        file,
        match[1] ?? match[2],
      ]),
    )
    .filter(([, link]) => !/^(https?|mailto):/.test(link))
    .filter(([file, link]) => {
      const [path, anchor] = link.split('#')
      const target = path === '' ? file : posix.join(posix.dirname(file), path)
      const isThere = [...packed, ...forContributors].includes(target)
      return !isThere || (anchor !== undefined && !anchorsOf(target).includes(anchor))
    })
    .map(([file, link]) => `${file}: leads to ${link}, which is not in the tarball`)
}

function checkForSecrets(packed) {
  const contents = packed.map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
  return [
    ...contents
      .filter(({ text }) => secrets.some((secret) => secret.test(text)))
      .map(({ file }) => `${file}: holds what looks like a secret`),
    ...contents
      .filter(({ text }) => text.includes(root))
      .map(({ file }) => `${file}: names a folder of this machine`),
  ]
}

/** What two linters of published packages say. */
async function lint(tarball) {
  const bytes = readFileSync(tarball)
  const { messages, pkg } = await publint({
    strict: true,
    pack: { tarball: new Uint8Array(bytes).buffer },
  })
  const attw = runTool('attw', [
    tarball,
    '--profile',
    'esm-only',
    '--no-definitely-typed',
    '--format',
    'ascii',
    '--no-emoji',
  ])
  return [
    ...messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`),
    ...(attw.ok ? [] : [`attw: ${attw.output}`]),
  ]
}

requireFreshBuild()
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const folder = mkdtempSync(join(tmpdir(), 'packed-'))
try {
  const { ok, stdout, output } = run('npm', [
    'pack',
    '--json',
    '--ignore-scripts',
    '--pack-destination',
    folder,
  ])
  if (!ok) throw new Error(output)
  const [tarball] = JSON.parse(stdout)
  const { filename, files } = tarball
  const packed = files.map(({ path }) => path)
  const problems = [
    ...checkEntryPoints(manifest, packed),
    ...checkContents(packed),
    ...checkWeight(tarball),
    ...checkLinks(packed),
    ...checkForSecrets(packed),
  ]
  const linted = await lint(join(folder, filename))
  const weight = `${packed.length} files, ${Math.round(tarball.size / 1000)} KB`
  const summary = `${weight}, ${Object.keys(entries).length} entry points`
  finish('package', [...problems, ...linted], summary)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
