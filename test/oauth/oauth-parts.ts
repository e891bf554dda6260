// The token endpoint over the stores of a running host, and codes for it: the option that mounts it
// is not needed for what it does.
import { onTestFinished } from 'vitest'
import { noRequest } from '../../src/audit/events.js'
import { type AuthRouterOptions, generateSigningKey, joseSigner } from '../../src/index.js'
import type { SignInKit } from '../../src/kits/sign-in-kit.js'
import { randomId, randomSecret, sha256 } from '../../src/lib/secrets.js'
import type { AppsKit } from '../../src/oauth/apps-kit.js'
import { generateClientSecret } from '../../src/oauth/client-secret.js'
import { disableClient, type RegisterKit } from '../../src/oauth/clients-for-host.js'
import { createRequireFitSigner } from '../../src/oauth/oauth-server.js'
import { revokeConsentEndpoint } from '../../src/oauth/own-consents.js'
import { tokenEndpoint } from '../../src/oauth/token.endpoint.js'
import { createKit } from '../../src/router/kit.js'
import { resolveOptions } from '../../src/router/resolve-options.js'
import type { OAuthClient } from '../../src/stores/client-contract.js'
import type { StoredMethod } from '../../src/stores/contract.js'
import { memoryOAuthStores } from '../../src/stores/memory-oauth-stores.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import type { AuthorizationCodeRecord } from '../../src/stores/one-time-contract.js'
import { manualClock } from '../../src/testing/testing.js'
import { startBareApp } from '../support/bare-app.js'
import { bearer, logIn, pkcePair } from '../support/client.js'
import { cheapHasher, encryptionKey, startHost } from '../support/host.js'
import { kitOf, type Some } from '../support/kit-of.js'
import { basic, onceInMemory } from '../support/oauth-clients.js'
import { rsaKey } from '../support/rsa-key.js'

export const issuer = 'https://chat.example.com'
export const ownResource = 'chat'
export const search = 'https://search.example.com/'

const key = await generateSigningKey()
const secret = generateClientSecret()

const some = { firstParty: true, scopes: ['*', 'openid', 'profile', 'offline_access', 'read'] }
/** An app: public, and always with a refresh token. */
export const desktop: OAuthClient = {
  ...some,
  id: 'desktop',
  name: 'Desktop',
  type: 'native',
  redirectUris: ['com.example.chat:/cb'],
  resources: [ownResource, search],
}
/** Another one. */
export const phone: OAuthClient = { ...desktop, id: 'phone', name: 'Phone' }
/** A server: confidential, with a refresh token when it asks for one. */
export const wiki: OAuthClient = {
  ...some,
  id: 'wiki',
  name: 'Wiki',
  type: 'web',
  redirectUris: ['https://wiki.example.com/cb'],
  secretHashes: [secret.hash],
  idTokenAlgorithm: 'RS256',
}
/** A server of somebody else's, which alice must have allowed what it may do. */
export const tracker: OAuthClient = {
  id: 'tracker',
  name: 'Tracker',
  type: 'web',
  redirectUris: ['https://tracker.example.net/cb'],
  scopes: ['openid', 'profile', 'offline_access', 'read'],
  secretHashes: [secret.hash],
}
export const asTracker = basic('tracker', secret.secret)
export const asWiki = basic('wiki', secret.secret)

export type Parameters = Readonly<Record<string, string | readonly string[]>>

/** A code that was issued, and all that its client sends with it. */
export interface TestCode {
  readonly record: AuthorizationCodeRecord
  readonly form: Readonly<Record<string, string>>
}

export interface OAuthSettings {
  readonly clients?: readonly OAuthClient[]
  readonly options?: Partial<AuthRouterOptions>
  readonly change?: Some<AppsKit>
  readonly stores?: Pick<AuthRouterOptions, 'codes' | 'sessions'>
  /** Lets a step of what is going on happen, perhaps later. */
  readonly step?: <Value>(name: Step, work: () => Promise<Value>) => Promise<Value>
}

