// Database servers of their own for the tests that stop them, on free ports of the loopback, so
// that the machine's are left alone.
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { createClient } from 'redis'
import { type Child, newFolder, type Owner, ownerNamed, startChild } from './child.js'

/** A database server that can be stopped and started again. */
export interface PrivateServer {
  readonly url: string
  /** Ends it with this signal, and waits until it has ended. */
  down(signal: NodeJS.Signals): Promise<void>
  /**
   * Starts it again on the same port and files, and waits until it takes a connection. Answers that
   * moment.
   */
  up(): Promise<number>
  /** Down, out for so many milliseconds, and up. Answers the moment it took a connection again. */
  restart(signal: NodeJS.Signals, outMilliseconds?: number): Promise<number>
  /** SIGKILL. */
  kill(): Promise<void>
  /** Ends it for good. */
  stop(): Promise<void>
}

/** How a kind of server is started. Null where it is not installed; use it with `skipIf`. */
export type StartServer = (() => Promise<PrivateServer>) | null

const run = promisify(execFile)

const postgresBin = folderWith('initdb', [
  ...versionsOf('/usr/lib/postgresql'),
  '/usr/local/bin',
  '/usr/bin',
])
const mariaDbd = folderWith('mariadbd', [
  '/usr/sbin',
  '/usr/local/sbin',
  '/usr/bin',
  '/usr/local/bin',
])
const mariaInstall = folderWith('mariadb-install-db', ['/usr/bin', '/usr/local/bin'])
const redisBin = folderWith('redis-server', ['/usr/bin', '/usr/local/bin'])

/** PostgreSQL with `fsync` as it comes; everybody on the loopback is `postgres`. */
export const startPostgres: StartServer = installed('PostgreSQL', postgresBin !== null)
  ? postgres
  : null
/** MariaDB; `root` has no password. */
export const startMariaDb: StartServer = installed(
  'MariaDB',
  mariaDbd !== null && mariaInstall !== null,
)
  ? mariaDb
  : null
/** Redis that has written every command to disk before it answers. */
export const startRedis: StartServer = installed('Redis', redisBin !== null) ? redis : null

/** A standby of a PostgreSQL server, which it follows until it is promoted. */
export interface Standby extends PrivateServer {
  /** Makes it a server of its own, which takes writes. */
  promote(): Promise<void>
}

/** Copies a server and follows it through this URL, applying each commit two seconds late. */
export async function startStandby(primaryUrl: string): Promise<Standby> {
  const owner = ownerNamed('postgres')
  const folder = newFolder('standby', owner)
  const asOwner = { ...owner, cwd: folder, timeout: 120_000 }
  // Not synchronously: the line to the server may run through this process.
  await run(
    `${postgresBin}/pg_basebackup`,
    ['-d', primaryUrl, '-D', folder, '-R', '-X', 'stream', '-c', 'fast'],
    asOwner,
  )
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const lag = ['-c', 'recovery_min_apply_delay=2s']
  const args = ['-D', folder, '-p', String(port), '-h', '127.0.0.1', '-k', folder, ...lag]
  const server = await serverOf(url, {
    command: `${postgresBin}/postgres`,
    args,
    owner,
    probe: () => probePostgres(url),
  })
  return {
    ...server,
    promote: async () =>
      void (await run(`${postgresBin}/pg_ctl`, ['promote', '-w', '-D', folder], asOwner)),
  }
}

async function postgres(): Promise<PrivateServer> {
  const owner = ownerNamed('postgres')
  const folder = newFolder('postgres', owner)
  execFileSync(
    `${postgresBin}/initdb`,
    ['-D', folder, '-N', '--auth=trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C'],
    {
      ...owner,
      cwd: folder,
      stdio: 'ignore',
    },
  )
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const args = ['-D', folder, '-p', String(port), '-h', '127.0.0.1', '-k', folder]
  return serverOf(url, {
    command: `${postgresBin}/postgres`,
    args,
    owner,
    probe: () => probePostgres(url),
  })
}

