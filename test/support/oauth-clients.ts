// Clients, and an endpoint that answers which of them a request is of.
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { type JWTPayload, SignJWT } from 'jose'
import type { AuthEvent } from '../../src/audit/events.js'
import { ok } from '../../src/http/answer.js'
import { readParameters } from '../../src/http/input.js'
import { createHostCall } from '../../src/lib/host-call.js'
import type { AppsKit } from '../../src/oauth/apps-kit.js'
import { authenticateClient } from '../../src/oauth/client-auth.js'
import { generateClientSecret } from '../../src/oauth/client-secret.js'
import type { Clients } from '../../src/oauth/clients.js'
import type { ClientStore, OAuthClient } from '../../src/stores/client-contract.js'
import type { OnceStore } from '../../src/stores/one-time-contract.js'
import { manualClock } from '../../src/testing/testing.js'
import { createThrottle } from '../../src/throttle/throttle.js'
import { startBareApp } from './bare-app.js'
import { kitOf } from './kit-of.js'

export const issuer = 'https://chat.example.com'
export const tokenEndpoint = `${issuer}/api/v1/oauth/token`
export const secret = generateClientSecret()
export const nextSecret = generateClientSecret()

export interface KeyPair {
  readonly privateKey: KeyObject
  readonly jwk: Readonly<Record<string, unknown>>
}

const pairOf = (privateKey: KeyObject, publicKey: KeyObject, more: object): KeyPair => ({
  privateKey,
  jwk: { ...publicKey.export({ format: 'jwk' }), ...more },
})
export const ecKeys = (more: object = {}): KeyPair => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return pairOf(privateKey, publicKey, more)
}
export const edKeys = (more: object = {}): KeyPair => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return pairOf(privateKey, publicKey, more)
}
export const rsaKeys = (more: object = {}, modulusLength = 2048): KeyPair => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength })
  return pairOf(privateKey, publicKey, more)
}

/** A client of which a test names what matters to it. */
export const client = (id: string, more: Partial<OAuthClient> = {}): OAuthClient => ({
  id,
  name: id,
  type: 'web',
  redirectUris: [`https://${id}.example/callback`],
  scopes: ['openid'],
  ...more,
})

/** As a store in memory would: nothing comes between the look and the note. */
export function onceInMemory(): OnceStore & { readonly keys: ReadonlyMap<string, Date> } {
  const keys = new Map<string, Date>()
  return {
    keys,
    async claim(key, expiresAt, now) {
      await undefined
      const noted = keys.get(key)
      if (noted !== undefined && noted > now) return { outcome: 'known' }
      keys.set(key, expiresAt)
      return { outcome: 'claimed' }
    },
    purge: async () => 0,
  }
}

export interface Shown {
  readonly status: number
  readonly text: string
  readonly headers: Headers
  readonly json: Readonly<Record<string, unknown>>
}

/** Serves an endpoint that answers the id and the method of an authenticated client. */
export async function startClients(
  clients: readonly OAuthClient[],
  parts: {
    readonly find?: ClientStore['find']
    readonly isFamiliar?: Clients['isFamiliar']
    readonly once?: Pick<OnceStore, 'claim'>
  } = {},
) {
  const clock = manualClock(new Date('2026-03-01T12:00:00Z'))
  const events: AuthEvent[] = []
  const audit = (event: object) => void events.push(event as AuthEvent)
  const once = onceInMemory()
  const kit = kitOf<AppsKit>({
    clients: {
      find: parts.find ?? (async (id) => clients.find((one) => one.id === id) ?? null),
      isFamiliar: parts.isFamiliar ?? (() => true),
    },
    once: parts.once ?? once,
    issuer,
    baseUrl: new URL(`${issuer}/api/v1`),
    throttle: createThrottle({
      options: {},
      encryptionKeys: [],
      knownFor: 60,
      reportsNetworks: false,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      call: createHostCall(60_000, () => {}),
      audit,
    }),
    clock,
    audit,
  })
  const app = await startBareApp({
    routes: [
      [
        '/token',
        {
          POST: async (request) => {
            const parameters = await readParameters(request.incoming)
            const { client, method } = await authenticateClient(kit, request, parameters)
            return ok({ id: client.id, method })
          },
        },
        'oauth-endpoint',
        'every-origin',
      ],
    ],
  })

  async function show(
    parameters: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Shown> {
    const answer = await fetch(`${app.url}/token`, {
      method: 'POST',
      body: new URLSearchParams(parameters),
      headers,
    })
    const text = await answer.text()
    return { status: answer.status, text, headers: answer.headers, json: JSON.parse(text) }
  }

  /** An assertion as a client should make it, but for what a test changes. */
  const claimsOf = (clientId: string): JWTPayload => ({
    iss: clientId,
    sub: clientId,
    aud: issuer,
    jti: randomUUID(),
    exp: seconds() + 60,
  })
  const seconds = () => Math.floor(clock().getTime() / 1000)
  const sign = (
    { privateKey }: KeyPair,
    alg: string,
    claims: JWTPayload,
    header: Record<string, unknown> = {},
  ) => new SignJWT(claims).setProtectedHeader({ alg, ...header }).sign(privateKey)

  return { app, url: app.url, clock, events, once, show, claimsOf, seconds, sign }
}

/** As RFC 6749 §2.3.1 has it. */
export const basic = (id: string, password: string) => {
  const encoded = [id, password].map((one) =>
    new URLSearchParams({ a: one }).toString().slice('a='.length),
  )
  return bare(encoded.join(':'))
}

/** As clients have it that do not form-encode. */
export const bare = (text: string) => ({
  Authorization: `Basic ${Buffer.from(text).toString('base64')}`,
})

export const assertionOf = (assertion: string) => ({
  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  client_assertion: assertion,
})
