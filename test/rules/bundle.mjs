// The JavaScript of the package: one file for each entry that hosts import, and few that entries
// share. Readable, with the names of its functions, and of the file of src/ above what it has
// declared: a stack leads there without a map.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { minifySync } from 'rolldown/experimental'
import { root, scratchFolder } from './support.mjs'

/** What hosts import: the name of each entry, which is its file in dist/, and its source. */
export const entries = {
  index: 'index',
  'stores/memory': 'stores/memory-stores',
  'stores/sql': 'stores/sql/sql-stores',
  'stores/redis': 'stores/redis/redis-stores',
  'hashers/argon2': 'passwords/readers/argon2',
  rocketchat: 'rocketchat/rocketchat',
  // In the folder with all that it imports: a page may be served that folder as it is.
  'client/index': 'client/client',
  'client/node': 'client/node/file-store',
  'client/socket-io': 'client/socket-io/socket-io-auth',
  'client/react': 'client/react/react',
  'client/passkeys': 'client/passkeys/passkeys',
  'client/loopback': 'client/node/loopback',
  'client/oauth': 'client/oauth/oauth',
  'client/popup': 'client/oauth/popup',
  'client/providers': 'client/providers/providers',
  'client/device-links': 'client/device-links/device-links',
  passkeys: 'passkeys/simple-webauthn',
  opentelemetry: 'lib/open-telemetry',
  admin: 'admin/admin',
  providers: 'providers/providers',
  directories: 'directories/directories',
  testing: 'testing/testing',
}

/** What is run by its name: `bin` of package.json. */
export const programs = { cli: 'cli/cli' }

/**
 * Loaded by their address, so no import tells of them. What is shared lies beside them in dist/
 * itself: code finds them by `new URL('./…', import.meta.url)`, whichever file it is put into.
 */
export const workers = {
  'bcrypt-worker': 'passwords/bcrypt-worker',
  'process-worker': 'testing/store-contract/process-worker',
}

/** What a router loads after its start, if an option asks for it. */
const optional = 'router/optional-capabilities'

/** A few lines that buses share: not worth a file. */
const ofBuses = /\/src\/stores\/bus-message\.ts$/

/** What describes requests: each room in its `api.ts`, in the words of `openapi/`. */
const described = /\/src\/(?:openapi\/|[\w-]+\/(?:[\w-]+-)?api\.ts$|router\/operations\.ts$)/

const zodFolder = join(root, 'node_modules/zod')

/**
 * zod is part of the package: what is used of it alone. As a dependency it would load the words of
 * fifty languages in each process, which takes half as long as Express.
 */
const zod = {
  name: 'zod',
  resolveId: (id) => (id === 'zod' ? '\0zod' : null),
  load: (id) =>
    id === '\0zod'
      ? `import { config } from ${JSON.stringify(join(zodFolder, 'v4/core/index.js'))}
         import english from ${JSON.stringify(join(zodFolder, 'v4/locales/en.js'))}
         config(english())
         export { z } from ${JSON.stringify(join(zodFolder, 'index.js'))}`
      : null,
}

/**
 * What more than one entry uses stands once, so that a class is the same whichever entry names it.
 * `shared` is what the main entry loads of it at once. Apart from that: what the options ask for,
 * the OpenAPI document, which few processes write, and what other entries have in common.
 */
const groups = (ofIndex, ofOptions) => [
  { name: 'zod', test: (id) => /[/\0]zod(\/|$)/.test(id), minShareCount: 1 },
  { name: 'client/shared', test: /\/src\/client\/(?!oauth\/)/, minShareCount: 2 },
  { name: 'client/oauth-shared', test: /\/src\/client\/oauth\//, minShareCount: 2 },
  { name: 'shared', test: (id) => ofIndex.has(id) || ofBuses.test(id), minShareCount: 2 },
  { name: 'optional-shared', test: ofOptions.has, minShareCount: 2 },
  { name: 'openapi', test: described, minShareCount: 1 },
  { name: 'testing-shared', test: /\/src\/testing\//, minShareCount: 2 },
]

/** Notes what a module loads at once, with all that this loads. */
function noteLoadedBy(entry) {
  const loaded = new Set()
  const plugin = {
    name: 'loaded-at-once',
    buildEnd() {
      const visit = (id) => {
        if (loaded.has(id)) return
        loaded.add(id)
        for (const imported of this.getModuleInfo(id)?.importedIds ?? []) visit(imported)
      }
      visit(entry)
    },
  }
  return { plugin, has: (id) => loaded.has(id) }
}

function read(input, plugins = []) {
  return rolldown({
    input,
    cwd: root,
    platform: 'node',
    plugins: [zod, ...plugins],
    // Dependencies, peers and Node's own, but not what the bundler adds itself.
    external: /^(?!\0|@oxc-project\/runtime\/|zod$)[^./]/,
    transform: { target: 'node20.19' },
    treeshake: { moduleSideEffects: (id) => id === '\0zod' },
  })
}

const pathOf = (source) => join(root, 'src', `${source}.ts`)

/** Makes them; answers the text of each file by its name. */
export async function bundle() {
  const sources = Object.entries({ ...entries, ...workers, ...programs })
  const ofIndex = noteLoadedBy(pathOf(entries.index))
  const ofOptions = noteLoadedBy(pathOf(optional))
  const bundle = await read(
    Object.fromEntries(sources.map(([name, source]) => [name, pathOf(source)])),
    [ofIndex.plugin, ofOptions.plugin],
  )
  const { output } = await bundle.generate({
    dir: join(root, 'dist'),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    minifyInternalExports: false,
    // V8 keeps a file in which all is ASCII in half the memory, and reads it faster.
    charset: 'ascii',
    // Those that hosts read stand in the declarations.
    comments: false,
    codeSplitting: { groups: groups(ofIndex, ofOptions) },
  })
  await bundle.close()
  return Object.fromEntries(output.map(({ fileName, code }) => [fileName, textOf(fileName, code)]))
}

// Others' code need not be readable, and its license goes with it.
function textOf(fileName, code) {
  if (fileName !== 'zod.js') return code
  const { version } = JSON.parse(readFileSync(join(zodFolder, 'package.json'), 'utf8'))
  const license = readFileSync(join(zodFolder, 'LICENSE'), 'utf8').trim()
  return `/*! zod ${version}\n\n${license}\n*/\n${minifySync(fileName, code).code}\n`
}

/** Imports a file of src/ that is no entry, for the checks. */
export async function importSource(source) {
  const bundle = await read(pathOf(source))
  const file = join(scratchFolder(source.replaceAll('/', '-')), 'source.mjs')
  await bundle.write({ file, format: 'esm', codeSplitting: false })
  await bundle.close()
  return import(pathToFileURL(file).href)
}
