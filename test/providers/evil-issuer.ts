// A provider of OpenID Connect that can be told to lie about everything.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose'
import { expect } from 'vitest'
import type { FinishedFlow, Provider } from '../../src/index.js'
import { type OpenIdProviderOptions, openIdProvider } from '../../src/providers/providers.js'
import { serve } from './loopback.js'

export const clientId = 'chat'
export const clientSecret = 'secret-of-the-client-1'
export const callbackUrl = 'https://chat.example.com/auth/providers/work/callback'
export const state = 'S'.repeat(43)

const pairs = {
  ES256: await generateKeyPair('ES256', { extractable: true }),
  RS256: await generateKeyPair('RS256', { extractable: true }),
}
export const foreign = await generateKeyPair('ES256')
export const es256 = pairs.ES256

/** Signs claims with the right key, or as the test says. */
export const sign = (
  claims: JWTPayload,
  header: Partial<JWTHeaderParameters> = {},
  key: CryptoKey | Uint8Array = pairs.ES256.privateKey,
) => new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'es', ...header }).sign(key)

export type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

/** What can be false. */
export interface Lies {
  metadata?: object
  /** The ID token, from what would be right. */
  idToken?: (claims: JWTPayload) => Promise<string> | string | undefined
  /** Claims that are added to the right ones. */
  claims?: JWTPayload
  token?: object
  userinfo?: object
  keys?: object[]
  /** In place of the answer at a path. */
  paths?: Record<string, Answer>
}

/** Starts one. `requests` are the paths that were asked, `forms` what the token endpoint got. */
export async function startIssuer(path = '') {
  const lies: Lies = {}
  const asked = { requests: [] as string[], forms: [] as URLSearchParams[], nonce: '' }
  const headers: IncomingMessage['headers'][] = []
  const es = { ...(await exportJWK(pairs.ES256.publicKey)), kid: 'es', alg: 'ES256' }
  const rs = { ...(await exportJWK(pairs.RS256.publicKey)), kid: 'rs', alg: 'RS256' }

  async function tokens(): Promise<object> {
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: issuer,
      sub: 'alice-1',
      aud: clientId,
      iat: now,
      exp: now + 300,
      nonce: asked.nonce,
      ...lies.claims,
    }
    const idToken = await (lies.idToken ?? sign)(claims)
    return { access_token: 'at-1', token_type: 'Bearer', id_token: idToken, ...lies.token }
  }

  const answers: Record<string, () => object | Promise<object>> = {
    '/.well-known/openid-configuration': () => ({ ...metadataOf(issuer), ...lies.metadata }),
    '/token': tokens,
    '/jwks': () => ({ keys: lies.keys ?? [es, rs] }),
    '/userinfo': () => ({ sub: 'alice-1', ...lies.userinfo }),
  }

  const origin = await serve(async (request, response) => {
    const at = (request.url ?? '').slice(path.length)
    asked.requests.push(at)
    headers.push(request.headers)
    if (at === '/token') asked.forms.push(new URLSearchParams(await text(request)))
    const lie = lies.paths?.[at]
    if (lie !== undefined) return void lie(request, response)
    const body = await answers[at]?.()
    response.writeHead(body === undefined ? 404 : 200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(body ?? {}))
  })
  const issuer = `${origin}${path}`
  return { issuer, lies, asked, headers, keys: { es, rs } }
}

export type Issuer = Awaited<ReturnType<typeof startIssuer>>

const metadataOf = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  userinfo_endpoint: `${issuer}/userinfo`,
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['HS256', 'none', 'RS256', 'ES256'],
})

/** The provider at an issuer, as a host would write it. */
export function providerAt(
  { issuer }: Pick<Issuer, 'issuer'>,
  options: Partial<OpenIdProviderOptions> = {},
): Provider {
  return openIdProvider({ id: 'work', name: 'Example', issuer, clientId, clientSecret, ...options })
}

export interface SignInChanges {
  readonly parameters?: Readonly<Record<string, string | undefined>>
  readonly start?: Partial<Parameters<Provider['start']>[0]>
  readonly keep?: object
}

/** Begins, signs in there, and finishes. */
export async function signIn(
  provider: Provider,
  issuer: Issuer,
  changes: SignInChanges = {},
): Promise<FinishedFlow> {
  const { url, keep } = await provider.start({ state, callbackUrl, ...changes.start })
  issuer.asked.nonce = new URL(url).searchParams.get('nonce') ?? ''
  const given = { state, code: 'code-1', ...changes.parameters }
  const parameters = Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  return provider.finish({
    state,
    callbackUrl,
    method: 'GET',
    parameters,
    headers: {},
    keep: changes.keep ?? JSON.parse(JSON.stringify(keep)),
  })
}

/** Who was identified; fails the test for a refusal. */
export async function identified(flow: Promise<FinishedFlow>) {
  const finished = await flow
  expect(finished).toMatchObject({ outcome: 'identified' })
  if (finished.outcome === 'refused') throw new Error(finished.reason)
  return finished.identity
}
