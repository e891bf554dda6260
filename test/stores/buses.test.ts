// What holds for every bus, whatever it sends its messages over.
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { createClient } from 'redis'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { BusMessage, RevocationBus } from '../../src/index.js'
import { messageText } from '../../src/stores/bus-message.js'
import { redisBus } from '../../src/stores/redis/redis-stores.js'
import { postgresBus } from '../../src/stores/sql/sql-stores.js'
import { memoryBus } from '../support/memory-bus.js'
import { postgresUrl, redisUrl } from '../support/services.js'

/** A bus, and what sends a text over the same channel as it stands. */
interface OpenBus {
  readonly bus: RevocationBus
  readonly send: ((text: string) => Promise<unknown>) | null
}

async function overRedis(): Promise<OpenBus> {
  const client = await createClient({ url: String(redisUrl) }).connect()
  onTestFinished(() => client.destroy())
  const channel = `test:${randomUUID()}`
  return { bus: redisBus(client, { channel }), send: (text) => client.publish(channel, text) }
}

async function overPostgres(): Promise<OpenBus> {
  const pool = new pg.Pool({ connectionString: String(postgresUrl), max: 3 })
  onTestFinished(() => pool.end())
  const channel = `test_${randomUUID().replaceAll('-', '')}`
  const send = (text: string) => pool.query('select pg_notify($1, $2)', [channel, text])
  return { bus: postgresBus(pool, { channel }), send }
}

async function listenTo(bus: RevocationBus): Promise<BusMessage[]> {
  const heard: BusMessage[] = []
  const leave = await bus.subscribe((message) => void heard.push(message))
  onTestFinished(leave)
  return heard
}

const messages: readonly BusMessage[] = [
  { sessionId: 'one', userId: 'ü"\'', reason: 'logout', at: new Date('2030-01-01T00:00:00.007Z') },
  { clientId: 'wiki' },
  { sessionId: 'two', userId: 'bob', reason: 'device-lost', at: new Date(0) },
]

describe.each([
  ['memory', true, async (): Promise<OpenBus> => ({ bus: memoryBus(), send: null })],
  ['Redis', redisUrl !== null, overRedis],
  ['PostgreSQL', postgresUrl !== null, overPostgres],
] as const)('a bus over %s', (_name, isThere, open) => {
  it.skipIf(!isThere)('carries ends of sessions and changes of clients as they are', async () => {
    const { bus } = await open()
    const heard = await listenTo(bus)
    for (const message of messages) await bus.publish(message)
    await vi.waitFor(() => expect(heard).toEqual(messages))
  })

  it.skipIf(!isThere)('ignores messages that only a newer release knows', async () => {
    const { bus, send } = await open()
    const heard = await listenTo(bus)
    const newer = { userId: 'alice', locked: true, at: 0 }
    await send?.(JSON.stringify(newer))
    await bus.publish({ clientId: 'last' })
    await vi.waitFor(() => expect(heard).toEqual([{ clientId: 'last' }]))
  })
})

it('the end of a session is told as one, whatever Object.prototype has', () => {
  const at = new Date()
  const prototype = Object.prototype as { clientId?: unknown }
  onTestFinished(() => {
    delete prototype.clientId
  })
  prototype.clientId = 'polluted'
  const text = messageText({ sessionId: 's', userId: 'alice', reason: 'logout', at })
  expect(JSON.parse(text)).toMatchObject({ sessionId: 's', userId: 'alice' })
})
