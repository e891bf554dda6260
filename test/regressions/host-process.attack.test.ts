// What shares the process with us, and must not be able to supply, replace or disturb anything: the
// host's middleware, a polluted prototype, another purpose of the same key, another router.
import { once } from 'node:events'
import { type IncomingMessage, request as rawRequest } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { LimiterSettings } from '../../src/index.js'
import { createVault } from '../../src/lib/vault.js'
import { afterAttack } from '../support/after-attack.js'
import { bearer, get, logIn, pkcePair, post } from '../support/client.js'
import { statusesOf } from '../support/guessing.js'
import { password, passwordHash, startHost, totpSecret } from '../support/host.js'
import { memoryLimiter } from '../support/memory-limiter.js'

describe('what a middleware of the host’s has put on the request', () => {
  it('is nobody’s identity, and is not touched either (ASVS V8.3.1)', async () => {
    const claimed = {
      user: { id: 'u-alice', admin: true },
      auth: { userId: 'u-alice', scope: ['*'] },
      session: { userId: 'u-alice' },
    }
    const logInFunction = () => {}
    const seen: object[] = []
    const host = await startHost({
      before: (app) =>
        app.use((request, response, next) => {
          Object.assign(request, claimed, { login: logInFunction, isAuthenticated: () => true })
          response.on('finish', () => {
            const { user, session, login } = request as unknown as Record<string, unknown>
            seen.push({ user, session, login })
          })
          next()
        }),
      after: (app, auth) =>
        app.get('/api/v1/who', auth.requireAuth({ optional: true }), (request, response) => {
          response.set('Cache-Control', 'no-store').json({ who: request.auth ?? null })
        }),
    })
    const strangers = [
      await get(host, '/me'),
      await post(host, '/auth/pkce/authorize', { codeChallenge: pkcePair().codeChallenge }),
    ]
    expect(strangers.map(({ status }) => status)).toEqual([401, 401])
    expect((await get(host, '/who')).body).toEqual({ who: null })
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    const { authToken } = await logIn(host, { username: 'bob', password })
    expect((await get(host, '/who', bearer(authToken))).body.who).toMatchObject({ userId: 'u-bob' })
    for (const one of seen)
      expect(one).toEqual({ user: claimed.user, session: claimed.session, login: logInFunction })
    await afterAttack(host, strangers)
  })
})

/**
 * Runs with members on Object.prototype, as after a merge of somebody's JSON elsewhere in the
 * process.
 */
async function polluted<T>(members: Record<string, unknown>, work: () => Promise<T>): Promise<T> {
  const prototype = Object.prototype as unknown as Record<string, unknown>
  const own = (name: string) => ({
    value: members[name],
    configurable: true,
    enumerable: false,
    writable: true,
  })
  for (const name of Object.keys(members)) Object.defineProperty(prototype, name, own(name))
  try {
    return await work()
  } finally {
    for (const name of Object.keys(members)) delete prototype[name]
  }
}

describe('a polluted Object.prototype', () => {
  it.each<[string, Record<string, unknown>]>([
    [
      'a code and a verifier',
      { code: '000000', codeVerifier: 'v'.repeat(43), refreshToken: 'x', refresh_token: 'y' },
    ],
    [
      'options of the TOTP library',
      { digest: Buffer.alloc(20), window: 100, counter: 0, algorithm: 'md5', digits: 1 },
    ],
    [
      'claims',
      {
        scope: '*',
        sub: 'u-alice',
        sid: 'x',
        exp: 9e9,
        amr: ['pwd', 'otp'],
        methods: ['pwd', 'otp'],
      },
    ],
    [
      'checks that are off',
      {
        optional: true,
        algorithms: ['none'],
        issuer: undefined,
        audience: undefined,
        disabled: false,
      },
    ],
    [
      'verdicts',
      {
        allowed: true,
        right: true,
        outcome: 'consumed',
        approved: { user: { id: 'u-alice' } },
        proven: ['otp'],
        isSlot: true,
        failure: new Error('polluted'),
      },
    ],
    ['counts', { points: 0, seconds: 0, consumed: 0, remaining: 1 }],
  ])('with %s lets nobody in, and shuts nobody out (ASVS V15.3.6)', async (_what, members) => {
    const host = await startHost()
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    await host.auth.secondFactors.importTotp({ userId: 'u-bob', secret: totpSecret })
    const ask = async () => [
      await post(host, '/login', { username: 'bob', password }),
      await post(host, '/login', { username: 'bob', password, code: '000000' }),
      await post(host, '/login', { username: 'alice', password: 'wrong' }),
      await get(host, '/me', bearer('eyJhbGciOiJub25lIn0.e30.')),
      await get(host, '/me'),
      await post(host, '/auth/refresh', {}),
      await post(host, '/auth/pkce/token', { authorizationCode: `mar_ac_${'A'.repeat(43)}` }),
      await post(host, '/login', { username: 'alice', password }),
    ]
    const answers = await polluted(members, ask)
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 400, 400, 200])
    await afterAttack(host, answers)
  })
})

describe('points and seconds on Object.prototype', () => {
  it.each([{ points: 0 }, { points: -1 }, { seconds: 0 }])(
    '%j give no guesser more than five passwords',
    async (members) => {
      const host = await startHost()
      const ask = (username: string) => post(host, '/login', { username, password: 'wrong' })
      const statuses = await polluted(members, () => statusesOf(8, () => ask('alice')))
      expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429])
    },
  )
})

