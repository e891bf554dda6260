// Whatever bytes arrive, also those that no HTTP client would send: one of our answers comes back,
// or Node's own 400 for what is no HTTP.
import { connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bearer, get, logIn, post } from '../support/client.js'
import { password, startHost, type TestHost } from '../support/host.js'
import { rounds } from '../support/rounds.js'

const numRuns = rounds(40)
const limit = { points: 1_000_000, duration: 60 }
const open = () =>
  startHost({
    options: {
      throttle: { account: limit, network: limit, secondFactor: limit },
      maxSessionsPerUser: 1000,
    },
  })

interface RawAnswer {
  readonly status: number
  readonly head: string
  readonly body: string
}

/**
 * Sends bytes on a connection of their own and answers what comes back until the server hangs up.
 */
function send(host: TestHost, head: readonly string[], body: Uint8Array): Promise<RawAnswer> {
  const { hostname, port } = new URL(host.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
    socket.on('close', () => {
      const [top = '', ...rest] = Buffer.concat(chunks).toString('utf8').split('\r\n\r\n')
      resolve({ status: Number(top.slice(9, 12)), head: top, body: rest.join('\r\n\r\n') })
    })
    const lines = [
      'Host: x',
      'Connection: close',
      `Content-Length: ${body.length}`,
      ...head.slice(1),
    ]
    socket.write(
      Buffer.concat([Buffer.from(`${[head[0], ...lines].join('\r\n')}\r\n\r\n`, 'latin1'), body]),
    )
  })
}

const ours = /^Content-Type: application\/json$/m

function expectOurs(answer: RawAnswer, statuses: readonly number[], told: string): void {
  // Node refuses by itself what is no HTTP, before anybody here has seen it.
  if (answer.status === 400 && answer.body === '' && !ours.test(answer.head)) return
  expect(statuses, told).toContain(answer.status)
  expect(answer.head.replaceAll('\r', ''), told).toMatch(ours)
  expect(answer.head, told).toMatch(/Cache-Control: no-store/)
  expect(answer.head, told).not.toMatch(/set-cookie/i)
  const body = JSON.parse(answer.body) as Record<string, unknown>
  if (answer.status !== 200)
    expect(body, told).toMatchObject({ success: false, status: 'error', error: expect.any(String) })
  expect(answer.body, told).not.toMatch(/node_modules|\.js:|\.ts:| {4}at /)
}

const paths = ['/login', '/auth/pkce/token', '/auth/refresh'] as const
const right = JSON.stringify({ username: 'alice', password })
const json = (value: unknown) => Buffer.from(JSON.stringify(value) ?? '')
const names = [
  'username',
  'email',
  'user',
  'password',
  'code',
  'authorizationCode',
  'codeVerifier',
  'refreshToken',
  'refresh_token',
]
const key = fc.oneof(
  fc.constantFrom(...names, '__proto__', 'constructor', 'toString', 'length'),
  fc.string(),
)
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom('alice', password, '1e999', '\u0000', '\uFEFF'),
)
const scalar = fc.oneof(
  text.map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '1e999',
    '-0',
    '12345678901234567890123456789',
    'null',
    'true',
    '[]',
    '{}',
    'NaN',
    '"\\ud800"',
    '[1,]',
    "'x'",
  ),
)
// Written by hand, so that names can come twice.
const written = fc
  .array(fc.tuple(key, scalar), { maxLength: 6 })
  .map((fields) =>
    Buffer.from(`{${fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`),
  )
const deep = fc
  .nat({ max: 4000 })
  .map((depth) => Buffer.from(`${'['.repeat(depth)}${']'.repeat(depth)}`))
const deepField = fc
  .nat({ max: 1300 })
  .map((depth) => Buffer.from(`{"password":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`))
const marked = fc
  .constantFrom(
    [0xef, 0xbb, 0xbf],
    [0xff, 0xfe],
    [0xfe, 0xff],
    [0xc0, 0x80],
    [0xed, 0xa0, 0x80],
    [0xf5],
  )
  .map((mark) => Buffer.concat([Buffer.from(mark), Buffer.from(right)]))
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.uint8Array({ minLength: 8000, maxLength: 8400 }),
  fc.jsonValue().map(json),
  written,
  deep,
  deepField,
  marked,
)

function isRight(body: Uint8Array): boolean {
  try {
    const sent = Object.values(JSON.parse(Buffer.from(body).toString('utf8')))
    return sent.includes(password) && sent.includes('alice')
  } catch {
    return false
  }
}

