import { request as rawRequest } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { AuthUser } from '../../src/index.js'
import { totpCode } from '../../src/testing/testing.js'
import { afterAttack } from '../support/after-attack.js'
import { headersOf, logIn, post } from '../support/client.js'
import { cheapHasher, password, passwordHash, startHost, totpSecret } from '../support/host.js'
import type { TestUser } from '../support/users.js'

const unauthorized = {
  success: false,
  status: 'error',
  error: 'Unauthorized',
  message: 'Invalid username or password',
}

describe('whether an account exists', () => {
  const accounts: Record<string, Partial<AuthUser>> = {
    'a wrong password': { passwordHash },
    'a disabled user': { passwordHash, disabled: true },
    'a user without a password': { passwordHash: null },
    'a hash that is cut off': { passwordHash: passwordHash.slice(0, 40) },
    'a hash of another scheme': {
      passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaA',
    },
    'a hash with a cost bomb': { passwordHash: passwordHash.replace('$04$', '$31$') },
    'a hash that is a number': { passwordHash: 42 as never },
    'a hash that is undefined': { passwordHash: undefined as never },
  }

  it.each(Object.entries(accounts))(
    'cannot be told from %s: same status, headers and body as an unknown user',
    async (_name, account) => {
      const host = await startHost()
      host.users.add({ id: 'u-eve', username: 'eve', ...account })
      const sent = account.disabled === true ? password : 'wrong'
      const known = await post(host, '/login', { username: 'eve', password: sent })
      const unknown = await post(host, '/login', { username: 'nobody', password: sent })
      expect(known.status).toBe(401)
      expect(known.text).toBe(unknown.text)
      expect(known.body).toEqual(unauthorized)
      expect(headersOf(known)).toEqual(headersOf(unknown))
      await afterAttack(host, [known, unknown])
    },
  )

  it('costs the same work in every case: one comparison, never none', async () => {
    const compared: string[] = []
    const counting = {
      ...cheapHasher,
      verify: (plain: string, hash: string) => {
        compared.push(hash)
        return cheapHasher.verify(plain, hash)
      },
    }
    const host = await startHost({ options: { passwords: counting } })
    const names = Object.keys(accounts).map((name, i) => ({
      ...accounts[name],
      id: `u-${i}`,
      username: `user${i}`,
    }))
    for (const account of names) host.users.add(account)
    for (const username of ['nobody', ...names.map(({ username }) => username)]) {
      compared.length = 0
      await post(host, '/login', { username, password: 'wrong' })
      expect(compared).toHaveLength(1)
      expect(compared[0]).toMatch(/^\$2b\$04\$/)
    }
  })

  it('raises an alert for a hash that cannot be read, since its owner is locked out', async () => {
    const host = await startHost()
    host.users.change('u-alice', { passwordHash: 'rubbish' })
    await post(host, '/login', { username: 'alice', password })
    expect(host.events.map(({ type }) => type)).toContain('password.unreadable')
  })

  it('is not written down as it was typed: an unknown name is often a password', async () => {
    const host = await startHost()
    const answer = await post(host, '/login', { username: 'hunter2-my-password', password: 'x' })
    const failed = host.events.find(({ type }) => type === 'login.failed')
    expect(failed).toMatchObject({
      reason: 'unknown-user',
      userId: null,
      identifierDigest: expect.stringMatching(/^[\w-]{43}$/),
    })
    await afterAttack(host, answer, ['hunter2'])
  })
})

