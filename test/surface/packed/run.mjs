// Installs the package as it would be published into throw-away hosts outside the project, and lets
// each of them sign in: what works only because the sources lie nearby fails here. Beside each peer
// in the oldest version that package.json allows, and the newest. With `--quick` on this Node, and
// beside Express, React and the clients of databases alone.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pack, patience, run } from './pack.mjs'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const fixtures = join(root, 'test/surface')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const oldest = {
  '@node-rs/argon2': '2.0.0',
  '@simplewebauthn/server': '14.0.3',
  '@types/express': '4.16.0',
  '@types/react': '18.3.0',
  express: '4.16.0',
  ioredis: '5.0.0',
  kysely: '0.28.0',
  ldapts: '8.0.0',
  'libphonenumber-js': '1.11.0',
  'openid-client': '6.1.1',
  react: '18.0.0',
  redis: '5.9.0',
}
/** Express, and the types that go with it. */
const expressVersions = {
  [oldest.express]: oldest['@types/express'],
  '4.22.3': '4.17.25',
  '5.3.0': '5.0.6',
}
const newestExpress = '5.3.0'
const storeClients = {
  oldest: { ioredis: oldest.ioredis, kysely: oldest.kysely, redis: oldest.redis },
  tested: pick(manifest.devDependencies, 'ioredis', 'kysely', 'redis'),
}
/** Needs Node 22. */
const newestKysely = '0.29.9'
/**
 * What servers pin for themselves that the package is added to: clients it is not given, others
 * that are not there.
 */
const pins = [
  // NodeBB 4.15
  {
    bcryptjs: '3.0.3',
    'connect-redis': '10.0.0',
    express: '4.22.2',
    'express-session': '1.19.0',
    passport: '0.7.0',
    'passport-local': '1.0.0',
    redis: '5.12.1',
    'socket.io': '4.8.3',
  },
  // The Lounge 4.5
  { bcryptjs: '2.4.3', express: '4.20.0', 'socket.io': '4.6.2' },
]
/** The oldest Node the package promises, and those after the one that runs this. */
const nodeVersions = { 'node-20-19': '20.19.0', 'node-22': '22', 'node-24': '24' }
const isQuick = process.argv.includes('--quick')
/** How a host loads the package. */
const ways = [
  ['host.mjs', 'ES module'],
  ['host.cjs', 'CommonJS'],
]
const redisUrl = process.env.TEST_REDIS_URL || 'redis://127.0.0.1:6379'

const strict = {
  target: 'es2022',
  lib: ['es2023'],
  strict: true,
  skipLibCheck: false,
  noEmit: true,
  types: ['node'],
}
const typedHosts = {
  'ES module': { type: 'module', compilerOptions: { ...strict, module: 'nodenext' } },
  CommonJS: { type: 'commonjs', compilerOptions: { ...strict, module: 'node20' } },
}

function pick(versions, ...names) {
  return Object.fromEntries(names.map((name) => [name, versions[name]]))
}

async function npm(cwd, ...args) {
  const { ok, output } = await run(
    'npm',
    [...args, '--ignore-scripts', '--no-audit', '--no-fund'],
    {
      cwd,
      limit: patience.install,
    },
  )
  if (!ok) throw new Error(`npm ${args.join(' ')} failed\n${output}`)
  return output
}

async function createProject(folder, manifest, packages) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, ...manifest }))
  await npm(folder, 'install', '--prefer-offline', ...packages)
}

const packagesOf = (versions) =>
  Object.entries(versions).map(([name, version]) => `${name}@${version}`)

function runHost(folder, host, { node = process.execPath, env } = {}) {
  return run(node, [host], { cwd: folder, limit: patience.host, onlyWord: 'closed', env })
}

/** The program tells how it is called, with all that its commands import. */
async function runProgram(folder) {
  const program = join(folder, 'node_modules/.bin/messaging-auth-router')
  const { output } = await run(program, [], { cwd: folder, limit: patience.host })
  return { ok: output.startsWith('usage: messaging-auth-router <command>'), output }
}

function copyHosts(project, ...files) {
  for (const file of files) cpSync(join(fixtures, 'packed', file), join(project, file))
}

/** What package.json allows begins with what is tried here. */
async function* allowedPeers() {
  for (const [name, version] of Object.entries(oldest)) {
    const range = manifest.peerDependencies[name]
    yield {
      name: `${name}, from ${version} on, as allowed`,
      ok: range === `^${version}` || range.startsWith(`^${version} || `),
      output: range,
    }
  }
  const missing = Object.keys(manifest.peerDependencies).filter((name) => !(name in oldest))
  yield { name: 'no other peer', ok: missing.length === 0, output: missing.join(', ') }
}

