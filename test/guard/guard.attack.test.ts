import crypto from 'node:crypto'
import { request as rawRequest } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import supertest from 'supertest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type AccessTokenClaims, AuthError } from '../../src/index.js'
import { afterAttack } from '../support/after-attack.js'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { password, passwordHash, startHost, type TestHost } from '../support/host.js'

/** Sends headers that may be repeated. */
function getRaw(host: TestHost, headers: Record<string, string | string[]>) {
  const { hostname, port } = new URL(host.url)
  return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const request = rawRequest({ hostname, port, path: '/api/v1/me', headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode, text }))
    })
    request.on('error', reject).end()
  })
}

const twoUsers = async () => {
  const host = await startHost()
  host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
  const alice = await logIn(host)
  const bob = await logIn(host, { username: 'bob', password: 'correct horse battery staple' })
  return { host, alice, bob }
}

describe('credentials that do not belong together', () => {
  it('a token of one user with the id of another is 401', async () => {
    const { host, alice, bob } = await twoUsers()
    expect(
      (await get(host, '/me', { 'X-User-Id': alice.userId, 'X-Auth-Token': bob.authToken })).status,
    ).toBe(401)
    expect(
      (await get(host, '/me', { 'X-User-Id': bob.userId, 'X-Auth-Token': bob.authToken })).status,
    ).toBe(200)
  })

  it.each(['zo\u00eb', '\u6f22\u5b57', '\u{1f600}', 'u-1'])(
    'of a user whose id is %s are sent as UTF-8',
    async (id) => {
      const host = await startHost()
      host.users.add({ id, username: 'somebody', passwordHash })
      const { userId, authToken } = await logIn(host, { username: 'somebody', password })
      expect(userId).toBe(id)
      const asUtf8 = (text: string) => Buffer.from(text).toString('latin1')
      const ask = (name: string) =>
        get(host, '/me', { 'X-User-Id': name, 'X-Auth-Token': authToken })
      expect((await ask(asUtf8(id))).status).toBe(200)
      expect((await ask(asUtf8(`${id}\u00eb`))).status).toBe(401)
      expect((await ask(asUtf8('zo\u00e9'))).status).toBe(401)
      // Clients that know Latin-1 only send that.
      if (/^[\0-\u00ff]*$/.test(id)) expect((await ask(id)).status).toBe(200)
    },
  )

  it.each(['X-User-Id', 'X-Auth-Token'])('one half alone is 401: %s', async (name) => {
    const { host, alice } = await twoUsers()
    const value = name === 'X-User-Id' ? alice.userId : alice.authToken
    expect((await get(host, '/me', { [name]: value })).status).toBe(401)
  })

  it('two schemes at once are 400, even when both are right', async () => {
    const { host, alice } = await twoUsers()
    const pair = { 'X-User-Id': alice.userId, 'X-Auth-Token': alice.authToken }
    const response = await get(host, '/me', { ...pair, ...bearer(alice.authToken) })
    expect(response.status).toBe(400)
    expect(response.body.error).toBe('invalid-request')
    expect(
      (await get(host, '/me', { ...bearer(alice.authToken), 'X-User-Id': alice.userId })).status,
    ).toBe(400)
    expect((await get(host, '/me', { ...pair, Authorization: 'Basic YTpi' })).status).toBe(400)
  })

  it.each([
    [{ authorization: ['Bearer a', 'Bearer b'] }],
    [{ 'x-auth-token': ['a', 'b'], 'x-user-id': 'u-alice' }],
    [{ 'x-auth-token': 'a', 'x-user-id': ['u-alice', 'u-bob'] }],
  ])('a repeated header is 400: %j', async (headers) => {
    const host = await startHost()
    expect((await getRaw(host, headers)).status).toBe(400)
  })
})

describe('places a token is never taken from', () => {
  it('the URL, the body, a cookie', async () => {
    const { host, alice } = await twoUsers()
    const { authToken, userId } = alice
    for (const query of [
      `access_token=${authToken}`,
      `X-Auth-Token=${authToken}&X-User-Id=${userId}`,
      `authToken=${authToken}`,
    ]) {
      expect((await get(host, `/me?${query}`)).status).toBe(401)
    }
    expect(
      (
        await get(host, '/me', {
          Cookie: `rc_token=${authToken}; rc_uid=${userId}; access_token=${authToken}`,
        })
      ).status,
    ).toBe(401)
    expect(
      (await post(host, '/logout', { access_token: authToken, authToken, userId })).status,
    ).toBe(401)
    const form = await supertest(host.url)
      .post('/logout')
      .type('form')
      .send({ access_token: authToken })
    expect(form.status).toBe(401)
  })

  it('a body’s userId is nobody’s identity', async () => {
    const { host, bob } = await twoUsers()
    await post(host, '/logout', { userId: 'u-alice' }, bearer(bob.authToken))
    expect(host.events.find(({ type }) => type === 'session.ended')).toMatchObject({
      userId: 'u-bob',
    })
  })
})