describe('malformed logins', () => {
  const bodies: [string, unknown][] = [
    ['no identifier', { password }],
    ['two identifiers', { username: 'alice', email: 'alice@example.com', password }],
    ['an identifier and an empty other one', { username: 'alice', email: '', password }],
    ['no password', { username: 'alice' }],
    ['an empty password', { username: 'alice', password: '' }],
    ['a number as password', { username: 'alice', password: 12345678 }],
    ['true as password', { username: 'alice', password: true }],
    ['an object as password', { username: 'alice', password: { $ne: null } }],
    ['a query operator as name', { username: { $gt: '' }, password }],
    ['a list as name', { username: ['alice'], password }],
    ['an empty name', { username: '', password }],
    ['a name of 321 characters', { username: 'a'.repeat(321), password }],
    ['a control character in the name', { username: 'ali\nce', password }],
    ['a NUL in the name', { username: 'alice\0', password }],
    ['a full-width name that NFKC would change', { username: 'ａｌｉｃｅ', password }],
    ['a lone surrogate in the password', { username: 'alice', password: '\ud800' }],
    ['a number as code', { username: 'alice', password, code: 123456 }],
    ['an empty code', { username: 'alice', password, code: '' }],
    ['null as name', { username: null, password }],
  ]

  it.each(bodies)('%s: 400 that names the field and repeats no value', async (_name, body) => {
    const host = await startHost()
    const response = await post(host, '/login', body as object)
    expect(response.status).toBe(400)
    expect(response.body).toMatchObject({
      success: false,
      status: 'error',
      error: 'invalid-request',
    })
    expect(response.body.details.issues[0]).toEqual({
      path: expect.any(String),
      message: expect.any(String),
    })
    expect(response.text).not.toContain('alice')
    expect(response.text).not.toContain(password)
    await afterAttack(host, response)
  })

  it.each([
    '/login?username=alice&password=correct%20horse%20battery%20staple',
    '/login?user=alice',
  ])('credentials in the URL are never read: %s', async (path) => {
    const host = await startHost()
    const answers = [await post(host, path, {}), await post(host, path, { username: 'alice' })]
    expect(answers.map(({ status }) => status)).toEqual([400, 400])
    await afterAttack(host, answers)
  })

  it('a polluted Object.prototype supplies neither name nor password', async () => {
    const host = await startHost()
    const prototype = Object.prototype as unknown as Record<string, unknown>
    prototype['username'] = 'alice'
    prototype['password'] = password
    try {
      expect((await post(host, '/login', { a: 1 })).status).toBe(400)
    } finally {
      delete prototype['username']
      delete prototype['password']
    }
    await afterAttack(host, [])
  })

  it('a second x-2fa-code header is refused', async () => {
    const host = await startHost()
    const body = JSON.stringify({ username: 'alice', password })
    const { hostname, port } = new URL(host.url)
    const status = await new Promise((resolve, reject) => {
      const request = rawRequest(
        {
          hostname,
          port,
          path: '/api/v1/login',
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'x-2fa-code': ['1', '2'] },
        },
        (response) => resolve(response.resume().statusCode),
      )
      request.on('error', reject).end(body)
    })
    expect(status).toBe(400)
  })
})

describe('passwords that bcrypt would mistake', () => {
  const long = 'x'.repeat(72)

  it.each([
    ['more than 72 bytes that begin with the right ones', long, `${long}y`],
    ['more than 72 bytes in fewer characters', 'ä'.repeat(36), 'ä'.repeat(37)],
    ['a NUL after the right one', 'pass', 'pass\0'],
    ['the right one twice around a NUL', 'pass', 'pass\0pass'],
  ])('%s: refused as wrong', async (_name, right, sent) => {
    const host = await startHost()
    host.users.change('u-alice', { passwordHash: await cheapHasher.hash(right) })
    expect((await post(host, '/login', { username: 'alice', password: sent })).body).toEqual(
      unauthorized,
    )
    expect((await post(host, '/login', { username: 'alice', password: right })).status).toBe(200)
  })

  it.each([
    ' correct horse battery staple',
    'correct horse battery staple ',
    'Correct horse battery staple',
  ])('nothing is trimmed or changed: %j is wrong', async (almost) => {
    const host = await startHost()
    expect((await post(host, '/login', { username: 'alice', password: almost })).status).toBe(401)
  })
})

