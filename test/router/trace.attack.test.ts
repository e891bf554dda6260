// A trace that goes wrong changes nothing: each piece of work is done once, and its answer is the
// right one.
import { describe, expect, it } from 'vitest'
import type { Trace } from '../../src/index.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { startHost } from '../support/host.js'

const never = new Promise<never>(() => {})
const later = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

const traces: Readonly<Record<string, Trace>> = {
  'throws at once': () => {
    throw new Error('no collector')
  },
  'throws after it has begun the work': (_name, _attributes, run) => {
    void run()
    throw new Error('no collector')
  },
  rejects: () => Promise.reject(new Error('no collector')),
  'rejects late': async (_name, _attributes, run) => {
    await run()
    await later(5)
    throw new Error('no collector')
  },
  'never calls run': () => never,
  'calls run twice': async (_name, _attributes, run) => {
    const [first] = await Promise.all([run(), run()])
    return first
  },
  'calls run late': async (_name, _attributes, run) => {
    await later(5)
    return run()
  },
  'answers something else': (async (_name: string, _attributes: object, run: () => unknown) => {
    await run()
    return { status: 200, user: 'admin' }
  }) as unknown as Trace,
  'answers nothing': (() => undefined) as unknown as Trace,
  'answers what cannot be read': (() =>
    Object.defineProperty({}, 'then', {
      get() {
        throw new Error('no')
      },
    })) as unknown as Trace,
  'never settles': (_name, _attributes, run) => run().then(() => never),
}

describe.each(Object.entries(traces))('a trace that %s', (_what, trace) => {
  it('has each piece of work done once, and the right answers', async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    const host = await startHost({ options: { trace } })
    let found = 0
    const find = host.users.findByIdentifier
    host.users.findByIdentifier = (identifier) => {
      found += 1
      return find(identifier)
    }
    const { authToken } = await logIn(host)
    expect(found).toBe(1)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    const { status, body } = await post(host, '/login', { username: 'alice', password: 'wrong' })
    expect([status, body.status]).toEqual([401, 'error'])
    host.users.findByIdentifier = () => {
      found += 1
      return Promise.reject(new Error('gone'))
    }
    expect((await post(host, '/login', { username: 'alice', password: 'x' })).status).toBe(503)
    expect(found).toBe(3)
    await later(10)
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
    const types = host.events.map(({ type }) => type).filter((type) => type !== 'session.started')
    expect(types).toEqual(['login.succeeded', 'login.failed', 'host.failed'])
  })
})