describe('members of an attempt on Object.prototype', () => {
  it('lift no limit of a network', async () => {
    const host = await startHost({
      options: { throttle: { network: { points: 3, duration: 900 } } },
    })
    const ask = (username: string) => post(host, '/login', { username, password: 'wrong' })
    await statusesOf(4, (i) => ask(`first${i}`))
    const members = { perUserAndKnownNetwork: {}, perUser: {}, seen: {}, held: [] }
    const statuses = await polluted(members, () => statusesOf(4, (i) => ask(`n${i}`)))
    expect(statuses).toEqual([429, 429, 429, 429])
  })

  it('keep no slot of a right password while it cannot be known which networks an account has', async () => {
    let isDown = false
    const limiter = (settings: LimiterSettings) => {
      const memory = memoryLimiter(settings)
      const find = memory.get.bind(memory)
      memory.get = async (...args) => {
        if (isDown && settings.keyPrefix === 'mar-known-epoch') throw new Error('down')
        return find(...args)
      }
      return memory
    }
    const host = await startHost({ options: { throttle: { limiter } } })
    const ask = () => post(host, '/login', { username: 'alice', password })
    await ask()
    isDown = true
    const statuses = await polluted({ remember: true }, () => statusesOf(6, ask))
    isDown = false
    expect([...statuses, (await ask()).status]).toEqual(Array(7).fill(200))
  })
})

describe('a status and a name on Object.prototype', () => {
  it('make no refusal an answer of another status, the host’s guarded routes included', async () => {
    const host = await startHost({
      after: (app, auth) =>
        app.get('/api/v1/guarded', auth.requireAuth(), (_request, response) => {
          response.json({ seen: true })
        }),
    })
    const ask = async () => [
      await get(host, '/guarded'),
      await get(host, '/me', bearer('x.y.z')),
      await post(host, '/login', { username: 'alice', password: 'wrong' }),
      await post(host, '/auth/refresh', { refreshToken: 'x' }),
    ]
    const before = await ask()
    const after = await polluted({ status: 200, error: 'none', names: { status: 200 } }, ask)
    expect(before.map(({ status }) => status)).toEqual([401, 401, 401, 400])
    const told = (answers: typeof before) =>
      answers.map(({ status, body }) => [status, body.error, body.message])
    expect(told(after)).toEqual(told(before))
    await afterAttack(host, after)
  })
})

describe('a member of Object.prototype is no field of a login, and no column of a row', () => {
  const right = { username: 'alice', password }
  it.each<[string, Record<string, unknown>, object, object, number]>([
    ['a password', { password }, { username: 'alice' }, {}, 400],
    [
      'a password, beside a code in the header',
      { password },
      { username: 'alice' },
      { 'x-2fa-code': '1' },
      400,
    ],
    [
      'a name, beside a code in the header',
      { username: 'alice' },
      { password },
      { 'x-2fa-code': '1' },
      400,
    ],
    ['a hash', { passwordHash }, { username: 'bare', password }, {}, 401],
    ['a word for disabled', { disabled: 'no' }, right, {}, 200],
    ['a mark of being disabled', { disabled: true }, right, {}, 200],
    ['a state', { status: 'busy' }, right, {}, 200],
  ])('%s', async (_what, members, body, headers, status) => {
    const host = await startHost()
    // As a row of a table without the column.
    host.users.rows.set('u-bare', { id: 'u-bare', username: 'bare', name: 'Bare' } as never)
    const answer = await polluted(members, () =>
      post(host, '/login', body, headers as Record<string, string>),
    )
    expect(answer.status).toBe(status)
    if (status === 200) expect(answer.body.data.me.status).toBe('offline')
    await afterAttack(host, [answer])
  })

  it('but what a row’s class has is its own', async () => {
    class Row {
      readonly id = 'u-class'
      readonly username = 'class'
      readonly name = 'Class'
      get passwordHash() {
        return passwordHash
      }
    }
    const host = await startHost()
    host.users.rows.set('u-class', new Row() as never)
    const answer = await polluted({ passwordHash: 'x', disabled: true }, () =>
      post(host, '/login', { username: 'class', password }),
    )
    expect(answer.status).toBe(200)
  })
})

describe('a key', () => {
  it(
    'seals for one purpose and one owner: what it sealed for another does not open (ASVS ' +
      'V11.2.2)',
    () => {
      const keys = [Buffer.from('an encryption key for tests only')]
      const sealed = createVault('totp-seed', keys).seal('u-alice', Buffer.from('seed'))
      expect(createVault('totp-seed', keys).open('u-alice', sealed)?.toString()).toBe('seed')
      expect(createVault('totp-seed', keys).open('u-bob', sealed)).toBeNull()
      const [version, , nonce, body] = sealed.split('.')
      const other = createVault('signing-key', keys)
      const [, otherId] = other.seal('u-alice', Buffer.from('x')).split('.')
      expect(other.open('u-alice', sealed)).toBeNull()
      expect(other.open('u-alice', [version, otherId, nonce, body].join('.'))).toBeNull()
    },
  )
})

describe('an upgrade that is refused', () => {
  it('is answered like any other request, down to the headers', async () => {
    const host = await startHost()
    host.server.on('upgrade', (request: IncomingMessage, connection) => {
      host.auth.sockets
        .authenticate(request)
        .catch((error: unknown) => host.auth.sockets.refuse(connection, error))
    })
    const { hostname, port } = new URL(host.url)
    const asking = rawRequest({
      hostname,
      port,
      path: '/ws',
      headers: { Connection: 'Upgrade', Upgrade: 'websocket' },
    }).end()
    const [response] = (await once(asking, 'response')) as [IncomingMessage]
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const answer = { status: response.statusCode ?? 0, headers: response.headers, text }
    expect(answer.status).toBe(401)
    await afterAttack(host, answer)
  })
})
