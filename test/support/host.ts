import { createServer, type Server, type ServerOptions } from 'node:http'
import type { AddressInfo } from 'node:net'
import express5 from 'express'
import express4 from 'express4'
import { expect, onTestFinished } from 'vitest'
import {
  type AuthEvent,
  type AuthRouter,
  type AuthRouterOptions,
  type BcryptHasher,
  bcryptHasher,
  createAuthRouter,
  generateSigningKey,
  joseSigner,
  type Logger,
} from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { type ManualClock, manualClock } from '../../src/testing/testing.js'
import { faultsIn, type Noted, watched } from './described.js'
import { type TestUsers, testUsers } from './users.js'

export const password = 'correct horse battery staple'
/** The hash of {@link password} at cost 4, so that tests are fast. */
export const passwordHash = '$2b$04$abcdefghijklmnopqrstuu7EJV7kdjBBQxyb0HjTh9KS7.Lah/6CG'
export const encryptionKey = Buffer.from('an encryption key for tests only').toString('base64')
export const totpSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

/**
 * Worker threads run compiled code; the build comes before the tests. One pool serves a whole file.
 */
export const workerUrl = new URL('../../dist/bcrypt-worker.js', import.meta.url)
/** With room for so many at once that only tests of the router's queue ever meet it. */
export const cheapHasher: BcryptHasher = {
  ...bcryptHasher({
    cost: 4,
    threads: 1,
    dangerouslyAllowLowCost: true,
    workerUrl,
  }),
  concurrency: 1000,
}

const signingKey = await generateSigningKey()

/** What one log line was. */
export interface LogLine {
  level: keyof Logger
  message: string
  fields: object | undefined
}

/** A running messaging server with a router in it, and all that a test wants to look at. */
export interface TestHost {
  readonly auth: AuthRouter
  readonly users: TestUsers
  readonly clock: ManualClock
  readonly events: AuthEvent[]
  readonly log: LogLine[]
  readonly stores: ReturnType<typeof memoryStores>
  readonly url: string
  readonly server: Server
  /** Errors that reached the host's own error handler. */
  readonly unforeseen: unknown[]
  /**
   * Tokens, codes, tickets and seeds that clients were given; when the test ends, none of them may
   * have been written down.
   */
  readonly issued: Set<string>
}

/** Where a server is, and the secrets it has given: what requests to it need. */
export type Served = Pick<TestHost, 'url' | 'issued'>

export interface HostSettings {
  readonly express?: 4 | 5
  readonly options?: Partial<AuthRouterOptions>
  /** Changes the app before the router is mounted. */
  readonly before?: (app: ReturnType<typeof express5>, auth: AuthRouter) => void
  /** Adds to the app after the router. */
  readonly after?: (app: ReturnType<typeof express5>, auth: AuthRouter) => void
  readonly prefix?: string
  /** Of Node's server. */
  readonly server?: ServerOptions
  /** When the clock starts. */
  readonly now?: Date
  /** Which answers the test provokes though openapi.json knows nothing of them. */
  readonly isBeyond?: (fault: string) => boolean
}

/** Starts a host with the user alice, and stops it when the test ends. */
export async function startHost(settings: HostSettings = {}): Promise<TestHost> {
  const { prefix = '/api/v1' } = settings
  const clock = manualClock(settings.now ?? new Date())
  const users = testUsers()
  users.add({
    id: 'u-alice',
    username: 'alice',
    email: 'alice@example.com',
    name: 'Alice A.',
    passwordHash,
  })
  const events: AuthEvent[] = []
  const log: LogLine[] = []
  const stores = memoryStores()
  const auth = createAuthRouter(
    withoutUndefined({
      users,
      ...stores,
      signer: joseSigner({
        issuer: 'https://chat.example.com',
        audience: 'chat',
        keys: [signingKey],
        clock,
      }),
      encryptionKeys: [encryptionKey],
      passwords: cheapHasher,
      clock,
      onEvent: (event) => void events.push(event),
      logger: recordingLogger(log),
      ...settings.options,
    }),
  )
  const app = (settings.express === 4 ? express4 : express5)() as ReturnType<typeof express5>
  settings.before?.(app, auth)
  const answers: Noted[] = []
  app.use(prefix, watched(auth, answers))
  settings.after?.(app, auth)
  const unforeseen: unknown[] = []
  app.use(
    (
      error: unknown,
      _request: express5.Request,
      response: express5.Response,
      _next: express5.NextFunction,
    ) => {
      unforeseen.push(error)
      response.status(500).json({ host: 'failed' })
    },
  )
  const server = createServer(settings.server ?? {}, app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issued = new Set<string>()
  const { isBeyond = () => false } = settings
  const unexpected = () => faultsIn(answers).filter((fault) => !isBeyond(fault))
  onTestFinished(() => expect(unexpected(), 'answers that are not as described').toEqual([]))
  onTestFinished(() => {
    const told = JSON.stringify([log, events])
    expect(
      [password, ...issued].filter((secret) => told.includes(secret)),
      'secrets in the log or the events',
    ).toEqual([])
  })
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await auth.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`
  return { auth, users, clock, events, log, stores, url, server, unforeseen, issued }
}

// An option that a test sets to undefined is one that its host leaves out.
function withoutUndefined(options: AuthRouterOptions): AuthRouterOptions {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as unknown as AuthRouterOptions
}

function recordingLogger(log: LogLine[]): Logger {
  const record = (level: keyof Logger) => (message: string, fields?: object) =>
    void log.push({ level, message, fields })
  return {
    debug: record('debug'),
    info: record('info'),
    warn: record('warn'),
    error: record('error'),
  }
}
