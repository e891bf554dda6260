import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { redisStores } from '../../src/stores/redis/redis-stores.js'
import { bearer, get, logIn, obtainCode, post, remove } from '../support/client.js'
import { startHost, type TestHost } from '../support/host.js'
import { canStartRedis, type OwnRedis, startRedis } from '../support/own-redis.js'
import { clusterLibraries, startCluster } from '../support/own-redis-cluster.js'
import { libraries, type TestClient } from '../support/redis-clients.js'

/** Redis as an operator sees it. */
interface Servers {
  readonly masters: readonly OwnRedis[]
  readonly ports: number[]
  stop(): Promise<void>
}

const startAlone = async (): Promise<Servers> => {
  const server = await startRedis()
  return { masters: [server], ports: [server.port], stop: () => server.stop() }
}

type Connect = (servers: Servers) => Promise<TestClient>
const deployments: [string, () => Promise<Servers>, Connect][] = [
  ...libraries.map(([name, connect]): [string, () => Promise<Servers>, Connect] => [
    `one server, ${name}`,
    startAlone,
    ({ masters }) => connect(masters[0]?.url ?? ''),
  ]),
  ...clusterLibraries.map(([name, connect]): [string, () => Promise<Servers>, Connect] => [
    `a cluster, ${name}`,
    startCluster,
    ({ ports }) => connect(ports),
  ]),
]

const beforehand = ['index', 'login', 'usedCode', 'pkce', 'code', 'ticket', 'owners'] as const
const afterwards = [...beforehand, 'cutoff'] as const
type KeyName = (typeof afterwards)[number]

const index = '{u:u-alice}'
const nothing = { login: 401, pkce: 401, refresh: 400, code: 400, ticket: 401 }

interface Robbed {
  readonly host: TestHost
  readonly owner: string
  /** What each thing that the thief has is answered. */
  readonly opened: () => Promise<typeof nothing>
  /** Takes one key away, on whichever node it is. */
  readonly lose: (name: KeyName) => Promise<void>
  readonly statusOfOwner: () => Promise<number>
}