describe('guessing in parallel', () => {
  it('50 wrong passwords at once: exactly 5 are judged, the rest is 429 with Retry-After', async () => {
    const host = await startHost()
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        post(host, '/login', { username: 'alice', password: 'wrong' }),
      ),
    )
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5)
    const limited = answers.filter(({ status }) => status === 429)
    expect(limited).toHaveLength(45)
    expect(Number(limited[0]?.headers['retry-after'])).toBeGreaterThan(0)
    expect(limited[0]?.body).toMatchObject({
      error: 'too-many-requests',
      details: { retryAfter: expect.any(Number) },
    })
    await afterAttack(host, answers)
  })

  it('one TOTP code in 50 logins at once opens one session', async () => {
    const host = await startHost({
      options: {
        throttle: {
          account: { points: 100, duration: 60 },
          secondFactor: { points: 100, duration: 60 },
        },
      },
    })
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    const code = totpCode(totpSecret, host.clock())
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => post(host, '/login', { username: 'alice', password, code })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.error === 'totp-invalid')).toHaveLength(49)
    await afterAttack(host, answers, [code])
  })

  it('one recovery code in 50 logins at once opens one session', async () => {
    const host = await startHost({
      options: {
        throttle: {
          account: { points: 100, duration: 60 },
          secondFactor: { points: 100, duration: 60 },
        },
      },
    })
    const { recoveryCodes } = await host.auth.secondFactors.importTotp({
      userId: 'u-alice',
      secret: totpSecret,
    })
    const [code] = recoveryCodes
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => post(host, '/login', { username: 'alice', password, code })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    await afterAttack(host, answers, recoveryCodes)
  })
})

describe('second-factor codes', () => {
  const start = async () => {
    const host = await startHost({ now: new Date('2030-01-01T00:00:10Z') })
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    return { host, code: totpCode(totpSecret, host.clock()) }
  }

  it('work once: the same code again is invalid, and so is an older one', async () => {
    const { host, code } = await start()
    const older = totpCode(totpSecret, new Date(host.clock().getTime() - 30_000))
    await logIn(host, { username: 'alice', password, code })
    expect((await post(host, '/login', { username: 'alice', password, code })).body.error).toBe(
      'totp-invalid',
    )
    expect(
      (await post(host, '/login', { username: 'alice', password, code: older })).body.error,
    ).toBe('totp-invalid')
    await afterAttack(host, [])
  })

  it('are not burnt, nor judged, by a wrong password', async () => {
    const { host, code } = await start()
    expect(
      (await post(host, '/login', { username: 'alice', password: 'wrong', code })).body,
    ).toEqual(unauthorized)
    expect(
      (await post(host, '/login', { username: 'alice', password: 'wrong', code: '000000' })).body,
    ).toEqual(unauthorized)
    expect((await post(host, '/login', { username: 'alice', password, code })).status).toBe(200)
  })

  it('are exactly six ASCII digits: nothing that merely reads as the right number', async () => {
    const { host } = await start()
    // A moment whose code begins with a zero, which loose parsers shorten.
    while (!totpCode(totpSecret, host.clock()).startsWith('0')) host.clock.advance(30)
    const code = totpCode(totpSecret, host.clock())
    const loose = [
      ` ${code.slice(1)}`,
      `+${code.slice(1)}`,
      `${code.slice(1)}.`,
      code.slice(1),
      `${code}x`,
      `0x${code}`,
      '٠١٢٣٤٥',
    ]
    for (const sent of loose) {
      const response = await post(host, '/login', { username: 'alice', password, code: sent })
      expect(response.body.error).toBe('totp-invalid')
    }
    expect((await post(host, '/login', { username: 'alice', password, code })).status).toBe(200)
  })

  it('are guessed 10 times an hour at most, however right the password and from wherever', async () => {
    const { host } = await start()
    const answers = []
    for (let guess = 0; guess < 14; guess += 1) {
      answers.push(
        await post(host, '/login', { username: 'alice', password, code: String(100_000 + guess) }),
      )
    }
    expect(answers.slice(0, 10).every(({ body }) => body.error === 'totp-invalid')).toBe(true)
    expect(answers.slice(10).every(({ status }) => status === 429)).toBe(true)
    await afterAttack(host, [])
  })

  it('cannot be judged with a seed that is damaged: an outage and an alert, not a pass', async () => {
    const host = await startHost()
    const { vault: _vault, ...row } = {
      userId: 'u-alice',
      sealedSeed: 'v1.x.y.z',
      lastStep: -1,
      createdAt: new Date(),
      vault: null,
    }
    await host.stores.secondFactors.activate(row, [])
    const response = await post(host, '/login', { username: 'alice', password, code: '328482' })
    expect(response.status).toBe(503)
    expect(response.headers['retry-after']).toBeDefined()
    expect(host.events.map(({ type }) => type)).toContain('second-factor.unreadable')
    await afterAttack(host, [])
  })
})

