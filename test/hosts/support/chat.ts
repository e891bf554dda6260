// A small messaging server of one's own, on whichever Express and stores it is given.
import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express5 from 'express'
import {
  type AuthRouter,
  type AuthRouterOptions,
  type AuthUser,
  bcryptHasher,
  createAuthRouter,
  generateSigningKey,
  joseSigner,
  type TrackedSocket,
} from 'messaging-auth-router'
import { memoryStores } from 'messaging-auth-router/stores/memory'
import { onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'

type Express = ReturnType<typeof express5>

export interface Person extends AuthUser {
  readonly email: string
}

/** A server that runs. */
export interface Chat {
  readonly auth: AuthRouter
  /** Where the router is mounted. */
  readonly api: string
  readonly origin: string
  readonly server: Server
  /** The users; the one who is there from the start is alice. */
  readonly people: Map<string, Person>
}

export interface ChatSettings {
  readonly express?: typeof express5
  readonly options?: Partial<AuthRouterOptions>
  /** Adds to the app before the router. */
  readonly before?: (app: Express, auth: AuthRouter) => void
  /** Adds to the app after the router. */
  readonly after?: (app: Express, auth: AuthRouter) => void
}

export const password = 'correct horse battery staple'

/** Cheap, for tests only. */
const passwords = bcryptHasher({ cost: 4, threads: 1, dangerouslyAllowLowCost: true })
const passwordHash = await passwords.hash(password)
const shared = {
  passwords,
  signer: joseSigner({
    issuer: 'https://chat.example.com',
    audience: 'chat',
    keys: [await generateSigningKey()],
  }),
  encryptionKeys: [randomBytes(32).toString('base64')],
}

/** Starts one, with `GET /api/v1/rooms` behind the guard and sockets at `/ws`. */
export async function startChat(settings: ChatSettings = {}): Promise<Chat> {
  const people = new Map<string, Person>()
  const alice = { id: 'u-alice', username: 'alice', email: 'alice@example.com', name: 'Alice A.' }
  people.set(alice.id, { ...alice, passwordHash })
  const users: AuthRouterOptions['users'] = {
    async findByIdentifier({ kind, value }) {
      const names = ({ username, email }: Person) =>
        kind === 'user' ? [username, email] : [kind === 'email' ? email : username]
      return [...people.values()].find((person) => names(person).includes(value)) ?? null
    },
    findById: async (id) => people.get(id) ?? null,
  }
  const auth = createAuthRouter({ users, ...memoryStores(), ...shared, ...settings.options })
  const app = (settings.express ?? express5)()
  settings.before?.(app, auth)
  app.use('/api/v1', auth)
  app.get('/api/v1/rooms', auth.requireAuth(), (req, res) => {
    res.json({ rooms: ['general'], for: req.auth.userId })
  })
  settings.after?.(app, auth)
  const server = createServer(app)
  const sockets = new WebSocketServer({ noServer: true })
  sockets.on('connection', (socket: WebSocket, _request: unknown, tracked: TrackedSocket) => {
    socket.send(`hello ${tracked.principal.userId}`)
  })
  auth.sockets.attach(server, '/ws', sockets)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await auth.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { auth, api: `${origin}/api/v1`, origin, server, people }
}
