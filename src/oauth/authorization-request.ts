import type { OAuthClient } from '../stores/client-contract.js'
import { type RequestFault, requestFault } from './authorization-faults.js'
import {
  type Acr,
  acrValuesOf,
  loginHintOf,
  maxAgeOf,
  type Prompt,
  promptOf,
  type RequestInput,
  type RequestSettings,
  scopesOf,
  stateOf,
  targetsOf,
  uiLocalesOf,
} from './authorization-parameters.js'
import { redirectOf } from './client-defaults.js'
import type { ForPage, ParsedRequest } from './parse-request.js'

/** A request to the authorization endpoint that nothing is wrong with. */
export interface AuthorizationRequest {
  readonly at: 'request'
  /** The query as it came. */
  readonly raw: string
  readonly client: OAuthClient
  /** Proven to be the client's, as it was sent. */
  readonly redirectUri: string
  readonly state: string | null
  /** What is asked for and there is, at least one. */
  readonly scopes: readonly string[]
  /** S256; null only for a client that may send a `nonce` instead, and has. */
  readonly codeChallenge: string | null
  readonly nonce: string | null
  readonly prompt: readonly Prompt[]
  /** Seconds. */
  readonly maxAge: number | null
  readonly loginHint: string | null
  /** As it was sent, not verified. */
  readonly idTokenHint: string | null
  /** The best liked first. */
  readonly acrValues: readonly Acr[]
  /** The best liked first. */
  readonly uiLocales: readonly string[]
  /** The APIs that tokens may be got for, at least one. */
  readonly resources: readonly string[]
}

/** A request with a fault that its client is told of, at a redirect URI that is proven. */
export interface ForClient extends RequestFault {
  readonly at: 'client'
  readonly client: OAuthClient
  readonly redirectUri: string
  readonly state: string | null
}

/**
 * Judges a request that was parsed. The order is fixed: the client, the redirect URI, then the
 * rest. Until the redirect URI is proven to be the client's the answer is a page, since a redirect
 * would send people wherever a stranger likes
 * ([RFC 6749 §4.1.2.1](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1)).
 *
 * @param client - the one with the request's `clientId`; null where there is none
 */
export function checkAuthorizationRequest(
  parsed: ParsedRequest,
  client: OAuthClient | null,
  settings: RequestSettings,
): AuthorizationRequest | ForClient | ForPage {
  const { values, resources } = parsed
  if (client === null || client.disabled === true || client.id !== parsed.clientId)
    return { at: 'page', problem: 'unknown-client' }
  const redirectUri = redirectOf(client, values.get('redirect_uri') ?? '')
  if (redirectUri === null) return { at: 'page', problem: 'redirect-mismatch' }
  const input: RequestInput = { values, resources, client, settings }
  const state = stateOf(values)
  const fault = requestFault(input)
  if (fault !== null) {
    const { error, description } = fault
    return { at: 'client', client, error, description, redirectUri, state }
  }
  return {
    at: 'request',
    raw: parsed.raw,
    client,
    redirectUri,
    state,
    scopes: scopesOf(input),
    codeChallenge: values.get('code_challenge') ?? null,
    nonce: values.get('nonce') ?? null,
    prompt: promptOf(values),
    maxAge: maxAgeOf(values),
    loginHint: loginHintOf(values),
    idTokenHint: values.get('id_token_hint') ?? null,
    acrValues: acrValuesOf(values),
    uiLocales: uiLocalesOf(values),
    resources: targetsOf(input),
  }
}
