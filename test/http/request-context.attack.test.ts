import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import { bearer, get, logIn, post } from '../support/client.js'
import { password, startHost } from '../support/host.js'

describe('a rejection without a reason', () => {
  /** A host whose clock, once told to, throws nothing at all. */
  const withFailingClock = async () => {
    let failing = false
    const clock = () => {
      if (failing) throw undefined
      return new Date()
    }
    const host = await startHost({
      options: { clock },
      after: (app, auth) =>
        app.get('/rooms', auth.requireAuth(), (_request, response) => void response.json('let in')),
    })
    const { authToken } = await logIn(host)
    failing = true
    return { host, authToken }
  }

  it('of an endpoint reaches the host’s error handler as an Error', async () => {
    const { host, authToken } = await withFailingClock()
    const response = await get(host, '/me', bearer(authToken))
    expect(response.status).toBe(500)
    expect(response.body).toEqual({ host: 'failed' })
    expect(host.unforeseen).toEqual([expect.any(Error)])
  })

  it('of a guard does too, and lets nobody in', async () => {
    const { host, authToken } = await withFailingClock()
    const response = await supertest(host.url.replace('/api/v1', ''))
      .get('/rooms')
      .set(bearer(authToken))
    expect(response.status).toBe(500)
    expect(response.body).toEqual({ host: 'failed' })
    expect(host.unforeseen).toEqual([expect.any(Error)])
  })
})

describe('the request’s id', () => {
  const requestIdOf = async (id: unknown) => {
    const host = await startHost({
      before: (app) =>
        app.use((request, _response, next) => {
          Object.assign(request, { id })
          next()
        }),
    })
    await logIn(host)
    const ids = new Set(host.events.map(({ requestId }) => requestId))
    expect(ids.size).toBe(1)
    return [...ids][0]
  }

  it.each([
    ['req-1', 'req-1'],
    ['0HL:7.a_b', '0HL:7.a_b'],
    [42, '42'],
  ])('is the one the host gave it: %j', async (id, expected) => {
    expect(await requestIdOf(id)).toBe(expected)
  })

  it.each([
    'a\nlogin.succeeded',
    'a\n',
    '',
    'x'.repeat(129),
    'a b',
    1.5,
    Number.NaN,
    { id: 1 },
    null,
  ])('is a new one when the host’s could forge a log line, or is none: %j', async (id) => {
    expect(await requestIdOf(id)).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/)
  })
})

describe('a user agent', () => {
  it('of 10,000 characters is stored and told cut to 512', async () => {
    const told: (string | null)[] = []
    const host = await startHost({
      options: { beforeLogin: ({ userAgent }) => void told.push(userAgent) as undefined },
    })
    const userAgent = `tests ${'x'.repeat(10_000)}`
    expect(
      (await post(host, '/login', { username: 'alice', password }, { 'User-Agent': userAgent }))
        .status,
    ).toBe(200)
    const [session] = await host.stores.sessions.listForUser('u-alice', host.clock())
    expect(session?.userAgent).toBe(userAgent.slice(0, 512))
    expect(told).toEqual([userAgent.slice(0, 512)])
  })
})
