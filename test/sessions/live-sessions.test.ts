import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { BusMessage, RevocationBus } from '../../src/index.js'
import { boundedCache } from '../../src/lib/bounded-cache.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { gate } from '../support/gate.js'
import { startHost, type TestHost } from '../support/host.js'

/** A bus between the processes of a test. */
function testBus() {
  const listeners = new Set<(message: BusMessage) => void>()
  const bus: RevocationBus = {
    publish: async (message) => {
      for (const listener of listeners) listener(message)
    },
    subscribe: async (listener) => {
      listeners.add(listener)
      return async () => void listeners.delete(listener)
    },
  }
  return { bus, listeners }
}

/** Two processes behind one store. */
async function startPair(bus?: RevocationBus): Promise<[TestHost, TestHost]> {
  const shared = bus === undefined ? {} : { bus }
  const one = await startHost({ options: shared })
  const other = await startHost({ options: { ...one.stores, users: one.users, ...shared } })
  return [one, other]
}

const countCalls = (host: TestHost) => {
  const find = vi.spyOn(host.stores.sessions, 'find')
  const findById = vi.spyOn(host.users, 'findById')
  return { find, findById }
}

describe('a guarded request', () => {
  it('reads session and user once in five seconds, and writes nothing', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const { find, findById } = countCalls(host)
    for (let i = 0; i < 20; i += 1) await get(host, '/me', bearer(authToken))
    expect([find.mock.calls.length, findById.mock.calls.length]).toEqual([1, 1])
    host.clock.advance(4.9)
    await get(host, '/me', bearer(authToken))
    expect(find).toHaveBeenCalledTimes(1)
    host.clock.advance(0.1)
    await get(host, '/me', bearer(authToken))
    expect(find).toHaveBeenCalledTimes(2)
  })

  it('of 50 at once reads the session once', async () => {
    let arrived = 0
    const count = (_request: unknown, _response: unknown, next: () => void) => {
      arrived += 1
      next()
    }
    const host = await startHost({ before: (app) => void app.use(count) })
    const { authToken } = await logIn(host)
    const { find } = host.stores.sessions
    arrived = 0
    const slowFind = vi.fn(async (id: string) => {
      await vi.waitFor(() => expect(arrived).toBe(50))
      await new Promise((resolve) => setTimeout(resolve, 20))
      return find(id)
    })
    host.stores.sessions.find = slowFind
    await Promise.all(Array.from({ length: 50 }, () => get(host, '/me', bearer(authToken))))
    expect(slowFind).toHaveBeenCalledTimes(1)
  })

  it('is refused at once after a logout in the same process, also when a read was under way', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const { find } = host.stores.sessions
    let answerLate: (() => void) | undefined
    // Read before the logout, answered after it.
    host.stores.sessions.find = async (id) => {
      const alive = await find(id)
      await new Promise<void>((resolve) => {
        answerLate = resolve
      })
      return alive
    }
    const early = get(host, '/me', bearer(authToken)).then(({ status }) => status)
    await vi.waitFor(() => expect(answerLate).toBeDefined())
    host.stores.sessions.find = find
    const sessionId =
      host.events.flatMap((event) =>
        event.type === 'session.started' ? [event.sessionId] : [],
      )[0] ?? ''
    await host.auth.sessions.revoke(sessionId)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(401)
    answerLate?.()
    await early
    expect((await get(host, '/me', bearer(authToken))).status).toBe(401)
  })

  it('is refused after an end whose answer was lost, also when a read was under way', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const { find, endAllForUser } = host.stores.sessions
    const door = gate()
    host.stores.sessions.find = async (id) => {
      const alive = await find(id)
      await door.pass()
      return alive
    }
    host.stores.sessions.endAllForUser = async (...end) => {
      await endAllForUser(...end)
      throw new Error('connection cut after the commit')
    }
    const arrived = door.shut()
    const early = get(host, '/me', bearer(authToken)).then(({ status }) => status)
    await arrived
    await expect(host.auth.sessions.revokeAllForUser('u-alice')).rejects.toMatchObject({
      status: 503,
    })
    door.open()
    await early
    expect((await get(host, '/me', bearer(authToken))).status).toBe(401)
  })

  it('is judged by news that is five seconds old at most, however slowly the stores answer', async () => {
    const [one, other] = await startPair()
    const { authToken } = await logIn(one)
    const { findById } = one.users
    one.users.findById = async (id) => {
      other.clock.advance(2)
      return findById(id)
    }
    expect((await get(other, '/me', bearer(authToken))).status).toBe(200)
    one.users.findById = findById
    await post(one, '/logout', undefined, bearer(authToken))
    other.clock.advance(3)
    expect((await get(other, '/me', bearer(authToken))).status).toBe(401)
  })
})

