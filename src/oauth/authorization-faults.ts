import { codeChallengePattern } from '../pkce/code-challenge.js'
import {
  isEchoable,
  isPrompt,
  maxStateChars,
  type RequestInput,
  responseModeOf,
  scopesOf,
  wordsOf,
} from './authorization-parameters.js'
import { grantsOf, isConfidential, resourcesOf } from './client-defaults.js'
import { scopePattern } from './client-schema.js'

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

/** What is wrong with a request. The description is ours, and repeats nothing from the request. */
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
export function requestFault(input: RequestInput): RequestFault | null {
  for (const rule of rules) {
    const fault = rule(input)
    if (fault !== null) return fault
  }
  return null
}

/** What is wrong with the scopes or APIs of a request that says nothing else. */
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