/** Hosts in JavaScript: each version of Express, loaded in each way. */
async function* runtimeHosts(folder, tarball) {
  for (const version of Object.keys(expressVersions)) {
    const project = join(folder, `express-${version}`)
    await createProject(project, {}, [tarball, `express@${version}`])
    copyHosts(project, 'host.mjs', 'host.cjs', 'rehearse.mjs')
    for (const [host, loading] of ways) {
      yield {
        name: `${loading}, Express ${version}, Node ${process.versions.node}`,
        ...(await runHost(project, host)),
      }
    }
    yield { name: `its program, beside Express ${version}`, ...(await runProgram(project)) }
  }
}

/**
 * Servers with pins of their own: the package is added as anybody would, moves none of them, and
 * works.
 */
async function* pinnedServers(folder, tarball) {
  for (const [number, dependencies] of pins.entries()) {
    const project = join(folder, `pinned-${number}`)
    const name = `added to ${packagesOf(dependencies).join(', ')}`
    await createProject(project, { dependencies }, [])
    try {
      await npm(project, 'install', '--prefer-offline', tarball)
    } catch (error) {
      yield { name, ok: false, output: error.message }
      continue
    }
    const found = Object.keys(dependencies).map((name) => [name, versionIn(project, name)])
    const moved = found.filter(([name, version]) => version !== dependencies[name])
    copyHosts(project, 'host.mjs', 'rehearse.mjs')
    const { ok, output } = await runHost(project, 'host.mjs')
    yield { name, ok: ok && moved.length === 0, output: `${output} ${JSON.stringify(moved)}` }
  }
}

function versionIn(project, name) {
  return JSON.parse(readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8'))
    .version
}

/** Hosts that keep their records in Redis and SQL. */
async function* storeHosts(folder, tarball) {
  const { TEST_REDIS_URL: _given, ...others } = process.env
  const env = (await redisAnswers()) ? { ...others, TEST_REDIS_URL: redisUrl } : others
  const besides = [
    tarball,
    `express@${newestExpress}`,
    `@types/express@${expressVersions[newestExpress]}`,
    '@types/node@20',
    `libsql@${manifest.devDependencies.libsql}`,
  ]
  for (const [which, versions] of Object.entries(storeClients)) {
    const project = join(folder, `stores-${which}`)
    await createProject(project, {}, [...besides, ...packagesOf(versions)])
    copyHosts(project, 'stores.mjs')
    const name = packagesOf(versions).join(', ')
    yield { name, ...(await runHost(project, 'stores.mjs', { env })) }
    cpSync(join(fixtures, 'hosts/typed-stores.ts'), join(project, 'typed-stores.ts'))
    const compiled = await compile(project, 'typed-stores.ts', typedHosts.CommonJS)
    yield { name: `TypeScript, CommonJS, ${name}`, ...compiled }
  }
  if (isQuick) return
  const project = join(folder, 'stores-tested')
  await npm(project, 'install', '--prefer-offline', `kysely@${newestKysely}`)
  const node = join(folder, 'nodes/node_modules/node-22/bin/node')
  yield {
    name: `kysely@${newestKysely}, Node 22`,
    ...(await runHost(project, 'stores.mjs', { node, env })),
  }
}

/** Hosts that use what needs a package of its own: Argon2, passkeys, other providers. */
async function* hostsWithPeers(folder, tarball) {
  const hosts = {
    '@node-rs/argon2': 'argon2',
    '@simplewebauthn/server': 'passkeys',
    'openid-client': 'providers',
    ldapts: 'directories',
    'libphonenumber-js': 'phones',
  }
  for (const [name, host] of Object.entries(hosts)) {
    for (const version of new Set([oldest[name], manifest.devDependencies[name]])) {
      const project = join(folder, `${host}-${version}`)
      await createProject(project, {}, [tarball, `express@${newestExpress}`, `${name}@${version}`])
      copyHosts(project, `${host}.mjs`)
      yield { name: `${name}@${version}`, ...(await runHost(project, `${host}.mjs`)) }
    }
  }
}

/** The client, beside React in the oldest version and the newest, under every version of Node. */
async function* clientHosts(folder, tarball) {
  const dev = manifest.devDependencies
  const nodes = Object.keys(isQuick ? {} : nodeVersions).map((name) =>
    join(folder, 'nodes/node_modules', name, 'bin/node'),
  )
  for (const [react, types] of [
    [oldest.react, oldest['@types/react']],
    [dev.react, dev['@types/react']],
  ]) {
    const project = join(folder, `client-${react}`)
    const packages = [`react@${react}`, `react-dom@${react}`, `@types/react@${types}`]
    await createProject(project, {}, [tarball, ...packages, '@types/node@20', 'express@5'])
    copyHosts(project, 'client.mjs')
    for (const node of [process.execPath, ...nodes]) {
      const name = `client, React ${react}, ${node.slice(folder.length)}`
      yield { name, ...(await runHost(project, 'client.mjs', { node })) }
    }
    cpSync(join(fixtures, 'hosts/typed-client.ts'), join(project, 'typed-client.ts'))
    const compiled = await compile(project, 'typed-client.ts', typedHosts['ES module'])
    yield { name: `TypeScript, client, @types/react ${types}`, ...compiled }
  }
}

/** With REQUIRE_SERVICES=1 a missing server is a failure. */
async function redisAnswers() {
  const { hostname, port } = new URL(redisUrl)
  const answers = await new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port || 6379) })
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
  if (!answers && process.env.REQUIRE_SERVICES === '1')
    throw new Error('Redis is not reachable (TEST_REDIS_URL)')
  if (!answers) process.stderr.write('skipped: Redis is not reachable (TEST_REDIS_URL)\n')
  return answers
}

