// What stands in the server's place may answer anything: the client throws its own error then, and
// neither keeps what is no sign-in nor forgets what is one.
import { EventEmitter } from 'node:events'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { AuthClientError, createAuthClient } from '../../src/client/client.js'
import { oauth } from '../../src/client/oauth/oauth.js'
import { socketIoAuth } from '../../src/client/socket-io/socket-io-auth.js'
import { memoryStore } from '../../src/client/token-store.js'
import { pkcePair } from '../support/client.js'
import { startHost } from '../support/host.js'
import { alice, clientOf, signedIn, tap } from './recorded.js'

const login = { userId: 'u-alice', authToken: 'token', me: { _id: 'u-alice' } }
const pair = { access_token: 'a', refresh_token: 'r', expires_in: 600 }
/** No text can be made of it, and no number. */
const unprintable = { toString: 1, valueOf: 1 }
/** As it comes over the wire: in a literal it would be the prototype. */
const named = (name: string, value: unknown) =>
  JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`)
const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`

const noLogins: readonly (readonly [what: string, data: unknown])[] = [
  ['null', null],
  ['a list', []],
  ['a text', 'token'],
  ['a user that is null', { ...login, me: null }],
  ['a user that is a text', { ...login, me: 'alice' }],
  ['a user id that is a number', { ...login, userId: 7 }],
  ['a token that is a list', { ...login, authToken: ['token'] }],
  ['a refresh token that is an object', { ...login, refreshToken: {} }],
  ['an end that is a text', { ...login, expiresIn: '600' }],
  ['an end that is no number', { ...login, expiresIn: unprintable }],
  ['a prototype with all of it', named('__proto__', login)],
]

const noPairs: readonly (readonly [what: string, body: unknown])[] = [
  ['a list', []],
  ['tokens that are numbers', { ...pair, access_token: 1, refresh_token: 2 }],
  ['no refresh token', { ...pair, refresh_token: null }],
  ['an end that is a text', { ...pair, expires_in: '600' }],
  ['a prototype with all of it', named('__proto__', pair)],
  ['a name that is no text', { error: unprintable, message: unprintable }],
]

const refusals: readonly (readonly [what: string, body: string])[] = [
  ['names of the prototype', JSON.stringify({ error: 'constructor', details: 'toString' })],
  ['members of no text', JSON.stringify({ error: 'totp-required', message: unprintable })],
  ['a time of no number', JSON.stringify({ error: 'x', details: { retryAfter: unprintable } })],
  ['a time that is deep', `{"error":"x","details":{"retryAfter":${nested}}}`],
  ['nothing but depth', nested],
  ['a prototype', '{"__proto__":{"error":"Unauthorized","status":401}}'],
]

describe('a server that answers a sign-in with', () => {
  it.each(noLogins)('%s signs nobody in', async (_what, data) => {
    const host = await startHost()
    const wire = tap(host)
    const storage = memoryStore()
    const client = clientOf(host, { fetch: wire.fetch, storage })
    wire.next('/login', async () => Response.json({ status: 'success', data }))
    await expect(client.signIn(alice)).rejects.toBeInstanceOf(AuthClientError)
    expect([client.state.status, await storage.get()]).toEqual(['signed-out', null])
    expect(await client.signIn(alice)).toMatchObject({ status: 'signed-in' })
    host.issued.add(await client.accessToken())
  })
})

describe('a server that answers a refresh with', () => {
  it.each(noPairs)('%s leaves what was kept', async (_what, body) => {
    const host = await startHost()
    const wire = tap(host)
    const client = await signedIn(host, { fetch: wire.fetch })
    host.clock.advance(700)
    wire.next('/auth/refresh', async () => Response.json(body))
    await expect(client.me()).rejects.toBeInstanceOf(AuthClientError)
    expect(client.state.status).toBe('signed-in')
    expect((await client.me()).username).toBe('alice')
  })
})

describe('a server that refuses with', () => {
  it.each(refusals)('%s is an error like any other, and signs nobody out', async (_what, body) => {
    const host = await startHost()
    const wire = tap(host)
    const client = await signedIn(host, { fetch: wire.fetch })
    for (const status of [400, 401, 403, 429, 503]) {
      wire.next('/me', async () => new Response(body, { status }))
      if (status === 503) wire.next('/me', async () => new Response('{}', { status: 400 }))
      await expect(client.me()).rejects.toMatchObject({ name: 'AuthClientError' })
      expect(client.state.status).toBe('signed-in')
    }
  })

  it('ways of a second step that are none offers those that are', async () => {
    const host = await startHost()
    const wire = tap(host)
    const details = { availableMethods: ['totp', unprintable, 7, null], method: unprintable }
    const body = { error: 'totp-required', details }
    wire.next('/login', async () => Response.json(body, { status: 401 }))
    const asked = await clientOf(host, { fetch: wire.fetch }).signIn(alice)
    expect(asked).toMatchObject({ status: 'code-needed', methods: ['totp'], method: 'totp' })
  })
})

