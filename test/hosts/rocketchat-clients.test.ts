// The clients of Rocket.Chat, as npm has them, at a server that is none.
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import {
  type AccountsOptions,
  type AuthUser,
  bcryptHasher,
  type UserStore,
} from 'messaging-auth-router'
import { type RocketChatOptions, rocketChat } from 'messaging-auth-router/rocketchat'
import { totpCode } from 'messaging-auth-router/testing'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Chat, type ChatSettings, password, startChat } from './support/chat.js'
import { bearer, get, send, signIn } from './support/client.js'

const require = createRequire(import.meta.url)

/** A server with the front before the router, on which alice has set up a second factor. */
async function start(options: RocketChatOptions = {}, settings: ChatSettings = {}) {
  const chat = await startChat({
    ...settings,
    options: {
      describeUser: () => ({ active: true, roles: ['user'], emails: [], settings: {} }),
      ...settings.options,
    },
    before: (app, auth) =>
      void app.use('/api/v1', rocketChat(auth, { version: '7.0', ...options })),
  })
  return { chat, code: await enrol(chat) }
}

/** Answers a code of another step each time: one of a step works once. */
async function enrol({ api }: Chat): Promise<() => string> {
  const { authToken } = await signIn(api, { username: 'alice', password })
  const begun = await send('POST', `${api}/auth/totp`, { password }, bearer(authToken))
  const { data } = begun.json as { data: { secret: string } }
  let step = Date.now() - 30_000
  const code = () => {
    step += 30_000
    return totpCode(data.secret, new Date(step))
  }
  const confirmed = await send(
    'POST',
    `${api}/auth/totp/confirm`,
    { code: code() },
    bearer(authToken),
  )
  expect(confirmed.status).toBe(200)
  return code
}

/** What a client keeps of its login opens nothing any more. */
async function expectOver({ api }: Chat, token: string): Promise<void> {
  expect((await get(`${api}/rooms`, bearer(token))).status).toBe(401)
}

beforeEach(() => {
  // Some of them write to the console whatever they send and get.
  for (const method of ['log', 'info', 'debug', 'warn', 'error'] as const)
    vi.spyOn(console, method).mockImplementation(() => {})
})

interface OldSdk {
  url: string
  currentLogin: { authToken: string } | null
  login(user: object): Promise<{ data: { userId: string; authToken: string } }>
  logout(): Promise<void>
  get(endpoint: string): Promise<Record<string, unknown> | undefined>
}

describe('@rocket.chat/sdk 0.2.9', () => {
  it('signs in, with a code, calls a guarded route, signs out', async () => {
    const { chat, code } = await start()
    const { api } = require('@rocket.chat/sdk') as { api: OldSdk }
    api.url = `${chat.api}/`
    await expect(api.login({ username: 'alice', password: 'wrong' })).rejects.toThrow('failed')
    await expect(api.login({ username: 'alice', password })).rejects.toThrow('failed')
    const { data } = await api.login({ username: 'alice', password, code: code() })
    expect(await api.get('rooms')).toEqual({ rooms: ['general'], for: 'u-alice' })
    expect(await api.get('me')).toMatchObject({ username: 'alice', success: true, active: true })
    expect(await api.get('info')).toMatchObject({ version: '7.0' })
    await api.logout()
    await expectOver(chat, data.authToken)
  })
})

interface NewSdk {
  currentLogin: { authToken: string } | null
  login(credentials: object): Promise<{ userId: string; authToken: string }>
  logout(): Promise<unknown>
  info(): Promise<unknown>
  get(endpoint: string, data: object): Promise<unknown>
  post(endpoint: string, data: object): Promise<unknown>
}

const newSdk = (chat: Chat) => {
  const { default: Api } = require('@rocket.chat/sdk-1/lib/api/RocketChat') as {
    default: new (options: { host: string }) => NewSdk
  }
  return new Api({ host: chat.origin })
}

