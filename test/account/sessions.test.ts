import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { bearer, get, logIn, obtainCode, pkcePair, post } from '../support/client.js'
import { password, passwordHash, startHost, type TestHost } from '../support/host.js'
import { at, sessionRecord } from '../support/records.js'

const remove = (host: TestHost, path: string, token: string) =>
  supertest(host.url).delete(path).set(bearer(token))
const list = async (host: TestHost, token: string) =>
  (await get(host, '/auth/sessions', bearer(token))).body.data.sessions
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like ' +
  'Gecko) Version/18.5 Mobile/15E148 Safari/604.1'

describe('GET /auth/sessions', () => {
  it('lists where I am signed in, this session marked, with the device in words and no token', async () => {
    const host = await startHost()
    const start = host.clock()
    const { body } = await post(
      host,
      '/login',
      { username: 'alice', password },
      { 'User-Agent': firefox },
    )
    const { authToken } = body.data
    host.clock.advance(30)
    const tokens = (
      await post(host, '/auth/pkce/token', await obtainCode(host, authToken), {
        'User-Agent': iphone,
      })
    ).body
    const response = await get(host, '/auth/sessions', bearer(authToken))
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      status: 'success',
      data: {
        sessions: [
          {
            id: expect.stringMatching(/^[\w-]{22}$/),
            current: true,
            kind: 'login',
            createdAt: start.toISOString(),
            lastSeenAt: start.toISOString(),
            expiresAt: new Date(start.getTime() + 90 * 86_400_000).toISOString(),
            ip: '127.0.0.1',
            userAgent: firefox,
            name: 'Firefox on Linux',
            liveSockets: 0,
            openedBy: null,
            actor: null,
          },
          expect.objectContaining({ current: false, kind: 'pkce', name: 'Safari on iPhone' }),
        ],
      },
    })
    for (const secret of [authToken, tokens.access_token, tokens.refresh_token])
      expect(response.text).not.toContain(secret.slice(-40))
  })

  it('shows where a session was used last, not where it began', async () => {
    const host = await startHost({ before: (app) => void app.set('trust proxy', 1) })
    const from = (end: number) => ({ 'X-Forwarded-For': `203.0.113.${end}` })
    const { authToken } = (await post(host, '/login', { username: 'alice', password }, from(1)))
      .body.data
    const exchanged = await post(
      host,
      '/auth/pkce/token',
      await obtainCode(host, authToken),
      from(1),
    )
    host.clock.advance(60)
    await get(host, '/me', { ...bearer(authToken), ...from(2) })
    await post(host, '/auth/refresh', { refreshToken: exchanged.body.refresh_token }, from(3))
    const listed = await host.auth.sessions.list('u-alice')
    expect(listed.map(({ ip }) => ip).sort()).toEqual(['203.0.113.2', '203.0.113.3'])
  })

  it.each([
    ['curl/8.5.0', 'curl'],
    ['ChatApp/3.2 (Android 14)', 'ChatApp on Android'],
    ['', null],
    ['<script>alert(1)</script>', '<script>alert'],
  ])('names the device of %j %j', async (userAgent, name) => {
    const host = await startHost()
    const { body } = await post(
      host,
      '/login',
      { username: 'alice', password },
      { 'User-Agent': userAgent },
    )
    expect((await list(host, body.data.authToken))[0].name).toBe(name)
  })

  it('leaves out what has ended, idled out, or is another user’s', async () => {
    const host = await startHost()
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    const idle = await logIn(host)
    host.clock.advance(10 * 86_400)
    const ended = await logIn(host)
    await logIn(host, { username: 'bob', password })
    await post(host, '/logout', undefined, bearer(ended.authToken))
    host.clock.advance(5 * 86_400)
    const { authToken } = await logIn(host)
    expect(await list(host, authToken)).toHaveLength(1)
    expect((await get(host, '/auth/sessions', bearer(idle.authToken))).status).toBe(401)
  })
})

describe('DELETE /auth/sessions/:id', () => {
  it('ends one of mine, at once', async () => {
    const host = await startHost()
    const [here, there] = [await logIn(host), await logIn(host)]
    expect((await get(host, '/me', bearer(there.authToken))).status).toBe(200)
    const other = (await list(host, here.authToken)).find(
      ({ current }: { current: boolean }) => !current,
    )
    const response = await remove(host, `/auth/sessions/${other.id}`, here.authToken)
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ status: 'success', data: { revoked: 1 } })
    expect((await get(host, '/me', bearer(there.authToken))).status).toBe(401)
    expect((await remove(host, `/auth/sessions/${other.id}`, here.authToken)).status).toBe(404)
  })

  it('does not find another user’s, exactly as one that does not exist', async () => {
    const host = await startHost()
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    const [alice, bob] = [await logIn(host), await logIn(host, { username: 'bob', password })]
    const [bobs] = await list(host, bob.authToken)
    const foreign = await remove(host, `/auth/sessions/${bobs.id}`, alice.authToken)
    const unknown = await remove(host, '/auth/sessions/nonsense', alice.authToken)
    expect(foreign.status).toBe(404)
    expect(foreign.text).toBe(unknown.text)
    expect(foreign.body.error).toBe('not-found')
    expect((await get(host, '/me', bearer(bob.authToken))).status).toBe(200)
  })
})

