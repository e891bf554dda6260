import supertest, { type Response } from 'supertest'
import { afterEach, describe, expect, it } from 'vitest'
import { afterAttack } from '../support/after-attack.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { password, type TestHost } from '../support/host.js'
import { makeToken } from '../support/named-tokens.js'
import { digestOf, meteorHasher, startRocketHost } from '../support/rocketchat.js'

const raw = (
  host: TestHost,
  type: string,
  text: string | Buffer,
  headers: Record<string, string> = {},
) =>
  supertest(host.url)
    .post('/login')
    .set({ 'Content-Type': type, ...headers })
    .send(text)

const json = 'application/json'
const urlencoded = 'application/x-www-form-urlencoded'
const statusesOf = (answers: readonly Response[]) => answers.map(({ status }) => status)

describe('POST /login of rocketChat', () => {
  afterEach(() => {
    for (const name of ['password', 'username', 'digest', 'algorithm', 'login'])
      delete (Object.prototype as Record<string, unknown>)[name]
  })

  it('hands no operator object on, wherever it stands', async () => {
    const host = await startRocketHost()
    const looked: unknown[] = []
    const find = host.users.findByIdentifier
    host.users.findByIdentifier = async (identifier) => {
      looked.push(identifier.value)
      return find(identifier)
    }
    const operator = { $ne: null }
    const bodies = [
      { user: operator, password },
      { user: { username: operator }, password },
      { user: { $gt: '' }, password },
      { username: operator, password },
      { username: 'alice', email: operator, password },
      { user: 'alice', password: operator },
      { user: 'alice', password: { digest: operator, algorithm: 'sha-256' } },
      { user: ['alice'], password },
      { resume: operator },
      { resume: ['x'] },
      { totp: operator },
      { totp: { login: operator, code: '1' } },
      { totp: { login: { user: 'alice', password }, code: operator } },
      { totp: { login: { resume: 'x' }, code: '1' } },
      { totp: { login: { totp: {} }, code: '1' } },
      { user: 'alice', password, code: operator },
      { user: 'alice', username: 'alice', password },
      { user: 'alice', password, resume: 'x' },
      { user: 'alice' },
      { password },
      { serviceName: 'twitter', accessToken: 'x' },
      {},
    ]
    const answers: Response[] = []
    for (const body of bodies) answers.push(await post(host, '/login', body))
    expect(statusesOf(answers)).toEqual(bodies.map(() => 400))
    expect(looked).toEqual([])
    await afterAttack(host, answers)
  })

  it('takes nothing from a polluted Object.prototype', async () => {
    const host = await startRocketHost()
    const polluted = { password, username: 'alice', login: { user: 'alice' } }
    Object.assign(Object.prototype, polluted, digestOf(password))
    const bodies = [
      '{}',
      '{"user":{}}',
      '{"user":"alice"}',
      '{"user":{},"password":{}}',
      '{"totp":{"code":"123456"}}',
      '{"__proto__":{"username":"alice","password":"x"}}',
    ]
    const answers: Response[] = []
    for (const body of bodies) answers.push(await raw(host, json, body))
    for (const name of [...Object.keys(polluted), 'digest', 'algorithm'])
      delete (Object.prototype as Record<string, unknown>)[name]
    expect(statusesOf(answers)).toEqual(bodies.map(() => 400))
    await afterAttack(host, answers)
  })

  it('reads no more than 8 KiB, and no name or code of any length', async () => {
    const host = await startRocketHost()
    const long = 'x'.repeat(9000)
    const tooLarge = [
      await post(host, '/login', { user: 'alice', password: long }),
      await post(host, '/login', { resume: long }),
      await raw(host, urlencoded, `user=alice&password=${long}`),
      await raw(host, urlencoded, `a=1&${'b'.repeat(9000)}=1`),
    ]
    expect(statusesOf(tooLarge)).toEqual([413, 413, 413, 413])
    const bad = [
      await post(host, '/login', { user: 'x'.repeat(321), password }),
      await post(host, '/login', { user: { username: 'x'.repeat(321) }, password }),
      await post(host, '/login', { user: 'alice', password, code: '1'.repeat(65) }),
    ]
    expect(statusesOf(bad)).toEqual([400, 400, 400])
    await afterAttack(host, [...tooLarge, ...bad], [long])
  })

  it('refuses a body over 8 KiB that a parser of the host has let through', async () => {
    const express = (await import('express')).default
    const before = {
      before: (app: { use: (one: never) => unknown }) =>
        void app.use(express.json({ limit: '1mb' }) as never),
    }
    const host = await startRocketHost({}, before)
    const user = { username: 'alice', email: 'x'.repeat(9000) }
    const chunks = new Blob([JSON.stringify({ user, password })]).stream()
    const answer = await fetch(`${host.url}/login`, {
      method: 'POST',
      headers: { 'Content-Type': json },
      body: chunks,
      duplex: 'half',
    } as RequestInit)
    expect(answer.status).toBe(413)
    await afterAttack(host, [])
  })

  it('refuses forms that are not what they seem', async () => {
    const host = await startRocketHost()
    const bad = [
      await raw(host, urlencoded, 'user=alice&user=bob&password=x'),
      await raw(host, urlencoded, 'user=alice&password=%FF'),
      await raw(host, urlencoded, 'user=alice&password=%'),
      await raw(host, urlencoded, '__proto__=x&user=alice'),
      await raw(host, urlencoded, 'user[$ne]=x&password=x'),
      await raw(host, urlencoded, Buffer.from('user=alice&password=\xff', 'latin1')),
    ]
    expect(statusesOf(bad)).toEqual([400, 400, 400, 400, 400, 400])
    const right = `user=alice&password=${encodeURIComponent(password)}`
    const types = [
      await raw(host, `${urlencoded}; charset=latin1`, right),
      await raw(host, 'text/plain', right),
      await raw(host, 'multipart/form-data', right),
      // A page of another site sends it without asking anybody.
      await raw(host, urlencoded, right, { 'Sec-Fetch-Site': 'cross-site' }),
      await raw(host, urlencoded, right, { 'Sec-Fetch-Site': 'same-site' }),
      // As it comes to a host in the clear, or from an older browser.
      await raw(host, urlencoded, right, { Origin: 'https://evil.example.com' }),
      await raw(host, urlencoded, right, { Origin: 'null' }),
    ]
    expect(statusesOf(types)).toEqual([415, 415, 415, 415, 415, 415, 415])
    expect((await raw(host, urlencoded, right)).status).toBe(200)
    await afterAttack(host, [...bad, ...types])
  })

  it('resumes no token that is foreign, over, ended or of another kind', async () => {
    const host = await startRocketHost()
    const { authToken } = await logIn(host)
    const ended = await logIn(host)
    await post(host, '/logout', {}, bearer(ended.authToken))
    const [header, payload] = authToken.split('.')
    const { body } = await post(host, '/login', { user: 'alice', password })
    const { session } = await host.auth.signIn(
      { headers: {}, socket: { remoteAddress: '127.0.0.1' }, rawHeaders: [] } as never,
      { user: 'alice', password },
    )
    const tokens = [
      'nonsense',
      `${header}.${payload}.AAAA`,
      ended.authToken,
      session.id,
      `mar_pat_${session.id}.AAAA`,
      String(body.data.userId),
    ]
    const answers: Response[] = []
    for (const resume of tokens) answers.push(await post(host, '/login', { resume }))
    host.users.change('u-alice', { disabled: true })
    host.clock.advance(6)
    answers.push(await post(host, '/login', { resume: authToken }))
    host.users.change('u-alice', { disabled: false })
    host.clock.advance(91 * 24 * 60 * 60)
    answers.push(await post(host, '/login', { resume: authToken }))
    expect(statusesOf(answers)).toEqual(answers.map(() => 401))
    await afterAttack(host, answers, [authToken, ended.authToken])
  })

  it('answers an outage by 503, and keeps no credentials from a client for it', async () => {
    const host = await startRocketHost()
    const { authToken } = await logIn(host)
    host.clock.advance(6)
    const { findById } = host.users
    host.users.findById = () => Promise.reject(new Error('down'))
    const answers = [await post(host, '/login', { resume: authToken })]
    host.users.findById = findById
    const { findByIdentifier } = host.users
    host.users.findByIdentifier = () => Promise.reject(new Error('down'))
    answers.push(await post(host, '/login', { user: { username: 'alice' }, password }))
    host.users.findByIdentifier = findByIdentifier
    expect(statusesOf(answers)).toEqual([503, 503])
    await afterAttack(host, answers, [authToken])
  })

  it('takes no digest that nobody has asked for', async () => {
    const digest = digestOf(password)
    for (const options of [{}, { passwords: meteorHasher }]) {
      const host = await startRocketHost({}, { options })
      const hash = await host.auth.hashPassword(password)
      host.users.change('u-alice', { passwordHash: hash })
      const answers = [
        await post(host, '/login', { user: 'alice', password: digest }),
        await post(host, '/login', {
          totp: { login: { user: 'alice', password: digest }, code: '1' },
        }),
      ]
      expect(statusesOf(answers)).toEqual([400, 400])
      // A host that hands on a whole body does not ask for it either.
      await expect(
        host.auth.signIn(
          { headers: {}, socket: { remoteAddress: '127.0.0.1' } } as never,
          { user: 'alice', password: digest } as never,
        ),
      ).rejects.toMatchObject({ status: 400 })
      if ('passwords' in options) {
        const next = await post(host, '/login', { user: 'alice', password })
        expect(next.status).toBe(200)
      } else await afterAttack(host, answers, [digest.digest])
    }
  })

  it('counts digests as it counts passwords, 50 at once', async () => {
    const host = await startRocketHost(
      { digestLogins: true },
      { options: { passwords: meteorHasher } },
    )
    host.users.change('u-alice', { passwordHash: await meteorHasher.hash(password) })
    const guesses = Array.from({ length: 50 }, (_, count) =>
      post(host, '/login', { user: 'alice', password: digestOf(`guess ${count}`) }),
    )
    const statuses = statusesOf(await Promise.all(guesses))
    expect(statuses.filter((status) => status === 401)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(45)
    const right = await post(host, '/login', { user: 'alice', password: digestOf(password) })
    expect(right.status).toBe(429)
    const told = JSON.stringify([host.log, host.events])
    expect(told).not.toContain(digestOf('guess 1').digest)
    expect(told).not.toContain(digestOf(password).digest)
  })

  it('tells of no two names that belong together, and opens nothing for those that do not', async () => {
    const host = await startRocketHost()
    host.users.add({ id: 'u-bob', username: 'bob', email: 'bob@example.com' })
    const answers = [
      await post(host, '/login', { username: 'alice', email: 'alice@example.com', password: 'no' }),
      await post(host, '/login', { username: 'alice', email: 'bob@example.com', password: 'no' }),
      await post(host, '/login', { username: 'alice', email: 'bob@example.com', password }),
    ]
    expect(statusesOf(answers)).toEqual([401, 401, 401])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await host.auth.sessions.list('u-alice')).toEqual([])
    await afterAttack(host, answers)
  })
})

