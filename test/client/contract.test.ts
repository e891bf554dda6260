// The client against the list of the wire: every error has its name, and every route its method.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type AuthClient, createAuthClient } from '../../src/client/client.js'
import { deviceLinks } from '../../src/client/device-links/device-links.js'
import { oauth } from '../../src/client/oauth/oauth.js'
import { passkeys } from '../../src/client/passkeys/passkeys.js'
import { providers } from '../../src/client/providers/providers.js'
import { newPasskey } from '../passkeys/authenticator.js'
import { type RequestObject, requests, resolve } from '../support/described.js'
import { password, startHost } from '../support/host.js'
import { startBrowser } from './passkeys-browser.js'
import { clientOf, signedIn, tap } from './recorded.js'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
/** Every request of the wire: its method, its path, and the names of its refusals. */
const endpoints = requests.map(({ route, request }) => {
  const [method = '', path = ''] = route.split(' ')
  return { method, path, errors: namesOf(request) }
})

function namesOf({ responses }: RequestObject): string[] {
  const schemas = Object.values(responses).map(
    (response) => resolve(response).content?.['application/json']?.schema ?? {},
  )
  return schemas
    .flatMap((schema) => schema.oneOf ?? [schema])
    .flatMap((one) => resolve(one).properties?.['error']?.enum ?? [])
}

