// The endpoints for tokens that are there already, over real kit and HTTP.
import { expect, onTestFinished } from 'vitest'
import {
  type AccessTokenClaims,
  type AuthEvent,
  type AuthRouterOptions,
  generateSigningKey,
  joseSigner,
  type OAuthClient,
  type SessionRecord,
} from '../../src/index.js'
import type { SignInKit } from '../../src/kits/sign-in-kit.js'
import { randomId } from '../../src/lib/secrets.js'
import type { AppsKit } from '../../src/oauth/apps-kit.js'
import { generateClientSecret } from '../../src/oauth/client-secret.js'
import type { Clients } from '../../src/oauth/clients.js'
import {
  createClientsForHost,
  createForgetClient,
  disableClient,
} from '../../src/oauth/clients-for-host.js'
import { listConsentsEndpoint, revokeConsentEndpoint } from '../../src/oauth/own-consents.js'
import { introspectEndpoint, revokeEndpoint } from '../../src/oauth/shown-tokens.js'
import { createUserClaims, type DescribeClaims } from '../../src/oauth/user-claims.js'
import { userinfoEndpoint } from '../../src/oauth/userinfo.endpoint.js'
import { createKit } from '../../src/router/kit.js'
import { resolveOptions } from '../../src/router/resolve-options.js'
import { createRevocations } from '../../src/sessions/revocations.js'
import {
  failClosedConsents,
  failClosedManagedClients,
} from '../../src/stores/fail-closed-stores.js'
import { memoryOAuthStores, memoryStores } from '../../src/stores/memory-stores.js'
import { newSession } from '../../src/stores/new-records.js'
import type { RevocationBus } from '../../src/stores/revocation-bus.js'
import { type ManualClock, manualClock } from '../../src/testing/testing.js'
import { newRefreshToken, rotateRefreshToken } from '../../src/tokens/refresh-token.js'
import { startBareApp } from '../support/bare-app.js'
import { cheapHasher, encryptionKey } from '../support/host.js'
import { kitOf } from '../support/kit-of.js'
import { testUsers } from '../support/users.js'
import { knownScopes, registerOf } from './some-clients.js'

export const issuer = 'https://chat.example.com'
const ownResource = 'chat'
const signingKey = await generateSigningKey()
const keyOfOthers = await generateSigningKey()
const secret = generateClientSecret()

const app = (id: string, more: Partial<OAuthClient> = {}): OAuthClient => ({
  id,
  name: `The ${id}`,
  type: 'web',
  redirectUris: [`https://${id}.example/callback`],
  scopes: ['openid', 'profile', 'email', 'messages:read'],
  secretHashes: [secret.hash],
  ...more,
})
const publicApp = (id: string): OAuthClient => {
  const { secretHashes: _none, ...rest } = app(id, {
    type: 'native',
    redirectUris: ['http://127.0.0.1/callback'],
  })
  return rest
}

/** Apps with the same secret: one that may not introspect, two that may, two that are public. */
const apps: readonly OAuthClient[] = [
  app('wiki'),
  app('search', { mayIntrospect: true, resources: ['https://search.example.com/'] }),
  app('companion', { mayIntrospect: true }),
  publicApp('desktop'),
  publicApp('phone'),
]

export interface AppSettings {
  readonly options?: (
    stores: ReturnType<typeof memoryStores>,
    clock: ManualClock,
  ) => Partial<Pick<AuthRouterOptions, 'sessions' | 'users' | 'signer'>>
  readonly claims?: DescribeClaims
  /** To other processes. */
  readonly bus?: RevocationBus
  /** The clients of another process. */
  readonly oauthStores?: ReturnType<typeof memoryOAuthStores>
}

export interface Answer {
  readonly status: number
  readonly text: string
  readonly json: Readonly<Record<string, unknown>>
  readonly headers: Headers
}

/** What a session is opened with. */
export interface Opening extends Partial<SessionRecord> {
  readonly userId?: string
}