describe('DELETE /auth/sessions', () => {
  it('signs me out everywhere but here, and says how often', async () => {
    const host = await startHost()
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    const bob = await logIn(host, { username: 'bob', password })
    const others = [await logIn(host), await logIn(host), await logIn(host)]
    const here = await logIn(host)
    expect((await remove(host, '/auth/sessions', here.authToken)).body).toEqual({
      status: 'success',
      data: { revoked: 3 },
    })
    for (const { authToken } of others)
      expect((await get(host, '/me', bearer(authToken))).status).toBe(401)
    for (const { authToken } of [here, bob])
      expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
  })
})

describe('a token for a part of the account', () => {
  it('does not manage sessions', async () => {
    const host = await startHost()
    const { codeChallenge, codeVerifier } = pkcePair()
    const { authorizationCode } = await host.auth.issueAuthorizationCode({
      userId: 'u-alice',
      codeChallenge,
      scope: ['rooms:read'],
    })
    const { access_token } = (
      await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier })
    ).body
    const answers = [
      await get(host, '/auth/sessions', bearer(access_token)),
      await remove(host, '/auth/sessions', access_token),
      await remove(host, '/auth/sessions/x', access_token),
    ]
    for (const { status, body } of answers) expect([status, body.error]).toEqual([403, 'forbidden'])
  })
})

describe('auth.sessions, for the host’s own code', () => {
  it('lists and ends sessions, of one or all devices', async () => {
    const host = await startHost()
    const later = () => {
      host.clock.advance(1)
      return logIn(host)
    }
    const [one, two, three] = [await logIn(host), await later(), await later()]
    const listed = await host.auth.sessions.list('u-alice')
    expect(listed).toHaveLength(3)
    const [first, second] = listed.map(({ id }) => id) as [string, string]
    expect(await host.auth.sessions.revoke(first)).toBe(true)
    expect(await host.auth.sessions.revoke(first)).toBe(false)
    expect(await host.auth.sessions.revoke('none')).toBe(false)
    expect((await get(host, '/me', bearer(one.authToken))).status).toBe(401)
    expect(await host.auth.sessions.revokeAllForUser('u-alice', { except: second })).toBe(1)
    expect((await get(host, '/me', bearer(two.authToken))).status).toBe(200)
    expect((await get(host, '/me', bearer(three.authToken))).status).toBe(401)
    expect(await host.auth.sessions.revokeAllForUser('nobody')).toBe(0)
  })

  it('rejects while the store is down: nothing was promised', async () => {
    const host = await startHost()
    host.stores.sessions.endAllForUser = () => Promise.reject(new Error('down'))
    await expect(host.auth.sessions.revokeAllForUser('u-alice')).rejects.toMatchObject({
      status: 503,
    })
  })
})

