// Installs the package as it would be published into throw-away hosts outside the project, and lets each of them sign in: what
// works only because the sources lie nearby fails here.
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const fixtures = join(root, 'test/surface')
const expressVersions = { 4: '4.22.3', 5: '5.3.0' }
const expressTypes = { 4: '4.17.25', 5: '5.0.6' }
/** The oldest Node the package promises, and those after the one that runs this. */
const nodeVersions = { 'node-20-19': '20.19.0', 'node-22': '22', 'node-24': '24' }
/** How long an installation or a host may take before something must be wrong, in milliseconds. */
const patience = { install: 180_000, host: 60_000, exit: 10_000 }

const strict = { target: 'es2022', lib: ['es2023'], strict: true, skipLibCheck: false, noEmit: true, types: ['node'] }
const typedHosts = {
  'ES module': { type: 'module', compilerOptions: { ...strict, module: 'nodenext' } },
  CommonJS: { type: 'commonjs', compilerOptions: { ...strict, module: 'node20' } },
  'CommonJS of old (node10)': {
    type: 'commonjs',
    compilerOptions: { ...strict, module: 'commonjs', moduleResolution: 'node10', esModuleInterop: true },
  },
}

/**
 * Runs a program to its end. `onlyWord` is all that it may say, warnings included; once it has said so, it has `patience.exit` to
 * end by itself.
 */
function run(command, args, { cwd, limit, onlyWord }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let timer = setTimeout(() => giveUp('took too long'), limit)
    const giveUp = (why) => {
      output += `\n${why}`
      child.kill('SIGKILL')
    }
    const hear = (chunk) => {
      output += chunk
      if (onlyWord === undefined || !output.includes(`${onlyWord}\n`)) return
      clearTimeout(timer)
      timer = setTimeout(() => giveUp(`did not end within ${patience.exit / 1000} s of closing`), patience.exit)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.on('error', (error) => hear(String(error)))
    child.on('close', (code) => {
      clearTimeout(timer)
      const silent = onlyWord === undefined || output === `${onlyWord}\n`
      resolve({ ok: code === 0 && silent, output: output.trim() })
    })
  })
}

async function npm(cwd, ...args) {
  const { ok, output } = await run('npm', [...args, '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd,
    limit: patience.install,
  })
  if (!ok) throw new Error(`npm ${args.join(' ')} failed\n${output}`)
  return output
}

async function createProject(folder, manifest, packages) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, ...manifest }))
  await npm(folder, 'install', '--prefer-offline', ...packages)
}

function runHost(folder, host, node = process.execPath) {
  return run(node, [host], { cwd: folder, limit: patience.host, onlyWord: 'closed' })
}

/** Hosts in JavaScript: one project for each way of loading and each version of Express. */
async function* runtimeHosts(folder, tarball) {
  for (const [major, version] of Object.entries(expressVersions)) {
    for (const host of ['host.mjs', 'host.cjs']) {
      const project = join(folder, `express-${major}-${host.replace('.', '-')}`)
      await createProject(project, {}, [tarball, `express@${version}`])
      for (const file of [host, 'rehearse.mjs']) cpSync(join(fixtures, 'packed', file), join(project, file))
      const loading = host === 'host.mjs' ? 'ES module' : 'CommonJS'
      yield { name: `${loading}, Express ${version}, Node ${process.versions.node}`, ...(await runHost(project, host)) }
    }
  }
}

/** The hosts on Express 5 again, under every other version of Node. */
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
    for (const [host, loading] of [
      ['host.mjs', 'ES module'],
      ['host.cjs', 'CommonJS'],
    ]) {
      const project = join(folder, `express-5-${host.replace('.', '-')}`)
      yield { name: `${loading}, Express ${expressVersions[5]}, Node ${version.slice(1)}`, ...(await runHost(project, host, node)) }
    }
  }
}

/** Hosts in TypeScript, compiled with the declarations of all that they import. */
async function* compiledHosts(folder, tarball) {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  for (const [major, version] of Object.entries(expressVersions)) {
    const project = join(folder, `types-${major}`)
    const types = [`@types/express@${expressTypes[major]}`, '@types/node@20']
    await createProject(project, {}, [tarball, `express@${version}`, ...types])
    cpSync(join(fixtures, 'hosts/typed-host.ts'), join(project, 'typed-host.ts'))
    for (const [name, { type, compilerOptions }] of Object.entries(typedHosts)) {
      writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type }))
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['typed-host.ts'] }))
      const result = await run(process.execPath, [tsc, '--pretty', 'false', '-p', '.'], { cwd: project, limit: patience.host })
      yield { name: `TypeScript, ${name}, @types/express ${expressTypes[major]}`, ...result }
    }
  }
}

async function pack(folder) {
  const output = await npm(root, 'pack', '--json', '--pack-destination', folder)
  return join(folder, JSON.parse(output.slice(output.indexOf('['), output.lastIndexOf(']') + 1))[0].filename)
}

const folder = mkdtempSync(join(tmpdir(), 'hosts-'))
const counts = { passed: 0, failed: 0 }
try {
  const tarball = await pack(folder)
  for (const hosts of [runtimeHosts(folder, tarball), otherNodes(folder), compiledHosts(folder, tarball)]) {
    for await (const { name, ok, output } of hosts) {
      counts[ok ? 'passed' : 'failed'] += 1
      process.stdout.write(`${ok ? 'ok    ' : 'FAILED'} ${name}\n${ok ? '' : `${output}\n`}`)
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`)
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1
