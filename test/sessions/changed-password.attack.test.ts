// What `watchPasswordHash` promises a host that sets passwords and tells the router nothing.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { AuthRouterOptions, AuthUser } from '../../src/index.js'
import { afterAttack } from '../support/after-attack.js'
import { bearer, get, logIn, obtainCode, pkcePair, post } from '../support/client.js'
import { cheapHasher, password, passwordHash, startHost, type TestHost } from '../support/host.js'
import { open as openByHost, startSigningHost } from '../support/host-sign-in.js'
import { memoryBus } from '../support/memory-bus.js'
import { sharedKinds } from '../support/shared-stores.js'

const newPassword = 'another horse, another battery'
const newHash = await cheapHasher.hash(newPassword)
const watch = { watchPasswordHash: true } as const

const statusOf = async (host: TestHost, token: string) =>
  (await get(host, '/me', bearer(token))).status
const statuses = (host: TestHost, tokens: readonly string[]) =>
  Promise.all(tokens.map((token) => statusOf(host, token)))
const reasons = (host: TestHost) =>
  host.events.flatMap((event) => (event.type === 'session.ended' ? [event.reason] : []))
const exchange = async (host: TestHost, authToken: string) => {
  const { status, body } = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
  expect(status).toBe(200)
  return body as { access_token: string; refresh_token: string }
}

describe.each(sharedKinds)(
  'a password that the host changes without a word, over $name',
  (kind) => {
    it.skipIf(!kind.isThere)(
      'ends every session of its user on both processes within 5 s, refresh tokens and codes too',
      async () => {
        const storesOf = await kind.open()
        const here = await startHost({ options: { ...watch, ...storesOf() } })
        const { users } = here
        const there = await startHost({ options: { ...watch, ...storesOf(), users } })
        users.add({ id: 'u-bob', username: 'bob', passwordHash })
        const { authToken } = await logIn(here)
        const bob = (await logIn(here, { username: 'bob', password })).authToken
        const pair = await exchange(here, authToken)
        const code = await obtainCode(here, authToken)
        const { codeChallenge, codeVerifier } = pkcePair()
        const ofHost = await here.auth.issueAuthorizationCode({ userId: 'u-alice', codeChallenge })
        const tokens = [authToken, pair.access_token, bob]
        for (const host of [here, there])
          expect(await statuses(host, tokens)).toEqual([200, 200, 200])

        users.change('u-alice', { passwordHash: newHash })
        for (const host of [here, there]) host.clock.advance(5)

        // The refresh token and the codes first, before anything else has ended their sessions.
        const refused = [
          await post(there, '/auth/refresh', { refresh_token: pair.refresh_token }),
          await post(there, '/auth/pkce/token', code),
          await post(there, '/auth/pkce/token', { ...ofHost, codeVerifier }),
        ]
        expect(refused.map(({ status }) => status)).toEqual([400, 400, 400])
        for (const host of [there, here])
          expect(await statuses(host, tokens)).toEqual([401, 401, 200])
        // Durably, each once, the one that stood for the host's code among them.
        expect(reasons(there)).toEqual(['password-changed', 'password-changed', 'password-changed'])
        expect(await here.auth.sessions.list('u-alice')).toEqual([])

        const again = await logIn(here, { username: 'alice', password: newPassword })
        for (const host of [here, there]) host.clock.advance(5)
        expect([
          await statusOf(here, again.authToken),
          await statusOf(there, again.authToken),
        ]).toEqual([200, 200])
        await afterAttack(here, refused)
      },
    )
  },
)