describe('maxSessionsPerUser', () => {
  it('ends the oldest when one more signs in', async () => {
    const host = await startHost({ options: { maxSessionsPerUser: 2 } })
    const sessions: { authToken: string }[] = []
    for (let i = 0; i < 3; i += 1) {
      sessions.push(await logIn(host))
      host.clock.advance(1)
    }
    const statuses: number[] = []
    for (const { authToken } of sessions)
      statuses.push((await get(host, '/me', bearer(authToken))).status)
    expect(statuses).toEqual([401, 200, 200])
    expect(host.events.find(({ type }) => type === 'session.ended')).toMatchObject({
      reason: 'evicted',
    })
  })

  it('asks for the rows only where there may be too many, if the store can count them', async () => {
    const host = await startHost({ options: { maxSessionsPerUser: 2 } })
    const { listForUser } = host.stores.sessions
    let lists = 0
    host.stores.sessions.listForUser = (...asked) => {
      lists += 1
      return listForUser(...asked)
    }
    await logIn(host)
    await logIn(host)
    expect(lists).toBe(0)
    await logIn(host)
    expect(lists).toBe(1)
  })

  it('ends the oldest as well where the store cannot count', async () => {
    const { countForUser: _cannot, ...sessions } = memoryStores().sessions
    const host = await startHost({ options: { sessions, maxSessionsPerUser: 2 } })
    for (let i = 0; i < 3; i += 1) await logIn(host)
    expect(await host.auth.sessions.list('u-alice')).toHaveLength(2)
  })

  it.each(['oldest', 'newest'])(
    'ends the oldest of all, also when the store lists the %s first',
    async (first) => {
      const host = await startHost({ options: { maxSessionsPerUser: 3 }, now: at(9) })
      const ids = ['b', 'd', 'a', 'c']
      for (const [i, id] of ids.entries())
        await host.stores.sessions.create(
          sessionRecord({ id, userId: 'u-alice', createdAt: at(i) }),
        )
      const { listForUser } = host.stores.sessions
      host.stores.sessions.listForUser = async (...asked) => {
        const live = await listForUser(...asked)
        return first === 'oldest' ? live : live.reverse()
      }
      await logIn(host)
      const ended = host.events.flatMap((event) =>
        event.type === 'session.ended' ? [event.sessionId] : [],
      )
      expect(ended).toEqual(['b', 'd'])
    },
  )

  it.each([1, 3])(
    'keeps exactly %i when many sign in at once, and never ends them all',
    async (most) => {
      const host = await startHost({
        options: { maxSessionsPerUser: most, throttle: { account: { points: 100, duration: 60 } } },
      })
      const { listForUser } = host.stores.sessions
      host.stores.sessions.listForUser = async (...asked) => {
        const before = await listForUser(...asked)
        await new Promise((resolve) => setTimeout(resolve, 20))
        return before
      }
      await Promise.all(Array.from({ length: 8 }, () => logIn(host)))
      expect(await host.auth.sessions.list('u-alice')).toHaveLength(most)
    },
  )

  it('lets the oldest device sign in one more, which then takes its place', async () => {
    const host = await startHost({ options: { maxSessionsPerUser: 2 } })
    const oldest = await logIn(host)
    host.clock.advance(1)
    const other = await logIn(host)
    const code = await obtainCode(host, oldest.authToken)
    host.clock.advance(1)
    const { status, body } = await post(host, '/auth/pkce/token', code)
    expect(status).toBe(200)
    const tokens = [oldest.authToken, other.authToken, body.access_token as string]
    const statuses = await Promise.all(
      tokens.map(async (token) => (await get(host, '/me', bearer(token))).status),
    )
    expect(statuses).toEqual([401, 200, 200])
  })

  it('does not fail a sign-in because the old ones could not be counted', async () => {
    const host = await startHost()
    host.stores.sessions.listForUser = () => Promise.reject(new Error('down'))
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(200)
  })
})

describe('of sessions that began in the same millisecond', () => {
  it.each([[['a', 'b', 'c', 'd']], [['d', 'c', 'b', 'a']], [['c', 'a', 'd', 'b']]])(
    'every process ends the same, in whichever order its store lists them: %j',
    async (ids) => {
      const host = await startHost({ options: { maxSessionsPerUser: 3 }, now: at(1) })
      for (const id of ids)
        await host.stores.sessions.create(sessionRecord({ id, userId: 'u-alice' }))
      const { listForUser } = host.stores.sessions
      host.stores.sessions.listForUser = async (...asked) => {
        const live = await listForUser(...asked)
        return live.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id))
      }
      await logIn(host)
      const ended = host.events.flatMap((event) =>
        event.type === 'session.ended' ? [event.sessionId] : [],
      )
      expect(ended.sort()).toEqual(['a', 'b'])
    },
  )
})

describe('an end that another process has written', () => {
  it('holds here at once when the client signs out here too', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    const [session] = await host.auth.sessions.list('u-alice')
    await host.stores.sessions.end(session?.id ?? '', 'logout', host.clock())
    expect((await post(host, '/logout', undefined, bearer(authToken))).status).toBe(200)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(401)
    // Whoever ended it has told the audit stream.
    expect(host.events.filter(({ type }) => type === 'session.ended')).toEqual([])
  })
})

describe('an end whose answer was lost', () => {
  it('is told of all the same: caches and sockets do not wait for a second try', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    const { endAllForUser } = host.stores.sessions
    host.stores.sessions.endAllForUser = async (...end) => {
      await endAllForUser(...end)
      throw new Error('connection cut after the commit')
    }
    await expect(host.auth.sessions.revokeAllForUser('u-alice')).rejects.toMatchObject({
      status: 503,
    })
    expect((await get(host, '/me', bearer(authToken))).status).toBe(401)
  })
})
