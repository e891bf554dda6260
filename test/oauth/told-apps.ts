// A host that tells its apps when a session has ended, and apps on this machine that are told.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import { expect } from 'vitest'
import {
  type AuthRouterOptions,
  generateSigningKey,
  joseSigner,
  type OAuthClient,
  type OAuthOptions,
  type SessionRecord,
  type SigningKey,
} from '../../src/index.js'
import { randomId } from '../../src/lib/secrets.js'
import { memoryOAuthStores } from '../../src/stores/memory-oauth-stores.js'
import { newSession } from '../../src/stores/new-records.js'
import { manualClock } from '../../src/testing/testing.js'
import { serve } from '../providers/loopback.js'
import { startHost, type TestHost } from '../support/host.js'
import { rsaKey } from '../support/rsa-key.js'

/** On this machine, so that its apps may be there as well. */
const issuer = 'http://localhost:3000'
export const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'
export const key: SigningKey = await generateSigningKey('ES256')

/** What an app was sent. */
export interface Told {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface ToldApp {
  readonly client: OAuthClient
  readonly told: Told[]
  /** The claims of each token it was sent, unverified. */
  claims(): JWTPayload[]
  /** Until it was told that often. */
  toldTimes(times: number): Promise<void>
}

type Answer = (response: ServerResponse, times: number) => unknown

/** Starts the server of an app; it takes all that it is told, unless it answers otherwise. */
export async function startToldApp(
  id: string,
  answer: Answer = (response) => response.end(),
  change: Partial<OAuthClient> = {},
): Promise<ToldApp> {
  const told: Told[] = []
  const origin = await serve(async (request, response) => {
    let body = ''
    for await (const part of request) body += String(part)
    const { method, url, headers } = request
    told.push({ method, url, headers, body })
    answer(response, told.length)
  })
  const client: OAuthClient = {
    id,
    name: `The ${id}`,
    type: 'web',
    redirectUris: [`${origin}/callback`],
    scopes: ['openid', 'profile', 'offline_access'],
    backchannelLogoutUri: `${origin}/logged-out?from=chat`,
    ...change,
  }
  return {
    client,
    told,
    claims: () => told.map(({ body }) => decodeJwt(tokenIn(body))),
    async toldTimes(times) {
      while (told.length < times) await new Promise((resolve) => setImmediate(resolve))
      expect(told).toHaveLength(times)
    },
  }
}

/** The token in a form. */
export function tokenIn(body: string): string {
  return new URLSearchParams(body).get('logout_token') ?? ''
}

export interface ToldSettings {
  readonly clients: readonly OAuthClient[]
  readonly oauth?: Partial<OAuthOptions>
  readonly options?: Partial<AuthRouterOptions>
}

export type ToldHost = TestHost & {
  /** Stores a session of an app of alice's. */
  openApp(client: OAuthClient, change?: Partial<SessionRecord>): Promise<SessionRecord>
  /** Until nothing is under way, nor waits for its turn. */
  settled(): Promise<void>
  /** The events about apps that were told, or not. */
  outcomes(): readonly Readonly<Record<string, unknown>>[]
}

/** Starts it, until the test is over. */
export async function startTelling(settings: ToldSettings): Promise<ToldHost> {
  const clock = manualClock(new Date('2026-03-01T12:00:00Z'))
  const { consents, once } = memoryOAuthStores()
  const host = await startHost({
    before: (app, auth) => void app.use(auth.wellKnown),
    options: {
      clock,
      signer: signerOf(clock),
      oauth: {
        baseUrl: `${issuer}/api/v1`,
        clients: settings.clients,
        consents,
        once,
        logout: true,
        ...settings.oauth,
      },
      ...settings.options,
    },
  })
  const sessions = settings.options?.sessions ?? host.stores.sessions
  return {
    ...host,
    clock,
    async openApp({ id: clientId }, change = {}) {
      const end = new Date(clock().getTime() + 3_600_000)
      const session = newSession(() => clock(), {
        id: randomId(),
        userId: 'u-alice',
        kind: 'oauth',
        clientId,
        idleExpiresAt: end,
        expiresAt: end,
        endedAt: null,
        endReason: null,
        ...change,
      })
      await sessions.create(session)
      return session
    },
    async settled() {
      while (host.auth.stats().rpLogout.waiting > 0)
        await new Promise((resolve) => setImmediate(resolve))
    },
    outcomes: () =>
      host.events
        .filter(({ type }) => type.startsWith('rp-logout.'))
        .map(({ at: _at, requestId: _id, ip: _ip, ...event }) => event),
  }
}

export function signerOf(clock: () => Date) {
  return joseSigner({ issuer, audience: 'chat', keys: [key], rs256: [rsaKey], clock })
}

/** What is in a logout token once it is proven, as an app does it. */
export async function verified(host: TestHost, token: string, client: OAuthClient) {
  const answer = await fetch(`${host.url}/auth/jwks.json`)
  const jwks = (await answer.json()) as JSONWebKeySet
  return jwtVerify(token, createLocalJWKSet(jwks), {
    issuer,
    audience: client.id,
    typ: 'logout+jwt',
    algorithms: [client.idTokenAlgorithm ?? 'ES256'],
    currentDate: host.clock(),
    requiredClaims: ['iss', 'aud', 'iat', 'exp', 'jti', 'events'],
  })
}