describe('a server that does not say whose tokens it has given', () => {
  it.each([[{}], [[]], [{ _id: 7 }], [named('__proto__', { _id: 'u-alice' })]])(
    'but %j, has its session ended, and nobody is signed in',
    async (me) => {
      const host = await startHost()
      const wire = tap(host)
      const { codeChallenge, codeVerifier } = pkcePair()
      const first = await signedIn(host)
      const { authorizationCode } = await first.authorizationCode(codeChallenge)
      const storage = memoryStore()
      const client = clientOf(host, { fetch: wire.fetch, storage })
      wire.next('/me', async () => Response.json(me))
      const exchanged = client.exchangeCode({ authorizationCode, codeVerifier })
      await expect(exchanged).rejects.toMatchObject({ code: 'unknown' })
      expect([client.state.status, await storage.get()]).toEqual(['signed-out', null])
      expect(wire.to('/logout')).toEqual(['POST /logout'])
      expect(await host.stores.sessions.listForUser('u-alice', host.clock())).toHaveLength(1)
    },
  )

  it('is the same to an app', async () => {
    const sent: string[] = []
    const issuer = 'https://chat.example.com'
    const answers: Readonly<Record<string, object>> = {
      '/.well-known/openid-configuration': { issuer, authorization_endpoint: `${issuer}/page` },
      '/api/v1/oauth/token': { access_token: 'a', expires_in: 60, scope: '*' },
      '/api/v1/me': { name: 'Alice' },
      '/api/v1/oauth/revoke': {},
    }
    const client = createAuthClient({
      baseUrl: `${issuer}/api/v1`,
      fetch: async (url) => {
        const { pathname } = new URL(url)
        sent.push(pathname)
        return Response.json(answers[pathname])
      },
    })
    const redirectUri = 'https://app.example.com/cb'
    const app = oauth(client, { clientId: 'app', redirectUri, scope: '*' })
    const state = new URL(await app.start()).searchParams.get('state')
    const query = new URLSearchParams({ state: String(state), code: 'c', iss: issuer })
    await expect(app.finish(`${redirectUri}?${query}`)).rejects.toMatchObject({ code: 'unknown' })
    expect(sent.at(-1)).toBe('/api/v1/oauth/revoke')
    expect(client.state.status).toBe('signed-out')
  })
})

describe('a server that wants to be left alone', () => {
  it.each(['1800000000', '1800000000000', '9e15', '-1', 'Infinity', '0x7fffffffff', 'soon'])(
    'until %s is not asked by a socket in a circle',
    async (retryAfter) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
      onTestFinished(() => void vi.useRealTimers())
      let asked = 0
      const client = createAuthClient({
        baseUrl: 'https://chat.example.com/api/v1',
        maxWaitMs: 1000,
        fetch: async (address) => {
          if (address.endsWith('/login')) return Response.json({ status: 'success', data: login })
          asked += 1
          const headers = { 'Retry-After': retryAfter }
          return Response.json({ error: 'temporarily-unavailable' }, { status: 503, headers })
        },
      })
      await client.signIn(alice)
      const socket = client.socket('/ws', { WebSocket: class {} })
      onTestFinished(() => socket.close())
      await vi.advanceTimersByTimeAsync(2 * 3600_000)
      // Each time at least 15 seconds, once the pauses have grown.
      expect(asked).toBeGreaterThan(1)
      expect(asked).toBeLessThan(2 * 240 + 10)
      expect(socket.status).toBe('waiting')
    },
  )
})

describe('a Socket.IO server that ends a sign-in', () => {
  it.each([[undefined], [null], ['4408'], [{}], [[]], [{ code: '4408' }]])(
    'with %j ends it, and no program',
    async (told) => {
      const host = await startHost()
      const client = await signedIn(host)
      const onEnded = vi.fn()
      const events = new EventEmitter()
      const on = (name: string, listener: (...values: never[]) => void) =>
        events.on(name, listener as () => void)
      const socket = { on, connect: () => {}, disconnect: () => {}, active: false }
      socketIoAuth(client, { onEnded }).watch(socket)
      events.emit('connect')
      events.emit('auth.ended', told)
      expect(onEnded).toHaveBeenCalledOnce()
      await client.check()
    },
  )
})
