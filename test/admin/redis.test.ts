// The program over Redis: sessions, the bus and the counters of a server there, its keys in files.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { describe, expect, it, onTestFinished } from 'vitest'
import { joseSigner, keyRing } from '../../src/index.js'
import { redisBus } from '../../src/stores/redis/redis-bus.js'
import { redisStores } from '../../src/stores/redis/redis-stores.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { encryptionKey, startHost } from '../support/host.js'
import { redisUrl } from '../support/services.js'
import { openSocket } from './running-host.js'
import { runProgram, scratchFolder } from './running-program.js'

const file = `import { Redis } from 'ioredis'
import { keyRing } from 'messaging-auth-router'
import { redisBus, redisStores } from 'messaging-auth-router/stores/redis'
import { RateLimiterRedis } from 'rate-limiter-flexible'

const { REDIS_URL, PREFIX: prefix, KEYS: files, AUTH_ENCRYPTION_KEYS } = process.env
const encryptionKeys = AUTH_ENCRYPTION_KEYS.split(',')
const storeClient = new Redis(REDIS_URL)
export default {
  stores: redisStores(storeClient, { prefix }),
  bus: redisBus(storeClient, { channel: prefix }),
  keys: keyRing({ files, encryptionKeys, create: false }),
  encryptionKeys,
  throttle: {
    limiter: (settings) =>
      new RateLimiterRedis({ storeClient, ...settings, keyPrefix: prefix + settings.keyPrefix }),
  },
  close: () => storeClient.disconnect(),
}
`

async function start() {
  const folder = scratchFolder()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const keys = join(folder, 'keys')
  mkdirSync(keys)
  writeFileSync(join(folder, 'auth-admin.mjs'), file)
  const prefix = `t${Date.now().toString(36)}:`
  const storeClient = new Redis(redisUrl ?? '')
  onTestFinished(() => storeClient.disconnect())
  const host = await startHost({
    options: {
      ...redisStores(storeClient, { prefix }),
      bus: redisBus(storeClient, { channel: prefix }),
      signer: joseSigner({
        issuer: 'https://chat.example.com',
        audience: 'chat',
        keys: keyRing({ files: keys, encryptionKeys: [encryptionKey] }),
      }),
      throttle: {
        limiter: (settings) =>
          new RateLimiterRedis({
            storeClient,
            ...settings,
            keyPrefix: prefix + settings.keyPrefix,
          }),
      },
    },
  })

  const env = {
    ...process.env,
    REDIS_URL: redisUrl ?? '',
    PREFIX: prefix,
    KEYS: keys,
    AUTH_ENCRYPTION_KEYS: encryptionKey,
  }
  const run = (...args: string[]) => runProgram({ cwd: folder, env }, args)
  return { host, run }
}

const untold = 'messaging-auth-router: no onEvent: nobody is told\n'

describe.skipIf(redisUrl === null)('beside a server over Redis', () => {
  it('ends a session in the server at once', async () => {
    const server = await start()
    const { host, run } = server
    const { authToken } = await logIn(host)
    const { closed } = await openSocket(server, authToken)
    const listed = await run('sessions', 'list', '--user', 'u-alice', '--json')
    expect([listed.code, listed.err]).toEqual([0, ''])
    const [{ id }] = JSON.parse(listed.out)
    const ended = await run('sessions', 'end', '--user', 'u-alice', '--session', id, '--yes')
    expect([ended.code, ended.err]).toEqual([0, untold])
    expect(await closed).toBe(4401)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(401)
    expect((await run('sessions', 'list', '--user', 'u-alice', '--json')).out).toBe('[]\n')
  })

  it('unlocks a name that wrong passwords have locked', async () => {
    const { host, run } = await start()
    const wrong = { username: 'alice', password: 'wrong' }
    const until = async (status: number) => {
      for (let tries = 0; tries < 40; tries += 1)
        if ((await post(host, '/login', wrong)).status === status) return true
      return false
    }
    expect(await until(429)).toBe(true)
    const unlocked = await run('unlock', 'alice', '--user', 'u-alice', '--ip', '127.0.0.1')
    expect([unlocked.code, unlocked.err]).toEqual([0, untold])
    expect((await post(host, '/login', wrong)).status).toBe(401)
  })

  it('looks at keys in files, and at what has sealed them', async () => {
    const { host, run } = await start()
    await logIn(host)
    const [key] = JSON.parse((await run('keys', 'list', '--json')).out)
    expect(key).toMatchObject({ signs: 'access-tokens', state: 'active' })
    const sealed = await run('sealed')
    expect([sealed.code, sealed.err]).toEqual([0, ''])
    expect(sealed.out).toMatch(/^signing-keys +1 +v1\.\w{8} +1$/m)
    expect((await run('keys', 'rotate', '--yes')).code).toBe(0)
    const rotated = JSON.parse((await run('keys', 'list', '--json')).out)
    expect(rotated.length).toBe(2)
  })
})
