import { randomUUID } from 'node:crypto'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { BusMessage, SessionEnded } from '../../src/index.js'
import { type RedisClient, redisBus } from '../../src/stores/redis/redis-stores.js'
import { canStartRedis, startRedis } from '../support/own-redis.js'
import { libraries, redisCommand, type TestClient } from '../support/redis-clients.js'
import { redisUrl } from '../support/services.js'

const url = String(redisUrl)
const event: SessionEnded = {
  sessionId: 'one',
  userId: 'ü{}',
  reason: 'logout',
  at: new Date('2030-01-01T00:00:00.007Z'),
}

/** Clients of both libraries as hosts may have made them, not connected; and how to close them. */
const unconnected: [string, (port: number) => { client: RedisClient; close: () => void }][] = [
  [
    'node-redis',
    (port) => {
      const client = createClient({
        url: `redis://127.0.0.1:${port}`,
        socket: { reconnectStrategy: 20 },
      })
      client.on('error', () => {})
      return { client, close: () => client.isOpen && client.destroy() }
    },
  ],
  [
    'ioredis',
    (port) => {
      const client = new Redis(port, '127.0.0.1', {
        lazyConnect: true,
        retryStrategy: () => 20,
        maxRetriesPerRequest: null,
      })
      client.on('error', () => {})
      return { client, close: () => client.disconnect() }
    },
  ],
]

async function listening(
  onConnection: (socket: Socket) => void,
): Promise<{ server: Server; port: number }> {
  const server = createServer(onConnection)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, port: (server.address() as AddressInfo).port }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

it.each([
  [null],
  [undefined],
  [{}],
  [{ evalSha() {}, eval() {}, publish() {} }],
  ['redis://127.0.0.1'],
])('redisBus refuses what is no client (%#)', (client) => {
  const expected = { name: 'AuthConfigError', option: 'redisBus.client' }
  expect(() => redisBus(client as never)).toThrow(expect.objectContaining(expected))
})

it.each([['{x}'], [''], ['a b'], [7]])('redisBus refuses the channel %j', (channel) => {
  const client = { evalsha() {}, eval() {}, publish() {}, duplicate() {} }
  const expected = { name: 'AuthConfigError', option: 'redisBus.channel' }
  expect(() => redisBus(client as never, { channel: channel as never })).toThrow(
    expect.objectContaining(expected),
  )
})

describe.skipIf(redisUrl === null).each(libraries)(
  'the bus over Redis, through %s',
  (_library, connect) => {
    let host: TestClient
    let name = ''
    let channel = ''
    let heard: BusMessage[] = []
    const listen = (message: BusMessage) => void heard.push(message)
    const subscribers = async () =>
      String(await redisCommand(url, 'CLIENT', 'LIST', 'TYPE', 'pubsub'))
        .split('\n')
        .filter((line) => line.includes(` name=${name} `))

    beforeEach(async () => {
      name = `bus-${randomUUID()}`
      channel = `test:${randomUUID()}`
      heard = []
      host = await connect(url, name)
    })
    afterEach(() => host.close())

    it('carries an event to all who listen, and to nobody on another channel', async () => {
      const bus = redisBus(host.client, { channel })
      const elsewhere = vi.fn()
      const others: BusMessage[] = []
      const leave = [
        await bus.subscribe(listen),
        await bus.subscribe((other) => others.push(other)),
        await redisBus(host.client).subscribe(elsewhere),
      ]
      await bus.publish(event)
      await vi.waitFor(() => expect([heard, others]).toEqual([[event], [event]]))
      expect(elsewhere).not.toHaveBeenCalledWith(event)
      await Promise.all(leave.map((end) => end()))
    })

    it('ignores what is no event', async () => {
      const leave = await redisBus(host.client, { channel }).subscribe(listen)
      const good = { sessionId: 'one', userId: 'two', reason: 'revoked', at: 5 }
      const bad = [
        '',
        '{',
        'null',
        '[]',
        '7',
        '"one"',
        '{}',
        ...Object.keys(good).map((key) => JSON.stringify({ ...good, [key]: null })),
      ]
      const worse = [{ at: 1.5 }, { at: 9e15 }, { at: '2030' }, { reason: 7 }].map((change) =>
        JSON.stringify({ ...good, ...change }),
      )
      for (const text of [...bad, ...worse]) await redisCommand(url, 'PUBLISH', channel, text)
      await redisCommand(url, 'PUBLISH', channel, JSON.stringify({ ...good, more: 1 }))
      await vi.waitFor(() => expect(heard).toEqual([{ ...good, at: new Date(5) }]))
      await leave()
    })

    it('listens again after its connection was cut', async () => {
      const bus = redisBus(host.client, { channel })
      const leave = await bus.subscribe(listen)
      const [line = ''] = await subscribers()
      await redisCommand(url, 'CLIENT', 'KILL', 'ID', /\bid=(\d+)/.exec(line)?.[1] ?? '')
      await vi.waitFor(
        async () => {
          await bus.publish(event)
          expect(heard).toContainEqual(event)
        },
        { interval: 50 },
      )
      await leave()
    })

    it('is left for good: no message, no connection, and leaving twice does nothing', async () => {
      const bus = redisBus(host.client, { channel })
      const leave = await bus.subscribe(listen)
      expect(await subscribers()).toHaveLength(1)
      await leave()
      await leave()
      await bus.publish(event)
      await vi.waitFor(async () => expect(await subscribers()).toEqual([]))
      expect(heard).toEqual([])
      await bus.publish(event)
    })

    it('says whether messages arrive, and troubles no listener with it', async () => {
      const bus = redisBus(host.client, { channel })
      await expect(bus.check?.()).rejects.toThrow('nobody listens')
      const elsewhere = await redisBus(host.client, { channel }).subscribe(listen)
      const duplicate = vi.spyOn(host.client, 'duplicate')
      const leave = [await bus.subscribe(listen), await bus.subscribe(listen)]
      await Promise.all([bus.check?.(), bus.check?.(), bus.check?.()])
      const [dead] = duplicate.mock.results.map(({ value }) => value)
      if ('destroy' in dead && 'isOpen' in dead) dead.destroy()
      else dead.disconnect()
      // A connection that is being closed may still hear one.
      await expect.poll(() => bus.check?.().catch(String)).toContain('no answer within 2000 ms')
      await leave[0]?.()
      await bus.check?.()
      host.close()
      await expect(bus.check?.()).rejects.toThrow()
      expect(heard).toEqual([])
      await Promise.all([leave[1]?.(), elsewhere()])
    })

    it('rejects a message that cannot be sent', async () => {
      const bus = redisBus(host.client, { channel })
      host.close()
      await expect(bus.publish(event)).rejects.toThrow()
    })
  },
)

