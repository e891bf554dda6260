import { codeChallengePattern } from '../pkce/authorization-code.js'
import type { OAuthClient } from '../stores/client-contract.js'
import { type Acr, isAcr } from '../two-factor/acr.js'
import { maxQueryChars } from './base-url.js'
import {
  audiencesOf,
  getsRefreshToken,
  grantsOf,
  isConfidential,
  type OwnNames,
  redirectOf,
  resourcesOf,
  scopePattern,
} from './client-schema.js'

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
  /**
   * The S256 challenge; null only for a client that may send a `nonce` instead, and has sent one.
   */
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

/**
 * The errors of an authorization request: [RFC 6749
 * §4.1.2.1](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1), [RFC 8707
 * §2](https://www.rfc-editor.org/rfc/rfc8707#section-2), OpenID Connect Core §3.1.2.6.
 */
export type RequestFaultCode =
  | 'invalid_request'
  | 'unauthorized_client'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'registration_not_supported'

/** The fault of a request. The description is ours, and repeats nothing from the request. */
export interface RequestFault<Code extends RequestFaultCode = RequestFaultCode> {
  readonly error: Code
  readonly description: string
}

type Rule<Code extends RequestFaultCode = RequestFaultCode> = (
  input: RequestInput,
) => RequestFault<Code> | null

const maxScopes = 30
const maxNonceChars = 512
const maxResources = 5
const maxMaxAge = 2 ** 31

const targetFault = when(
  'invalid_target',
  'resource is none that the client may ask for.',
  ({ resources, client, settings }) => {
    const allowed = resourcesOf(client, settings.ownResource)
    return resources.length > maxResources || !resources.every((one) => allowed.includes(one))
  },
)

/** Every rule, in the order of checking. */
const rules: readonly Rule[] = [
  when('invalid_request', 'state is longer than 2048 characters, or not printable.', (input) => {
    return !isEchoable(input.values.get('state'), maxStateChars)
  }),
  when('unauthorized_client', 'The client may not use authorization codes.', ({ client }) => {
    return !grantsOf(client).includes('authorization_code')
  }),
  when('request_not_supported', 'request is not supported.', has('request')),
  when('request_uri_not_supported', 'request_uri is not supported.', has('request_uri')),
  when('registration_not_supported', 'registration is not supported.', has('registration')),
  when('unsupported_response_type', 'response_type is not code.', ({ values }) => {
    return values.get('response_type') !== 'code'
  }),
  when('invalid_request', 'response_mode is not query, nor form_post to a site.', ({ values }) => {
    const asked = values.get('response_mode') ?? 'query'
    return asked !== responseModeOf(values, values.get('redirect_uri') ?? '')
  }),
  challengeFault,
  scopeFault,
  when('invalid_request', 'nonce is longer than 512 characters, or not printable.', (input) => {
    return !isEchoable(input.values.get('nonce'), maxNonceChars)
  }),
  promptFault,
  when('invalid_request', 'max_age is not a number of seconds.', ({ values }) => {
    const maxAge = values.get('max_age') ?? '0'
    return !/^(?:0|[1-9][0-9]{0,9})$/.test(maxAge) || Number(maxAge) > maxMaxAge
  }),
  targetFault,
]

/** The first fault of a known client's request; null if there is none. */
function requestFault(input: RequestInput): RequestFault | null {
  for (const rule of rules) {
    const fault = rule(input)
    if (fault !== null) return fault
  }
  return null
}

/** The fault in the scopes or APIs of a request that says nothing else. */
export function grantFault(
  input: RequestInput,
): RequestFault<'invalid_scope' | 'invalid_target'> | null {
  return scopeFault(input) ?? targetFault(input)
}

function when<Code extends RequestFaultCode>(
  error: Code,
  description: string,
  isWrong: (input: RequestInput) => boolean,
): Rule<Code> {
  return (input) => (isWrong(input) ? { error, description } : null)
}

function has(name: string): (input: RequestInput) => boolean {
  return ({ values }) => values.has(name)
}

// The method must be given: without it `plain` is meant, which is not supported. RFC 7636 §4.3,
// https://www.rfc-editor.org/rfc/rfc7636#section-4.3
function challengeFault(input: RequestInput): RequestFault | null {
  const challenge = input.values.get('code_challenge')
  const method = input.values.get('code_challenge_method')
  if (challenge === undefined && method === undefined)
    return mayOmitChallenge(input) ? null : invalid('code_challenge is missing.')
  if (challenge === undefined || !codeChallengePattern.test(challenge))
    return invalid('code_challenge is not 43 base64url characters.')
  return method === 'S256' ? null : invalid('code_challenge_method is not S256.')
}

