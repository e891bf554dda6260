import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { Pool } from 'pg'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { BusMessage, SessionEnded } from '../../src/index.js'
import { postgresBus } from '../../src/stores/sql/postgres-bus.js'
import { postgresUrl } from '../support/services.js'

const event: SessionEnded = {
  sessionId: 'one',
  userId: 'ü"\'',
  reason: 'logout',
  at: new Date('2030-01-01T00:00:00.007Z'),
}

it.each([
  [null],
  [undefined],
  [{}],
  [{ connect() {}, query() {} }],
  [{ options: { max: 5 } }],
  [{ options: { max: 5 }, connect() {} }],
])('postgresBus refuses what is no pool (%#)', (pool) => {
  const expected = {
    name: 'AuthConfigError',
    option: 'postgresBus.pool',
    problem: expect.stringContaining('no'),
  }
  expect(() => postgresBus(pool as never)).toThrow(
    expect.objectContaining({ ...expected, problem: 'is not a pool of connections.' }),
  )
})

it('postgresBus refuses a pool of one connection, which would never answer a query again', () => {
  const expected = {
    name: 'AuthConfigError',
    option: 'postgresBus.pool',
    remedy: 'give the pool a max of at least 2.',
  }
  expect(() => postgresBus(new Pool({ max: 1 }))).toThrow(expect.objectContaining(expected))
})

it.each([[''], ['1a'], ['a b'], ['a"; drop table users; --'], ['x'.repeat(64)], [7]])(
  'postgresBus refuses the channel %j',
  (channel) => {
    const expected = { name: 'AuthConfigError', option: 'postgresBus.channel' }
    expect(() => postgresBus(new Pool(), { channel: channel as never })).toThrow(
      expect.objectContaining(expected),
    )
  },
)

