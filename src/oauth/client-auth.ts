import type { ClientRefusal } from '../audit/refusals.js'
import { AuthError } from '../errors.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { RequestParameters } from '../http/input.js'
import { sha256 } from '../lib/secrets.js'
import { judgeAssertion } from '../signers/client-assertion.js'
import type { OAuthClient } from '../stores/client-contract.js'
import type { AppsKit } from './apps-kit.js'
import { addressAt } from './base-url.js'
import {
  type ClientAuthMethod,
  type PresentedClient,
  readPresentedClient,
} from './client-credentials.js'
import { isSecretOf } from './client-secret.js'

/** An authenticated client. With the method `none` its identity is not proven: it has no secret. */
export interface AuthenticatedClient {
  readonly client: OAuthClient
  readonly method: ClientAuthMethod
}

/**
 * Authenticates the client of a request, from its headers and parameters.
 *
 * Throws 400 `invalid-request` for two methods or two ids at once; 401 `invalid_client`, with the
 * same bytes for every reason; 429 after 20 refusals in 15 minutes, after 300 of a network, or if
 * too many unknown ids are looked up; 503.
 */
export async function authenticateClient(
  kit: AppsKit,
  request: Pick<EndpointRequest, 'incoming' | 'context' | 'setHeaders'>,
  parameters: RequestParameters,
): Promise<AuthenticatedClient> {
  const { clients, throttle } = kit
  // 400
  const presented = readPresentedClient(request.incoming, parameters)
  const { id: name, method } = presented
  const find = () => clients.find(name)
  // 429, 503
  const found = clients.isFamiliar(name)
    ? await find()
    : await throttle.limitLookups(request, { name, hasProof: method !== 'none', find })
  // A database that compares loosely finds `Wiki` for `wiki`.
  const client = found?.id === name ? found : null
  const reason = await refusalOf(kit, presented, client)
  if (reason === null && client !== null) return { client, method }
  const about = { reason: reason ?? 'unknown-client', clientId: client?.id ?? null } as const
  kit.audit({ type: 'client.refused', ...about }, request.context)
  // 401, 429
  throw await throttle.countRefusedClient(name, request, invalidClient(method))
}

// Null if the credentials are valid.
async function refusalOf(
  kit: AppsKit,
  presented: PresentedClient,
  client: OAuthClient | null,
): Promise<ClientRefusal | null> {
  switch (presented.method) {
    case 'none':
      return refusalOfPublic(client)
    case 'private_key_jwt':
      return refusalOfAssertion(kit, presented.assertion, client)
    default:
      return refusalOfSecret(presented.secret, client)
  }
}

function refusalOfPublic(client: OAuthClient | null): ClientRefusal | null {
  if (client === null) return 'unknown-client'
  const isConfidential = hasSecret(client) || keysOf(client).length > 0
  return isConfidential ? 'no-credentials' : refusalOfDisabled(client)
}

// The digests are always compared first: the time tells neither that the client exists nor that it
// is disabled.
function refusalOfSecret(secret: string, client: OAuthClient | null): ClientRefusal | null {
  const isRight = isSecretOf(client?.secretHashes, secret)
  if (client === null) return 'unknown-client'
  if (!hasSecret(client)) return 'credentials-of-another-kind'
  return isRight ? refusalOfDisabled(client) : 'wrong-secret'
}

// The time tells whether the client exists, since the signature of an existing client is verified.
// The page of the authorization endpoint tells it too, and a client id is not secret: RFC 6749
// §2.2, https://www.rfc-editor.org/rfc/rfc6749#section-2.2
async function refusalOfAssertion(
  { once, issuer, baseUrl, clock }: AppsKit,
  assertion: string,
  client: OAuthClient | null,
): Promise<ClientRefusal | null> {
  if (client === null) return 'unknown-client'
  const keys = keysOf(client)
  if (keys.length === 0) return 'credentials-of-another-kind'
  const now = clock()
  const audiences = [issuer, addressAt(baseUrl, '/oauth/token')]
  const verdict = await judgeAssertion(assertion, { clientId: client.id, keys, audiences, now })
  if (verdict.problem !== null) return verdict.problem
  if (client.disabled === true) return 'disabled'
  // JSON is used so that no two pairs of id and name yield the same text.
  const name = sha256(JSON.stringify(['client-assertion', client.id, verdict.jti]))
  const { outcome } = await once.claim(name, verdict.expiresAt, now)
  return outcome === 'claimed' ? null : 'assertion-replayed'
}

function refusalOfDisabled({ disabled }: OAuthClient): ClientRefusal | null {
  return disabled === true ? 'disabled' : null
}

function hasSecret({ secretHashes = [] }: OAuthClient): boolean {
  return secretHashes.length > 0
}

function keysOf({ jwks }: OAuthClient): readonly object[] {
  return jwks?.keys ?? []
}

// RFC 6749 §5.2: a client that used the header gets a challenge.
function invalidClient(method: ClientAuthMethod): AuthError {
  const headers =
    method === 'client_secret_basic' ? { 'WWW-Authenticate': 'Basic realm="oauth"' } : {}
  return new AuthError('invalid_client', { headers })
}