describe('a session that ended in another process', () => {
  it('is refused at once where a bus tells of it', async () => {
    const [one, other] = await startPair(testBus().bus)
    const { authToken } = await logIn(one)
    expect((await get(other, '/me', bearer(authToken))).status).toBe(200)
    await post(one, '/logout', undefined, bearer(authToken))
    expect((await get(other, '/me', bearer(authToken))).status).toBe(401)
  })

  it('is refused within five seconds where the bus is silent, or there is none', async () => {
    const silent: RevocationBus = { publish: async () => {}, subscribe: async () => async () => {} }
    for (const bus of [undefined, silent]) {
      const [one, other] = await startPair(bus)
      const { authToken } = await logIn(one)
      expect((await get(other, '/me', bearer(authToken))).status).toBe(200)
      await post(one, '/logout', undefined, bearer(authToken))
      other.clock.advance(5)
      expect((await get(other, '/me', bearer(authToken))).status).toBe(401)
    }
  })
})

describe('a bus that fails', () => {
  it('holds up no logout and ends no process: the end is in the store', async () => {
    const broken: RevocationBus = {
      publish: () => Promise.reject(new Error('redis down')),
      subscribe: () => Promise.reject(new Error('redis down')),
    }
    const host = await startHost({ options: { bus: broken } })
    const { authToken } = await logIn(host)
    expect((await post(host, '/logout', undefined, bearer(authToken))).status).toBe(200)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(401)
    expect(host.events.filter(({ type }) => type === 'host.failed').length).toBeGreaterThanOrEqual(
      2,
    )
    await expect(host.auth.close()).resolves.toBeUndefined()
  })

  it('at first is joined later, and what comes over it that is no event is ignored', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { bus, listeners } = testBus()
    let tries = 0
    const flaky: RevocationBus = {
      ...bus,
      subscribe: (listener) => {
        tries += 1
        return tries < 3 ? Promise.reject(new Error('not yet')) : bus.subscribe(listener)
      },
    }
    const host = await startHost({ options: { bus: flaky } })
    for (const pause of [1000, 2000]) {
      expect(listeners.size).toBe(0)
      await vi.advanceTimersByTimeAsync(pause)
    }
    expect([tries, listeners.size]).toEqual([3, 1])
    for (const listener of listeners)
      for (const nonsense of [null, undefined, 7, {}]) listener(nonsense as never)
    vi.useRealTimers()
    await host.auth.close()
    expect(listeners.size).toBe(0)
  })

  it('is left when the router is closed', async () => {
    const { bus, listeners } = testBus()
    const host = await startHost({ options: { bus } })
    await vi.waitFor(() => expect(listeners.size).toBe(1))
    await host.auth.close()
    expect(listeners.size).toBe(0)
  })
})

describe('the bounded cache', () => {
  const at = (seconds: number) => new Date(seconds * 1000)

  it('forgets what is too old, and everything it cannot know the age of', () => {
    const cache = boundedCache<string>(10, 5)
    cache.set('a', 'one', at(100))
    expect(cache.get('a', at(104.9))).toBe('one')
    expect(cache.get('a', at(105))).toBeUndefined()
    cache.set('a', 'one', at(100))
    expect(cache.get('a', at(40))).toBeUndefined()
    expect(cache.size).toBe(0)
  })

  it('holds no more than it may: the oldest make room', () => {
    const cache = boundedCache<number>(3, 5)
    for (let i = 0; i < 10; i += 1) cache.set(`${i}`, i, at(i / 10))
    expect(cache.size).toBe(3)
    cache.set('7', 77, at(1))
    cache.set('new', 1, at(1))
    expect(['7', '8', '9', 'new'].map((key) => cache.get(key, at(1)))).toEqual([
      77,
      undefined,
      9,
      1,
    ])
  })

  it('does not grow younger by an update, and an update adds nothing', () => {
    const cache = boundedCache<number>(3, 5)
    cache.set('a', 1, at(0))
    cache.update('a', 2)
    cache.update('b', 3)
    expect(cache.get('a', at(4))).toBe(2)
    expect(cache.get('a', at(5))).toBeUndefined()
    expect(cache.get('b', at(0))).toBeUndefined()
  })
})