describe.skipIf(postgresUrl === null)('the bus over PostgreSQL', () => {
  let pool: Pool
  let admin: Pool
  let channel = ''
  let name = ''
  let heard: BusMessage[] = []
  const listen = (message: BusMessage) => void heard.push(message)
  const poolErrors = vi.fn()

  const backends = async (): Promise<number[]> => {
    const text =
      "select pid from pg_stat_activity where application_name = $1 and query like 'listen %'"
    const { rows } = await admin.query<{ pid: number }>(text, [name])
    return rows.map(({ pid }) => pid)
  }
  // Not how many there are: the one over which the bus sent itself a message is idle, or was closed
  // since, as an idle one is.
  const held = () => pool.totalCount - pool.idleCount
  const terminate = async () => {
    // With the wait: a backend that is still dying can deliver one more event.
    for (const pid of await backends())
      await admin.query('select pg_terminate_backend($1, 15000)', [pid])
  }
  const arrives = async (publish: () => Promise<void>, expected = event) =>
    vi.waitFor(
      async () => {
        await publish()
        expect(heard).toContainEqual(expected)
      },
      { interval: 50 },
    )

  beforeEach(() => {
    name = `bus-${randomUUID()}`
    channel = `Test_${randomUUID().replaceAll('-', '')}`
    heard = []
    poolErrors.mockClear()
    pool = new Pool({ connectionString: String(postgresUrl), max: 3, application_name: name })
    pool.on('error', poolErrors)
    admin = new Pool({ connectionString: String(postgresUrl), max: 1 })
  })
  afterEach(async () => {
    await pool.end()
    await admin.end()
  })

  it('carries an event to all who listen, and to nobody on another channel', async () => {
    const bus = postgresBus(pool, { channel })
    const elsewhere = vi.fn()
    const others: BusMessage[] = []
    const leave = [await bus.subscribe(listen), await bus.subscribe((other) => others.push(other))]
    const far = new Pool({ connectionString: String(postgresUrl), max: 2 })
    leave.push(await postgresBus(far).subscribe(elsewhere))
    await bus.publish(event)
    await vi.waitFor(() => expect([heard, others]).toEqual([[event], [event]]))
    expect(elsewhere).not.toHaveBeenCalledWith(event)
    await Promise.all(leave.map((end) => end()))
    await far.end()
  })

  it('ignores what is no event, and refuses what PostgreSQL could not carry', async () => {
    const bus = postgresBus(pool, { channel })
    const leave = await bus.subscribe(listen)
    for (const text of ['', '{', 'null', '{"sessionId":"one"}'])
      await admin.query('select pg_notify($1, $2)', [channel, text])
    await expect(bus.publish({ ...event, userId: 'x'.repeat(8000) })).rejects.toThrow(
      'more than 7999 bytes',
    )
    const empty = Buffer.byteLength(
      JSON.stringify({ ...event, userId: '', at: event.at.getTime() }),
    )
    const longest = { ...event, userId: 'x'.repeat(7999 - empty) }
    await bus.publish(longest)
    await vi.waitFor(() => expect(heard).toEqual([longest]))
    await leave()
  })

  it(
    'listens again after its backend was terminated, again and again, and the pool notices ' +
      'nothing',
    async () => {
      const bus = postgresBus(pool, { channel })
      const leave = await bus.subscribe(listen)
      for (let round = 0; round < 3; round += 1) {
        // Another one each time: of the last it was told more than once, and one of those may come
        // late.
        const ofThisRound = { ...event, sessionId: `session-${round}` }
        await terminate()
        await arrives(() => bus.publish(ofThisRound), ofThisRound)
        // What arrived may have been heard through the one that was still dying on a machine that
        // is very slow.
        await vi.waitFor(async () => expect(await backends()).toHaveLength(1))
      }
      expect(poolErrors).not.toHaveBeenCalled()
      await leave()
    },
  )

  it('is left for good: no message, no connection, and leaving twice does nothing', async () => {
    const bus = postgresBus(pool, { channel })
    const leave = await bus.subscribe(listen)
    expect(await backends()).toHaveLength(1)
    expect(held()).toBeGreaterThan(0)
    await leave()
    await leave()
    await vi.waitFor(async () => expect(await backends()).toEqual([]))
    await vi.waitFor(() => expect(held()).toBe(0))
    await bus.publish(event)
    expect(heard).toEqual([])
  })

  it('is left while it waits to connect again', async () => {
    const leave = await postgresBus(pool, { channel }).subscribe(listen)
    const lost = new Promise((resolve) => pool.once('remove', resolve))
    await terminate()
    await lost
    await leave()
    // PostgreSQL tells of a backend for a while after its connection has ended.
    await vi.waitFor(async () => expect(await backends()).toEqual([]))
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(await backends()).toEqual([])
    await vi.waitFor(() => expect(held()).toBe(0))
  })

  it('waits for a busy pool no longer than 5 seconds, and gives back what it is given later', async () => {
    const busy = await Promise.all([pool.connect(), pool.connect(), pool.connect()])
    await expect(postgresBus(pool, { channel }).subscribe(listen)).rejects.toThrow(
      'no answer within 5000 ms',
    )
    for (const client of busy) client.release()
    await vi.waitFor(() => expect([pool.waitingCount, pool.idleCount]).toEqual([0, 3]))
    expect(await backends()).toEqual([])
  })
})

it('rejects, and leaves nothing behind, when PostgreSQL cannot be reached at first', async () => {
  const pool = new Pool({ host: '127.0.0.1', port: 1, max: 2 })
  await expect(postgresBus(pool).subscribe(() => {})).rejects.toThrow('ECONNREFUSED')
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(pool.totalCount).toBe(0)
})