describe('@rocket.chat/sdk 1.0.0-alpha', () => {
  it('signs in, with a code, resumes, calls a guarded route, signs out', async () => {
    const { chat, code } = await start()
    const sdk = newSdk(chat)
    const credentials = { user: { username: 'alice' }, password }
    await expect(sdk.login(credentials)).rejects.toMatchObject({
      status: 401,
      data: { error: 'totp-required', details: { method: 'totp' } },
    })
    await sdk.login({ totp: { login: credentials, code: code() } })
    const { authToken } = await sdk.login({ resume: sdk.currentLogin?.authToken })
    expect(await sdk.get('rooms', {})).toEqual({ rooms: ['general'], for: 'u-alice' })
    expect(await sdk.info()).toEqual({ version: '7.0' })
    expect(await sdk.post('users.removeOtherTokens', {})).toEqual({ success: true })
    await sdk.logout()
    await expectOver(chat, authToken)
  })

  it('signs in by the digest of the password', async () => {
    const passwords = bcryptHasher({
      preDigest: 'sha256-hex',
      cost: 4,
      threads: 1,
      dangerouslyAllowLowCost: true,
    })
    const chat = await startChat({
      options: { passwords },
      before: (app, auth) => void app.use('/api/v1', rocketChat(auth, { digestLogins: true })),
    })
    onTestFinished(() => passwords.close())
    const alice = chat.people.get('u-alice')
    if (alice !== undefined)
      chat.people.set('u-alice', { ...alice, passwordHash: await passwords.hash(password) })
    const sdk = newSdk(chat)
    const digest = createHash('sha256').update(password).digest('hex')
    const shown = { digest, algorithm: 'sha-256' }
    const { authToken } = await sdk.login({ user: { username: 'alice' }, password: shown })
    await sdk.logout()
    await expectOver(chat, authToken)
  })
})

interface Credentials {
  'X-User-Id': string
  'X-Auth-Token': string
}

interface ApiClient {
  setCredentials(credentials: Credentials): void
  handleTwoFactorChallenge(ask: (asked: { method: string }) => Promise<string>): void
  get(endpoint: string): Promise<unknown>
  post(
    endpoint: string,
    body?: object,
  ): Promise<{
    data: { userId: string; authToken: string }
    token: string
  }>
}

function restClient({ origin }: Chat): ApiClient {
  const { RestClient } = require('@rocket.chat/api-client') as {
    RestClient: new (options: { baseUrl: string }) => ApiClient
  }
  return new RestClient({ baseUrl: origin })
}

describe('@rocket.chat/api-client', () => {
  it('signs in, asks for the code, calls a guarded route, signs out', async () => {
    const { chat, code } = await start({ personalAccessTokens: true })
    const client = restClient(chat)
    const asked: string[] = []
    client.handleTwoFactorChallenge(async ({ method }) => {
      asked.push(method)
      return code()
    })
    const { data } = await client.post('/v1/login', { user: 'alice', password })
    expect(asked).toEqual(['totp'])
    client.setCredentials({ 'X-User-Id': data.userId, 'X-Auth-Token': data.authToken })
    expect(await client.get('/v1/rooms')).toEqual({ rooms: ['general'], for: 'u-alice' })
    const { token } = await client.post('/v1/users.logoutOtherClients', {})
    expect(token).toBe(data.authToken)
    const made = await client.post('/v1/users.generatePersonalAccessToken', { tokenName: 'bot' })
    expect((await get(`${chat.api}/rooms`, bearer(made.token))).status).toBe(200)
    await client.post('/v1/logout')
    await expectOver(chat, data.authToken)
  })
})

interface OldApi {
  restClient: {
    setHeader(name: string, value: string): void
    request(method: string, path: string): Promise<unknown>
  }
  wsClient: { ddp: { on(event: string, listener: () => void): void }; disconnect(): void }
  login(username: string, password: string): Promise<{ userId: string; authToken: string }>
  logout(): Promise<unknown>
  authentication: { me(callback: (error: unknown, body: unknown) => void): void }
  miscellaneous: { info(callback: (error: unknown, body: unknown) => void): void }
}

