import { Server } from 'socket.io'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { bearer, get, post } from '../support/client.js'
import { gate } from '../support/gate.js'
import { type HostSettings, startHost, type TestHost } from '../support/host.js'
import {
  openPair,
  type Pair,
  pass,
  refresh,
  refreshed,
  sessionOf,
  TestSocket,
  told,
  twoProcesses,
  upgrade,
  use,
} from '../support/pairs.js'
import { rounds } from '../support/rounds.js'
import { connectTo, next } from '../support/socket-io.js'

const invalidGrant = { status: 400, body: { error: 'invalid_grant' } }

/** A host with a route of its own behind the guard. */
const guarded: HostSettings = {
  after: (app, auth) =>
    void app.get('/api/v1/rooms', auth.requireAuth(), (_, res) => void res.json([])),
}
const useGuarded = async (host: TestHost, { access_token }: Pair) =>
  (await get(host, '/rooms', bearer(access_token))).status

/** Each way in which something of a pair is used. */
const uses: Readonly<Record<string, (host: TestHost, pair: Pair) => Promise<unknown>>> = {
  'a request to the router': use,
  'a request to a guarded route of the host’s': useGuarded,
  'a request that only passport sees': (host, { access_token }) =>
    new Promise<void>((resolve, reject) => {
      const strategy = host.auth.passportStrategy()
      const answer = {
        success: () => resolve(),
        fail: reject,
        error: reject,
        pass: reject,
        redirect: reject,
      }
      Object.assign(strategy, answer).authenticate(upgrade(bearer(access_token)))
    }),
  'auth.authenticate()': (host, { access_token }) =>
    host.auth.authenticate(upgrade(bearer(access_token))),
  'a refresh of its refresh token': (host, { refresh_token }) => refreshed(host, refresh_token),
  'the upgrade of a socket': (host, { access_token }) =>
    host.auth.sockets.authenticate(upgrade(bearer(access_token))),
  'the ticket of a socket': (host, { access_token }) =>
    post(host, '/auth/socket-ticket', undefined, bearer(access_token)),
  'a socket of Socket.IO': async (host, { access_token }) => {
    const io = new Server(host.server, { destroyUpgrade: false })
    onTestFinished(() => void io.disconnectSockets(true))
    io.use(host.auth.sockets.socketIo())
    const client = connectTo(
      { ...host, io, origin: host.url.replace('/api/v1', '') },
      { auth: { token: access_token } },
    )
    await next(client, 'connect')
  },
  'the renewal of an open socket': async (host, { access_token }) => {
    const { authToken } = tokensOf.get(host) ?? { authToken: '' }
    const principal = await host.auth.sockets.authenticate(upgrade(bearer(authToken)))
    await host.auth.sockets.track(new TestSocket(), principal).renew(access_token)
  },
}
/** An access token of the first pair, which a socket was opened with. */
const tokensOf = new WeakMap<TestHost, { authToken: string }>()

async function stolen(host: TestHost): Promise<Pair> {
  const first = await openPair(host)
  tokensOf.set(host, { authToken: first.access_token })
  return first
}

async function expectFoundOut(
  hosts: readonly TestHost[],
  late: string,
  known: readonly Pair[],
): Promise<void> {
  expect(told(hosts, 'refresh.reused')).toEqual([])
  const [host] = hosts as [TestHost]
  expect(await refresh(host, late)).toMatchObject(invalidGrant)
  for (const pair of known) {
    expect(await refresh(host, pair.refresh_token)).toMatchObject(invalidGrant)
    expect(await use(host, pair)).toBe(401)
  }
  // the login that asked for the code
  expect(await host.auth.sessions.list('u-alice')).toHaveLength(1)
  expect(told(hosts, 'refresh.reused')).toMatchObject([{ userId: 'u-alice', ip: '127.0.0.1' }])
  expect(told(hosts, 'session.ended')).toMatchObject([{ reason: 'refresh-reused' }])
}