export async function startOAuthApp(settings: AppSettings = {}) {
  const clock = manualClock(new Date('2026-03-01T12:00:00Z'))
  const stores = memoryStores()
  const oauthStores = settings.oauthStores ?? memoryOAuthStores()
  for (const one of apps) await oauthStores.clients.create(one, clock())
  const users = testUsers()
  for (const [id, name] of Object.entries({ 'u-alice': 'Alice A.', 'u-bob': 'Bob' }))
    users.add({ id, username: id.slice(2), name })
  const events: AuthEvent[] = []
  const signerOf = (key: typeof signingKey) =>
    joseSigner({ issuer, audience: ownResource, keys: [key], clock })
  const signer = signerOf(signingKey)
  const options = resolveOptions({
    users,
    ...stores,
    signer,
    clock,
    encryptionKeys: [encryptionKey],
    passwords: cheapHasher,
    onEvent: (event) => void events.push(event),
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    ...settings.options?.(stores, clock),
  })
  const kit = createKit(options)
  onTestFinished(() => kit.close())
  const { sessions, audit, call } = kit
  const managed = failClosedManagedClients(oauthStores.clients, call)
  const consents = failClosedConsents(oauthStores.consents, call)
  const clients: Clients = registerOf(managed, { clock, call })
  const revocations = createRevocations(settings.bus, call, 1000)
  onTestFinished(() => revocations.close())
  const forgetClient = createForgetClient(clients, revocations)
  const register = {
    managedClients: managed,
    forgetClient,
    sessions,
    knownScopes,
    idTokenAlgorithms: ['ES256', 'RS256'] as const,
    ownResource,
    webOnLoopback: false,
    clock,
    audit,
  }
  const forHost = createClientsForHost(register)
  const disable = (clientId: string) => disableClient(register, clientId)
  const appsKit = kitOf<AppsKit>({
    ...(kit as SignInKit as AppsKit),
    clients,
    once: oauthStores.once,
    issuer,
    baseUrl: new URL(issuer),
    ownResource,
    consents,
    userClaims: createUserClaims(settings.claims, call),
  })
  const userinfo = userinfoEndpoint(appsKit)
  const revoke = revokeEndpoint(appsKit)
  const introspect = introspectEndpoint(appsKit)
  const { url, unforeseen } = await startBareApp({
    routes: [
      ['/oauth/revoke', { POST: revoke }, 'oauth-endpoint', 'every-origin'],
      ['/oauth/introspect', { POST: introspect }, 'oauth-endpoint', 'own-origin'],
      ['/oauth/userinfo', { GET: userinfo, POST: userinfo }, 'oauth-endpoint', 'every-origin'],
      ['/auth/consents', { GET: listConsentsEndpoint(appsKit) }],
      ['/auth/consents/:clientId', { DELETE: revokeConsentEndpoint(appsKit) }],
    ],
  })
  const secrets = new Set<string>([secret.secret])
  onTestFinished(() => {
    const told = JSON.stringify(events)
    expect([...secrets].filter((one) => told.includes(one))).toEqual([])
    expect(unforeseen).toEqual([])
  })

  /** Opens a session of an app, with a refresh token. */
  async function open(clientId: string, change: Opening = {}) {
    const id = randomId()
    const { token: refreshToken, refresh } = newRefreshToken(id)
    const at = (seconds: number) => new Date(clock().getTime() + seconds * 1000)
    const session = newSession(at, {
      id,
      userId: 'u-alice',
      kind: 'oauth',
      scope: 'openid profile',
      clientId,
      refresh,
      ...change,
    })
    await stores.sessions.create(session)
    secrets.add(refreshToken)
    return { session, refreshToken, accessToken: await sign(session) }
  }

  /** An access token of a session, for an app and an API. */
  async function sign(
    session: SessionRecord,
    change: Partial<AccessTokenClaims> = {},
    by = signer,
  ): Promise<string> {
    const iat = Math.floor(clock().getTime() / 1000)
    const token = await by.sign({
      sub: session.userId,
      sid: session.id,
      iat,
      exp: iat + 300,
      jti: randomId(),
      auth_time: iat - 5,
      amr: session.methods,
      scope: session.scope,
      ...(session.clientId !== undefined && { client_id: session.clientId }),
      ...change,
    })
    secrets.add(token)
    return token
  }

  /** As somebody who has a key of his own would sign it. */
  const forge = (session: SessionRecord) => sign(session, {}, signerOf(keyOfOthers))

  /** Spends a refresh token in the store, and answers its successor. */
  async function rotate({ session, refreshToken }: Awaited<ReturnType<typeof open>>) {
    if (session.refresh === null) throw new Error('no refresh token')
    const next = rotateRefreshToken(session.id, refreshToken, session.refresh, clock(), 20)
    const { lastSeenAt, idleExpiresAt, ip } = session
    await stores.sessions.rotateRefresh(
      session.id,
      session.refresh.hash,
      { refresh: { ...next.refresh, pairUsed: true }, lastSeenAt, idleExpiresAt, ip },
      clock(),
    )
    secrets.add(next.token)
    return next.token
  }

  async function ask(path: string, init: RequestInit = {}): Promise<Answer> {
    const answer = await fetch(`${url}${path}`, init)
    const text = await answer.text()
    return { status: answer.status, text, headers: answer.headers, json: JSON.parse(text) }
  }

  const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })

  /** Sends a form as a client, which shows its secret if it has one. */
  function post(path: string, clientId: string, parameters: Record<string, string>) {
    const isPublic = apps.some(({ id, secretHashes }) => id === clientId && !secretHashes)
    const own = isPublic ? {} : { client_secret: secret.secret }
    const body = new URLSearchParams({ client_id: clientId, ...own, ...parameters })
    return ask(path, { method: 'POST', body })
  }

  return {
    url,
    clock,
    stores,
    oauthStores,
    users,
    events,
    kit,
    clients,
    disable,
    forHost,
    open,
    sign,
    forge,
    rotate,
    ask,
    post,
    bearer,
    secret: secret.secret,
    endOf: async ({ id }: SessionRecord) => (await stores.sessions.find(id))?.endReason,
    told: (type: AuthEvent['type']) => events.filter((event) => event.type === type),
    revoke: (clientId: string, token: string, more = {}) =>
      post('/oauth/revoke', clientId, { token, ...more }),
    introspect: (clientId: string, token: string) => post('/oauth/introspect', clientId, { token }),
    userinfo: (token: string) => ask('/oauth/userinfo', bearer(token)),
  }
}
