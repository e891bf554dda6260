import { afterEach, describe, expect, it, vi } from 'vitest'
import { newSession } from '../../src/stores/new-records.js'
import { redisStores } from '../../src/stores/redis/redis-stores.js'
import { canStartRedis, type OwnRedis, startRedis } from '../support/own-redis.js'
import { libraries, redisCommand } from '../support/redis-clients.js'

const start = new Date('2030-01-01T00:00:00Z')
const at = (seconds: number) => new Date(start.getTime() + seconds * 1000)

const session = (id: string) => newSession(at, { id, userId: 'u-alice' })

describe.skipIf(!canStartRedis).each(libraries)(
  'Redis in trouble, through %s',
  (_library, connect) => {
    let server: OwnRedis | undefined
    let close = () => {}
    const prepare = async (...settings: string[]) => {
      server = await startRedis(...settings)
      const host = await connect(server.url)
      close = host.close
      return { server, sessions: redisStores(host.client).sessions }
    }
    afterEach(async () => {
      close()
      await server?.stop()
    })

    it('keeps every acknowledged logout over a crash, if it writes each command to disk', async () => {
      const { server, sessions } = await prepare('--appendonly', 'yes', '--appendfsync', 'always')
      const ids = Array.from({ length: 200 }, (_, i) => `s${i}`)
      await Promise.all(ids.map((id) => sessions.create(session(id))))
      const acknowledged: string[] = []
      const ending = ids.map(async (id) => {
        if (await sessions.end(id, 'logout', at(1))) acknowledged.push(id)
      })
      await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(20), { interval: 1 })
      await server.restart()
      await Promise.allSettled(ending)
      const alive = await vi.waitFor(() => sessions.liveAmong(ids, at(2)))
      expect(alive.filter((id) => acknowledged.includes(id))).toEqual([])
    })

    it('signs everybody out and revives nobody, if it keeps nothing', async () => {
      const { server, sessions } = await prepare()
      await sessions.create(session('living'))
      await sessions.create(session('ended'))
      await sessions.end('ended', 'logout', at(1))
      await server.restart()
      expect(await vi.waitFor(() => sessions.liveAmong(['living', 'ended'], at(2)))).toEqual([])
      // The scripts are gone as well, which nobody notices.
      await sessions.create(session('new'))
      expect(await sessions.end('new', 'logout', at(3))).toBe(true)
    })

    it('refuses sign-ins when its memory is full, and still ends sessions', async () => {
      const { server, sessions } = await prepare('--maxmemory-policy', 'noeviction')
      await sessions.create(session('one'))
      await sessions.create(session('two'))
      await redisCommand(server.url, 'CONFIG', 'SET', 'maxmemory', 1)
      await expect(sessions.create(session('three'))).rejects.toThrow('OOM')
      expect(await sessions.end('one', 'logout', at(1))).toBe(true)
      expect(await sessions.endAllForUser('u-alice', 'revoked', at(1))).toEqual(['two'])
      await redisCommand(server.url, 'CONFIG', 'SET', 'maxmemory', 0)
      expect(await sessions.liveAmong(['one', 'two', 'three'], at(2))).toEqual([])
      expect(await sessions.end('one', 'logout', at(2))).toBe(false)
    })

    it('rejects what it may not write', async () => {
      const { server, sessions } = await prepare()
      await sessions.create(session('one'))
      await redisCommand(server.url, 'REPLICAOF', '127.0.0.1', 1)
      await expect(sessions.end('one', 'logout', at(1))).rejects.toThrow('READONLY')
      await expect(
        sessions.touch('one', { lastSeenAt: at(1), idleExpiresAt: at(2), ip: null }),
      ).rejects.toThrow('READONLY')
    })
  },
)
