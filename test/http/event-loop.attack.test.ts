// What a stranger can send is bounded in length before anything whose cost is more than linear
// reads it.
import '../support/steps.js'
import express from 'express'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deviceName } from '../../src/account/device-name.js'
import { bearer, get } from '../support/client.js'
import { send } from '../support/raw-requests.js'
import { stepsUntil } from '../support/steps.js'
import {
  bytes,
  filled,
  headers,
  json,
  marks,
  mostSteps,
  routes,
  slowHeadersOf,
  startReading,
  verifier,
  withHeader,
} from './hostile-headers.js'

describe('no header takes more than 40 steps a byte, whatever fills its 60 KB', () => {
  // All routes: every-header.attack.test.ts.
  const sample = ['/login', '/auth/pkce/token', '/guarded']
  it.each(routes.filter(({ path, method }) => sample.includes(path) && method !== 'PUT'))(
    'of $path',
    async (route) => expect(await slowHeadersOf(route)).toEqual([]),
  )
})

const texts = [
  ' ',
  '\t',
  'a',
  '7',
  '=',
  ',',
  '[',
  '\u0300',
  marks,
  '\u{1d15e}',
  '\ufdfa',
  'mar_rt_',
  '{"a":',
  'A\u030a',
]
/** Fields of each route that reads a body. */
const fields: readonly (readonly [path: string, fields: readonly string[], rest: object])[] = [
  ['/login', ['username', 'email', 'user'], { password: 'x' }],
  ['/login', ['password', 'code'], { username: 'alice' }],
  ['/auth/pkce/token', ['authorizationCode'], { codeVerifier: verifier }],
  ['/auth/pkce/token', ['codeVerifier'], { authorizationCode: 'x' }],
  ['/auth/refresh', ['refreshToken', 'refresh_token'], {}],
  ['/auth/pkce/authorize', ['codeChallenge', 'codeChallengeMethod'], {}],
  ['/auth/totp', ['password'], {}],
  ['/auth/totp/confirm', ['code'], {}],
  ['/auth/totp/disable', ['password', 'code'], { password: 'x', code: 'x' }],
]
const bodies = fields.flatMap(([path, names, rest]) =>
  names.map((name) => [path, name, rest] as const),
)

/** The most that a request takes whose body is as long as any may be. */
const mostOfBody = mostSteps('body', [8192])

describe('no body takes more than 40 steps a byte', () => {
  it.each(bodies)('of %s with all of its 8 KiB in %s', async (path, name, rest) => {
    const { host, token } = await startReading()
    const slow: string[] = []
    for (const unit of [...texts, '\ud800']) {
      const body = json({
        ...rest,
        [name]: filled(
          unit,
          Math.floor(7900 / Math.max(1, Buffer.byteLength(json([unit])) - 4)) * unit.length,
        ),
      })
      const sent = { path, body, headers: bearer(token) }
      const steps = await stepsUntil(() => send(host, sent))
      if (steps > mostOfBody) slow.push(`${JSON.stringify(unit)}: ${steps} steps`)
    }
    expect(slow).toEqual([])
  })
})

const megabyte = 1_000_000
const nested = (make: (inner: unknown) => unknown, depth: number) => {
  let value: unknown = 'x'
  for (let at = 0; at < depth; at += 1) value = make(value)
  return value
}
/** What a host's parser may let through. */
const values: Record<string, unknown> = {
  ...Object.fromEntries(
    texts.map((unit) => [`a megabyte of ${json([unit])}`, filled(unit, megabyte)]),
  ),
  'nested lists': nested((inner) => [inner], 100_000),
  'nested objects': nested((a) => ({ a }), 100_000),
  'a list of a hundred thousand': new Array(100_000).fill('x'),
  'a hundred thousand members': Object.fromEntries(
    Array.from({ length: 100_000 }, (_one, at) => [`k${at}`, 1]),
  ),
}

