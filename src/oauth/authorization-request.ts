import type { OAuthClient } from '../stores/client-contract.js'
import type { Acr } from '../two-factor/acr.js'
import { type RequestFault, requestFault } from './authorization-faults.js'
import {
  acrValuesOf,
  loginHintOf,
  maxAgeOf,
  type Prompt,
  promptOf,
  type RequestInput,
  type RequestSettings,
  type ResponseMode,
  responseModeOf,
  scopesOf,
  stateOf,
  targetsOf,
  uiLocalesOf,
} from './authorization-parameters.js'
import { audiencesOf, redirectOf } from './client-defaults.js'
import type { ForPage, ParsedRequest } from './parse-request.js'

/** A valid request to the authorization endpoint. */
export interface AuthorizationRequest {
  readonly at: 'request'
  /** The query as sent. */
  readonly raw: string
  readonly client: OAuthClient
  /** As sent, and verified to be the client's. */
  readonly redirectUri: string
  readonly responseMode: ResponseMode
  readonly state: string | null
  /** The requested scopes that are known, at least one. */
  readonly scopes: readonly string[]
  /** S256; null only for a client that may send a `nonce` instead, and has. */
  readonly codeChallenge: string | null
  readonly nonce: string | null
  readonly prompt: readonly Prompt[]
  /** Seconds. */
  readonly maxAge: number | null
  readonly loginHint: string | null
  /** As sent, not verified. */
  readonly idTokenHint: string | null
  /** In order of preference. */
  readonly acrValues: readonly Acr[]
  /** In order of preference. */
  readonly uiLocales: readonly string[]
  /** The APIs that tokens may be issued for, at least one. */
  readonly resources: readonly string[]
}

/** An invalid request whose redirect URI is verified: the client learns of the fault. */
export interface ForClient extends RequestFault {
  readonly at: 'client'
  readonly client: OAuthClient
  readonly redirectUri: string
  readonly responseMode: ResponseMode
  readonly state: string | null
}

/**
 * Checks a parsed request. The order is fixed: the client, the redirect URI, then the rest. Until
 * the redirect URI is verified to be the client's, the answer is a page: a redirect would send
 * users wherever a stranger likes ([RFC 6749
 * §4.1.2.1](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1)).
 *
 * @param client - the client with the request's `clientId`; null if there is none
 */
export function checkAuthorizationRequest(
  parsed: ParsedRequest,
  client: OAuthClient | null,
  settings: RequestSettings,
): AuthorizationRequest | ForClient | ForPage {
  const { values } = parsed
  if (client === null || client.disabled === true || client.id !== parsed.clientId)
    return { at: 'page', problem: 'unknown-client' }
  const redirectUri = redirectOf(client, values.get('redirect_uri') ?? '')
  if (redirectUri === null) return { at: 'page', problem: 'redirect-mismatch' }
  const resources = audiencesOf(parsed.resources, settings)
  const input: RequestInput = { values, resources, client, settings }
  const answer = { redirectUri, responseMode: responseModeOf(values, redirectUri) }
  const state = stateOf(values)
  const fault = requestFault(input)
  if (fault !== null) {
    const { error, description } = fault
    return { at: 'client', client, error, description, ...answer, state }
  }
  return {
    at: 'request',
    raw: parsed.raw,
    client,
    ...answer,
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