const called = (call: (callback: (error: unknown, body: unknown) => void) => void) =>
  new Promise((resolve, reject) => {
    call((error, body) => (error ? reject(error) : resolve(body)))
  })

describe('rocketchat-api', () => {
  it('signs in, with a code, calls a guarded route, signs out', async () => {
    const { chat, code } = await start()
    const { hostname: host, port } = new URL(chat.origin)
    const Client = require('rocketchat-api') as new (options: object) => OldApi
    const client = new Client({ protocol: 'http', host, port })
    onTestFinished(() => void client.wsClient.disconnect())
    await expect(client.login('alice', 'wrong')).rejects.toThrow('Could not login')
    await expect(client.login('alice', password)).rejects.toThrow('Could not login')
    client.restClient.setHeader('x-2fa-code', code())
    const { authToken } = await client.login('alice', password)
    const { authentication, miscellaneous, restClient } = client
    const rooms = await restClient.request('GET', 'rooms')
    expect(rooms).toEqual({ rooms: ['general'], for: 'u-alice' })
    expect(await called((done) => authentication.me(done))).toMatchObject({ username: 'alice' })
    expect(await called((done) => miscellaneous.info(done))).toMatchObject({ version: '7.0' })
    await client.logout()
    await expectOver(chat, authToken)
  })
})

describe('a client that registers', () => {
  /** A server on which everybody may register, and the mails that it sends. */
  async function startOpen() {
    const people = new Map<string, AuthUser & { email: string; emailVerified: boolean }>()
    const by = (key: 'email' | 'username', value: string) =>
      [...people.values()].find((one) => one[key].toLowerCase() === value.toLowerCase()) ?? null
    const users: UserStore = {
      findByIdentifier: async ({ kind, value }) =>
        by(kind === 'email' ? 'email' : 'username', value),
      findById: async (id) => people.get(id) ?? null,
      findContact: async (id) => people.get(id) ?? null,
      nameIsFree: async (name) => by('username', name) === null,
      async create({ email, username, name, passwordHash }) {
        const user = {
          id: `u-${username}`,
          // Whoever registers has one.
          email: email ?? '',
          emailVerified: true,
          username,
          name,
          passwordHash,
        }
        people.set(user.id, user)
        return { outcome: 'created', user }
      },
    }
    const codes: string[] = []
    const mail: AccountsOptions['mail'] = { send: async ({ code = '' }) => void codes.push(code) }
    const chat = await startChat({
      options: { users, accounts: { mail, registration: 'open' } },
      before: (app, auth) => void app.use('/api/v1', rocketChat(auth, { accounts: true })),
    })
    return { chat, codes, people }
  }

  const ada = {
    username: 'ada',
    email: 'ada@example.com',
    pass: 'a phrase that nobody else types',
    name: 'Ada Lovelace',
  }

  it.each([
    ['@rocket.chat/sdk 1.0.0-alpha', (chat: Chat) => newSdk(chat).post('users.register', ada)],
    ['@rocket.chat/api-client', (chat: Chat) => restClient(chat).post('/v1/users.register', ada)],
  ])('is mailed a code, and signs in once it is confirmed: %s', async (_name, registers) => {
    const { chat, codes, people } = await startOpen()
    const answer = (await registers(chat)) as { requestId: string }
    expect(answer).toMatchObject({ success: true, requestId: expect.any(String) })
    await expect.poll(() => codes).toHaveLength(1)
    expect(people.size).toBe(0)
    const proof = { requestId: answer.requestId, code: codes[0], password: ada.pass }
    const made = await send('POST', `${chat.api}/auth/register/confirm`, proof, {})
    expect(made.status).toBe(200)
    const { userId } = await newSdk(chat).login({ user: { username: 'ada' }, password: ada.pass })
    expect(userId).toBe('u-ada')
  })
})
