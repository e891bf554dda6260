import { describe, expect, it, vi } from 'vitest'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { gate } from '../support/gate.js'
import { passwordHash, startHost, type TestHost } from '../support/host.js'
import { testUsers } from '../support/users.js'

interface Tokens {
  access_token: string
  refresh_token: string
  expires_in: number
}

async function openSession(host: TestHost): Promise<Tokens> {
  const { authToken } = await logIn(host)
  const { body } = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
  return body as Tokens
}

const refresh = (host: TestHost, refreshToken: string) =>
  post(host, '/auth/refresh', { refreshToken })

describe('POST /auth/refresh', () => {
  it.each(['refreshToken', 'refresh_token'])('exchanges %s for a new pair', async (name) => {
    const host = await startHost()
    const first = await openSession(host)
    const response = await post(host, '/auth/refresh', { [name]: first.refresh_token })
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 600,
      refresh_token: expect.stringMatching(/^mar_rt_[\w-]{22}\.[\w-]{65}$/),
    })
    expect(response.body.refresh_token).not.toBe(first.refresh_token)
    expect((await get(host, '/me', bearer(response.body.access_token))).body).toMatchObject({
      _id: 'u-alice',
    })
  })

  it('keeps the session: same id, same sign-in time, a later idle end, the same absolute end', async () => {
    const host = await startHost()
    const first = await openSession(host)
    const claimsOf = (token: string) =>
      JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const before = claimsOf(first.access_token)
    host.clock.advance(3600)
    const { body } = await refresh(host, first.refresh_token)
    const after = claimsOf(body.access_token)
    expect(after).toMatchObject({
      sid: before.sid,
      auth_time: before.auth_time,
      iat: before.iat + 3600,
    })
    const row = await host.stores.sessions.find(before.sid)
    expect(row?.idleExpiresAt.getTime()).toBe(host.clock().getTime() + 14 * 86_400_000)
    expect(row?.expiresAt.getTime()).toBe(host.clock().getTime() - 3_600_000 + 90 * 86_400_000)
  })

  it(
    'answers a repeat within 30 seconds, or while nothing of the pair is used, with the same ' +
      'successor',
    async () => {
      const host = await startHost()
      const first = await openSession(host)
      const second = (await refresh(host, first.refresh_token)).body as Tokens
      host.clock.advance(29)
      expect((await refresh(host, first.refresh_token)).body.refresh_token).toBe(
        second.refresh_token,
      )
      host.clock.advance(100_000)
      expect((await refresh(host, first.refresh_token)).body.refresh_token).toBe(
        second.refresh_token,
      )
      expect((await refresh(host, second.refresh_token)).status).toBe(200)
    },
  )

  it('takes a spent token for a lost answer up to the end of the 30th second, and no longer', async () => {
    const host = await startHost()
    const first = await openSession(host)
    const second = (await refresh(host, first.refresh_token)).body as Tokens
    await refresh(host, second.refresh_token)
    host.clock.advance(30)
    expect((await refresh(host, first.refresh_token)).body.refresh_token).toBe(second.refresh_token)
    host.clock.advance(0.001)
    expect((await refresh(host, first.refresh_token)).body.error).toBe('invalid_grant')
    expect((await get(host, '/me', bearer(second.access_token))).status).toBe(401)
  })

  it(
    'makes a successor that cannot be foretold from the token: of two tries, of which one ' +
      'failed, each makes its own',
    async () => {
      const host = await startHost()
      const { refresh_token } = await openSession(host)
      const { rotateRefresh } = host.stores.sessions
      const made: (string | undefined)[] = []
      host.stores.sessions.rotateRefresh = async (id, hash, rotation, now) => {
        made.push(rotation.refresh.hash)
        if (made.length === 1) throw new Error('down')
        return rotateRefresh(id, hash, rotation, now)
      }
      expect((await refresh(host, refresh_token)).status).toBe(503)
      expect((await refresh(host, refresh_token)).status).toBe(200)
      expect(new Set(made).size).toBe(2)
    },
  )

  it('asks the store once for a session, and not at all for a text that is no refresh token', async () => {
    const host = await startHost()
    const { refresh_token } = await openSession(host)
    const find = vi.spyOn(host.stores.sessions, 'find')
    await refresh(host, refresh_token)
    expect(find).toHaveBeenCalledTimes(1)
    for (const text of [
      'rubbish',
      `x${refresh_token}`,
      `${refresh_token}x`,
      refresh_token.replace('.', ''),
    ])
      await refresh(host, text)
    expect(find).toHaveBeenCalledTimes(1)
  })

  it('reads the user beside the second factor, and answers 503 if either cannot be read', async () => {
    const asked: string[] = []
    const stores = memoryStores()
    const users = testUsers()
    users.add({
      id: 'u-alice',
      username: 'alice',
      email: 'alice@example.com',
      name: 'A',
      passwordHash,
    })
    const userGate = gate()
    let failing: 'user' | 'factor' | null = null
    const host = await startHost({
      options: {
        ...stores,
        users: {
          ...users,
          async findById(id) {
            asked.push('user')
            if (failing === 'user') throw new Error('down')
            await userGate.pass()
            return users.findById(id)
          },
        },
        secondFactors: {
          ...stores.secondFactors,
          async find(userId) {
            asked.push('factor')
            if (failing === 'factor') throw new Error('down')
            return stores.secondFactors.find(userId)
          },
        },
      },
    })
    const first = await openSession(host)
    asked.length = 0
    const arrived = userGate.shut()
    // Sent at once, and not when it is awaited.
    const refreshing = refresh(host, first.refresh_token).then((answer) => answer)
    await arrived
    expect(asked.toSorted()).toEqual(['factor', 'user'])
    userGate.open()
    const { status, body } = await refreshing
    expect(status).toBe(200)
    for (failing of ['user', 'factor'] as const)
      expect((await refresh(host, body.refresh_token)).status).toBe(503)
    failing = null
    expect((await refresh(host, body.refresh_token)).status).toBe(200)
  })

  it('lets two tabs that refresh at once, and once more, go on together', async () => {
    const host = await startHost()
    const { refresh_token } = await openSession(host)
    const [one, other] = await Promise.all([
      refresh(host, refresh_token),
      refresh(host, refresh_token),
    ])
    expect(one.body.refresh_token).toBe(other.body.refresh_token)
    const next = (await refresh(host, one.body.refresh_token)).body as Tokens
    expect((await refresh(host, other.body.refresh_token)).body.refresh_token).toBe(
      next.refresh_token,
    )
    expect((await refresh(host, refresh_token)).body.refresh_token).toBe(one.body.refresh_token)
    expect((await refresh(host, next.refresh_token)).status).toBe(200)
  })

  it(
    'takes the grace from the host: with none, a spent token whose successor was used is at ' +
      'once a stolen one',
    async () => {
      const host = await startHost({ options: { lifetimes: { refreshGrace: 0 } } })
      const first = await openSession(host)
      const second = (await refresh(host, first.refresh_token)).body as Tokens
      await refresh(host, second.refresh_token)
      host.clock.advance(1)
      expect((await refresh(host, first.refresh_token)).body.error).toBe('invalid_grant')
      expect((await get(host, '/me', bearer(second.access_token))).status).toBe(401)
    },
  )

  it('never outlives the absolute end of the session, however often it is used', async () => {
    const host = await startHost({
      options: { lifetimes: { sessionIdle: 86_400, sessionAbsolute: 864_000 } },
    })
    const start = host.clock().getTime()
    let { refresh_token } = await openSession(host)
    let last: Tokens | undefined
    let rotations = 0
    for (; rotations < 1000; rotations += 1) {
      host.clock.advance(9000)
      const { status, body } = await refresh(host, refresh_token)
      if (status !== 200) break
      last = body as Tokens
      refresh_token = last.refresh_token
      expect(last.expires_in).toBeLessThanOrEqual(
        (start + 864_000_000 - host.clock().getTime()) / 1000,
      )
    }
    expect(rotations).toBe(95)
    expect(host.clock().getTime()).toBe(start + 864_000_000)
    expect((await get(host, '/me', bearer(last?.access_token ?? ''))).status).toBe(401)
  })

  it('ends when it is not used for 14 days', async () => {
    const host = await startHost()
    const { refresh_token } = await openSession(host)
    host.clock.advance(14 * 86_400)
    expect((await refresh(host, refresh_token)).body.error).toBe('invalid_grant')
  })

  it('gives no more than the session may do', async () => {
    const host = await startHost()
    const { codeChallenge, codeVerifier } = (await import('../support/client.js')).pkcePair()
    const { authorizationCode } = await host.auth.issueAuthorizationCode({
      userId: 'u-alice',
      codeChallenge,
      scope: ['rooms:read'],
    })
    const first = (await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier }))
      .body as Tokens
    const { body } = await post(host, '/auth/refresh', {
      refreshToken: first.refresh_token,
      scope: '*',
    })
    expect(
      JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString()).scope,
    ).toBe('rooms:read')
  })
})