describe('a connection that fails', () => {
  /** No connection of these passes on what the bus sends itself. */
  const quiet = { warn: () => {} }
  class Connection extends EventEmitter {
    readonly release = vi.fn()
    readonly query: (text: string) => Promise<unknown>
    constructor(query: (text: string) => Promise<unknown>) {
      super()
      this.query = query
    }
  }
  const poolOf = (connect: () => Promise<Connection>) => ({
    options: { max: 2 },
    query: async () => {},
    connect: vi.fn(connect),
  })

  it('while it is asked to listen is destroyed, and nothing is tried again', async () => {
    const connection = new Connection(async () => Promise.reject(new Error('refused')))
    const pool = poolOf(async () => connection)
    await expect(postgresBus(pool).subscribe(() => {})).rejects.toThrow('refused')
    connection.emit('error', new Error('later'))
    connection.emit('end')
    expect(connection.release.mock.calls).toEqual([[true]])
    expect(pool.connect).toHaveBeenCalledTimes(1)
  })

  it('together with its answer counts as lost', async () => {
    const connection: Connection = new Connection(async () =>
      connection.emit('error', new Error('terminated')),
    )
    await expect(postgresBus(poolOf(async () => connection)).subscribe(() => {})).rejects.toThrow(
      'the connection was lost',
    )
    expect(connection.release.mock.calls).toEqual([[true]])
  })

  it('without an answer is left without waiting for one', async () => {
    vi.useFakeTimers()
    const connection = new Connection(() => new Promise(() => {}))
    const subscribed = expect(
      postgresBus(poolOf(async () => connection)).subscribe(() => {}),
    ).rejects.toThrow('no answer')
    await vi.advanceTimersByTimeAsync(5000)
    await subscribed
    vi.useRealTimers()
    expect(connection.release.mock.calls).toEqual([[true]])
  })

  it('is replaced after 100 ms, then after ever longer pauses of 5 seconds at most', async () => {
    vi.useFakeTimers()
    const first = new Connection(async () => {})
    const times: number[] = []
    const began = Date.now()
    const pool = poolOf(async () => {
      times.push(Date.now() - began)
      if (times.length > 1 && times.length < 10) throw new Error('down')
      return first
    })
    const leave = await postgresBus(pool, { logger: quiet }).subscribe(() => {})
    first.emit('end')
    await vi.advanceTimersByTimeAsync(60_000)
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    expect(pauses).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000])
    await leave()
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })

  it(
    'to come when it is to be replaced is given up after 5 seconds, and given back if it comes ' +
      'later',
    async () => {
      vi.useFakeTimers()
      const [first, late, third] = [0, 1, 2].map(() => new Connection(async () => {})) as [
        Connection,
        Connection,
        Connection,
      ]
      let comes = (_connection: Connection) => {}
      const coming = new Promise<Connection>((resolve) => {
        comes = resolve
      })
      const connections = [async () => first, () => coming, async () => third]
      const pool = poolOf(() => (connections.shift() as () => Promise<Connection>)())
      const leave = await postgresBus(pool, { logger: quiet }).subscribe(() => {})
      first.emit('end')
      await vi.advanceTimersByTimeAsync(100 + 5000 + 200)
      expect(pool.connect).toHaveBeenCalledTimes(3)
      expect(third.listenerCount('notification')).toBe(1)
      comes(late)
      await vi.advanceTimersByTimeAsync(0)
      expect(late.release).toHaveBeenCalledTimes(1)
      expect(late.listenerCount('notification')).toBe(0)
      await leave()
      expect(third.release.mock.calls).toEqual([[true]])
      vi.useRealTimers()
    },
  )

  it('without a word is noticed, and replaced', async () => {
    vi.useFakeTimers()
    const silent: Connection = new Connection((text) =>
      text === 'select 1' ? new Promise(() => {}) : Promise.resolve(),
    )
    const good = new Connection(async () => {})
    const connections = [silent, good]
    const pool = poolOf(async () => connections.shift() as Connection)
    const heard = vi.fn()
    const leave = await postgresBus(pool, { channel: 'one', logger: quiet }).subscribe(heard)
    await vi.advanceTimersByTimeAsync(30_000 + 5000 - 1)
    expect(silent.release).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1 + 100)
    expect(silent.release.mock.calls).toEqual([[true]])
    good.emit('notification', {
      channel: 'one',
      payload: JSON.stringify({ ...event, at: event.at.getTime() }),
    })
    expect(heard.mock.calls).toEqual([[event]])
    // One that answers stays.
    await vi.advanceTimersByTimeAsync(120_000)
    expect(pool.connect).toHaveBeenCalledTimes(2)
    await leave()
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })

  it('is left while it is replaced without waiting for it', async () => {
    vi.useFakeTimers()
    const first = new Connection(async () => {})
    const pool = poolOf(() =>
      pool.connect.mock.calls.length === 1 ? Promise.resolve(first) : new Promise(() => {}),
    )
    const leave = await postgresBus(pool, { logger: quiet }).subscribe(() => {})
    first.emit('end')
    await vi.advanceTimersByTimeAsync(1000)
    await leave()
    await vi.advanceTimersByTimeAsync(0)
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })
})

