import { readdirSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { createClient } from 'redis'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import type { AuthRouterOptions } from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { redisStores } from '../../src/stores/redis/redis-stores.js'
import { totpCode } from '../../src/testing/testing.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { password, startHost, type TestHost, totpSecret } from '../support/host.js'
import { canStartRedis, type OwnRedis, startRedis } from '../support/own-redis.js'
import { redisCommand } from '../support/redis-clients.js'

let server: OwnRedis | undefined
afterEach(async () => void (await server?.stop()))

/**
 * A host that keeps its sessions, codes and counters in a Redis of its own, and its second factors
 * elsewhere.
 */
async function startOver(
  redis: OwnRedis,
  options: Partial<AuthRouterOptions> = {},
): Promise<TestHost> {
  server = redis
  const client = createClient({
    url: redis.url,
    disableOfflineQueue: true,
    socket: { reconnectStrategy: 50 },
  })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => void client.destroy())
  const { codes, sessions, tickets } = redisStores(client)
  const throttle: AuthRouterOptions['throttle'] = {
    limiter: (settings) =>
      new RateLimiterRedis({ storeClient: client, useRedisPackage: true, ...settings }),
  }
  const host = await startHost({ options: { codes, sessions, tickets, throttle, ...options } })
  for (let i = 0; i < 60; i += 1)
    host.users.add({
      ...(host.users.rows.get('u-alice') as { id: string }),
      id: `u-${i}`,
      username: `user-${i}`,
    })
  return host
}

const statusOf = async (host: TestHost, token: string) =>
  (await get(host, '/me', bearer(token))).status
const expectOutage = (response: { status: number; headers: Record<string, string> }) =>
  expect([response.status, Number(response.headers['retry-after']) > 0]).toEqual([503, true])

describe.skipIf(!canStartRedis)('Redis that keeps nothing is started anew', () => {
  it(
    'everybody is signed out, nobody who was ended comes back, and what is kept elsewhere is ' +
      'not forgotten',
    async () => {
      const redis = await startRedis()
      const host = await startOver(redis)
      const { recoveryCodes } = await host.auth.secondFactors.importTotp({
        userId: 'u-0',
        secret: totpSecret,
      })
      const used = [totpCode(totpSecret, host.clock()), recoveryCodes[0] as string]
      const withCode = (code: string) =>
        post(host, '/login', { username: 'user-0', password, code })
      for (const code of used) expect((await withCode(code)).status).toBe(200)
      const tokens: string[] = []
      for (let i = 1; i <= 20; i += 1)
        tokens.push((await logIn(host, { username: `user-${i}`, password })).authToken)
      for (const token of tokens.slice(0, 10))
        await post(host, '/logout', undefined, bearer(token)).expect(200)

      await redis.restart()
      host.clock.advance(6)
      await expect.poll(() => statusOf(host, tokens[0] as string), { timeout: 5000 }).toBe(401)
      const after = await Promise.all(tokens.map((token) => statusOf(host, token)))
      expect(after).toEqual(tokens.map(() => 401))
      for (const code of used) expect((await withCode(code)).body.error).toBe('totp-invalid')
      expect((await withCode(recoveryCodes[1] as string)).status).toBe(200)
    },
  )
})

describe.skipIf(!canStartRedis)('a machine with Redis loses its power under load', () => {
  // What `appendfsync` had not yet written to the disk is cut off the file, which is what is left
  // of it.
  async function acknowledgedAndLost(
    policy: 'everysec' | 'always',
  ): Promise<{ acknowledged: number; lost: number; oldest: number }> {
    const redis = await startRedis('--appendonly', 'yes', '--appendfsync', policy)
    const host = await startOver(redis)
    const [, folder] = (await redisCommand(redis.url, 'CONFIG', 'GET', 'dir')) as [string, string]
    const sizes: { at: number; bytes: number }[] = []
    const file = () => appendFileIn(folder)
    const measuring = setInterval(
      () => sizes.push({ at: performance.now(), bytes: statSync(file()).size }),
      20,
    )
    const journal = await logOutAll(host)
    clearInterval(measuring)
    await redis.kill()
    const cut = performance.now()
    // A second is what Redis promises; with `always` there is nothing that it has not written.
    const onDisk =
      policy === 'always'
        ? statSync(file()).size
        : (sizes.filter(({ at }) => at < cut - 1000).at(-1)?.bytes ?? 0)
    truncateSync(file(), onDisk)
    await redis.restart()
    host.clock.advance(6)
    await expect
      .poll(async () => (await post(host, '/login', { username: 'alice', password })).status, {
        timeout: 60_000,
      })
      .toBe(200)
    const lost: number[] = []
    for (const { token, at } of journal)
      if ((await statusOf(host, token)) === 200) lost.push(cut - at)
    return { acknowledged: journal.length, lost: lost.length, oldest: Math.max(0, ...lost) }
  }

  /** Forty logouts in a bit more than a second, and when each was acknowledged. */
  async function logOutAll(host: TestHost): Promise<{ token: string; at: number }[]> {
    const tokens: string[] = []
    for (let i = 0; i < 40; i += 1)
      tokens.push((await logIn(host, { username: `user-${i}`, password })).authToken)
    // So that the logins are on the disk.
    await pause(2200)
    const journal: { token: string; at: number }[] = []
    for (const token of tokens) {
      await post(host, '/logout', undefined, bearer(token)).expect(200)
      journal.push({ token, at: performance.now() })
      await pause(30)
    }
    return journal
  }

  it('with `everysec`, logouts of the last second are lost, and none that is older', async () => {
    const { acknowledged, lost, oldest } = await acknowledgedAndLost('everysec')
    process.stdout.write(
      `Redis, everysec: ${lost} of ${acknowledged} acknowledged logouts lost, the oldest ` +
        `${Math.round(oldest)} ms old\n`,
    )
    expect(lost, 'so it has to be said').toBeGreaterThan(0)
    expect(oldest).toBeLessThan(1100)
  })

  it('with `always`, none is lost', async () => {
    expect(await acknowledgedAndLost('always')).toMatchObject({ acknowledged: 40, lost: 0 })
  })
})

