// A host whose users come from elsewhere, and a browser that keeps cookies.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Express } from 'express'
import session from 'express-session'
import {
  type AuthEvent,
  type AuthRouter,
  type AuthRouterOptions,
  createAuthRouter,
  generateSigningKey,
  joseSigner,
} from 'messaging-auth-router'
import { memoryStores } from 'messaging-auth-router/stores/memory'
import { onTestFinished } from 'vitest'

const signingKey = await generateSigningKey()
export const totpSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

/** A user of the host, and the identity that leads to it. */
export interface HostUser {
  id: string
  username: string
  disabled?: boolean
}

export interface PassportHost {
  readonly auth: AuthRouter
  readonly app: Express
  readonly origin: string
  readonly users: Map<string, HostUser>
  /** `issuer subject` -> id of a user. */
  readonly identities: Map<string, string>
  readonly findUserId: (identity: { issuer: string; subject: string }) => Promise<string | null>
  readonly events: AuthEvent[]
  /** What reached the host's own error handler. */
  readonly failures: unknown[]
}

export interface PassportHostSettings {
  readonly options?: Partial<AuthRouterOptions>
  readonly mount: (host: PassportHost) => void | Promise<void>
}

/** Starts one with the users alice and bob, an express-session of its own, and a guarded route. */
export async function startPassportHost({
  options = {},
  mount,
}: PassportHostSettings): Promise<PassportHost> {
  const users = new Map<string, HostUser>([
    ['u-alice', { id: 'u-alice', username: 'alice' }],
    ['u-bob', { id: 'u-bob', username: 'bob' }],
  ])
  const identities = new Map<string, string>()
  const events: AuthEvent[] = []
  const failures: unknown[] = []
  const auth = createAuthRouter({
    users: usersOf(users),
    ...memoryStores(),
    signer: joseSigner({
      issuer: 'https://chat.example.com',
      audience: 'chat',
      keys: [signingKey],
    }),
    encryptionKeys: [Buffer.from('an encryption key for tests only').toString('base64')],
    onEvent: (event) => void events.push(event),
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    ...options,
  })
  const app = express()
  const server = createServer(app)
  const origin = await listen(server)
  onTestFinished(() => auth.close())
  const host: PassportHost = {
    auth,
    app,
    origin,
    users,
    identities,
    findUserId: async ({ issuer, subject }) => identities.get(`${issuer} ${subject}`) ?? null,
    events,
    failures,
  }
  app.set('trust proxy', 1)
  await mount(host)
  addOwnParts(host)
  return host
}

function usersOf(users: Map<string, HostUser>): AuthRouterOptions['users'] {
  const asUser = (user: HostUser | undefined) =>
    user === undefined ? null : { name: user.username, passwordHash: null, ...user }
  return {
    findByIdentifier: async () => null,
    findById: async (id) => asUser(users.get(id)),
    updatePasswordHash: async () => false,
  } as AuthRouterOptions['users']
}

// What the host had before: a visit counter in its own session, and what goes wrong is 503.
function addOwnParts({ app, auth, failures }: PassportHost): void {
  app.use('/api/v1', auth)
  const own = { name: 'host', secret: 'of the host', resave: false, saveUninitialized: true }
  app.get('/visits', session(own), (req, res) => {
    const visitor = req.session as unknown as { visits?: number }
    visitor.visits = (visitor.visits ?? 0) + 1
    res.json({ visits: visitor.visits })
  })
  app.get('/guarded', auth.requireAuth(), (req, res) => {
    res.json({ userId: req.auth?.userId, methods: req.auth?.methods })
  })
  app.use(((error, _req, res, _next) => {
    failures.push(error)
    res.status(503).json({ error: 'temporarily-unavailable' })
  }) as express.ErrorRequestHandler)
}

/** Starts a server and stops it with the test. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export interface Answer {
  readonly status: number
  readonly location: string | null
  // biome-ignore lint/suspicious/noExplicitAny: whatever was answered
  readonly body: any
}

/** A browser behind the host's proxy, which speaks HTTPS for it. */
export function browser() {
  const jar = new Map<string, string>()

  async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { 'X-Forwarded-Proto': 'https', ...(cookie && { cookie }), ...init.headers },
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      jar.set(name, value)
    }
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json') === true
    return {
      status: answer.status,
      location: answer.headers.get('location'),
      body: isJson ? JSON.parse(text) : text,
    }
  }

  const post = (url: string, body: object, headers: Record<string, string> = {}) =>
    ask(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const form = (url: string, fields: Record<string, string>) =>
    ask(url, { method: 'POST', body: new URLSearchParams(fields) })
  const get = (url: string, headers: Record<string, string> = {}) => ask(url, { headers })
  return { jar, get, post, form }
}

/** Uses a token at a guard, signs out with it, and finds it spent. */
export async function useAndSignOut(host: PassportHost, token: string) {
  const { get, post } = browser()
  const bearer = { Authorization: `Bearer ${token}` }
  const { body } = await get(`${host.origin}/guarded`, bearer)
  const signedOut = await post(`${host.origin}/api/v1/logout`, {}, bearer)
  const afterwards = await get(`${host.origin}/guarded`, bearer)
  return { ...body, statuses: [signedOut.status, afterwards.status] }
}

/** How many sessions each of the users has. */
export async function sessionsOf({ auth, users }: PassportHost): Promise<number> {
  const lists = await Promise.all([...users.keys()].map((id) => auth.sessions.list(id)))
  return lists.flat().length
}