describe('what a host’s own parser let through is not read before its length is known', () => {
  // The parser's own cost is left out: what it would have made is put into place.
  async function startParsed() {
    const parsed: { body?: unknown } = {}
    const place: express.RequestHandler = (request, _response, next) => {
      if ('body' in parsed) request.body = parsed.body
      next()
    }
    const { host, token } = await startReading({ before: (app) => app.use(express.json(), place) })
    return async (all: readonly (readonly [path: string, body: unknown])[]) => {
      await send(host, { path: '/login', body: '{}' })
      return stepsUntil(async () => {
        for (const [path, body] of all) {
          parsed.body = body
          await send(host, { path, body: '{}', headers: bearer(token) })
        }
      })
    }
  }
  /** Of a request of which nothing is read. */
  const most = mostSteps('body', [0])

  it.each(Object.entries(values))('in a field: %s', async (_name, value) => {
    const steps = await startParsed()
    const sent = bodies.map(([path, name, rest]) => [path, { ...rest, [name]: value }] as const)
    expect(await steps(sent)).toBeLessThan(most * sent.length)
  })

  it.each(Object.entries(values))(
    'beside the fields, and as the whole body: %s',
    async (_name, value) => {
      const steps = await startParsed()
      const many = typeof value === 'object' ? value : {}
      const sent = bodies.flatMap(([path, name, rest]) =>
        [
          { ...rest, [name]: 'x', more: value },
          value,
          Object.assign(Object.create(many as object), { [name]: 'x' }),
        ].map((body) => [path, body] as const),
      )
      expect(await steps(sent)).toBeLessThan(most * sent.length)
    },
  )

  it.each([
    ['with its length', false],
    ['in chunks', true],
  ])('and texts of more than 8 KiB are 413, %s', async (_name, chunked) => {
    const { host } = await startReading({
      before: (app) => void app.use(express.json({ limit: '2mb' })),
    })
    const login = (password: string) =>
      send(host, { path: '/login', body: json({ username: 'alice', password }), chunked })
    expect(await login('x'.repeat(9000))).toBe(413)
    expect(await login('x'.repeat(8000))).toBe(401)
  })
})

describe('a list of sessions', () => {
  it('takes a bounded number of steps, whatever their devices call themselves', async () => {
    const { host, token } = await startReading({ options: { maxSessionsPerUser: 300 } })
    for (let at = 1; at < 300; at += 1) {
      const name = `Mozilla/5.0 ${filled('a', 480)}${at}`
      await send(host, {
        path: '/login',
        body: json({ username: 'alice', password: 'right' }),
        headers: { 'User-Agent': name },
      })
    }
    expect((await get(host, '/auth/sessions', bearer(token))).body.data.sessions).toHaveLength(300)
    const asked = { method: 'GET', path: '/auth/sessions', headers: bearer(token) }
    // Bowser's patterns are quadratic, and are given no more than this.
    expect(await stepsUntil(() => send(host, asked))).toBeLessThan(300 * 512 ** 2)
  })

  it('names a device by 512 characters at most', () => {
    expect(deviceName(`${'x'.repeat(600)} (Windows NT 10.0)`)).toBe('x'.repeat(100))
    expect(deviceName(`curl/8.0 ${' '.repeat(600)}(Windows NT 10.0)`)).toBe('curl')
  })
})

describe('texts that nobody thought of', () => {
  const character = fc.constantFrom(
    ...' \t=,;:.%"\'()[]{}<>/\\-_+@*0a1Az',
    '\u00e4',
    '\u0300',
    '\u0334',
    '\u0345',
    '\u{1d15e}',
  )
  const word = fc.constantFrom(
    'Bearer ',
    'charset=',
    'application/json',
    '::',
    'xn--',
    '%CC%81',
    'Mozilla/',
    'eyJ',
    'mar_rt_',
    '1.1.1.1',
  )
  const fragment = fc.string({
    unit: fc.oneof({ weight: 4, arbitrary: character }, word),
    minLength: 1,
    maxLength: 4,
  })
  const text = fc.tuple(fragment, fragment, fragment).map(
    ([beginning, unit, end]) =>
      (length: number) =>
        beginning + filled(unit, length) + end,
  )
  const header = fc.tuple(fc.constantFrom(...headers), fc.constantFrom(...routes))
  const length = fc.constantFrom(250, 1000, 4000, 30_000)

  it('take no more steps in a header', async () => {
    const { host, token } = await startReading()
    // Whatever is done once only is no part of a header.
    for (const route of routes)
      for (const [name] of headers) await send(host, withHeader(route, token, name, 'x'))
    await fc.assert(
      fc.asyncProperty(header, text, length, async ([[name, beginning = ''], route], of, most) => {
        const value = bytes(`${beginning}${of(most)}`)
          .slice(0, 2 * most)
          .trim()
        const sent = withHeader(route, token, name, value)
        const steps = await stepsUntil(() => send(host, sent))
        expect(steps).toBeLessThan(mostSteps(name, [value.length]))
      }),
      { numRuns: 400 },
    )
  })

  it('take no more steps in a field', async () => {
    const { host, token } = await startReading({
      before: (app) => void app.use(express.json({ limit: '2mb' })),
    })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...bodies), text, async ([path, name, rest], of) => {
        const body = json({ ...rest, [name]: of(8000) })
        const sent = { path, body, chunked: true, headers: bearer(token) }
        const steps = await stepsUntil(() => send(host, sent))
        expect(steps).toBeLessThan(mostSteps('body', [Buffer.byteLength(body)]))
      }),
      { numRuns: 400 },
    )
  })
})