describe('account endpoints of rocketChat', () => {
  const paths = [
    '/users.logout',
    '/users.logoutOtherClients',
    '/users.removeOtherTokens',
    '/users.generatePersonalAccessToken',
    '/users.regeneratePersonalAccessToken',
    '/users.removePersonalAccessToken',
  ]

  it('refuse strangers, and tokens of bots whatever their scope', async () => {
    const host = await startRocketHost(
      { personalAccessTokens: true },
      { options: { namedTokens: true } },
    )
    const { authToken } = await logIn(host)
    const bot = await makeToken(host, authToken)
    const reader = await makeToken(host, authToken, { name: 'reader', scope: 'read' })
    const answers: Response[] = []
    for (const [headers, status] of [
      [{}, 401],
      [bearer('nonsense'), 401],
      [bearer(bot.token), 403],
      [bearer(reader.token), 403],
    ] as const) {
      const asked = paths.map((path) => post(host, path, { tokenName: 'x' }, headers))
      const found = [
        ...(await Promise.all(asked)),
        await get(host, '/users.getPersonalAccessTokens', headers),
      ]
      expect(statusesOf(found)).toEqual(found.map(() => status))
      answers.push(...found)
    }
    expect(await host.auth.sessions.list('u-alice')).toHaveLength(3)
    await afterAttack(host, answers, [authToken, bot.token, reader.token])
  })

  it('let nobody end the sessions of another user', async () => {
    const host = await startRocketHost()
    const { authToken } = await logIn(host)
    host.users.add({
      id: 'u-bob',
      username: 'bob',
      passwordHash: await host.auth.hashPassword(password),
    })
    await logIn(host, { user: 'bob', password })
    const answers = [
      await post(host, '/users.logout', { userId: 'u-bob' }, bearer(authToken)),
      await post(host, '/users.logout', { userId: { $ne: '' } }, bearer(authToken)),
      await post(host, '/users.logout', { userId: 'x'.repeat(1025) }, bearer(authToken)),
    ]
    expect(statusesOf(answers)).toEqual([403, 400, 400])
    expect(await host.auth.sessions.list('u-bob')).toHaveLength(1)
    expect(await host.auth.sessions.list('u-alice')).toHaveLength(1)
    await afterAttack(host, answers)
  })

  it('end nothing for a thief whose session has ended', async () => {
    const host = await startRocketHost({ personalAccessTokens: true })
    const { authToken: stolen } = await logIn(host)
    const tokenName = 'bot'
    const made = await host.auth.namedTokens.create({ userId: 'u-alice', name: tokenName })
    host.issued.add(made.token)
    host.clock.advance(1)
    await logIn(host)
    expect((await get(host, '/me', bearer(stolen))).status).toBe(200)
    const { sessionId } = await host.auth.authenticateToken(stolen)
    // As if in another process: the guard here does not know of it yet.
    await host.stores.sessions.end(sessionId, 'revoked', host.clock())
    const ending = ['logout', 'logoutOtherClients', 'removeOtherTokens']
    const tokens = ['regeneratePersonalAccessToken', 'removePersonalAccessToken']
    const answers = await Promise.all(
      [...ending, ...tokens].map((name) =>
        post(host, `/users.${name}`, { tokenName }, bearer(stolen)),
      ),
    )
    expect(statusesOf(answers)).toEqual([401, 401, 401, 401, 401])
    expect(await host.auth.sessions.list('u-alice')).toHaveLength(2)
    expect((await get(host, '/me', bearer(made.token))).status).toBe(200)
    await afterAttack(host, answers)
  })

  it('answer other methods by 405', async () => {
    const host = await startRocketHost({ version: '1', personalAccessTokens: true })
    const answers = await Promise.all(['/login', ...paths].map((path) => get(host, path)))
    answers.push(await post(host, '/info', {}))
    expect(statusesOf(answers)).toEqual(answers.map(() => 405))
    expect(answers[0]?.headers['allow']).toBe('POST')
    await afterAttack(host, answers)
  })
})
