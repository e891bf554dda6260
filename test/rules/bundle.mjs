// The JavaScript of the package: one file for each entry that hosts import, and few that entries
// share. Readable, with the names of its functions, and with maps that lead back to src/.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
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

/** What describes requests: each room in its `api.ts`, in the words of `openapi/`. */
const described = /\/src\/(?:openapi\/|[\w-]+\/(?:[\w-]+-)?api\.ts$|router\/operations\.ts$)/

/**
 * What more than one entry uses stands once, so that a class is the same whichever entry names it.
 * Apart from it the second factor, of which not everybody has the library loaded, what asks other
 * servers, which loads TLS, the OpenAPI document, which few processes write, and what operators
 * call from a terminal, which no server loads.
 */
const shared = [
  { name: 'client/shared', test: /\/src\/client\/(?!oauth\/)/, minShareCount: 2 },
  { name: 'client/oauth-shared', test: /\/src\/client\/oauth\//, minShareCount: 2 },
  {
    name: 'shared',
    test: (id) =>
      /\/src\/(?!(?:admin|client|testing)\/|two-factor\/totp|lib\/outgoing)/.test(id) &&
      !described.test(id),
    minShareCount: 2,
  },
  { name: 'openapi', test: described, minShareCount: 1 },
  { name: 'testing-shared', test: /\/src\/testing\//, minShareCount: 2 },
]

function read(input) {
  return rolldown({
    input,
    cwd: root,
    platform: 'node',
    // Dependencies, peers and Node's own, but not what the bundler adds itself.
    external: /^(?!\0|@oxc-project\/runtime\/)[^./]/,
    transform: { target: 'node20.19' },
    treeshake: { moduleSideEffects: false },
  })
}

const pathOf = (source) => join(root, 'src', `${source}.ts`)

/** Makes them; answers the text of each file by its name. */
export async function bundle() {
  const sources = Object.entries({ ...entries, ...workers, ...programs })
  const bundle = await read(
    Object.fromEntries(sources.map(([name, source]) => [name, pathOf(source)])),
  )
  const { output } = await bundle.generate({
    dir: join(root, 'dist'),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    minifyInternalExports: false,
    // Those that hosts read stand in the declarations.
    comments: false,
    sourcemap: true,
    codeSplitting: { groups: shared },
  })
  await bundle.close()
  return Object.fromEntries(output.flatMap(textOf))
}

// A server's stacks stand in its log, and are to name our sources. Those of the client, of the test
// kit and of the program for operators are read beside the file that they name.
const isWithoutMap = (name) =>
  /^(client\/|testing|process-worker|admin|cli|doctor|run-command)/.test(name)

function textOf({ type, fileName, code, source }) {
  if (isWithoutMap(fileName))
    return type === 'chunk'
      ? [[fileName, code.replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n')]]
      : []
  return [[fileName, type === 'chunk' ? code : `${JSON.stringify(slim(JSON.parse(source)))}\n`]]
}

/** Imports a file of src/ that is no entry, for the checks. */
export async function importSource(source) {
  const bundle = await read(pathOf(source))
  const file = join(scratchFolder(source.replaceAll('/', '-')), 'source.mjs')
  await bundle.write({ file, format: 'esm', codeSplitting: false })
  await bundle.close()
  return import(pathToFileURL(file).href)
}

/**
 * A map of lines, without the sources: enough for a stack to name them, and a tenth of the size.
 * Each number in it is the difference to the one before: file, line and column.
 */
function slim({ version, sources, mappings }) {
  const [before, written] = [
    [0, 0, 0, 0],
    [0, 0, 0, 0],
  ]
  const lines = mappings.split(';').map((line) => {
    before[0] = 0
    let first
    for (const segment of line.split(',').map(decoded)) {
      for (const [at, change] of segment.slice(0, 4).entries()) before[at] += change
      if (segment.length > 1) first ??= [0, before[1], before[2], before[3]]
    }
    if (first === undefined) return ''
    const changes = first.map((value, at) => value - (at === 0 ? 0 : written[at]))
    written.splice(0, 4, ...first)
    return changes.map(encoded).join('')
  })
  return { version, sources, names: [], mappings: lines.join(';') }
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Numbers in base 64, five bits in a digit, the lowest first; the lowest of all is the sign. */
function decoded(segment) {
  const numbers = []
  let [value, shift] = [0, 0]
  for (const letter of segment) {
    const digit = digits.indexOf(letter)
    value |= (digit & 31) << shift
    shift += 5
    if (digit & 32) continue
    numbers.push(value & 1 ? -(value >> 1) : value >> 1)
    value = shift = 0
  }
  return numbers
}

function encoded(number) {
  let value = number < 0 ? (-number << 1) | 1 : number << 1
  let text = ''
  do {
    const digit = value & 31
    value >>>= 5
    text += digits[value > 0 ? digit | 32 : digit]
  } while (value > 0)
  return text
}