describe('a body of any bytes', () => {
  it.each(paths)('to %s is answered by us, with a status of the contract', async (path) => {
    const host = await open()
    await fc.assert(
      fc.asyncProperty(bytes, async (body) => {
        // What is written by chance may be alice's sign-in, which is let in.
        fc.pre(!isRight(body))
        const answer = await send(
          host,
          [`POST /api/v1${path} HTTP/1.1`, 'Content-Type: application/json'],
          body,
        )
        expectOurs(answer, [400, 401, 413], fc.stringify(body))
      }),
      { numRuns },
    )
    expect(host.unforeseen).toEqual([])
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(200)
  })

  it(
    'of another content type, charset or coding is 415, however that is spelt, and of JSON in ' +
      'UTF-8 is read',
    async () => {
      const host = await open()
      const types = [
        'application/json',
        'APPLICATION/JSON',
        ' application/json ',
        'application/json;charset=utf-8',
        'application/json; CHARSET="UTF8"',
      ]
      const others = [
        '',
        'text/plain',
        'application/jsonp',
        'application/json, text/plain',
        'application/json; charset=utf-16',
        'json',
      ]
      const more = [
        'application/json;charset=utf-7',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/vnd.api+json',
      ]
      const type = fc.oneof(
        fc.constantFrom(...types, ...others, ...more),
        fc.string({ unit: fc.constantFrom(...'aj/; =",\t\u00e9'), maxLength: 12 }),
      )
      const coding = fc.constantFrom(
        '',
        'Content-Encoding: gzip',
        'Content-Encoding: Identity',
        'Content-Encoding: identity, gzip',
      )
      await fc.assert(
        fc.asyncProperty(type, coding, async (contentType, contentCoding) => {
          const head = [
            'POST /api/v1/login HTTP/1.1',
            `Content-Type: ${contentType}`,
            contentCoding,
          ].filter((line) => line !== '')
          const isRead = types.includes(contentType) && !/gzip/.test(contentCoding)
          const answer = await send(host, head, Buffer.from(right))
          expectOurs(answer, [isRead ? 200 : 415], `${contentType} ${contentCoding}`)
        }),
        { numRuns },
      )
      expect(host.unforeseen).toEqual([])
    },
  )
})

describe('credentials of any kind', () => {
  it('sign in by nothing but the one right token, in its one place', async () => {
    const host = await open()
    const { authToken } = await logIn(host)
    const value = fc.oneof(
      fc.constantFrom(
        authToken,
        `Bearer ${authToken}`,
        `bearer  ${authToken} `,
        `Basic ${authToken}`,
        'u-alice',
        'u-bob',
        '',
        'Bearer',
        'null',
      ),
      fc.constantFrom(
        `Bearer ${authToken},Bearer x`,
        `Bearer ${authToken}=`,
        `${authToken}.x`,
        authToken.slice(0, -1),
        `Bearer x ${authToken}`,
      ),
      fc.string({ unit: fc.constantFrom(...'aB.-_~+/= ,;:"\t\u00e9\u0080'), maxLength: 30 }),
    )
    const name = fc.constantFrom(
      'Authorization',
      'X-Auth-Token',
      'X-User-Id',
      'AUTHORIZATION',
      'Cookie',
      'X-Access-Token',
      'Proxy-Authorization',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 4 }), async (headers) => {
        const lines = headers.map(([header, content]) => `${header}: ${content}`)
        const answer = await send(host, ['GET /api/v1/me HTTP/1.1', ...lines], Buffer.alloc(0))
        const sent = (header: string) =>
          headers
            .filter(([one]) => one.toLowerCase() === header)
            .map(([, content]) => content.trim())
        const [authorization, token, userId] = [
          sent('authorization'),
          sent('x-auth-token'),
          sent('x-user-id'),
        ]
        const byBearer =
          authorization.length === 1 &&
          token.length + userId.length === 0 &&
          authorization[0]?.replace(/^bearer +/i, '') === authToken
        const byPair =
          authorization.length === 0 &&
          token.join('|') === authToken &&
          userId.join('|') === 'u-alice'
        const isRight = (byBearer && authorization[0] !== authToken) || byPair
        expectOurs(answer, isRight ? [200] : [400, 401], lines.join(' / '))
      }),
      { numRuns: numRuns * 3 },
    )
    expect(host.unforeseen).toEqual([])
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
  })
})

describe('text of the client’s', () => {
  it('comes back in no header but X-Request-Id, and breaks no line of an event or the log', async () => {
    const host = await open()
    const label = fc.string({
      unit: fc.constantFrom(...'abz%0d%0a:;,"\t\u0085\u00a0\u00e9'),
      minLength: 3,
      maxLength: 30,
    })
    await fc.assert(
      fc.asyncProperty(label, label, async (agent, name) => {
        const body = json({ username: `zz${name}\r\nX-Forged: 1`, password: 'p' })
        const head = [
          `POST /api/v1/login?x=${encodeURIComponent(agent)} HTTP/1.1`,
          'Content-Type: application/json',
          `User-Agent: zz${agent}`,
        ]
        const answer = await send(
          host,
          [...head, `X-Request-Id: zz${agent}`, `Origin: zz${agent}`],
          body,
        )
        expectOurs(answer, [400], agent)
        // But for the name of the request, and that only where it can forge nothing.
        const rest = answer.head.replace(/^X-Request-Id: [\w.:-]{1,128}\r$/m, '')
        expect(rest).not.toMatch(/zz|forged/i)
        const told = JSON.stringify([host.log, host.events])
        expect(told).not.toMatch(/forged/i)
      }),
      { numRuns },
    )
    for (const { fields = {}, message } of host.log)
      expect(JSON.stringify([message, fields])).not.toMatch(/[\r\n]/)
  })
})