describe('a refresh token that two hold, and the pair of whoever came first was used', () => {
  it.each(Object.keys(uses))('by %s: the other is found out, 31 seconds later', async (how) => {
    const host = await startHost(guarded)
    const first = await stolen(host)
    const pair = await refreshed(host, first.refresh_token)
    await uses[how]?.(host, pair)
    host.clock.advance(31)
    await expectFoundOut([host], first.refresh_token, [pair])
  })

  it.each([31, 45, 600, 6 * 3600, 86_400])(
    'is found out at the first refresh of the other, %i seconds later',
    async (seconds) => {
      const host = await startHost()
      const first = await stolen(host)
      const pair = await refreshed(host, first.refresh_token)
      expect(await use(host, pair)).toBe(200)
      host.clock.advance(seconds)
      await expectFoundOut([host], first.refresh_token, [pair])
    },
  )

  it.each([31, 3600, 86_400])(
    'is found out at once where both go on every %i seconds, whoever uses the pair',
    async (seconds) => {
      for (const usedByFirst of [true, false]) {
        const host = await startHost()
        let [one, other] = Array<Pair>(2).fill(await stolen(host)) as [Pair, Pair]
        one = await refreshed(host, one.refresh_token)
        if (usedByFirst) expect(await use(host, one)).toBe(200)
        host.clock.advance(seconds)
        if (!usedByFirst) {
          // Nobody has used the first pair, so that the second is given it as well, and uses it.
          other = await refreshed(host, other.refresh_token)
          expect(other.refresh_token).toBe(one.refresh_token)
          expect(told([host], 'refresh.repeated')).toMatchObject([
            { userId: 'u-alice', ip: '127.0.0.1' },
          ])
          expect(await use(host, other)).toBe(200)
          const next = await refreshed(host, one.refresh_token)
          expect(await use(host, next)).toBe(200)
          host.clock.advance(seconds)
        }
        await expectFoundOut([host], other.refresh_token, [])
      }
    },
  )

  it(
    'is served while it comes within the grace, each time with an event, and found out when it ' +
      'does not',
    async () => {
      const host = await startHost()
      const first = await stolen(host)
      let [thief, victim] = [first, first]
      for (let turn = 1; turn <= 20; turn += 1) {
        thief = await refreshed(host, thief.refresh_token)
        expect(await use(host, thief)).toBe(200)
        host.clock.advance(30)
        victim = await refreshed(host, victim.refresh_token)
        expect(await use(host, victim)).toBe(200)
        expect(victim.refresh_token).toBe(thief.refresh_token)
        expect(told([host], 'refresh.repeated')).toHaveLength(turn)
        expect(told([host], 'refresh.repeated').at(-1)).toMatchObject({
          ip: '127.0.0.1',
          sessionId: sessionOf(first),
        })
      }
      expect(told([host], 'refresh.succeeded')).toHaveLength(20)
      thief = await refreshed(host, thief.refresh_token)
      expect(await use(host, thief)).toBe(200)
      host.clock.advance(30.001)
      await expectFoundOut([host], victim.refresh_token, [thief])
    },
  )

  it('closes the sockets of both', async () => {
    const host = await startHost()
    const first = await stolen(host)
    const pair = await refreshed(host, first.refresh_token)
    const sockets = await Promise.all(
      [first, pair].map(async ({ access_token }) => {
        const socket = new TestSocket()
        host.auth.sockets.track(
          socket,
          await host.auth.sockets.authenticate(upgrade(bearer(access_token))),
        )
        return socket
      }),
    )
    host.clock.advance(31)
    await expectFoundOut([host], first.refresh_token, [pair])
    expect(sockets.map(({ code }) => code)).toEqual([4401, 4401])
  })

  it('is told of once, although twenty show it in the same moment', async () => {
    const host = await startHost({ options: { storeTimeout: 10_000 } })
    const first = await stolen(host)
    await use(host, await refreshed(host, first.refresh_token))
    host.clock.advance(31)
    const { find } = host.stores.sessions
    let reads = 0
    // All of them have read the session alive before the first one ends it.
    host.stores.sessions.find = async (id) => {
      const session = await find(id)
      reads += 1
      await vi.waitFor(() => expect(reads).toBe(20))
      return session
    }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => refresh(host, first.refresh_token)),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]))
    expect(told([host], 'refresh.reused')).toHaveLength(1)
  })

  it.each([
    ['was used at another process than it came from', 0, 1, 0],
    ['was used where it came from, and its parent is shown elsewhere', 0, 0, 1],
    ['came from, and was used at, two others than its parent is shown at', 1, 0, 1],
  ])('is found out where the pair %s', async (_how, from, used, shown) => {
    const hosts = await twoProcesses()
    const [a, b, c] = [hosts[from], hosts[used], hosts[shown]] as [TestHost, TestHost, TestHost]
    const first = await stolen(a)
    // So that what both processes remember of the session is from before the pair.
    for (const host of hosts) expect(await use(host, first)).toBe(200)
    const pair = await refreshed(a, first.refresh_token)
    expect(await use(b, pair)).toBe(200)
    pass(hosts, 31)
    await expectFoundOut([c, ...hosts.filter((host) => host !== c)], first.refresh_token, [pair])
  })

  it('is not taken for a lost answer because an older access token is still in use', async () => {
    const host = await startHost()
    const first = await openPair(host)
    const second = await refreshed(host, first.refresh_token)
    // Within the grace the oldest is answered with a pair that was used long since: that is no use
    // of the newest.
    const third = await refreshed(host, second.refresh_token)
    const again = await refreshed(host, first.refresh_token)
    expect(again.refresh_token).toBe(second.refresh_token)
    for (const pair of [first, second, again]) expect(await use(host, pair)).toBe(200)
    host.clock.advance(3600)
    expect((await refreshed(host, second.refresh_token)).refresh_token).toBe(third.refresh_token)
  })
})