describe('a session under watchPasswordHash', () => {
  it('is good for the 5 s that it is remembered, and 401 from then on', async () => {
    const host = await startHost({ options: watch })
    const { authToken } = await logIn(host)
    expect(await statusOf(host, authToken)).toBe(200)
    host.users.change('u-alice', { passwordHash: newHash })
    host.clock.advance(4)
    expect(await statusOf(host, authToken)).toBe(200)
    host.clock.advance(1)
    expect(
      await statuses(
        host,
        Array.from({ length: 50 }, () => authToken),
      ),
    ).toEqual(Array.from({ length: 50 }, () => 401))
    expect(reasons(host)).toEqual(['password-changed'])
    // The old hash does not bring it back.
    host.users.change('u-alice', { passwordHash })
    expect(await statusOf(host, authToken)).toBe(401)
    await afterAttack(host, [])
  })

  it.each<[string, string | null, string | null]>([
    ['a first password ends what was opened without one', null, newHash],
    ['a password that is taken away ends what was opened by it', passwordHash, null],
  ])('%s', async (_name, before, after) => {
    const host = await startSigningHost({ options: watch })
    host.users.change('u-alice', { passwordHash: before })
    const { token } = (await openByHost(host)).body
    host.clock.advance(5)
    expect(await statusOf(host, token)).toBe(200)
    host.users.change('u-alice', { passwordHash: after })
    host.clock.advance(5)
    expect(await statusOf(host, token)).toBe(401)
    await afterAttack(host, [])
  })

  it('is 503 while its end cannot be written, and ends when it can', async () => {
    const host = await startHost({ options: watch })
    const { authToken } = await logIn(host)
    host.users.change('u-alice', { passwordHash: newHash })
    host.clock.advance(5)
    const end = vi.spyOn(host.stores.sessions, 'end').mockRejectedValueOnce(new Error('away'))
    expect(await statusOf(host, authToken)).toBe(503)
    expect(await statusOf(host, authToken)).toBe(401)
    expect(end).toHaveBeenCalledTimes(2)
    await afterAttack(host, [])
  })

  it('stays where users say nothing of its hash, and the host is told once', async () => {
    const host = await startSigningHost({ options: watch })
    const { token } = (await openByHost(host)).body
    const { findById } = host.users
    const silent: [string, unknown][] = [
      ['undefined', undefined],
      ['a Buffer', Buffer.from(newHash)],
    ]
    for (const [name, answer] of silent) {
      host.users.findById = async (id) =>
        ({ ...(await findById(id)), passwordHash: answer }) as AuthUser
      host.clock.advance(5)
      expect([name, await statusOf(host, token)]).toEqual([name, 200])
    }
    const unmarked = (await openByHost(host)).body
    host.users.findById = findById
    host.clock.advance(5)
    expect(await statuses(host, [token, unmarked.token])).toEqual([200, 200])
    const told = host.log.filter(({ message }) => message.includes('watchPasswordHash'))
    expect(told).toEqual([expect.objectContaining({ level: 'warn' })])
    host.users.change('u-alice', { passwordHash: newHash })
    host.clock.advance(5)
    // What was opened without a hash depends on none.
    expect(await statuses(host, [token, unmarked.token])).toEqual([401, 200])
    await afterAttack(host, [])
  })

  it('stays where it was opened before the option was switched on', async () => {
    const before = await startHost()
    const { authToken } = await logIn(before)
    const { users, stores } = before
    const host = await startHost({ options: { ...watch, ...stores, users } })
    const { access_token } = await exchange(host, authToken)
    users.change('u-alice', { passwordHash: newHash })
    host.clock.advance(5)
    // What it has had opened since does not.
    expect(await statuses(host, [authToken, access_token])).toEqual([200, 401])
  })

  it('leaves no session that the host opens while the hash becomes another: 503, and again', async () => {
    const hashes = [newHash]
    const host = await startSigningHost({
      options: {
        ...watch,
        describeUser: ({ id }) => {
          const [next] = hashes.splice(0)
          if (next !== undefined) host.users.change(id, { passwordHash: next })
          return undefined
        },
      },
    })
    const refused = await openByHost(host)
    expect([refused.status, refused.body.retryAfter]).toEqual([503, 1])
    expect(await host.auth.sessions.list('u-alice')).toEqual([])
    const { token } = (await openByHost(host)).body
    host.clock.advance(5)
    expect(await statusOf(host, token)).toBe(200)
    await afterAttack(host, [])
  })
})

