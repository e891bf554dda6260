import { readFileSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem, type } from 'node:os'

/** What the figures depend on more than on anything else. */
export function describeMachine() {
  return {
    date: new Date().toISOString().slice(0, 10),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    node: process.version,
    system: systemName(),
    peers: peersAndVersions(),
  }
}

function systemName() {
  try {
    return /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? type()
  } catch {
    return `${type()} ${release()}`
  }
}

function peersAndVersions() {
  const { devDependencies } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  )
  return Object.entries(devDependencies).map(([name, version]) => `${name} ${version}`)
}
