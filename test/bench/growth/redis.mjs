// A server of its own for each size: what another one holds would be counted.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import { redisStores } from '../../../dist/stores/redis.js'
import { sessionOf, sessionOperations } from './rows.mjs'

const atOnce = 200

export async function open(size) {
  const { client, close } = await startServer()
  const { sessions } = redisStores(client)
  const usedMemory = async () => Number(/used_memory:(\d+)/.exec(await client.info('memory'))[1])
  // The scripts are loaded with the first calls.
  await sessions.find('a-session-nobody-has')
  const before = await usedMemory()
  for (let i = 0; i < size; i += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, size - i) }, (_none, j) =>
      sessions.create(sessionOf(i + j)),
    )
    await Promise.all(some)
  }
  const bytesEach = ((await usedMemory()) - before) / size
  return { bytesEach, operations: sessionOperations(sessions, size), close }
}

async function startServer() {
  const folder = await mkdtemp(join(tmpdir(), 'bench-redis-'))
  const port = await freePort()
  const settings = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'no',
  ]
  const server = spawn('redis-server', settings, { stdio: 'ignore' })
  const missing = once(server, 'error').then(([error]) => {
    throw new Error(
      `redis-server cannot be started (${error.code}); install Redis 6.2 or later, or run the ` +
        'other suites by name',
    )
  })
  const client = createClient({
    url: `redis://127.0.0.1:${port}`,
    socket: { reconnectStrategy: 50 },
  })
  client.on('error', () => {})
  await Promise.race([client.connect(), missing])
  process.on('exit', () => server.kill('SIGKILL'))
  return {
    client,
    async close() {
      client.destroy()
      server.kill('SIGKILL')
      await sleep(100)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}
