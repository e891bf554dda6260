// A server with the pages mounted, as browsers reach it: over HTTP at 127.0.0.1, which is as good
// as TLS to them.
import { execFileSync } from 'node:child_process'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import {
  type AuthRouterOptions,
  generateSigningKey,
  joseSigner,
  type OAuthClient,
  type OAuthOptions,
} from '../../../src/index.js'
import { decodeBase32 } from '../../../src/lib/typed-codes.js'
import { memoryOAuthStores } from '../../../src/stores/memory-oauth-stores.js'
import { memoryStores } from '../../../src/stores/memory-stores.js'
import { type ManualClock, manualClock } from '../../../src/testing/testing.js'
import { recoveryCodeHash } from '../../../src/two-factor/recovery-codes.js'
import { createSeedVault } from '../../../src/two-factor/seed-vault.js'
import {
  encryptionKey,
  type HostSettings,
  passwordHash,
  startHost,
  type TestHost,
  totpSecret,
} from '../../support/host.js'
import { type TestUsers, testUsers } from '../../support/users.js'

const signingKey = await generateSigningKey('ES256')
const scopes = ['openid', 'profile', 'messages:read']

/** Recovery codes of bob's. */
export const recoveryCodes: readonly string[] = ['A', 'B', 'C', 'D', 'E', 'F'].map((letter) =>
  letter.repeat(24),
)

/** A site of the host's own. */
export const wiki: OAuthClient = {
  id: 'wiki',
  name: 'Team wiki',
  type: 'web',
  firstParty: true,
  redirectUris: ['https://wiki.example.com/callback'],
  scopes,
}
/** A site of somebody else's. */
export const tracker: OAuthClient = {
  id: 'tracker',
  name: 'Tracker',
  type: 'web',
  redirectUris: ['https://tracker.example.net/callback'],
  scopes,
}
/** An app on the device, which listens on a port. */
export const desktop: OAuthClient = {
  id: 'desktop',
  name: 'Chat Desktop',
  type: 'native',
  firstParty: true,
  redirectUris: ['http://127.0.0.1/callback'],
  scopes,
}
/** An app on the device, which has a scheme of its own. */
export const phone: OAuthClient = {
  id: 'phone',
  name: 'Chat',
  type: 'native',
  firstParty: true,
  redirectUris: ['com.example.chat:/callback'],
  scopes,
}

/** What outlives a restart: rows, users and the time. */
interface Remains {
  readonly clock: ManualClock
  readonly users: TestUsers
  readonly stores: ReturnType<typeof memoryStores>
  readonly oauthStores: ReturnType<typeof memoryOAuthStores>
}

/** A running host, and what a test wants to look at. */
export interface MountedHost extends Remains {
  /** Where browsers reach the router. */
  readonly base: string
  readonly origin: string
  /** The process of the moment. */
  host(): TestHost
  /** Another process takes over, of which the first one's memory is gone. */
  restart(): Promise<void>
  /** Milliseconds that every request takes from now on, before it is looked at. */
  delay(milliseconds: number): void
}

type After = NonNullable<HostSettings['after']>

/** Changes of the options; `oauth` of those that it needs besides. */
export interface MountedSettings {
  readonly options?: Partial<AuthRouterOptions>
  /** More of them, where they depend on where the pages are. */
  readonly optionsAt?: (origin: string, remains: Remains) => Partial<AuthRouterOptions>
  /** By which name browsers reach it. Default: 127.0.0.1, where they have no passkeys. */
  readonly hostname?: 'localhost'
  /** Over TLS, with a certificate that nobody trusts: for cookies that need it. */
  readonly tls?: boolean
  readonly oauth?: Partial<OAuthOptions>
  readonly users?: (users: TestUsers) => void
  /** Adds pages of the host's own, which is reached at `origin`. */
  readonly after?: (...given: [...Parameters<After>, origin: string]) => void
}

/**
 * Starts it until the test is over: alice has a password, bob a second factor too, carol must have
 * one and has none, and dora is like alice.
 */