describe.each(unconnected)('a bus that Redis does not serve, through %s', (_library, make) => {
  it('rejects at once when nothing listens there, and does not try on', async () => {
    let connections = 0
    const { server, port } = await listening((socket) => {
      connections += 1
      socket.destroy()
    })
    await new Promise((resolve) => server.close(resolve))
    const { client, close } = make(port)
    await expect(redisBus(client).subscribe(() => {})).rejects.toThrow()
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    await pause(300)
    expect(connections).toBe(0)
    close()
    await new Promise((resolve) => server.close(resolve))
  })

  it('rejects within 5 seconds when nothing answers there, and hangs up', async () => {
    const open = new Set<Socket>()
    const { server, port } = await listening((socket) => {
      open.add(socket)
      socket.on('error', () => {})
      socket.resume().on('close', () => open.delete(socket))
    })
    const { client, close } = make(port)
    await expect(redisBus(client).subscribe(() => {})).rejects.toThrow('no answer within 5000 ms')
    await vi.waitFor(() => expect(open.size).toBe(0))
    await pause(200)
    expect(open.size).toBe(0)
    close()
    await new Promise((resolve) => server.close(resolve))
  })

  it.skipIf(!canStartRedis)(
    'is left without waiting while Redis is down, and survives that',
    async () => {
      const own = await startRedis()
      const { client, close } = make(own.port)
      const bus = redisBus(client)
      const leave = await bus.subscribe(() => {})
      const stays = await bus.subscribe(() => {})
      await own.kill()
      await pause(100)
      const first = await Promise.race([
        leave().then(() => 'left'),
        pause(100).then(() => 'still waiting'),
      ])
      expect(first).toBe('left')
      await own.restart()
      const numberOfListeners = async () => {
        const [, count] = (await redisCommand(
          own.url,
          'PUBSUB',
          'NUMSUB',
          'mar:session-ended',
        )) as [string, number]
        return count
      }
      await vi.waitFor(async () => expect(await numberOfListeners()).toBe(1))
      await stays()
      close()
      await own.stop()
    },
  )
})

it.skipIf(redisUrl === null)(
  'a client of ioredis without an offline queue, connected at once, can listen too',
  async () => {
    const client = new Redis(url, { enableOfflineQueue: false })
    await new Promise((resolve) => client.once('ready', resolve))
    const leave = await redisBus(client, { channel: `test:${randomUUID()}` }).subscribe(() => {})
    await leave()
    client.disconnect()
  },
)