// A nonce protects a code only if the client compares it with the ID Token. RFC 9700 §2.1.1,
// https://www.rfc-editor.org/rfc/rfc9700#section-2.1.1
function mayOmitChallenge(input: RequestInput): boolean {
  const { client, values } = input
  if (client.pkce === 'optional' && isConfidential(client)) return true
  const isAllowed = client.allowNonceInsteadOfPkce === true && isConfidential(client)
  return isAllowed && values.has('nonce') && scopesOf(input).includes('openid')
}

// Unknown scopes are ignored (OpenID Connect Core §3.1.2.1). Known scopes that the client may not
// have are refused, so that the client learns of it.
function scopeFault(input: RequestInput): RequestFault<'invalid_scope'> | null {
  const { values, client } = input
  const fault = (description: string) => ({ error: 'invalid_scope', description }) as const
  const words = wordsOf(values.get('scope'))
  if (!words.every((word) => scopePattern.test(word)))
    return fault('scope is not a list of words with blanks between them.')
  if (words.length > maxScopes) return fault(`scope has more than ${maxScopes} words.`)
  const scopes = scopesOf(input)
  if (scopes.length === 0) return fault('scope names nothing that there is.')
  return scopes.every((scope) => client.scopes.includes(scope))
    ? null
    : fault('scope has a word that the client may not ask for.')
}

function promptFault({ values }: RequestInput): RequestFault | null {
  const words = wordsOf(values.get('prompt'))
  if (!words.every(isPrompt)) return invalid('prompt has a word that is not known.')
  return words.includes('none') && words.length > 1
    ? invalid('prompt has none and something else.')
    : null
}

function invalid(description: string): RequestFault {
  return { error: 'invalid_request', description }
}

// Readers of each request parameter. The rules check the parameters; the readers take what has
// passed there, and treat anything malformed as absent.

/** The values of `prompt`, OpenID Connect Core §3.1.2.1. */
export type Prompt = 'none' | 'login' | 'consent' | 'select_account' | 'create'

/** The host's settings that a request may refer to. */
export interface RequestSettings extends OwnNames {
  /** Every known scope: the standard ones and the host's. */
  readonly knownScopes: ReadonlySet<string>
}

/** A request of a known client, with the host's settings. */
export interface RequestInput extends Pick<ParsedRequest, 'values' | 'resources'> {
  readonly client: OAuthClient
  readonly settings: RequestSettings
}

// The tables must list every word of the unions, or they do not compile.
const prompts: Readonly<Record<Prompt, true>> = {
  none: true,
  login: true,
  consent: true,
  select_account: true,
  create: true,
}

/** VSCHAR of [RFC 6749 App. A](https://www.rfc-editor.org/rfc/rfc6749#appendix-A). */
const visible = /^[ -~]*$/

/** Whether a text that is returned to the client is short enough and printable. */
export function isEchoable(text: string | undefined, maxChars: number): boolean {
  return text === undefined || (text.length <= maxChars && visible.test(text))
}

/** The longest `state`, in characters. */
export const maxStateChars = 2048

/** The `state` to return with the answer; null if absent or invalid. */
function stateOf(values: ReadonlyMap<string, string>): string | null {
  const state = values.get('state')
  return isEchoable(state, maxStateChars) ? (state ?? null) : null
}

/** How the answer is sent: in the query of the redirect URI, or by a form that is posted there. */
export type ResponseMode = 'query' | 'form_post'

/** The mode to answer in. A form can be posted to a site, not to the scheme of an app. */
function responseModeOf(values: ReadonlyMap<string, string>, redirectUri: string): ResponseMode {
  const isForm = values.get('response_mode') === 'form_post'
  return isForm && /^https?:/.test(redirectUri) ? 'form_post' : 'query'
}

/**
 * The distinct words of a list; none if it is absent. Its blanks may be doubled, or stand at the
 * ends: clients put lists together.
 */
export function wordsOf(list: string | null | undefined): readonly string[] {
  return [...new Set((list ?? '').split(' '))].filter((word) => word !== '')
}

/**
 * The requested scopes that are known; without a request, the client's default. `offline_access` is
 * ignored where it changes nothing: agents add it wherever the metadata name it.
 */
export function scopesOf({ values, client, settings }: RequestInput): readonly string[] {
  const asked = values.has('scope') ? wordsOf(values.get('scope')) : (client.defaultScopes ?? [])
  return asked.filter((scope) => settings.knownScopes.has(scope) && !isNeedless(scope, client))
}

function isNeedless(scope: string, client: OAuthClient): boolean {
  if (scope !== 'offline_access' || client.scopes.includes(scope)) return false
  return getsRefreshToken(client, [])
}

/** Whether a word is one of {@link Prompt}. */
function isPrompt(word: string): word is Prompt {
  return Object.hasOwn(prompts, word)
}

/** The values of `prompt`. */
function promptOf(values: ReadonlyMap<string, string>): readonly Prompt[] {
  return wordsOf(values.get('prompt')).filter(isPrompt)
}

/** The requested `acr_values`, in order of preference. Unknown values are left out. */
function acrValuesOf(values: ReadonlyMap<string, string>): readonly Acr[] {
  return wordsOf(values.get('acr_values')).filter(isAcr)
}

