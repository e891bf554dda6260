import { AuthConfigError } from '../errors.js'
import { isSafeUrlOfOthers } from '../lib/addresses.js'
import type { OAuthClient, OAuthGrant } from '../stores/client-contract.js'
import {
  clientRemedies,
  deviceGrant,
  grantsOf,
  isConfidential,
  isServed,
  readClient,
  serviceGrants,
} from './client-schema.js'
import { redirectProblem } from './redirect-uri.js'

/** An algorithm that may sign ID Tokens. */
export type IdTokenAlgorithm = NonNullable<OAuthClient['idTokenAlgorithm']>

/** The facts about signer and server that clients are checked against. */
export interface SignerFacts {
  /** The signer's algorithms; empty if it signs no ID Tokens. */
  readonly idTokenAlgorithms: readonly IdTokenAlgorithm[]
  /** The host's own API: the audience of its access tokens. */
  readonly ownResource: string
  /** Whether the server uses `http`, which is allowed only on the local machine. */
  readonly webOnLoopback: boolean
}

/** The problem of a client whose members are valid one by one. */
interface ClientProblem {
  readonly member: keyof OAuthClient
  /** The position in the member, such as `[2]`. */
  readonly at?: string
  readonly problem: string
}

type ClientRule = (client: OAuthClient) => ClientProblem | null

/**
 * Checks a client: each member by itself, and all of them together.
 *
 * @param name - the name of the client in the error, such as `oauth.clients[2]`
 * @throws AuthConfigError for the first invalid member
 */
export function checkClient(
  name: string,
  given: unknown,
  { idTokenAlgorithms, ownResource, webOnLoopback }: SignerFacts,
): OAuthClient {
  const client = readClient(name, given)
  const redirects = (member: RedirectMember) => redirectsTo(member, webOnLoopback)
  const ofServer = [
    isNoAudience(ownResource),
    redirects('redirectUris'),
    redirects('postLogoutRedirectUris'),
    isTold(webOnLoopback),
  ]
  for (const rule of [...ofServer, ...rules, signedBy(idTokenAlgorithms)]) {
    const found = rule(client)
    if (found === null) continue
    const { member, at = '', problem } = found
    throw new AuthConfigError(`${name}.${member}${at}`, problem, clientRemedies[member])
  }
  return client
}

/**
 * Checks a client that the host configures or registers. Its scopes must be known, so that the host
 * learns of a misspelt scope. Nobody else vouches for it.
 *
 * @throws AuthConfigError like `checkClient`
 */
export function checkWrittenClient(
  name: string,
  given: unknown,
  signer: SignerFacts,
  knownScopes: ReadonlySet<string>,
): OAuthClient {
  const client = checkClient(name, given, signer)
  const { selfRegistered: problem } = clientRemedies
  if (client.selfRegistered === true)
    throw new AuthConfigError(`${name}.selfRegistered`, 'is set for a client of yours.', problem)
  const unknown = client.scopes.findIndex((scope) => !knownScopes.has(scope))
  if (unknown < 0) return client
  throw new AuthConfigError(
    `${name}.scopes[${unknown}]`,
    'is a scope that there is not.',
    'check the spelling, or describe it in oauth.scopes.',
  )
}

/** The grants of services, as problems name them. */
const services = serviceGrants.join(' or ')

