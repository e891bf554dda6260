// Packs the library as it would be published and looks at the tarball: how hosts resolve it, and what is in it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { filesBelow, finish, requireFreshBuild, root, run, runTool } from './support.mjs'

/** What a host can import. Another entry is a promise for years, so it is made here, on purpose, and nowhere by accident. */
const entryPoints = {
  '.': 'dist/index',
  './stores/memory': 'dist/stores/memory-stores',
  './stores/sql': 'dist/stores/sql/sql-stores',
  './stores/redis': 'dist/stores/redis/redis-stores',
  './testing': 'dist/testing/testing',
}
/** Loaded by their address when they are needed, so no import tells of them. */
const workers = ['dist/passwords/bcrypt-worker.js', 'dist/testing/store-contract/process-worker.js']
const besides = ['LICENSE', 'README.md', 'package.json']
const secret = /-----BEGIN [A-Z ]*PRIVATE KEY-----|\bnpm_\w{36}\b|\bgh[pousr]_\w{36}\b|\bAKIA[0-9A-Z]{16}\b|"d":\s*"[\w-]{20,}"/

function checkEntryPoints(manifest, packed) {
  const expected = Object.fromEntries(
    Object.entries(entryPoints).map(([name, file]) => [name, { types: `./${file}.d.ts`, default: `./${file}.js` }]),
  )
  const pinned = JSON.stringify({ ...expected, './package.json': './package.json' })
  const moved =
    JSON.stringify(manifest.exports) === pinned
      ? []
      : [`package.json: exports are not those pinned in check-package.mjs: ${pinned}`]
  const files = [...Object.values(entryPoints).flatMap((file) => [`${file}.js`, `${file}.d.ts`]), ...workers]
  return [
    ...moved,
    ...files.filter((file) => !packed.includes(file)).map((file) => `${file}: an entry point, but not in the tarball`),
  ]
}

// Every module gives two files, and nothing else belongs in: no test, no source map, nothing left over from an older build.
function checkContents(packed) {
  const built = filesBelow('src', '.ts').flatMap((file) => {
    const stem = file.replace(/^src\//, 'dist/').replace(/\.ts$/, '')
    return [`${stem}.js`, `${stem}.d.ts`]
  })
  const expected = [...besides, ...built]
  return [
    ...packed.filter((file) => !expected.includes(file)).map((file) => `${file}: does not belong in the tarball`),
    ...expected.filter((file) => !packed.includes(file)).map((file) => `${file}: is missing from the tarball`),
  ]
}

function checkForSecrets(packed) {
  const contents = packed.map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
  return [
    ...contents.filter(({ text }) => secret.test(text)).map(({ file }) => `${file}: holds what looks like a secret`),
    ...contents.filter(({ text }) => text.includes(root)).map(({ file }) => `${file}: names a folder of this machine`),
  ]
}

/** What two linters of published packages say. */
async function lint(tarball) {
  const bytes = readFileSync(tarball)
  const { messages, pkg } = await publint({ strict: true, pack: { tarball: new Uint8Array(bytes).buffer } })
  const attw = runTool('attw', [tarball, '--profile', 'esm-only', '--no-definitely-typed', '--format', 'ascii', '--no-emoji'])
  return [
    ...messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`),
    ...(attw.ok ? [] : [`attw: ${attw.output}`]),
  ]
}

requireFreshBuild()
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const folder = mkdtempSync(join(tmpdir(), 'packed-'))
try {
  const { ok, stdout, output } = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder])
  if (!ok) throw new Error(output)
  const [{ filename, files }] = JSON.parse(stdout)
  const packed = files.map(({ path }) => path)
  const problems = [...checkEntryPoints(manifest, packed), ...checkContents(packed), ...checkForSecrets(packed)]
  const linted = await lint(join(folder, filename))
  finish('package', [...problems, ...linted], `${packed.length} files, ${Object.keys(entryPoints).length} entry points`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