export async function startMounted(settings: MountedSettings = {}): Promise<MountedHost> {
  let listener: RequestListener = () => {}
  let wait = 0
  const { hostname = '127.0.0.1', tls = false } = settings
  const answer: RequestListener = (request, response) =>
    void setTimeout(() => listener(request, response), wait)
  const front = await listen(answer, tls ? createTlsServer(selfSigned(), answer) : undefined)
  const origin = `${tls ? 'https' : 'http'}://${hostname}:${portOf(front)}`
  const base = `${origin}/api/v1`
  const remains: Remains = {
    clock: manualClock(new Date()),
    users: people(settings),
    stores: memoryStores(),
    oauthStores: memoryOAuthStores(),
  }
  await activateFactor(remains)
  let current = await startProcess(remains, base, settings)
  listener = passTo(current.server)
  return {
    ...remains,
    base,
    origin,
    host: () => current,
    async restart() {
      current = await startProcess(remains, base, settings)
      listener = passTo(current.server)
    },
    delay(milliseconds) {
      wait = milliseconds
    },
  }
}

function startProcess(
  remains: Remains,
  base: string,
  { options, optionsAt, oauth, after }: MountedSettings,
): Promise<TestHost> {
  const { clock, users, stores, oauthStores } = remains
  const { consents, once } = oauthStores
  const issuer = new URL(base).origin
  return startHost({
    after: (...given) => after?.(...given, issuer),
    options: {
      ...stores,
      users,
      clock,
      signer: joseSigner({ issuer, audience: 'chat', keys: [signingKey], clock }),
      secondFactor: ({ id }) => (id === 'u-carol' ? 'required' : 'optional'),
      pages: { brand: { name: 'Example Chat' } },
      oauth: {
        baseUrl: base,
        clients: [wiki, tracker, desktop, phone],
        consents,
        once,
        scopes: { 'messages:read': 'Read your messages' },
        ...oauth,
      },
      ...optionsAt?.(issuer, remains),
      ...options,
    },
  })
}

function people({ users: change }: MountedSettings): TestUsers {
  const users = testUsers()
  for (const name of ['alice', 'bob', 'carol', 'dora'])
    users.add({ id: `u-${name}`, username: name, name: `${name} example`, passwordHash })
  change?.(users)
  return users
}

async function activateFactor({ stores, clock }: Remains): Promise<void> {
  const seed = decodeBase32(totpSecret)
  if (seed === null) throw new Error('the secret is not base32')
  const keys = [Buffer.from(encryptionKey, 'base64')]
  const sealedSeed = createSeedVault(keys).seal('u-bob', seed)
  const factor = { userId: 'u-bob', sealedSeed, lastStep: -1, createdAt: clock() }
  await stores.secondFactors.activate(factor, recoveryCodes.map(hashOf))
}

function hashOf(code: string): string {
  const hash = recoveryCodeHash(code)
  if (hash === null) throw new Error('no recovery code')
  return hash
}

const passTo =
  (server: Server): RequestListener =>
  (request, response) =>
    void server.emit('request', request, response)

/** Serves on a port of 127.0.0.1 until the test is over. */
export async function listen(
  listener: RequestListener,
  server: Server = createServer(listener),
): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return server
}

const encoding = { encoding: 'utf8' } as const

/** A key and its certificate for this machine, of which nobody has heard. */
function selfSigned() {
  const made = 'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
  const written = '-subj /CN=127.0.0.1 -days 2 -keyout /dev/stdout -out /dev/stdout'
  // By way of a pipe: Node's own is none that has a name.
  const pem = execFileSync('sh', ['-c', `${made} ${written} 2>/dev/null | cat`], encoding)
  return { key: pem, cert: pem }
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

/** What a client asks for, in which nothing is wrong. */
export function queryOf(
  client: OAuthClient,
  change: Readonly<Record<string, string>> = {},
): string {
  return new URLSearchParams({
    client_id: client.id,
    redirect_uri: client.redirectUris[0] as string,
    response_type: 'code',
    scope: scopes.join(' '),
    state: 'af0ifjsldkj',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    ...change,
  }).toString()
}