describe('what notes that a pair was used', () => {
  const watched = async (hosts: readonly TestHost[]) => {
    const { sessions } = (hosts[0] as TestHost).stores
    const rotate = vi.spyOn(sessions, 'rotateRefresh')
    return () => rotate.mock.calls.filter(([, , { refresh }]) => refresh.pairUsed === true).length
  }

  it(
    'writes once for a pair, at first sight, however often and wherever its access token is ' +
      'shown',
    async () => {
      const hosts = await twoProcesses(0, guarded)
      const { rotateRefresh } = hosts[0].stores.sessions
      hosts[0].stores.sessions.rotateRefresh = (...given) =>
        new Promise((resolve) => setTimeout(() => resolve(rotateRefresh(...given)), 20))
      const [one, other] = hosts
      let pair = await openPair(one)
      const noted = await watched(hosts)
      const writes = vi.mocked(one.stores.sessions.rotateRefresh).mock
      for (let turn = 1; turn <= 10; turn += 1) {
        pass(hosts, 300)
        pair = await refreshed(turn % 2 === 0 ? one : other, pair.refresh_token)
        expect(await Promise.all(Array.from({ length: 20 }, () => useGuarded(one, pair)))).toEqual(
          Array(20).fill(200),
        )
        await vi.waitFor(() => expect(noted()).toBeGreaterThanOrEqual(turn))
        await new Promise((resolve) => setTimeout(resolve, 50))
        for (const seconds of [1, 4, 2, 60, 31]) {
          for (const host of hosts) expect(await useGuarded(host, pair)).toBe(200)
          pass(hosts, seconds)
        }
        expect(noted()).toBe(turn)
        expect(writes.calls).toHaveLength(2 * turn)
      }
    },
  )

  it('writes nothing for a session that has not refreshed yet, nor for an authToken', async () => {
    const host = await startHost()
    const first = await openPair(host)
    const noted = await watched([host])
    for (let i = 0; i < 5; i += 1) expect(await use(host, first)).toBe(200)
    expect(noted()).toBe(0)
  })

  it.each([
    ['the first pair', 0, 0],
    ['a pair of the same second', 1, 0],
    ['a pair of 20 seconds before', 1, 20],
    ['a pair of an hour before', 1, 3600],
  ])(
    'is not misled by a replica that still shows %s, and asks it once a second',
    async (_what, rotations, seconds) => {
      const host = await startHost(guarded)
      let last = await openPair(host)
      for (let i = 0; i < rotations; i += 1) last = await refreshed(host, last.refresh_token)
      const { sessions } = host.stores
      const { find } = sessions
      const before = await find(sessionOf(last))
      host.clock.advance(seconds)
      const pair = await refreshed(host, last.refresh_token)
      const noted = await watched([host])
      const lagging = vi.fn(async () => before && { ...before, lastSeenAt: host.clock() })
      sessions.find = lagging
      for (let second = 0; second < 3; second += 1) {
        for (let i = 0; i < 20; i += 1) expect(await useGuarded(host, pair)).toBe(200)
        host.clock.advance(1)
      }
      // and one for the guard
      expect(lagging.mock.calls.length).toBeLessThanOrEqual(4)
      expect(noted()).toBe(0)
      sessions.find = find
      expect(await useGuarded(host, pair)).toBe(200)
      await vi.waitFor(() => expect(noted()).toBe(1))
      host.clock.advance(31)
      await expectFoundOut([host], last.refresh_token, [pair])
    },
  )

  it('reads once for a pair that was spent long ago', async () => {
    const host = await startHost(guarded)
    const pair = await refreshed(host, (await openPair(host)).refresh_token)
    let last = pair
    for (let i = 0; i < 3; i += 1) {
      host.clock.advance(51)
      last = await refreshed(host, last.refresh_token)
    }
    const find = vi.spyOn(host.stores.sessions, 'find')
    for (let second = 0; second < 4; second += 1) {
      for (let i = 0; i < 20; i += 1) expect(await useGuarded(host, pair)).toBe(200)
      host.clock.advance(1)
    }
    // and one for the guard
    expect(find.mock.calls.length).toBeLessThanOrEqual(2)
  })

  it('refuses and delays nobody when the write fails, and tries again at the next sight', async () => {
    const host = await startHost(guarded)
    const first = await openPair(host)
    const { rotateRefresh } = host.stores.sessions
    const pair = await refreshed(host, first.refresh_token)
    for (const failure of [
      () => Promise.reject(new Error('read-only')),
      () => new Promise<never>(() => {}),
    ]) {
      host.stores.sessions.rotateRefresh = failure
      expect(await useGuarded(host, pair)).toBe(200)
      await vi.waitFor(
        () =>
          expect(told([host], 'host.failed').at(-1)).toMatchObject({
            operation: 'sessions.rotateRefresh',
          }),
        10_000,
      )
      host.events.length = 0
    }
    host.stores.sessions.rotateRefresh = rotateRefresh
    expect(await useGuarded(host, pair)).toBe(200)
    host.clock.advance(31)
    await expectFoundOut([host], first.refresh_token, [pair])
  })

  it.each(['a rotation', 'a logout', 'the end of all sessions'])(
    'undoes nothing when %s comes between',
    async (what) => {
      const host = await startHost()
      const door = gate()
      const { rotateRefresh } = host.stores.sessions
      host.stores.sessions.rotateRefresh = async (...given) => {
        if (given[2].refresh.pairUsed === true) await door.pass()
        return rotateRefresh(...given)
      }
      const pair = await refreshed(host, (await openPair(host)).refresh_token)
      const arrived = door.shut()
      expect(await use(host, pair)).toBe(200)
      await arrived
      const next = what === 'a rotation' ? await refreshed(host, pair.refresh_token) : null
      if (what === 'a logout') await post(host, '/logout', undefined, bearer(pair.access_token))
      if (what === 'the end of all sessions') await host.auth.sessions.revokeAllForUser('u-alice')
      const before = await host.stores.sessions.find(sessionOf(pair))
      door.open()
      await new Promise(setImmediate)
      expect(await host.stores.sessions.find(sessionOf(pair))).toEqual(before)
      if (next === null)
        expect((await get(host, '/me', bearer(pair.access_token))).status).toBe(401)
      else expect((await refresh(host, next.refresh_token)).status).toBe(200)
    },
  )

  it('and a rotation, at once: the successor goes on, and whoever shows a spent token late is ' +
    'found out, each time', {
    timeout: 120_000,
  }, async () => {
    const host = await startHost({ options: { maxSessionsPerUser: 1000 } })
    for (let round = 1; round <= rounds(10); round += 1) {
      const pair = await refreshed(host, (await openPair(host)).refresh_token)
      const [status, next] = await Promise.all([
        use(host, pair),
        refreshed(host, pair.refresh_token),
      ])
      expect(status).toBe(200)
      expect(await use(host, next)).toBe(200)
      expect((await refresh(host, next.refresh_token)).status).toBe(200)
      expect(told([host], 'refresh.reused')).toHaveLength(round - 1)
      host.clock.advance(31)
      expect(await refresh(host, pair.refresh_token)).toMatchObject(invalidGrant)
      expect(told([host], 'refresh.reused')).toHaveLength(round)
    }
  })
})