describe.skipIf(!canStartRedis)('Redis takes no writes', () => {
  const refusing: [
    string,
    string[],
    [string, ...(string | number)[]],
    [string, ...(string | number)[]],
  ][] = [
    [
      'its memory is full',
      ['--maxmemory-policy', 'noeviction'],
      ['CONFIG', 'SET', 'maxmemory', 1],
      ['CONFIG', 'SET', 'maxmemory', 0],
    ],
    [
      'it has become a replica',
      ['--replica-read-only', 'yes'],
      ['REPLICAOF', '127.0.0.1', 1],
      ['REPLICAOF', 'NO', 'ONE'],
    ],
  ]

  it.each(refusing)(
    'because %s: sign-ins are 503, no guess is free, the guard goes on, and then all works',
    async (_why, settings, stop, go) => {
      const redis = await startRedis(...settings)
      const host = await startOver(redis)
      const token = (await logIn(host, { username: 'user-1', password })).authToken
      const guess = () => post(host, '/login', { username: 'user-2', password: 'wrong' })
      for (let i = 0; i < 3; i += 1) expect((await guess()).status).toBe(401)
      await redisCommand(redis.url, ...stop)
      host.clock.advance(6)
      // Whether a guess was right is not said while it cannot be counted.
      for (let i = 0; i < 20; i += 1) expectOutage(await guess())
      expectOutage(await post(host, '/login', { username: 'user-2', password }))
      expect(await statusOf(host, token)).toBe(200)
      expect(await statusOf(host, `${token.slice(0, -8)}AAAAAAAA`)).toBe(401)
      await redisCommand(redis.url, ...go)
      await expect.poll(async () => (await guess()).status, { timeout: 5000 }).toBe(401)
      const later = [await guess(), await guess(), await guess()].map(({ status }) => status)
      expect(later, 'what was counted before still counts').toContain(429)
      expect(await statusOf(host, token)).toBe(200)
    },
  )

  it(
    'a logout is refused by a replica and done by a Redis whose memory is full; what was ' +
      'refused can be asked for again',
    async () => {
      const redis = await startRedis('--maxmemory-policy', 'noeviction')
      const host = await startOver(redis)
      const [one, other] = [
        await logIn(host, { username: 'user-1', password }),
        await logIn(host, { username: 'user-2', password }),
      ]
      await redisCommand(redis.url, 'REPLICAOF', '127.0.0.1', 1)
      expectOutage(await post(host, '/logout', undefined, bearer(one.authToken)))
      await redisCommand(redis.url, 'REPLICAOF', 'NO', 'ONE')
      expect((await post(host, '/logout', undefined, bearer(one.authToken))).status).toBe(200)
      await redisCommand(redis.url, 'CONFIG', 'SET', 'maxmemory', 1)
      expect((await post(host, '/logout', undefined, bearer(other.authToken))).status).toBe(200)
      host.clock.advance(6)
      for (const { authToken } of [one, other]) expect(await statusOf(host, authToken)).toBe(401)
    },
  )
})

describe.skipIf(!canStartRedis)('Redis that throws out what was not used for long', () => {
  it('signs users out and revives nobody', async () => {
    const redis = await startRedis('--maxmemory-policy', 'allkeys-lru')
    const host = await startOver(redis, { secondFactors: memoryStores().secondFactors })
    const living = (await logIn(host, { username: 'user-1', password })).authToken
    const ended = (await logIn(host, { username: 'user-2', password })).authToken
    await post(host, '/logout', undefined, bearer(ended)).expect(200)
    await redisCommand(redis.url, 'CONFIG', 'SET', 'maxmemory', '3mb')
    const fill = "for i = 1, 200 do redis.call('SET', ARGV[1] .. i, string.rep('x', 5000)) end"
    for (let round = 0; round < 20; round += 1)
      await redisCommand(redis.url, 'EVAL', fill, 0, `fill-${round}-`)
    host.clock.advance(6)
    expect([await statusOf(host, living), await statusOf(host, ended)]).toEqual([401, 401])
  })
})

function appendFileIn(folder: string): string {
  const files = readdirSync(join(folder, 'appendonlydir')).filter((name) =>
    name.endsWith('.incr.aof'),
  )
  return join(folder, 'appendonlydir', files.at(-1) ?? '')
}