/** What stands in quotation marks, or before a colon, between two texts of a file. */
function namesBetween(file: string, from: string, to: string): string[] {
  const text = read(file)
  const part = text.slice(text.indexOf(from), text.indexOf(to, text.indexOf(from)))
  return [...part.matchAll(/^ {2}'?([\w-]+)'?(?:,$|: \{)/gm)].map(([, name]) => name as string)
}

describe('every error name', () => {
  it('of the wire is known to the client, and no other', () => {
    const known = namesBetween('src/client/errors.ts', 'const wireNames', ']')
    const thrown = namesBetween('src/errors.ts', 'const catalogue', '\n}\n')
    const listed = endpoints.flatMap(({ errors }) => errors)
    expect(thrown).toContain('configuration')
    const wire = new Set([...thrown, ...listed].filter((name) => name !== 'configuration'))
    expect(known.toSorted()).toEqual([...wire].toSorted())
    expect(known.length).toBeGreaterThan(20)
  })
})

/** Requests without a method here, and why. */
const notOfClients: Readonly<Record<string, string>> = {
  'GET /logout': 'signing out is a POST wherever nobody follows a link',
  'GET /oauth/authorize': 'the browser goes there, to the address of `oauth(client).start()`',
  'POST /oauth/authorize': 'the same, by a form',
  'GET /oauth/logout': 'the app sends the browser there itself',
  'POST /oauth/logout': 'the same, by a form',
  'POST /auth/providers/:id/backchannel-logout': 'for providers',
  'POST /oauth/introspect': 'for services, which have a secret',
  'POST /oauth/device_authorization': 'for programs without a browser: libraries of OAuth know it',
  'POST /oauth/register': 'for apps that nobody knows: their libraries of OAuth register them',
  'POST /oauth/userinfo': 'the same as by GET',
}

const origin = 'https://chat.example.com'

/** Every method of the client that asks the server. */
const calls: ((client: AuthClient) => Promise<unknown>)[] = [
  (client) => client.me(),
  (client) => client.check(),
  (client) => client.sessions.list(),
  (client) => client.sessions.end('x'),
  (client) => client.sessions.endOthers(),
  (client) => client.tokens.list(),
  (client) => client.tokens.create({ name: 'bot' }),
  (client) => client.tokens.end('x'),
  (client) => client.tokens.endAll(),
  (client) => client.totp.status(),
  (client) => client.totp.begin('password'),
  (client) => client.totp.confirm('123456'),
  (client) => client.totp.disable('password', '123456'),
  (client) => client.totp.newRecoveryCodes('password', '123456'),
  (client) => client.rememberedBrowsers.list(),
  (client) => client.rememberedBrowsers.forget('x'),
  (client) => client.acceptance.list(),
  (client) => client.acceptance.accept([{ id: 'terms', version: '1' }]),
  (client) => client.consents.list(),
  (client) => client.consents.revoke('x'),
  (client) => client.reauthenticate({ password: 'password' }),
  async (client) => (await client.signInByCode({ username: 'alice' })).submit('12345678'),
  (client) => client.registration(),
  (client) => client.invitation('x'),
  async (client) => {
    const { submit } = await client.register({ email: 'a@x.y', username: 'a', name: 'A' })
    await submit('12345678')
  },
  (client) => client.password.forgot({ username: 'alice' }),
  (client) => client.password.reset('token', 'password'),
  (client) => client.password.change('password'),
  (client) => client.email.get(),
  (client) => client.email.verify(),
  (client) => client.email.change('alice@example.org'),
  (client) => client.email.confirm('id', '12345678'),
  (client) => client.email.undo('token'),
  (client) => client.email.setSecondFactor(true),
  (client) => client.phone.get(),
  (client) => client.phone.verify(),
  (client) => client.phone.change('+4917087654321'),
  (client) => client.phone.confirm('id', '12345678'),
  (client) => client.phone.undo('token'),
  (client) => client.phone.setSecondFactor(true),
  (client) => passkeys(client).signIn(),
  (client) => passkeys(client).list(),
  (client) => passkeys(client).add(),
  (client) => passkeys(client).rename('x', 'Phone'),
  (client) => passkeys(client).remove('x'),
  (client) => passkeys(client).reauthenticate(),
  (client) => client.authorizationCode('A'.repeat(43)),
  (client) => client.exchangeCode({ authorizationCode: 'a', codeVerifier: 'v'.repeat(43) }),
  async (client) => {
    const app = oauth(client, { clientId: 'x', redirectUri: 'https://x/', scope: '*' })
    const state = new URL(await app.start()).searchParams.get('state')
    await app.finish(`https://x/?code=c&state=${state}&iss=${origin}`)
    await app.userinfo()
    await client.signOut()
    await client.signIn({ user: 'alice', password: 'password' })
  },
  async (client) => {
    const { start, finish, list, identities } = providers(client)
    const answer = { ticket: 't', iss: origin }
    const returnTo = 'https://x/'
    const stateIn = (url: string) => new URL(url).searchParams.get('state')
    await list()
    const state = stateIn(await start('x', { returnTo }))
    await finish(`https://x/?${new URLSearchParams({ ...answer, state: String(state) })}`)
    const other = stateIn(await identities.start('x', { returnTo }))
    await identities.finish(
      `https://x/?${new URLSearchParams({ ...answer, state: String(other) })}`,
    )
    await identities.list()
    await identities.remove('x')
  },
  async (client) => {
    const { open, begin } = deviceLinks(client)
    const link = await open('https://x/#link')
    await link.approve('1234')
    await link.deny()
    await begin({ onCode() {}, onCheckCode() {}, onAccount: () => true })
  },
  (client) => client.socketTicket(),
  (client) => client.openBrowserSession(),
  (client) => client.publicKeys(),
  async (client) => {
    const asked = await client.deleteAccount()
    if (asked.status === 'code-needed') await asked.submit('12345678')
  },
  (client) => client.signOut({ browser: true }),
]

describe('every route', () => {
  it('of the router has its method, and the client asks no other', async () => {
    startBrowser().held.push(newPasskey())
    const asked = new Set<string>()
    const login = { userId: 'u', authToken: 't', refreshToken: 'r', expiresIn: 600, me: {} }
    const client = createAuthClient({
      baseUrl: `${origin}/api/v1`,
      async fetch(url, { method, body }) {
        const path = url.replace(origin, '').replace('/api/v1', '')
        asked.add(`${method} ${path.replace('/x', '/:id')}`)
        const pair = { access_token: 't', token_type: 'Bearer', expires_in: 600 }
        const lists = {
          sessions: [],
          accessTokens: [],
          consents: [],
          recoveryCodes: [],
          browsers: [],
          documents: [],
        }
        const ceremony = { passkeys: [], challenge: 'AAAA', user: { id: 'AAAA' } }
        const { state } = JSON.parse(String(body ?? '{}'))
        const led = { url: `${origin}/open?state=${state}`, providers: [], identities: [] }
        const data = { ...login, ...lists, ...ceremony, ...led, requestId: 'r', interval: 0 }
        const metadata = { issuer: origin, authorization_endpoint: `${origin}/oauth/authorize` }
        const app = { ...metadata, scope: '*', sub: 'u' }
        return Response.json({ ...pair, ...app, refresh_token: 'r', _id: 'u', keys: [], data })
      },
    })
    await client.signIn({ user: 'alice', password: 'password' })
    for (const call of calls) await call(client)
    const routes = endpoints
      .map(({ method, path }) => `${method} ${path}`)
      .map((route) => route.replace(/:\w+/, ':id'))
    const without = Object.keys(notOfClients)
    // Each once, and none that there is not.
    expect([...asked, ...without].toSorted()).toEqual(routes.toSorted())
  })

  it('that tells something is asked so that a real server answers it', async () => {
    const host = await startHost({ options: { namedTokens: true } })
    const client = await signedIn(host)
    const other = await signedIn(host)
    expect(await client.sessions.list()).toHaveLength(2)
    const { token, id } = await client.tokens.create({ name: 'bot', scope: ['read'] })
    host.issued.add(token)
    expect(await client.tokens.list()).toMatchObject([{ id, name: 'bot', scope: ['read'] }])
    await client.tokens.end(id)
    expect(await client.tokens.endAll()).toBe(0)
    expect((await client.publicKeys()).keys.length).toBeGreaterThan(0)
    expect(await client.totp.status()).toEqual({ enabled: false, recoveryCodesLeft: 0 })
    await expect(client.sessions.end('nothing')).rejects.toMatchObject({ code: 'not-found' })
    await expect(client.totp.begin('wrong')).rejects.toMatchObject({
      code: 'Unauthorized',
      details: { wrong: 'password' },
    })
    expect(await client.sessions.endOthers()).toBe(1)
    host.clock.advance(6)
    expect(await other.check()).toEqual({ status: 'signed-out', reason: 'session-ended' })
    expect((await client.check()).status).toBe('signed-in')
  })

  it('by an id of nothing never is that of all', async () => {
    const host = await startHost({ options: { namedTokens: true } })
    const wire = tap(host)
    const client = await signedIn(host, { fetch: wire.fetch })
    const other = await signedIn(host)
    for (const id of ['', '.', '..']) {
      const { forget } = client.rememberedBrowsers
      for (const end of [client.sessions.end, client.tokens.end, client.consents.revoke, forget])
        await expect(end(id)).rejects.toMatchObject({ code: 'invalid-request' })
    }
    for (const id of ['../', '?', '%2e', 'x/..'])
      await expect(client.sessions.end(id)).rejects.toMatchObject({ code: 'not-found' })
    expect((await other.me()).username).toBe('alice')
  })
})

describe('an option', () => {
  it.each([
    { baseUrl: 'ftp://chat.example.com' },
    { baseUrl: 'https://chat.example.com/api?x=1' },
    { baseUrl: 'https://alice@chat.example.com/api' },
    { baseUrl: 'https://chat.example.com/../api' },
    { baseUrl: 'https://chat.example.com', retries: 3 },
    { baseUrl: 'https://chat.example.com', maxWaitMs: 0 },
    { baseUrl: 'https://chat.example.com', requestTimeoutMs: 2 ** 31 },
    { baseUrl: 'https://chat.example.com', requestTimeoutMs: Number.NaN },
  ])('that is wrong is refused: %o', (options) => {
    expect(() => createAuthClient(options)).toThrow(TypeError)
  })
})

describe('client.fetch', () => {
  it('goes nowhere but below baseUrl, whatever the path', async () => {
    const host = await startHost()
    const wire = tap(host)
    const client = await signedIn(host, { fetch: wire.fetch })
    wire.sent.length = 0
    const outside = [
      'me',
      '//evil.example/',
      'https://evil.example/',
      '/../../admin',
      '/rooms/..',
      '/rooms/%2e%2E/x',
      '/rooms/.%2e?x',
      '/\\evil.example',
      '/.\t./admin',
      '/\n/evil.example',
      '@evil.example/',
      '.evil.example/',
      '',
    ]
    for (const path of outside) {
      const asked = client.fetch(path)
      await expect(asked, path).rejects.toMatchObject({ code: 'invalid-request', status: 0 })
    }
    expect(wire.sent).toEqual([])
    for (const path of ['/me?a=../../b', '/me#/../x', '/rooms/a..b', '/rooms/.well-known'])
      await client.fetch(path)
    expect(wire.sent).toHaveLength(4)
  })

  it('takes no other Authorization, and follows no redirect with its own', async () => {
    const host = await startHost({
      after: (app) => void app.get('/api/v1/away', (_request, response) => response.redirect('/x')),
    })
    const client = await signedIn(host)
    const headers = { authorization: 'Bearer other' }
    await expect(client.fetch('/me', { headers })).rejects.toThrow(TypeError)
    await expect(client.fetch('/away')).rejects.toMatchObject({ code: 'unreachable' })
    const answer = await client.fetch('/away', { redirect: 'manual' })
    expect(answer.status).toBe(302)
  })

  it('of nobody is not sent', async () => {
    const host = await startHost()
    const wire = tap(host)
    const client = clientOf(host, { fetch: wire.fetch })
    await expect(client.fetch('/me')).rejects.toMatchObject({ code: 'Unauthorized' })
    expect(wire.sent).toEqual([])
  })

  it('sends a POST again whose token was refused, waits for 503 with GET alone, and stops', async () => {
    const said: string[] = []
    let busy = 0
    const host = await startHost({
      before: (app, auth) => {
        app.all('/api/v1/rooms', auth.requireAuth(), (request, response) => {
          said.push(request.method)
          if (busy === 0) return void response.send('done')
          busy -= 1
          response.status(503).set('Retry-After', '0').send('busy')
        })
      },
    })
    const start = host.clock()
    const client = await signedIn(host, { clock: () => start, maxWaitMs: 30_000 })
    host.clock.advance(700)
    const body = JSON.stringify({ name: 'lobby' })
    const made = await client.fetch('/rooms', { method: 'POST', body })
    expect([made.status, await made.text()]).toEqual([200, 'done'])
    expect(said).toEqual(['POST'])
    busy = 1
    expect((await client.fetch('/rooms')).status).toBe(200)
    busy = 1
    expect((await client.fetch('/rooms', { method: 'POST', body })).status).toBe(503)
    busy = 1_000_000
    const stopping = new AbortController()
    const waiting = client.fetch('/rooms', { signal: stopping.signal })
    await expect.poll(() => said.length).toBeGreaterThan(4)
    stopping.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
  })

  it('notes that a second factor must be set up first, and hands on the answer', async () => {
    let demanded = false
    const host = await startHost({
      options: { secondFactor: () => (demanded ? 'required' : 'optional') },
      before: (app, auth) =>
        void app.get('/api/v1/rooms', auth.requireAuth(), (_request, response) => {
          response.json({ rooms: [] })
        }),
    })
    const client = await signedIn(host)
    demanded = true
    expect((await client.fetch('/rooms')).status).toBe(403)
    expect(client.state).toMatchObject({ status: 'signed-in', enrolmentRequired: true })
    expect((await client.totp.begin(password)).secret).not.toBe('')
  })

  it('hands on a 401 that is not about the token, without a refresh', async () => {
    const host = await startHost({
      before: (app) =>
        void app.get('/api/v1/vault', (_request, response) => {
          response.status(401).json({ error: 'Unauthorized', details: { wrong: 'password' } })
        }),
    })
    const wire = tap(host)
    const client = await signedIn(host, { fetch: wire.fetch })
    expect((await client.fetch('/vault')).status).toBe(401)
    expect(wire.to('/auth/refresh')).toEqual([])
  })
})