describe('headers that are no credentials', () => {
  it.each([
    '',
    'Bearer',
    'Bearer ',
    'bearer a b',
    'Token abc',
    'Bearer ab,cd',
    'Bearer "abc"',
    'Basic YWxpY2U6cGFzcw==',
    `Bearer ${'a'.repeat(5000)}`,
  ])('%j is 401, never an error of ours', async (authorization) => {
    const host = await startHost()
    const response = await get(host, '/me', { Authorization: authorization })
    expect(response.status).toBe(401)
    expect(response.headers['www-authenticate']).toBe('Bearer')
    await afterAttack(host, response)
  })

  it('the scheme’s name is read in any case', async () => {
    const { host, alice } = await twoUsers()
    expect((await get(host, '/me', { Authorization: `bEARER  ${alice.authToken}` })).status).toBe(
      200,
    )
  })

  it('a refresh token opens nothing but refresh', async () => {
    const { host, alice } = await twoUsers()
    const { body } = await post(host, '/auth/pkce/token', await obtainCode(host, alice.authToken))
    expect((await get(host, '/me', bearer(body.refresh_token))).status).toBe(401)
  })
})

describe('a session that should not count', () => {
  it('is one that is not there: losing the data revives nobody', async () => {
    const { host, alice } = await twoUsers()
    const empty = await startHost()
    expect((await get(empty, '/me', bearer(alice.authToken))).status).toBe(401)
    expect((await get(host, '/me', bearer(alice.authToken))).status).toBe(200)
  })

  it('is one of a user who was disabled or deleted', async () => {
    const { host, alice, bob } = await twoUsers()
    host.users.change('u-alice', { disabled: true })
    host.users.rows.delete('u-bob')
    host.clock.advance(5)
    expect((await get(host, '/me', bearer(alice.authToken))).status).toBe(401)
    expect((await get(host, '/me', bearer(bob.authToken))).status).toBe(401)
  })

  it('is one that the store answers for another id, or another user', async () => {
    const { host, alice, bob } = await twoUsers()
    const { find } = host.stores.sessions
    const ids = host.events.flatMap((event) =>
      event.type === 'session.started' ? [event.sessionId] : [],
    )
    host.stores.sessions.find = () => find(ids[1] as string)
    host.clock.advance(5)
    const answer = await get(host, '/me', bearer(alice.authToken))
    expect([401, 503]).toContain(answer.status)
    expect((await get(host, '/me', bearer(bob.authToken))).status).toBe(200)
    host.clock.advance(5)
    host.stores.sessions.find = async (id) => {
      const session = await find(id)
      return session && { ...session, userId: 'u-bob' }
    }
    expect((await get(host, '/me', bearer(alice.authToken))).status).toBe(401)
  })

  it('is not one whose store is down: the audit stream hears of an outage, and of no refusal', async () => {
    const { host, alice } = await twoUsers()
    host.stores.sessions.find = () => Promise.reject(new Error('down'))
    expect((await get(host, '/me', bearer(alice.authToken))).status).toBe(503)
    const told = host.events.map(({ type }) => type)
    expect(told).toContain('host.failed')
    expect(told).not.toContain('request.refused')
  })

  it('is refused without a word about why, but the audit stream knows', async () => {
    const { host, alice } = await twoUsers()
    await post(host, '/logout', undefined, bearer(alice.authToken))
    const answers = [
      await get(host, '/me', bearer(alice.authToken)),
      await get(host, '/me', bearer('x.y.z')),
      await get(host, '/me'),
      await get(host, '/me', bearer(`${alice.authToken.slice(0, -4)}AAAA`)),
    ]
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    await afterAttack(host, answers, [alice.authToken])
    const reasons = host.events.flatMap((event) =>
      event.type === 'request.refused' ? [event.reason] : [],
    )
    expect(reasons[0]).toBe('session ended or unknown')
    expect(reasons).toContain('no credentials')
    expect(JSON.stringify(host.events)).not.toContain(alice.authToken.split('.')[2])
  })
})

describe('a token of more than 8,192 characters', () => {
  it('is refused before anything reads it, the host’s own signer included', async () => {
    const asked: number[] = []
    const signer = {
      sign: async () => 'x',
      verify: async (token: string) => {
        asked.push(token.length)
        throw new AuthError('Unauthorized')
      },
    }
    const host = await startHost({ options: { signer }, server: { maxHeaderSize: 80_000 } })
    const hashed = hashedLengths()
    for (const length of [8192, 8193, 60_000])
      expect((await get(host, '/me', bearer('x'.repeat(length)))).status).toBe(401)
    expect(asked).toEqual([8192])
    expect(hashed).toContain(8192)
    expect(hashed.filter((length) => length > 8192)).toEqual([])
  })

  it('is longer than the longest, which is remembered as any other is', async () => {
    let asked = 0
    const signer = {
      sign: async (claims: AccessTokenClaims) =>
        Buffer.from(JSON.stringify(claims)).toString('base64url').padEnd(8192, '.'),
      async verify(token: string) {
        asked += 1
        const [claims = ''] = token.split('.')
        return JSON.parse(Buffer.from(claims, 'base64url').toString()) as AccessTokenClaims
      },
    }
    const host = await startHost({ options: { signer }, server: { maxHeaderSize: 80_000 } })
    const { authToken } = await logIn(host)
    expect(authToken).toHaveLength(8192)
    asked = 0
    for (let i = 0; i < 3; i += 1)
      expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    expect(asked).toBe(1)
  })
})

/** Of each text that is hashed from now on, until the test ends. */
function hashedLengths(): number[] {
  const lengths: number[] = []
  const { hash } = crypto
  onTestFinished(() => {
    crypto.hash = hash
    syncBuiltinESMExports()
  })
  crypto.hash = ((...given: Parameters<typeof hash>) => {
    lengths.push(String(given[1]).length)
    return Reflect.apply(hash, crypto, given)
  }) as typeof hash
  syncBuiltinESMExports()
  return lengths
}