/** The hosts on the newest Express again, under every other version of Node. */
async function* otherNodes(folder) {
  const tools = join(folder, 'nodes')
  const published = `node-${process.platform}-${process.arch}`
  await createProject(
    tools,
    {},
    Object.entries(nodeVersions).map(([name, version]) => `${name}@npm:${published}@${version}`),
  )
  for (const name of Object.keys(nodeVersions)) {
    const node = join(tools, 'node_modules', name, 'bin/node')
    const { output: version } = await run(node, ['--version'], { cwd: tools, limit: patience.host })
    for (const [host, loading] of ways) {
      const result = await runHost(join(folder, `express-${newestExpress}`), host, { node })
      yield { name: `${loading}, Express ${newestExpress}, Node ${version.slice(1)}`, ...result }
    }
  }
}

/** Hosts in TypeScript, compiled with the declarations of all that they import. */
async function* compiledHosts(folder, tarball) {
  for (const [version, expressTypes] of Object.entries(expressVersions)) {
    const project = join(folder, `types-${version}`)
    const node = version === newestExpress ? 26 : 20
    const types = [`@types/express@${expressTypes}`, `@types/node@${node}`]
    await createProject(project, {}, [tarball, `express@${version}`, ...types])
    cpSync(join(fixtures, 'hosts/typed-host.ts'), join(project, 'typed-host.ts'))
    // How a host is compiled does not depend on the age of the types, so that once is enough for
    // the oldest.
    const kinds = Object.entries(typedHosts).slice(0, version === oldest.express ? 1 : undefined)
    for (const [name, kind] of kinds) {
      const result = await compile(project, 'typed-host.ts', kind)
      yield { name: `TypeScript, ${name}, @types/express ${expressTypes}`, ...result }
    }
  }
}

/** Compiles a file of a project as a package of this kind would, with the types of its peers. */
function compile(project, file, { type, compilerOptions }) {
  const path = join(project, 'package.json')
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), type }))
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  return run(process.execPath, [tsc, '--pretty', 'false', '-p', '.'], {
    cwd: project,
    limit: patience.host,
  })
}

async function rehearseAll(lane, folder, tarball) {
  for (const hosts of lane) {
    for await (const { name, ok, output } of hosts(folder, tarball)) {
      counts[ok ? 'passed' : 'failed'] += 1
      process.stdout.write(`${ok ? 'ok    ' : 'FAILED'} ${name}\n${ok ? '' : `${output}\n`}`)
    }
  }
}

const folder = mkdtempSync(join(tmpdir(), 'hosts-'))
const counts = { passed: 0, failed: 0 }
try {
  const tarball = await pack(folder)
  const quick = [allowedPeers, runtimeHosts, clientHosts, storeHosts]
  const whole = [
    allowedPeers,
    runtimeHosts,
    pinnedServers,
    otherNodes,
    clientHosts,
    storeHosts,
    hostsWithPeers,
  ]
  const hosts = isQuick ? quick : whole
  // The compiler needs nothing of the others, and is half of the work.
  await Promise.all([hosts, [compiledHosts]].map((lane) => rehearseAll(lane, folder, tarball)))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`)
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1
