import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import { AuthConfigError, type Guard } from '../../src/index.js'
import { startHost } from '../support/host.js'

describe('requireAuth() makes no guard', () => {
  it.each<[string, object, string]>([
    ['for a misspelt condition', { scopes: ['rooms:read'] }, 'requireAuth'],
    ['for text as optional', { optional: 'false' }, 'requireAuth.optional'],
    ['for another mode', { optional: 'strict' }, 'requireAuth.optional'],
    ['for a header as token', { tokenFrom: 'x-token' }, 'requireAuth.tokenFrom'],
    ['for a path as answer', { onRefused: '/sign-in' }, 'requireAuth.onRefused'],
    ['for null as optional', { optional: null }, 'requireAuth.optional'],
    ['for a negative age', { maxAge: -1 }, 'requireAuth.maxAge'],
    ['for an age that is no number', { maxAge: Number.NaN }, 'requireAuth.maxAge'],
    ['for text as age', { maxAge: '600' }, 'requireAuth.maxAge'],
    ['for two words as one scope', { scope: 'two words' }, 'requireAuth.scope'],
    ['for two words in a list of scopes', { scope: ['one', 'two words'] }, 'requireAuth.scope'],
    ['for an empty scope', { scope: '' }, 'requireAuth.scope'],
  ])('%s, and says so when it is asked to', async (_name, options, option) => {
    const { auth } = await startHost()
    expect(() => auth.requireAuth(options as never)).toThrow(AuthConfigError)
    expect(() => auth.requireAuth(options as never)).toThrow(
      expect.objectContaining({
        option: expect.stringMatching(new RegExp(`^${option}`)),
        remedy: expect.stringMatching(/\w/),
      }),
    )
  })
})

describe('requireAuth without its parentheses', () => {
  it('lets nobody in, and the error names the mistake', async () => {
    const host = await startHost({
      after: (app, auth) =>
        app.get('/rooms', auth.requireAuth as never, (_request, response) => {
          response.json('let in')
        }),
    })
    const response = await supertest(host.url.replace('/api/v1', '')).get('/rooms')
    expect(response.status).toBe(500)
    expect(response.body).toEqual({ host: 'failed' })
    expect(host.unforeseen).toEqual([
      expect.objectContaining({
        option: 'requireAuth',
        remedy: expect.stringMatching(/requireAuth\(\)/),
      }),
    ])
  })
})

describe('a polluted Object.prototype', () => {
  it('opens no guard that is made afterwards', async () => {
    const prototype = Object.prototype as unknown as Record<string, unknown>
    const guards: Guard[] = []
    const host = await startHost({
      after: (app, auth) => {
        prototype['optional'] = true
        try {
          guards.push(
            auth.requireAuth(),
            auth.requireAuth({}),
            auth.requireAuth({ scope: 'rooms:read', maxAge: 60 }),
          )
        } finally {
          delete prototype['optional']
        }
        for (const [i, guard] of guards.entries())
          app.get(`/rooms${i}`, guard, (_request, response) => void response.json('let in'))
      },
    })
    expect(guards).toHaveLength(3)
    for (const i of guards.keys()) {
      expect((await supertest(host.url.replace('/api/v1', '')).get(`/rooms${i}`)).status).toBe(401)
    }
  })
})

describe('requireAuth({ optional: true })', () => {
  it.each([
    [{ Authorization: 'Bearer !!!' }],
    [{ Authorization: 'Bearer' }],
    [{ Authorization: 'bearer a b' }],
    [{ 'X-Auth-Token': 'token' }],
    [{ 'X-User-Id': 'u-alice' }],
  ])('takes nobody for a stranger who shows broken credentials: %j is 401', async (headers) => {
    const host = await startHost({
      after: (app, auth) =>
        app.get(
          '/rooms',
          auth.requireAuth({ optional: true }),
          (request, response) => void response.json(request.auth ?? 'stranger'),
        ),
    })
    const rooms = () => supertest(host.url.replace('/api/v1', '')).get('/rooms')
    expect((await rooms().set(headers)).status).toBe(401)
    expect((await rooms()).body).toBe('stranger')
  })
})