describe('a host part that answers too eagerly', () => {
  it('a hasher that answers a promise of a promise, an error, or 1 lets nobody in', async () => {
    for (const answer of [1, 'true', {}, new Error('no'), null]) {
      const host = await startHost({
        options: { passwords: { ...cheapHasher, verify: async () => answer as never } },
      })
      expect((await post(host, '/login', { username: 'alice', password: 'wrong' })).status).toBe(
        401,
      )
    }
  })

  it('a hasher is asked for text alone, also one that takes every hash for its own', async () => {
    const asked: unknown[] = []
    const trusting = {
      hash: cheapHasher.hash,
      needsRehash: () => false,
      verify: async (plain: string, hash: string) => {
        asked.push(hash)
        return hash === (42 as never) || cheapHasher.verify(plain, hash)
      },
    }
    const host = await startHost({ options: { passwords: trusting } })
    host.users.change('u-alice', { passwordHash: 42 as never })
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(401)
    expect(asked).toEqual([expect.any(String)])
  })

  it(
    'a hasher that could not make the hash for nobody is asked again, and not for ever an ' +
      'outage',
    async () => {
      let isDown = true
      const hash = (plain: string) =>
        isDown ? Promise.reject(new Error('gone')) : cheapHasher.hash(plain)
      const { unmatchable: _none, ...nameless } = cheapHasher
      const host = await startHost({ options: { passwords: { ...nameless, hash } } })
      expect((await post(host, '/login', { username: 'alice', password })).status).toBe(503)
      isDown = false
      expect((await post(host, '/login', { username: 'alice', password })).status).toBe(200)
    },
  )

  it(
    'a promise in place of a hash is a wrong password, also one that is rejected, and the ' +
      'process lives',
    async () => {
      const host = await startHost()
      const rejecting = () => Promise.reject(new Error('no such column')) as never
      const { findByIdentifier } = host.users
      host.users.findByIdentifier = async (identifier) => ({
        ...((await findByIdentifier(identifier)) as TestUser),
        passwordHash: rejecting(),
      })
      expect((await post(host, '/login', { username: 'alice', password })).status).toBe(401)
      host.users.findByIdentifier = findByIdentifier
      const row = host.users.add({ id: 'u-carol', username: 'carol' })
      Object.defineProperty(row, 'passwordHash', { get: rejecting })
      expect((await post(host, '/login', { username: 'carol', password })).status).toBe(401)
      await new Promise((resolve) => setTimeout(resolve, 10))
      expect(host.events.filter(({ type }) => type === 'password.unreadable')).toHaveLength(2)
    },
  )

  it('a hasher that rejects is an outage, and the process lives', async () => {
    const host = await startHost({
      options: { passwords: { ...cheapHasher, verify: () => Promise.reject(new Error('gone')) } },
    })
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(503)
    expect((await post(host, '/login', { username: 'nobody', password })).status).toBe(503)
  })
})