describe('an open socket under watchPasswordHash', () => {
  /** A host whose timers tick when the test says so, and a socket of alice. */
  async function startWithSocket(options: Partial<AuthRouterOptions> = {}) {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const host = await startHost({ options: { ...watch, ...options } })
    const { authToken } = await logIn(host)
    const close = vi.fn()
    const track = async (at: TestHost) =>
      at.auth.sockets.track(
        { close, terminate() {}, once() {}, on() {} },
        await at.auth.authenticateToken(authToken),
      )
    const run = async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        host.clock.advance(1)
        await vi.advanceTimersByTimeAsync(1000)
      }
    }
    return { host, authToken, close, track, run }
  }

  it('is closed within 60 s where nothing is asked of its session', async () => {
    const { host, close, track, run } = await startWithSocket()
    await track(host)
    await run(120)
    expect(close).not.toHaveBeenCalled()
    host.users.change('u-alice', { passwordHash: newHash })
    await run(60)
    await vi.waitFor(() =>
      expect(close).toHaveBeenCalledExactlyOnceWith(4401, 'session ended: password-changed'),
    )
    expect(reasons(host)).toEqual(['password-changed'])
  })

  it('is closed by the next request of its session, in another process by the bus', async () => {
    const bus = memoryBus()
    const { host, authToken, close, track } = await startWithSocket({ bus })
    const { users, stores } = host
    await track(await startHost({ options: { ...watch, ...stores, users, bus } }))
    await track(host)
    users.change('u-alice', { passwordHash: newHash })
    host.clock.advance(5)
    expect(await statusOf(host, authToken)).toBe(401)
    expect(close.mock.calls).toEqual([
      [4401, 'session ended: password-changed'],
      [4401, 'session ended: password-changed'],
    ])
  })

  it('is not opened by a ticket of the old password', async () => {
    const { host, authToken } = await startWithSocket()
    const { body } = await post(host, '/auth/socket-ticket', undefined, bearer(authToken))
    users(host)
    const protocols = `auth.ticket, ${body.data.ticket}`
    const request = {
      headers: { 'sec-websocket-protocol': protocols },
      headersDistinct: { 'sec-websocket-protocol': [protocols] },
      socket: { remoteAddress: '127.0.0.1' },
    }
    await expect(host.auth.sockets.authenticate(request as never)).rejects.toMatchObject({
      status: 401,
    })
  })

  const users = (host: TestHost) => {
    host.users.change('u-alice', { passwordHash: newHash })
    host.clock.advance(5)
  }
})

describe('the watch over passwords', () => {
  /** What a login, guarded requests and an exchange call, and what is written. */
  async function callsWith(options: Partial<AuthRouterOptions>) {
    const calls: string[] = []
    const host = await startHost({ options })
    // The first session of a process also tries whether the store keeps its members.
    await exchange(host, (await logIn(host)).authToken)
    const { sessions } = host.stores
    const tap = (name: string, part: object) => {
      for (const [method, real] of Object.entries(part))
        if (typeof real === 'function')
          Object.assign(part, {
            [method]: (...given: unknown[]) => {
              calls.push(`${name}.${method}`)
              return real.apply(part, given)
            },
          })
    }
    tap('sessions', sessions)
    tap('users', host.users)
    const create = vi.spyOn(sessions, 'create')
    const { authToken } = await logIn(host)
    for (let minute = 0; minute < 3; minute += 1) {
      for (let time = 0; time < 3; time += 1) expect(await statusOf(host, authToken)).toBe(200)
      host.clock.advance(61)
    }
    const pair = await exchange(host, authToken)
    await post(host, '/auth/refresh', { refresh_token: pair.refresh_token }).expect(200)
    return { calls, rows: create.mock.calls.map(([row]) => row) }
  }

  it('is off by default, and then no mark is written', async () => {
    const { rows } = await callsWith({})
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows)
      expect(Object.keys(row).filter((name) => name.startsWith('passwordMark'))).toEqual([])
  })

  it('costs no call more than none: not one read, not one write', async () => {
    const [without, with_] = [await callsWith({}), await callsWith(watch)]
    expect(with_.calls).toEqual(without.calls)
    for (const row of with_.rows) expect(row.passwordMark).toMatch(/^[\w-]{43}$/)
  })

  it('marks the same hash of two users differently, and holds no hash', async () => {
    const host = await startHost({ options: watch })
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    const create = vi.spyOn(host.stores.sessions, 'create')
    await logIn(host)
    create.mockClear()
    for (const username of ['alice', 'bob', 'bob']) await logIn(host, { username, password })
    const [alice, bob, again] = create.mock.calls.map(([row]) => row.passwordMark)
    expect(alice).not.toBe(bob)
    expect(again).toBe(bob)
    expect(JSON.stringify(create.mock.calls)).not.toContain(passwordHash)
  })
})