const rules: readonly ClientRule[] = [
  when('grants', 'has one of no use to a service, which signs no user in.', (client) => {
    const isOfPeople = (one: OAuthGrant) => !serviceGrants.includes(one)
    return client.type === 'service' && grantsOf(client).some(isOfPeople)
  }),
  when('grants', `has ${services}, which is for a service.`, (client) => {
    return client.type !== 'service' && isServed(client)
  }),
  when('serviceUserId', `is missing: tokens of ${services} are of a user.`, (client) => {
    return isServed(client) && client.serviceUserId === undefined
  }),
  when('serviceUserId', `is of no use without ${services}.`, (client) => {
    return client.serviceUserId !== undefined && !isServed(client)
  }),
  when('redirectUris', 'is empty: there is nowhere to send a code.', (client) => {
    return grantsOf(client).includes('authorization_code') && client.redirectUris.length === 0
  }),
  when(
    'grants',
    'has refresh_token without authorization_code, which brings the first.',
    (client) => {
      const grants = grantsOf(client)
      const bringsFirst = grants.includes('authorization_code') || grants.includes(deviceGrant)
      return grants.includes('refresh_token') && !bringsFirst
    },
  ),
  when('refreshTokens', 'is set, but refresh_token is none of its grants.', (client) => {
    return client.refreshTokens !== undefined && !grantsOf(client).includes('refresh_token')
  }),
  when('scopes', 'has *, which no service may have.', (client) => {
    return client.scopes.includes('*') && client.type === 'service'
  }),
  when('scopes', 'has *, which only a client with firstParty may have.', (client) => {
    return client.scopes.includes('*') && client.firstParty !== true
  }),
  when('defaultScopes', 'has one that is not among its scopes.', (client) => {
    return client.defaultScopes?.some((scope) => !client.scopes.includes(scope)) === true
  }),
  when('resources', 'is empty: every token is for an API.', (client) => {
    return client.resources?.length === 0
  }),
  // Anything on a user's device can be read there. RFC 8252 §8.5.
  when('secretHashes', 'is of a native client, which can keep no secret.', (client) => {
    return client.type === 'native' && client.secretHashes !== undefined
  }),
  when('jwks', 'is of a native client, which can keep no key.', (client) => {
    return client.type === 'native' && client.jwks !== undefined
  }),
  when('secretHashes', 'is missing, and so is jwks: a service shows who it is.', (client) => {
    return client.type === 'service' && !isConfidential(client)
  }),
  when('mayIntrospect', 'is set for a client that has no secret.', (client) => {
    return client.mayIntrospect === true && !isConfidential(client)
  }),
  // A nonce only protects a client that gets an ID Token: RFC 9700 §2.1.1.
  when('allowNonceInsteadOfPkce', 'is for web clients with a secret and openid.', (client) => {
    const isFit = client.type === 'web' && isConfidential(client)
    return client.allowNonceInsteadOfPkce === true && !(isFit && client.scopes.includes('openid'))
  }),
  when('pkce', 'is optional for web clients with a secret alone.', (client) => {
    return client.pkce === 'optional' && !(client.type === 'web' && isConfidential(client))
  }),
  // Only an ID Token tells a client the name of a session.
  when('backchannelLogoutUri', 'is of a client without the scope openid.', (client) => {
    return client.backchannelLogoutUri !== undefined && !client.scopes.includes('openid')
  }),
]

function when(
  member: keyof OAuthClient,
  problem: string,
  isWrong: (client: OAuthClient) => boolean,
): ClientRule {
  return (client) => (isWrong(client) ? { member, problem } : null)
}

type RedirectMember = 'redirectUris' | 'postLogoutRedirectUris'

function redirectsTo(member: RedirectMember, webOnLoopback: boolean): ClientRule {
  return function redirectsAreAllowed({ [member]: uris = [], type }) {
    for (const [index, uri] of uris.entries()) {
      const problem = redirectProblem(uri, type, webOnLoopback)
      if (problem !== null) return { member, at: `[${index}]`, problem }
    }
    return null
  }
}

const maxUriChars = 2000

// OpenID Connect Back-Channel Logout 1.0 §2.2. A name is looked up when something is sent to it.
function isTold(allowsLoopback: boolean): ClientRule {
  return function isReachable({ backchannelLogoutUri: uri }) {
    const problem = uri === undefined ? null : addressProblem(uri, allowsLoopback)
    return problem === null ? null : { member: 'backchannelLogoutUri', problem }
  }
}

function addressProblem(uri: string, allowsLoopback: boolean): string | null {
  if (uri.length > maxUriChars) return `is longer than ${maxUriChars} characters.`
  if (!/^https?:\/\/[!-"$-~]+$/.test(uri) || !URL.canParse(uri))
    return 'is no whole URI without a fragment.'
  const url = new URL(uri)
  if (url.username !== '' || url.password !== '') return 'has a user name in front of the host.'
  return isSafeUrlOfOthers(url, { allowsLoopback })
    ? null
    : 'is not https, or leads to a host that is not of the public internet.'
}

// `aud` of an ID Token is the client's id. For this client the audience of ID Tokens would equal
// the audience of access tokens, and only `typ` would distinguish the two. Other APIs are URIs of
// this server, at which no client has its document.
function isNoAudience(ownResource: string): ClientRule {
  return when('id', 'is the audience of access tokens.', ({ id }) => id === ownResource)
}

function signedBy(algorithms: readonly IdTokenAlgorithm[]): ClientRule {
  return ({ scopes, idTokenAlgorithm = 'ES256' }) => {
    if (!scopes.includes('openid') || algorithms.includes(idTokenAlgorithm)) return null
    return algorithms.length === 0
      ? { member: 'scopes', problem: 'has openid, but the signer signs no ID Tokens.' }
      : { member: 'idTokenAlgorithm', problem: `is ${idTokenAlgorithm}, which the signer has not.` }
  }
}
