// Packs the library as it would be published and looks at the tarball: how hosts resolve it, and
// what is in it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { requireFreshBuild } from './builds.mjs'
import { filesBelow, finish, root, run, runTool } from './support.mjs'

/**
 * What a host can import. Another entry is a promise for years, so it is made here, on purpose, and
 * nowhere by accident.
 */
const entryPoints = {
  '.': 'dist/index',
  './stores/memory': 'dist/stores/memory-stores',
  './stores/sql': 'dist/stores/sql/sql-stores',
  './stores/redis': 'dist/stores/redis/redis-stores',
  './hashers/argon2': 'dist/passwords/readers/argon2',
  './rocketchat': 'dist/rocketchat/rocketchat',
  './client': 'dist/client/client',
  './client/node': 'dist/client/node/file-store',
  './client/socket-io': 'dist/client/socket-io/socket-io-auth',
  './client/react': 'dist/client/react/react',
  './client/passkeys': 'dist/client/passkeys/passkeys',
  './client/loopback': 'dist/client/node/loopback',
  './client/oauth': 'dist/client/oauth/oauth',
  './client/popup': 'dist/client/oauth/popup',
  './passkeys': 'dist/passkeys/simple-webauthn',
  './testing': 'dist/testing/testing',
}
/** Loaded by their address when they are needed, so no import tells of them. */
const workers = ['dist/passwords/bcrypt-worker.js', 'dist/testing/store-contract/process-worker.js']
const besides = [
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'openapi.json',
  'package.json',
]
const secrets = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\bnpm_\w{36}\b/,
  /\bgh[pousr]_\w{36}\b/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /"d":\s*"[\w-]{20,}"/,
]

function checkEntryPoints(manifest, packed) {
  const expected = Object.fromEntries(
    Object.entries(entryPoints).map(([name, file]) => [
      name,
      { types: `./${file}.d.ts`, default: `./${file}.js` },
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
      : [`package.json: exports are not those pinned in check-package.mjs: ${pinned}`]
  const files = [
    ...Object.values(entryPoints).flatMap((file) => [`${file}.js`, `${file}.d.ts`]),
    ...workers,
  ]
  return [
    ...moved,
    ...files
      .filter((file) => !packed.includes(file))
      .map((file) => `${file}: an entry point, but not in the tarball`),
  ]
}

// Every module gives two files, a declaration of another package's types none, and besides the
// guides nothing else belongs in: no test, no source map, nothing of an older build.
function checkContents(packed) {
  const modules = filesBelow('src', '.ts').filter((file) => !file.endsWith('.d.ts'))
  const built = modules.flatMap((file) => {
    const stem = file.replace(/^src\//, 'dist/').replace(/\.ts$/, '')
    return [`${stem}.js`, `${stem}.d.ts`]
  })
  const expected = [...besides, ...filesBelow('docs'), ...built]
  return [
    ...packed
      .filter((file) => !expected.includes(file))
      .map((file) => `${file}: does not belong in the tarball`),
    ...expected
      .filter((file) => !packed.includes(file))
      .map((file) => `${file}: is missing from the tarball`),
  ]
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
      return (
        !packed.includes(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor))
      )
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
  const [{ filename, files }] = JSON.parse(stdout)
  const packed = files.map(({ path }) => path)
  const problems = [
    ...checkEntryPoints(manifest, packed),
    ...checkContents(packed),
    ...checkLinks(packed),
    ...checkForSecrets(packed),
  ]
  const linted = await lint(join(folder, filename))
  finish(
    'package',
    [...problems, ...linted],
    `${packed.length} files, ${Object.keys(entryPoints).length} entry points`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