async function probePostgres(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
  } finally {
    await client.end().catch(() => {})
  }
}

async function mariaDb(): Promise<PrivateServer> {
  const owner = ownerNamed('mysql')
  const folder = newFolder('mariadb', owner)
  const user = owner === undefined ? [] : ['--user=mysql']
  const files = ['--no-defaults', `--datadir=${folder}/data`, ...user]
  execFileSync(
    `${mariaInstall}/mariadb-install-db`,
    [...files, '--auth-root-authentication-method=normal'],
    { stdio: 'ignore' },
  )
  const port = await freePort()
  const url = `mysql://root@127.0.0.1:${port}/test`
  const network = [
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    '--skip-networking=0',
    `--socket=${folder}/socket`,
  ]
  const small = ['--innodb-buffer-pool-size=64M', `--pid-file=${folder}/pid`]
  return serverOf(url, {
    command: `${mariaDbd}/mariadbd`,
    args: [...files, ...network, ...small],
    probe: () => probeMariaDb(url),
  })
}

async function probeMariaDb(url: string): Promise<void> {
  const connection = await createConnection({ uri: url, connectTimeout: 1000 })
  connection.on('error', () => {})
  await connection.query('select 1')
  connection.destroy()
}

async function redis(): Promise<PrivateServer> {
  const folder = newFolder('redis')
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '']
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...durable]
  return serverOf(url, { command: `${redisBin}/redis-server`, args, probe: () => probeRedis(url) })
}

async function probeRedis(url: string): Promise<void> {
  const client = createClient({ url, socket: { reconnectStrategy: false, connectTimeout: 1000 } })
  client.on('error', () => {})
  await client.connect()
  await client.ping().finally(() => client.destroy())
}

interface Recipe {
  readonly command: string
  readonly args: readonly string[]
  readonly owner?: Owner | undefined
  /** Rejects while the server takes no connections. */
  readonly probe: () => Promise<void>
}

async function serverOf(
  url: string,
  { command, args, owner, probe }: Recipe,
): Promise<PrivateServer> {
  let child: Child | undefined
  const down = async (signal: NodeJS.Signals) => {
    await child?.end(signal)
    child = undefined
  }
  const up = async () => {
    const started = startChild(command, args, { owner })
    child = started
    await answering(started, probe)
    return performance.now()
  }
  await up()
  return {
    url,
    down,
    up,
    async restart(signal, outMilliseconds = 0) {
      await down(signal)
      await pause(outMilliseconds)
      return up()
    },
    kill: () => down('SIGKILL'),
    stop: () => down('SIGKILL'),
  }
}

async function answering(child: Child, probe: () => Promise<void>): Promise<void> {
  const until = Date.now() + 30_000
  const over = child.ended.then((how) => {
    throw new Error(`the server ended with ${how}: ${child.complaints()}`)
  })
  const asking = async () => {
    for (;;) {
      const isUp = await probe().then(
        () => true,
        () => false,
      )
      if (isUp) return
      if (Date.now() > until)
        throw new Error(`the server takes no connections: ${child.complaints()}`)
      await pause(20)
    }
  }
  over.catch(() => {})
  await Promise.race([asking(), over])
}

/** A port that nobody listens on at this moment. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

function versionsOf(folder: string): string[] {
  if (!existsSync(folder)) return []
  const newestFirst = readdirSync(folder).sort((one, other) => Number(other) - Number(one))
  return newestFirst.map((version) => `${folder}/${version}/bin`)
}

function folderWith(program: string, folders: readonly string[]): string | null {
  return folders.find((folder) => existsSync(`${folder}/${program}`)) ?? null
}

function installed(name: string, isThere: boolean): boolean {
  if (isThere) return true
  const message = `${name} is not installed`
  if (process.env['REQUIRE_SERVICES'] === '1') throw new Error(message)
  process.stderr.write(`skipped: ${message}\n`)
  return false
}
