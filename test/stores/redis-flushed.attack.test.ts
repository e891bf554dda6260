import { describe, expect, it, onTestFinished } from 'vitest'
import { redisOnceStore, redisStores } from '../../src/stores/redis/redis-stores.js'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { startHost, type TestHost } from '../support/host.js'
import { canStartRedis, startRedis } from '../support/own-redis.js'
import { libraries, redisCommand } from '../support/redis-clients.js'

const exchange = (host: TestHost, { authorizationCode, codeVerifier }: Record<string, string>) =>
  post(host, '/auth/pkce/token', { authorizationCode, codeVerifier })

describe.skipIf(!canStartRedis).each(libraries)(
  'Redis of which somebody deletes everything, asked by %s',
  (_name, connect) => {
    async function start() {
      const server = await startRedis()
      onTestFinished(() => server.stop())
      const { client, close } = await connect(server.url)
      onTestFinished(close)
      const host = await startHost({ options: redisStores(client) })
      const flush = async () => {
        await redisCommand(server.url, 'FLUSHALL')
        await redisCommand(server.url, 'SCRIPT', 'FLUSH')
      }
      return { host, client, flush }
    }

    it('opens nothing that it has held, and all that is new', async () => {
      const { host, flush } = await start()
      const { authToken } = await logIn(host)
      const { body: pair } = await exchange(host, await obtainCode(host, authToken))
      const code = await obtainCode(host, authToken)
      const bought = await post(host, '/auth/socket-ticket', undefined, bearer(authToken))
      await flush()
      // As long as a process may remember who was signed in.
      host.clock.advance(6)
      const request = {
        headersDistinct: { 'sec-websocket-protocol': [`auth.ticket, ${bought.body.data.ticket}`] },
        headers: {},
        socket: {},
      } as never
      await expect(host.auth.sockets.authenticate(request)).rejects.toMatchObject({ status: 401 })
      const refreshToken = pair.refresh_token
      expect([
        (await get(host, '/me', bearer(authToken))).status,
        (await get(host, '/me', bearer(pair.access_token))).status,
        (await post(host, '/auth/refresh', { refreshToken })).status,
        (await exchange(host, code)).status,
      ]).toEqual([401, 401, 400, 400])
      const { authToken: anew } = await logIn(host)
      expect((await exchange(host, await obtainCode(host, anew))).status).toBe(200)
    })

    it('in the middle of 40 exchanges of one code leaves one session at most', async () => {
      const { host, flush } = await start()
      const { authToken } = await logIn(host)
      const code = await obtainCode(host, authToken)
      const all = Array.from({ length: 40 }, () => exchange(host, code).then((answer) => answer))
      await flush()
      const answers = await Promise.all(all)
      expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
      expect(answers.filter(({ status }) => ![200, 400].includes(status))).toEqual([])
      expect((await host.auth.sessions.list('u-alice')).length).toBeLessThanOrEqual(1)
    })

    it('notes names that are used once as before: of 40 at once, one', async () => {
      const { host, client, flush } = await start()
      const once = redisOnceStore(client)
      const now = host.clock()
      const until = new Date(now.getTime() + 60_000)
      const won = async () => {
        const claims = Array.from({ length: 40 }, () => once.claim('name', until, now))
        return (await Promise.all(claims)).filter(({ outcome }) => outcome === 'claimed').length
      }
      expect([await won(), await won()]).toEqual([1, 0])
      await flush()
      expect([await won(), await won()]).toEqual([1, 0])
    })
  },
)
