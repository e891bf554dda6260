// Redis servers that belong to one test: for what must not be done to a server that others use.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'

const binary = '/usr/bin/redis-server'
// Ends a server together with the test that has started it, also when that test is killed.
const endsWithParent = '/usr/bin/setpriv'

/** Whether this machine can start servers of its own. */
export const canStartRedis: boolean = existsSync(binary) && existsSync(endsWithParent)

/** A server and how to end it. */
export interface OwnRedis {
  readonly url: string
  readonly port: number
  /** Ends the process at once, as a crash would. */
  kill(): Promise<void>
  /**
   * Lets it answer nothing more, its connections open, as a machine that hangs or whose route is
   * lost.
   */
  hang(): void
  /** Lets it go on. */
  wake(): void
  /** Starts it again on the same port, with the same files. */
  restart(): Promise<void>
  /** Ends it and deletes its files. */
  stop(): Promise<void>
}

/**
 * Starts a server on a free port, with these settings besides, such as `['--appendonly', 'yes']`.
 */
export async function startRedis(...settings: string[]): Promise<OwnRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-'))
  const port = await freePort()
  let server = await launch(port, folder, settings)
  const kill = () => end(server)
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    kill,
    hang: () => void server.kill('SIGSTOP'),
    wake: () => void server.kill('SIGCONT'),
    async restart() {
      await kill()
      server = await launch(port, folder, settings)
    },
    async stop() {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function launch(port: number, folder: string, settings: string[]): Promise<ChildProcess> {
  const where = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--daemonize',
    'no',
  ]
  const command = ['--pdeathsig', 'KILL', binary, ...where, ...settings]
  const server = spawn(endsWithParent, command, { stdio: 'ignore' })
  const client = new Redis({
    port,
    host: '127.0.0.1',
    retryStrategy: () => 50,
    maxRetriesPerRequest: null,
  })
  client.on('error', () => {})
  await client.ping()
  client.disconnect()
  return server
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGKILL')
  await ended
}

// A node of a cluster also listens on its port + 10000.
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port <= 55_000 ? port : freePort()
}