/** The requested languages of the pages, in order of preference. */
export function uiLocalesOf(values: ReadonlyMap<string, string>): readonly string[] {
  return wordsOf(values.get('ui_locales')).filter((tag) => /^[A-Za-z0-9-]{1,35}$/.test(tag))
}

/**
 * The name that prefills the form; null if a user could not type it there, such as an account id.
 * It decides nothing.
 */
function loginHintOf(values: ReadonlyMap<string, string>): string | null {
  const hint = values.get('login_hint')
  // Before NFKC, which takes quadratic time for many combining marks.
  if (hint === undefined || hint.length > 320 || hint.startsWith('sub:')) return null
  const isPlain = !/\p{Cc}/u.test(hint) && hint.trim() === hint
  return isPlain && hint.normalize('NFKC') === hint ? hint : null
}

/** The oldest acceptable sign-in in seconds; null for any age. */
function maxAgeOf(values: ReadonlyMap<string, string>): number | null {
  const maxAge = values.get('max_age')
  return maxAge === undefined ? null : Number(maxAge)
}

/**
 * The APIs that tokens are requested for, in the order of the client's list. If the request names
 * none: the host's own, or the client's first if it may not use the host's own.
 */
export function targetsOf({ resources, client, settings }: RequestInput): readonly string[] {
  const allowed = resourcesOf(client, settings.ownResource)
  if (resources.length > 0) return allowed.filter((resource) => resources.includes(resource))
  return allowed.includes(settings.ownResource) ? [settings.ownResource] : allowed.slice(0, 1)
}

/** The parameters of a request that a client sends with a browser. */
export interface ParsedRequest {
  readonly at: 'parsed'
  /** The query as sent, for the pages that follow: nothing is lost or reordered. */
  readonly raw: string
  /** Null if the request names no client. */
  readonly clientId: string | null
  /** All parameters except `resource` and empty ones. */
  readonly values: ReadonlyMap<string, string>
  readonly resources: readonly string[]
}

/** Why a request is answered by a page: its redirect URI is not verified. */
export type PageProblem =
  | 'too-long'
  | 'malformed'
  | 'repeated-parameter'
  | 'unknown-client'
  | 'redirect-mismatch'

/** A request of an unverified client. The answer is a page, never a redirect. */
export interface ForPage {
  readonly at: 'page'
  readonly problem: PageProblem
}

/**
 * Parses the query of a request to the authorization endpoint, without the `?`: form encoding of
 * [RFC 6749 App. B](https://www.rfc-editor.org/rfc/rfc6749#appendix-B), strictly in UTF-8. An empty
 * parameter counts as absent, and a repeated one is a fault, whichever it is
 * ([§3.1](https://www.rfc-editor.org/rfc/rfc6749#section-3.1)): two parsers could read two
 * different requests. Only `resource` may be repeated ([RFC 8707
 * §2](https://www.rfc-editor.org/rfc/rfc8707#section-2)).
 */
export function parseAuthorizationRequest(query: string): ParsedRequest | ForPage {
  return parseBrowserRequest(query, maxQueryChars)
}

/** Reads a request to another endpoint to which clients send browsers. */
export function parseBrowserRequest(query: string, maxChars: number): ParsedRequest | ForPage {
  if (query.length > maxChars) return { at: 'page', problem: 'too-long' }
  // In the address of a page, `#` would cut off the rest.
  if (!/^[!"$-~]*$/.test(query)) return { at: 'page', problem: 'malformed' }
  const pairs = pairsOf(query)
  if (pairs === null) return { at: 'page', problem: 'malformed' }
  const singles = pairs.filter(([name]) => name !== 'resource')
  // A repeated parameter is a fault even if one of the two is empty.
  if (new Set(singles.map(([name]) => name)).size < singles.length)
    return { at: 'page', problem: 'repeated-parameter' }
  const values = new Map(singles.filter(([, value]) => value !== ''))
  return {
    at: 'parsed',
    raw: query,
    clientId: values.get('client_id') ?? null,
    values,
    resources: pairs.flatMap(([name, value]) =>
      name === 'resource' && value !== '' ? [value] : [],
    ),
  }
}

function pairsOf(query: string): readonly (readonly [name: string, value: string])[] | null {
  const pairs: [string, string][] = []
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=')
    const name = formText(equals < 0 ? pair : pair.slice(0, equals))
    const value = formText(equals < 0 ? '' : pair.slice(equals + 1))
    if (name === null || value === null) return null
    if (pair !== '') pairs.push([name, value])
  }
  return pairs
}

/**
 * Decodes a name or a value of a form-encoded query; null for anything but UTF-8. Not
 * URLSearchParams: it replaces invalid UTF-8 by U+FFFD, so two different texts become equal.
 */
export function formText(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '))
  } catch {
    return null
  }
}