/** What may come between another request and the next. */
export type Step = 'open' | 'rotate' | 'look at client' | 'look at consent' | 'end' | 'write'

/** Starts a host, and the token endpoint beside it, as another process over the same stores. */
export async function startOAuth(settings: OAuthSettings = {}) {
  const { clients = [desktop, phone, wiki, tracker], step = (_name, work) => work() } = settings
  /** The clients as the store has them now. */
  const rows = new Map(clients.map((client) => [client.id, client]))
  const clock = manualClock(new Date('2026-03-01T12:00:00Z'))
  const signer = joseSigner({ issuer, audience: ownResource, keys: [key], rs256: [rsaKey], clock })
  const stores = { ...memoryStores(), ...settings.stores }
  const { consents, once } = memoryOAuthStores()
  const baseUrl = `${issuer}/api/v1`
  // With any clients: those of the endpoint beside it are the test's own.
  const options = { oauth: { baseUrl, clients: [], consents, once }, ...settings.options }
  const host = await startHost({ options: { ...stores, signer, clock, ...options } })
  const resolved = resolveOptions({
    users: host.users,
    ...stores,
    signer,
    encryptionKeys: [encryptionKey],
    passwords: cheapHasher,
    clock,
    onEvent: (event) => void host.events.push(event),
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    ...options,
  })
  const kit = createKit(resolved)
  onTestFinished(() => kit.close())
  const { codeStore, audit, call, users, sessions, signedIn } = kit
  const endClient: typeof sessions.endClient = (...given) =>
    step('end', () => sessions.endClient(...given))
  const register = kitOf<RegisterKit>({
    managedClients: {
      setDisabled: (id, disabled) =>
        step('write', async () => {
          const row = rows.get(id)
          if (row !== undefined) rows.set(id, { ...row, disabled })
          return { outcome: row === undefined ? 'unchanged' : 'changed' }
        }),
    },
    forgetClient: async () => {},
    sessions: { endClient },
    clock,
    audit,
  })
  const disable = (clientId: string) => disableClient(register, clientId)

  const endpoint = tokenEndpoint(
    kitOf<AppsKit>({
      ...(kit as SignInKit as AppsKit),
      deviceFlow: undefined,
      once: onceInMemory(),
      issuer,
      baseUrl: new URL(issuer),
      consents: {
        find: (...given) => step('look at consent', () => consents.find(...given)),
      },
      sessions: {
        ...sessions,
        startByCode: (...given) => step('open', () => sessions.startByCode(...given)),
        rotateRefresh: (...given) => step('rotate', () => sessions.rotateRefresh(...given)),
      },
      requireFitSigner: createRequireFitSigner(signer, call, clock),
      userClaims: async ({ name }, { scope }) => (scope.includes('profile') ? { name } : {}),
      ownResource,
      ownAddress: 'https://chat.example.com/api/v1',
      hasServices: false,
      ...settings.change,
      clients: {
        find: async (id) => clients.find((one) => one.id === id) ?? null,
        isFamiliar: () => true,
        findFresh: async (id) => step('look at client', async () => rows.get(id) ?? null),
        withRedirects: async (client) => client,
        ...settings.change?.clients,
      },
    }),
  )
  const app = await startBareApp({
    routes: [
      ['/oauth/token', { POST: endpoint }, 'oauth-endpoint', 'every-origin'],
      [
        '/auth/consents/:clientId',
        {
          DELETE: revokeConsentEndpoint(
            kitOf<AppsKit>({
              signedIn,
              consents: {
                listForUser: consents.listForUser,
                revoke: (...given) => step('write', () => consents.revoke(...given)),
              },
              clients: { find: async () => null },
              sessions: { requireLive: sessions.requireLive, endClient },
              ownResource,
              audit,
            }),
          ),
        },
      ],
    ],
  })

  /** Signs alice in to a browser. */
  async function openBrowser(methods: readonly StoredMethod[] = ['pwd']) {
    const user = await users.findById('u-alice')
    const decision = await kit.decideSignIn({
      door: 'host',
      user,
      methods,
      code: undefined,
      context: noRequest,
    })
    if (!decision.allowed) throw decision.error
    const { approved } = decision
    const asked = { approved, tokens: 'cookie', lifetime: undefined } as const
    return (await kit.issueSession(asked, noRequest)).session
  }

  /** Issues a code as the authorization endpoint does. */
  async function issueCode(
    client: OAuthClient,
    change: Partial<AuthorizationCodeRecord> = {},
    prefix = 'mar_oc_',
  ): Promise<TestCode> {
    const code = `${prefix}${randomSecret()}`
    const { codeVerifier, codeChallenge } = pkcePair()
    const browser = await openBrowser()
    const redirectUri = client.redirectUris[0] as string
    const after = (seconds: number) => new Date(clock().getTime() + seconds * 1000)
    const record: AuthorizationCodeRecord = {
      codeHash: sha256(code),
      userId: browser.userId,
      issuedBySessionId: browser.id,
      opensSessionId: randomId(),
      codeChallenge,
      scope: 'openid profile',
      methods: browser.methods,
      authenticatedAt: browser.authenticatedAt,
      createdAt: clock(),
      expiresAt: after(60),
      retainUntil: after(3600),
      consumedAt: null,
      clientId: client.id,
      redirectUri,
      nonce: 'n-0S6',
      resources: [ownResource],
      acr: 'urn:mar:1fa',
      ...change,
    }
    await codeStore.save(record)
    host.issued.add(code)
    const asked = { grant_type: 'authorization_code', code, redirect_uri: redirectUri }
    const named = client.secretHashes === undefined ? { client_id: client.id } : {}
    return { record, form: { ...asked, code_verifier: codeVerifier, ...named } }
  }

  /** Sends a form to the token endpoint. */
  async function token(parameters: Parameters, headers: Readonly<Record<string, string>> = {}) {
    const pairs = Object.entries(parameters).flatMap(([name, value]) =>
      [value].flat().map((one) => [name, String(one)] as [string, string]),
    )
    const body = new URLSearchParams(pairs)
    const answer = await fetch(`${app.url}/oauth/token`, { method: 'POST', body, headers })
    const text = await answer.text()
    const json = JSON.parse(text) as Readonly<Record<string, unknown>>
    for (const name of ['access_token', 'refresh_token', 'id_token'])
      if (typeof json[name] === 'string') host.issued.add(json[name])
    const { status } = answer
    return { status, text, json, headers: Object.fromEntries(answer.headers) }
  }

  /** A refresh token of a client with which it has signed alice in. */
  async function openApp(
    client: OAuthClient,
    headers = {},
    change: Partial<AuthorizationCodeRecord> = {},
  ) {
    const scope = 'openid profile offline_access read'
    const { record, form } = await issueCode(client, { scope, ...change })
    const { json } = await token(form, headers)
    const refreshToken = json['refresh_token'] as string
    return { json, record, refreshToken, sessionId: record.opensSessionId }
  }

  const refresh = (refreshToken: string, more: Parameters = {}, headers = {}) =>
    token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...more }, headers)

  /** Alice allows a client these scopes. */
  const allow = (clientId: string, scopes: readonly string[] = ['openid', 'profile']) =>
    consents.grant({
      userId: 'u-alice',
      clientId,
      scopes,
      grantedAt: clock(),
      updatedAt: clock(),
    })

  /** Makes what takes back, as alice, what she has allowed a client. */
  async function withdrawer() {
    const headers = bearer((await logIn(host)).authToken)
    return async (clientId: string) =>
      (await fetch(`${app.url}/auth/consents/${clientId}`, { method: 'DELETE', headers })).status
  }

  const session = (id: string) => kit.sessionStore.find(id)
  return {
    host,
    clock,
    app,
    kit,
    signer,
    openBrowser,
    issueCode,
    token,
    openApp,
    refresh,
    session,
    rows,
    consents,
    allow,
    withdrawer,
    disable,
  }
}

/** What a token of ours says, unverified. */
export function claimsOf(token: unknown): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString())
}
