// How sign-ins of others were broken, one test each: passwords, names, limits, sessions and what the host's parts answer. Those about
// tokens are in where-peers-failed-with-tokens.attack.test.ts, those that concern every door in doors.attack.test.ts.
import { request as rawRequest } from 'node:http'
import { describe, expect, it } from 'vitest'
import { type AuthUser, bcryptHasher, generateSigningKey, joseSigner } from '../../src/index.js'
import { type Answered, afterAttack, expectCommon } from '../support/after-attack.js'
import { bearer, get, logIn, obtainCode, pkcePair, post } from '../support/client.js'
import { gate } from '../support/gate.js'
import { cheapHasher, password, passwordHash, startHost, type TestHost, workerUrl } from '../support/host.js'

const wrong = (host: TestHost, headers: Record<string, string> = {}, username = 'alice') =>
  post(host, '/login', { username, password: 'wrong' }, headers)

describe('a part of the host that says “yes” in another way than true', () => {
  const truthy = [1, 'true', 'false', {}, [], new Error('no'), () => true, { ok: true }, [Promise.resolve(false)], Number.NaN]

  it('lets nobody in: a promise, an error or an object is no match (CVE-2026-28514, CVE-2022-31013, CVE-2026-73421)', async () => {
    let answer: unknown
    const passwords = { ...cheapHasher, verify: () => answer as Promise<boolean> }
    const host = await startHost({ options: { passwords, throttle: { account: { points: 100, duration: 60 } } } })
    const answers: Answered[] = []
    for (answer of [...truthy, Promise.resolve(Promise.resolve(false))]) {
      const response = await post(host, '/login', { username: 'alice', password })
      expect(response.status).toBe(401)
      answers.push(response)
    }
    answer = true
    await afterAttack(host, answers)
  })

  it('is no user when it is an error, a flag or half a row (CVE-2026-73421, GHSA-xmf8-cvqr-rfgj)', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const code = await obtainCode(host, authToken)
    const right = { ...host.users }
    const rows = [new Error('not found'), { error: 'not found' }, true, 'u-alice', [], {}, { id: 'u-alice' }, { id: { $ne: 1 } }]
    const answers: Answered[] = []
    for (const row of rows as unknown as AuthUser[]) {
      host.users.findByIdentifier = async () => row
      host.users.findById = async () => row
      host.clock.advance(5)
      answers.push(await post(host, '/login', { username: 'alice', password }), await get(host, '/me', bearer(authToken)))
      answers.push(await post(host, '/auth/pkce/token', code))
    }
    Object.assign(host.users, right)
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([503])
    await afterAttack(host, answers)
  })

  it('a row of somebody else is not the user who was asked for (CVE-2026-123797)', async () => {
    const host = await startHost()
    host.users.add({ id: 'u-admin', username: 'admin', passwordHash })
    const { authToken } = await logIn(host)
    const { findById } = host.users
    host.users.findById = () => findById('u-admin')
    host.clock.advance(5)
    const answer = await get(host, '/me', bearer(authToken))
    expect(answer.status).toBe(503)
    host.users.findById = findById
    await afterAttack(host, answer)
  })
})