describe.skipIf(!canStartRedis).each(deployments)(
  'Redis that has lost one key of a user: %s',
  (_name, start, connect) => {
    let servers: Servers
    let direct: Redis[]
    let connected: TestClient
    beforeAll(async () => {
      servers = await start()
      direct = servers.masters.map(({ url }) => new Redis(url))
      connected = await connect(servers)
    })
    afterAll(async () => {
      connected?.close()
      for (const client of direct ?? []) client.disconnect()
      await servers?.stop()
    })

    const keysOf = async (prefix: string) =>
      (await Promise.all(direct.map((client) => client.keys(`${prefix}*`))))
        .flat()
        .map((key) => key.slice(prefix.length))

    /**
     * A user who is signed in on three devices, two of them a thief's, who has bought a ticket and
     * asked for a code, too.
     */
    async function robbed(): Promise<Robbed> {
      const prefix = `lost-${randomUUID()}:`
      const host = await startHost({ options: redisStores(connected.client, { prefix }) })
      const seen = new Set([index])
      const keyOf = async <T>(work: () => Promise<T>): Promise<[T, string]> => {
        const done = await work()
        const fresh = (await keysOf(prefix)).filter((key) => !seen.has(key))
        for (const key of fresh) seen.add(key)
        expect(fresh).toHaveLength(1)
        return [done, fresh[0] ?? '']
      }
      const [thief, login] = await keyOf(() => logIn(host))
      const [used, usedCode] = await keyOf(() => obtainCode(host, thief.authToken))
      const [{ body: pair }, pkce] = await keyOf(() => exchange(host, used))
      const [unused, code] = await keyOf(() => obtainCode(host, thief.authToken))
      const [bought, ticket] = await keyOf(async () =>
        post(host, '/auth/socket-ticket', undefined, bearer(thief.authToken)),
      )
      const [owner, owners] = await keyOf(() => logIn(host))
      const opened = async () => {
        host.clock.advance(6)
        return {
          login: (await get(host, '/me', bearer(thief.authToken))).status,
          pkce: (await get(host, '/me', bearer(pair.access_token))).status,
          refresh: (await post(host, '/auth/refresh', { refreshToken: pair.refresh_token })).status,
          code: (await exchange(host, unused)).status,
          ticket: await statusOfUpgrade(host, bought.body.data.ticket),
        }
      }
      const keys = { index, login, usedCode, pkce, code, ticket, owners, cutoff: `${index}:cutoff` }
      const lose = async (name: KeyName) => {
        const answers = await Promise.all(
          direct.map((client) => client.del(prefix + keys[name]).catch(() => 0)),
        )
        expect(
          answers.reduce((sum, count) => sum + count, 0),
          name,
        ).toBe(1)
      }
      const statusOfOwner = async () => (await get(host, '/me', bearer(owner.authToken))).status
      return { host, owner: owner.authToken, opened, lose, statusOfOwner }
    }

    const elsewhere = async ({ host, owner }: Robbed) =>
      void (await remove(host, '/auth/sessions', bearer(owner)).expect(200))
    const byHost = async ({ host }: Robbed) =>
      void (await host.auth.sessions.revokeAllForUser('u-alice'))

    it.each(beforehand)(
      'before the host ends all sessions: %s. Nothing opens anything',
      async (name) => {
        const user = await robbed()
        await user.lose(name)
        await byHost(user)
        expect(await user.opened()).toEqual(nothing)
        expect(await user.statusOfOwner()).toBe(401)
      },
    )

    it.each(beforehand.filter((name) => name !== 'owners'))(
      'before the owner signs out everywhere else: %s. Nothing else opens anything',
      async (name) => {
        const user = await robbed()
        await user.lose(name)
        await elsewhere(user)
        expect(await user.opened()).toEqual(nothing)
        expect(await user.statusOfOwner()).toBe(200)
      },
    )

    // Redis keeps no empty index.
    it.each(afterwards.filter((name) => name !== 'index'))(
      'after the host has ended all sessions: %s. Nothing opens anything',
      async (name) => {
        const user = await robbed()
        await byHost(user)
        await user.lose(name)
        expect(await user.opened()).toEqual(nothing)
        expect(await user.statusOfOwner()).toBe(401)
      },
    )

    it.each(afterwards)(
      'after the owner has signed out everywhere else: %s. Nothing else opens anything',
      async (name) => {
        const user = await robbed()
        await elsewhere(user)
        // The index holds one session still.
        await user.lose(name)
        expect(await user.opened()).toEqual(nothing)
        expect(await user.statusOfOwner()).toBe(name === 'owners' ? 401 : 200)
      },
    )

    it(
      'the index. The process that was asked lets nobody in from then on, not even for the ' +
        'seconds that it remembers',
      async () => {
        const user = await robbed()
        expect(await user.statusOfOwner()).toBe(200)
        await user.lose('index')
        await byHost(user)
        expect(await user.statusOfOwner()).toBe(401)
      },
    )

    it('the index. It is whole again a minute later, as far as the devices are in use', async () => {
      const user = await robbed()
      await user.lose('index')
      expect(await user.host.auth.sessions.list('u-alice')).toEqual([])
      user.host.clock.advance(61)
      expect(await user.statusOfOwner()).toBe(200)
      await expect.poll(async () => (await user.host.auth.sessions.list('u-alice')).length).toBe(1)
      expect(await user.host.auth.sessions.revokeAllForUser('u-alice')).toBe(1)
    })
  },
)

async function exchange(
  host: TestHost,
  { authorizationCode, codeVerifier }: { authorizationCode: string; codeVerifier: string },
) {
  return post(host, '/auth/pkce/token', { authorizationCode, codeVerifier })
}

async function statusOfUpgrade({ auth }: TestHost, ticket: string): Promise<number> {
  const headers = { 'sec-websocket-protocol': `auth.ticket, ${ticket}` }
  const request = {
    headers,
    rawHeaders: [],
    method: 'GET',
    url: '/',
    socket: { on() {}, once() {} },
  } as unknown as IncomingMessage
  return auth.sockets.authenticate(request).then(
    () => 101,
    (error: { status: number }) => error.status,
  )
}
