// A client in another language, made of openapi.json by a generator of others, signs in to the
// example: OpenAPI::Client of Perl, as Debian has it (libopenapi-client-perl). Where it is not
// installed, its packages are fetched and unpacked here, and nothing is changed on the machine.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { root, run } from '../rules/support.mjs'

const folder = join(root, 'test/openapi-clients')
const unpacked = join(folder, 'build/perl')
const packages = [
  'libopenapi-client-perl',
  'libjson-validator-perl',
  'libmojolicious-perl',
  'libyaml-pp-perl',
]
const withLibraries = { ...process.env, PERL5LIB: join(unpacked, 'usr/share/perl5') }
const hasClient = () =>
  spawnSync('perl', ['-MOpenAPI::Client', '-e1'], { env: withLibraries }).status === 0

function fetchClient() {
  const fetched = join(folder, 'build/fetched')
  for (const one of [fetched, unpacked]) mkdirSync(one, { recursive: true })
  const { ok, output } = run('apt-get', ['download', ...packages], { cwd: fetched })
  if (!ok) throw new Error(output)
  for (const name of readdirSync(fetched)) run('dpkg', ['-x', join(fetched, name), unpacked])
  if (!hasClient()) throw new Error(`${packages.join(', ')}: unpacked, but not found by perl`)
}

/** Starts the example on a port of its own, with a database of its own. */
async function startExample(kept) {
  const child = spawn(process.execPath, [join(root, 'example-app/build/server.js')], {
    cwd: kept,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATABASE_URL: `sqlite:${join(kept, 'chat.db')}`,
      AUTH_ENCRYPTION_KEY_FILE: join(kept, 'encryption.key'),
    },
  })
  for await (const line of createInterface(child.stdout)) {
    const [, url] = /^listening on (\S+)$/.exec(line) ?? []
    if (url !== undefined) return { child, url }
  }
  throw new Error('the example has not started')
}

/** The description, with the address of the example. */
function describeAt(url, kept) {
  const document = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'))
  const file = join(kept, 'openapi.json')
  writeFileSync(file, JSON.stringify({ ...document, servers: [{ url: `${url}/api/v1` }] }))
  return file
}

// The generator asks the network for the schema of OpenAPI itself. A linter has judged the document
// by it (npm run check -- --only openapi), so here any will do.
function keepSchema(kept) {
  const address = 'https://spec.openapis.org/oas/3.1/schema/2021-05-20'
  writeFileSync(join(kept, createHash('md5').update(address).digest('hex')), '{}')
}

if (!hasClient()) fetchClient()
const { ok, output } = run(process.execPath, ['test/rules/build.mjs', 'example'])
if (!ok) throw new Error(output)
const kept = mkdtempSync(join(tmpdir(), 'openapi-clients-'))
const { child, url } = await startExample(kept)
try {
  keepSchema(kept)
  const people = ['alice', 'correct horse battery staple', 'another password']
  const perl = run('perl', [join(folder, 'sign-in.pl'), describeAt(url, kept), ...people], {
    env: { ...withLibraries, JSON_VALIDATOR_CACHE_PATH: kept },
    timeout: 600_000,
  })
  process.stdout.write(`perl: ${perl.output}\n`)
  if (!perl.ok) process.exitCode = 1
} finally {
  child.kill('SIGTERM')
  rmSync(kept, { recursive: true, force: true })
}
