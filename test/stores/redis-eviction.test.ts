import { afterEach, describe, expect, it, vi } from 'vitest'
import { redisStores } from '../../src/stores/redis/redis-stores.js'
import { canStartRedis, type OwnRedis, startRedis } from '../support/own-redis.js'
import { libraries, redisCommand, type TestClient } from '../support/redis-clients.js'

describe.skipIf(!canStartRedis).each(libraries)(
  'a Redis that may throw keys out, through %s',
  (_name, connect) => {
    let server: OwnRedis
    let host: TestClient
    afterEach(async () => {
      host.close()
      await server.stop()
    })
    const over = async (...settings: string[]) => {
      server = await startRedis(...settings)
      host = await connect(server.url)
      const warn = vi.fn()
      const { sessions } = redisStores(host.client, { logger: { warn } })
      return { sessions, warn }
    }

    it.each(['allkeys-lru', 'volatile-ttl'])(
      'with %s, is warned of once, with the first call',
      async (policy) => {
        const { sessions, warn } = await over('--maxmemory-policy', policy)
        for (let i = 0; i < 3; i += 1) await sessions.find('one')
        await expect
          .poll(() => warn.mock.calls)
          .toEqual([[expect.stringContaining(`maxmemory-policy ${policy}`)]])
        await sessions.find('one')
        expect(warn).toHaveBeenCalledOnce()
      },
    )

    it('is no matter where it is told not to', async () => {
      const { sessions, warn } = await over('--maxmemory-policy', 'noeviction')
      for (let i = 0; i < 3; i += 1) await sessions.find('one')
      await redisCommand(server.url, 'PING')
      expect(warn).not.toHaveBeenCalled()
    })

    it('is not spoken of by whoever may not ask', async () => {
      const { sessions, warn } = await over('--maxmemory-policy', 'allkeys-lru')
      await redisCommand(server.url, 'ACL', 'SETUSER', 'default', '-info')
      for (let i = 0; i < 3; i += 1) expect(await sessions.find('one')).toBeNull()
      expect(warn).not.toHaveBeenCalled()
    })

    it('is warned of by the process where no logger is given', async () => {
      server = await startRedis('--maxmemory-policy', 'allkeys-lfu')
      host = await connect(server.url)
      const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
      await redisStores(host.client).sessions.find('one')
      await expect
        .poll(() => emit.mock.calls)
        .toEqual([[expect.stringContaining('allkeys-lfu'), { code: 'MAR_REDIS_EVICTS' }]])
      emit.mockRestore()
    })
  },
)