describe('a bus that listens', () => {
  /** A pool whose pooler passes on, or swallows, what is notified. */
  class Pooler {
    readonly options = { max: 2 }
    readonly listeners: EventEmitter[] = []
    swallows = true
    connect = async () => {
      const client = Object.assign(new EventEmitter(), {
        release: vi.fn(),
        query: vi.fn(async () => ({})),
      })
      this.listeners.push(client)
      return client
    }
    query = vi.fn(async (_text: string, [channel, payload]: string[]) => {
      if (!this.swallows)
        for (const client of this.listeners) client.emit('notification', { channel, payload })
    })
  }
  const fake = () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    return { pooler: new Pooler(), logger: { warn: vi.fn() }, heard: vi.fn() }
  }

  it(
    'and hears nothing, as behind PgBouncer in transaction mode, says so in words within 2 ' +
      'seconds, for each connection',
    async () => {
      const { pooler, logger, heard } = fake()
      const leave = await postgresBus(pooler, { logger }).subscribe(heard)
      await vi.advanceTimersByTimeAsync(1999)
      expect(logger.warn).not.toHaveBeenCalled()
      await vi.advanceTimersByTimeAsync(1)
      expect(logger.warn.mock.calls).toEqual([
        [expect.stringMatching(/did not hear.*transaction mode.*session mode/s)],
      ])
      await vi.advanceTimersByTimeAsync(120_000)
      expect(logger.warn).toHaveBeenCalledTimes(1)
      pooler.listeners[0]?.emit('end')
      await vi.advanceTimersByTimeAsync(100 + 2000)
      expect(logger.warn).toHaveBeenCalledTimes(2)
      await leave()
      expect(vi.getTimerCount()).toBe(0)
    },
  )

  it('and hears itself says nothing, and tells nobody of its message', async () => {
    const { pooler, logger, heard } = fake()
    pooler.swallows = false
    const leave = await postgresBus(pooler, { logger }).subscribe(heard)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(pooler.query).toHaveBeenCalledTimes(1)
    expect(logger.warn).not.toHaveBeenCalled()
    expect(heard).not.toHaveBeenCalled()
    await leave()
  })

  it('and whose process was too busy to read the message in time says nothing', async () => {
    const { pooler, logger, heard } = fake()
    const leave = await postgresBus(pooler, { logger }).subscribe(heard)
    const [sent] = pooler.query.mock.calls
    const client = pooler.listeners[0] as EventEmitter & { query: ReturnType<typeof vi.fn> }
    // What was waiting to be read comes before the answer to a question.
    client.query.mockImplementation(async () => {
      const [channel, payload] = sent?.[1] ?? []
      client.emit('notification', { channel, payload })
    })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(logger.warn).not.toHaveBeenCalled()
    await leave()
  })

  it('and cannot send, or is left, says nothing', async () => {
    const { pooler, logger, heard } = fake()
    pooler.query.mockRejectedValueOnce(new Error('down'))
    const leave = await postgresBus(pooler, { logger }).subscribe(heard)
    await vi.advanceTimersByTimeAsync(10_000)
    const other = await postgresBus(pooler, { logger }).subscribe(heard)
    await Promise.all([leave(), other()])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(logger.warn).not.toHaveBeenCalled()
  })

  it('warns through the process where it has no logger', async () => {
    const { pooler, heard } = fake()
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    onTestFinished(() => warn.mockRestore())
    const leave = await postgresBus(pooler).subscribe(heard)
    await vi.advanceTimersByTimeAsync(2000)
    expect(warn.mock.calls).toEqual([
      [expect.stringContaining('PgBouncer'), { code: 'MAR_POSTGRES_BUS_HEARS_NOTHING' }],
    ])
    await leave()
  })

  it.skipIf(postgresUrl === null)('over PostgreSQL itself hears itself', async () => {
    const pool = new Pool({ connectionString: String(postgresUrl), max: 2 })
    const logger = { warn: vi.fn() }
    const query = vi.spyOn(pool, 'query')
    const leave = await postgresBus(pool, {
      logger,
      channel: `Test_${randomUUID().replaceAll('-', '')}`,
    }).subscribe(() => {})
    await vi.waitFor(() => expect(query).toHaveBeenCalledTimes(1))
    await new Promise((resolve) => setTimeout(resolve, 2500))
    expect(logger.warn).not.toHaveBeenCalled()
    await leave()
    await pool.end()
  })
})