describe('a limit on guesses', () => {
  it('is counted before the guess is judged: of 50 at once no more than the limit is compared (CVE-2024-4629, CVE-2026-110861)', async () => {
    let compared = 0
    const verify = (plain: string, hash: string) => {
      compared += 1
      return cheapHasher.verify(plain, hash)
    }
    const host = await startHost({ options: { passwords: { ...cheapHasher, verify } } })
    const answers = await Promise.all(Array.from({ length: 50 }, () => wrong(host)))
    expect(compared).toBeGreaterThan(0)
    expect(compared).toBeLessThanOrEqual(5)
    expect(answers.filter(({ status }) => status !== 429)).toHaveLength(compared)
    await afterAttack(host, answers)
  })

  it('is not renewed by another address of one /64, nor by another spelling of one address (CVE-2026-45364)', async () => {
    const host = await startHost({ before: (app) => app.set('trust proxy', 1) })
    const from = (address: string) => wrong(host, { 'X-Forwarded-For': address })
    const rotated = await Promise.all(Array.from({ length: 12 }, (_, i) => from(`2001:db8:1:2:${i}::${i}`)))
    expect(rotated.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(5)
    const spellings = ['203.0.113.9', '::ffff:203.0.113.9', '::FFFF:cb00:7109', '0:0:0:0:0:ffff:203.0.113.9', '::ffff:cb00:7109']
    const respelt: Answered[] = []
    for (const address of [...spellings, ...spellings]) respelt.push(await from(address))
    expect(respelt.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(5)
    await afterAttack(host, [...rotated, ...respelt])
  })

  it('is not one for all of IPv4 where the server listens on IPv6 (CVE-2026-30827)', async () => {
    const host = await startHost({ before: (app) => app.set('trust proxy', 1) })
    for (let i = 0; i < 8; i += 1) await wrong(host, { 'X-Forwarded-For': '::ffff:198.51.100.1' })
    const elsewhere = await post(host, '/login', { username: 'alice', password }, { 'X-Forwarded-For': '::ffff:203.0.113.9' })
    expect(elsewhere.status).toBe(200)
    await afterAttack(host, elsewhere)
  })

  it('is not renewed by a name in other letters, in the other field, or with what normalization would take away (CVE-2026-73420)', async () => {
    const host = await startHost()
    const spellings = [{ email: 'alice@example.com' }, { email: 'ALICE@EXAMPLE.COM' }, { user: 'Alice@example.com' }]
    const answers: Answered[] = []
    for (const name of [...spellings, ...spellings, ...spellings])
      answers.push(await post(host, '/login', { ...name, password: 'wrong' }))
    expect(answers.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(5)
    for (const email of ['alice＠example.com', 'ａlice@example.com', 'alice@example.com\u200b\n', 'alice@example.com\0']) {
      answers.push(await post(host, '/login', { email, password }))
      expect(answers.at(-1)?.status).toBe(400)
    }
    await afterAttack(host, answers)
  })
})

describe('an e-mail address', () => {
  it('is one address: no list, no display name, nothing that a mailer would take apart (CVE-2022-35924)', async () => {
    const asked: string[] = []
    const host = await startHost({ options: { throttle: { account: { points: 100, duration: 60 } } } })
    const { findByIdentifier } = host.users
    host.users.findByIdentifier = async (identifier) => {
      asked.push(identifier.value)
      return findByIdentifier(identifier)
    }
    const lists = ['alice@example.com,eve@evil.example', 'alice@example.com;eve@evil.example', 'alice@example.com eve@evil.example']
    const dressed = [
      'Alice <alice@example.com>',
      '"alice"@example.com',
      'alice@example.com(eve)',
      ' alice@example.com',
      'alice@example.com ',
    ]
    const answers: Answered[] = []
    for (const email of [...lists, ...dressed]) answers.push(await post(host, '/login', { email, password }))
    expect(answers.map(({ status }) => status).filter((status) => status !== 401 && status !== 400)).toEqual([])
    expect(asked).not.toContain('alice@example.com')
    host.users.findByIdentifier = findByIdentifier
    await afterAttack(host, answers)
  })
})

describe('a login', () => {
  it('keeps no session: what was presented with it is neither used nor made more of (CVE-2022-25896, CVE-2023-29019)', async () => {
    const host = await startHost()
    host.users.add({ id: 'u-eve', username: 'eve', passwordHash })
    const eve = (await logIn(host, { username: 'eve', password })).authToken
    const planted = { ...bearer(eve), Cookie: `sid=${eve}; connect.sid=${eve}`, 'X-Session-Id': 'planted' }
    const victim = await post(host, '/login', { username: 'alice', password, authToken: eve, sessionId: 'planted' }, planted)
    expect(victim.body.data.authToken).not.toBe(eve)
    expect((await get(host, '/me', bearer(eve))).body).toMatchObject({ _id: 'u-eve' })
    const sessions = await Promise.all(['u-eve', 'u-alice'].map((id) => host.stores.sessions.listForUser(id, host.clock())))
    expect(sessions.map((own) => own.length)).toEqual([1, 1])
    expect(JSON.stringify(sessions)).not.toContain('planted')
    await afterAttack(host, victim)
  })

  it('by a password of more than 72 bytes is judged whole, by every hasher and prefix (CVE-2025-22228, CVE-2025-68402)', async () => {
    const long = `${'u-alice:alice:'.repeat(5)}xx`
    const pepper = Buffer.from('a pepper for tests, 32 bytes long').toString('base64')
    const prehashed = bcryptHasher({ cost: 4, threads: 1, dangerouslyAllowLowCost: true, prehash: { pepper }, workerUrl })
    expect(Buffer.byteLength(long)).toBe(72)
    for (const passwords of [cheapHasher, prehashed]) {
      const host = await startHost({ options: { passwords } })
      host.users.change('u-alice', { passwordHash: await passwords.hash(long) })
      const answer = await post(host, '/login', { username: 'alice', password: `${long}anything` })
      expect(answer.status).toBe(401)
      expect((await post(host, '/login', { username: 'alice', password: long })).status).toBe(200)
      expectCommon(answer)
    }
    await prehashed.close()
  })
})

describe('a user who is put out', () => {
  it('is out at once, also while the session is being read: no cache is filled from before (CVE-2022-24751)', async () => {
    const reading = gate()
    const host = await startHost()
    const { authToken } = await logIn(host)
    host.clock.advance(5)
    const { findById } = host.users
    host.users.findById = async (id) => {
      const row = await findById(id)
      await reading.pass()
      return row
    }
    const arrived = reading.shut()
    const underWay = get(host, '/me', bearer(authToken)).then((answer) => answer)
    await arrived
    host.users.change('u-alice', { disabled: true })
    await host.auth.sessions.revokeAllForUser('u-alice')
    reading.open()
    await underWay
    const after = await get(host, '/me', bearer(authToken))
    expect(after.status).toBe(401)
    await afterAttack(host, after)
  })
})

describe('a header that is malformed', () => {
  it('is refused before any route of the host runs, and throws nowhere (GHSA-xmf8-cvqr-rfgj)', async () => {
    let ran = 0
    const host = await startHost({
      after: (app, auth) =>
        app.get('/api/v1/rooms', auth.requireAuth(), (_request, response) => {
          ran += 1
          response.json({})
        }),
    })
    const { hostname, port } = new URL(host.url)
    const raw = (headers: Record<string, string | string[]>) =>
      new Promise<Answered>((resolve, reject) => {
        const request = rawRequest({ hostname, port, path: '/api/v1/rooms', headers }, (response) => {
          let text = ''
          response.on('data', (chunk) => {
            text += chunk
          })
          response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
        })
        request.on('error', reject).end()
      })
    const values = [
      'Bearer \xff\xfe',
      'Bearer a.b.c.d.e',
      'Bearer eyJhbGciOiJ9.e30.',
      'Bearer ..',
      'Bearer {"$ne":1}',
      '\x80',
      'Bearer\tx',
    ]
    const headers = values.flatMap((value) => [{ Authorization: value }, { 'X-Auth-Token': value, 'X-User-Id': value }])
    const answers = await Promise.all(headers.map(raw))
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([401])
    expect(ran).toBe(0)
    await afterAttack(host, answers)
  })
})

describe('a secret that everybody knows', () => {
  it('starts nothing: no default, sample or short key is taken (CVE-2026-33505, GHSA-r9w3-57w2-gch2)', async () => {
    const texts = ['secret', 'changeme', 'keyboard cat', 'shhhhh', 'your-256-bit-secret', '', '0'.repeat(32), 'x'.repeat(44)]
    const keys = [...texts, Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(64, 'key').toString('base64')]
    for (const key of keys) {
      await expect(startHost({ options: { encryptionKeys: [key] } })).rejects.toMatchObject({ name: 'AuthConfigError' })
    }
    for (const text of [...texts, '\0'.repeat(64)]) {
      const k = Buffer.from(text).toString('base64url')
      expect(() => joseSigner({ issuer: 'https://x', audience: 'x', keys: [{ kty: 'oct', k }] })).toThrow('joseSigner.keys[0]')
    }
  })

  it('of two services is not enough: each takes the tokens of its own issuer and for its own audience', async () => {
    const keys = [await generateSigningKey('HS256')]
    const ours = joseSigner({ issuer: 'https://a.example', audience: 'chat', keys })
    const host = await startHost({ options: { signer: ours } })
    const { authToken } = await logIn(host)
    for (const other of [
      { issuer: 'https://b.example', audience: 'chat' },
      { issuer: 'https://a.example', audience: 'mail' },
    ]) {
      const neighbour = await startHost({ options: { ...host.stores, signer: joseSigner({ ...other, keys }) } })
      const answer = await get(neighbour, '/me', bearer(authToken))
      expect(answer.status).toBe(401)
      await afterAttack(neighbour, answer)
    }
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
  })
})

describe('what a function for the host answers', () => {
  it('holds no secret of the user’s, since it may be shown: no seed, hash or token (Rocket.Chat issue 12894)', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const tokens = (await post(host, '/auth/pkce/token', await obtainCode(host, authToken))).body
    const { secret } = (await post(host, '/auth/totp', { password }, bearer(authToken))).body.data
    const told = [
      await host.auth.sessions.list('u-alice'),
      await host.auth.secondFactors.status('u-alice'),
      await host.auth.secondFactors.reset('u-alice'),
      await host.auth.sessions.revokeAllForUser('u-alice'),
    ]
    const text = JSON.stringify(told)
    for (const one of [authToken, tokens.refresh_token, tokens.access_token, secret, passwordHash]) expect(text).not.toContain(one)
    const { codeChallenge } = pkcePair()
    expect(Object.keys(await host.auth.issueAuthorizationCode({ userId: 'u-alice', codeChallenge }))).toEqual([
      'authorizationCode',
      'expiresIn',
    ])
    await afterAttack(host, [])
  })
})
