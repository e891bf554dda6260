import type { Capability } from '../http/capability.js'
import type { DocumentHandler } from '../http/documents.js'
import type { Endpoint, Routes } from '../http/endpoint.js'
import type { SayOnce } from '../http/say-once.js'
import type { AuthenticateRequest, SignedIn } from '../principal/principal.js'
import type { LiveSessions } from '../sessions/live-sessions.js'
import type { Revocations } from '../sessions/revocations.js'
import type { Sessions } from '../sessions/sessions.js'
import type { TokenSigner } from '../signers/contract.js'
import type { AuthorizationCodeStore } from '../stores/code-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AccessTokens } from '../tokens/access-token.js'
import { createOAuthCodes, type OAuthCodes } from './authorization-codes.js'
import type { Acr } from './authorization-parameters.js'
import { noticingMount } from './base-url.js'
import { type AuthenticateClient, createAuthenticateClient } from './client-auth.js'
import { createForgetClient } from './client-news.js'
import { type ClientsForHost, createClientsForHost } from './clients-for-host.js'
import { listConsentsEndpoint, revokeConsentEndpoint } from './consents.endpoint.js'
import { createDisableClient } from './disable-client.js'
import { introspectEndpoint } from './introspect.endpoint.js'
import { resourceMetadata, serverMetadata } from './metadata.js'
import type { OAuthServer } from './oauth-server.js'
import { revokeEndpoint } from './revoke.endpoint.js'
import { type TokenEndpointDeps, tokenEndpoint } from './token.endpoint.js'
import { userinfoEndpoint } from './userinfo.endpoint.js'
import { createWellKnown, type WellKnown } from './well-known.js'
import { withoutRegister } from './without-register.js'

/** Apps of others, which sign their users in here. */
export interface OAuth extends Capability {
  /** For the root of the site: the documents by which apps find the server. */
  readonly wellKnown: DocumentHandler
  /** The register of apps, for the host's own code. */
  readonly clients: ClientsForHost
}

/** What {@link createOAuth} needs. */
export interface OAuthDeps
  extends Omit<
    TokenEndpointDeps,
    'authenticateClient' | 'codes' | 'sessions' | 'signer' | 'throttle' | Decided
  > {
  readonly server: OAuthServer
  readonly codes: Pick<AuthorizationCodeStore, 'save' | 'find' | 'consume'>
  readonly sessions: TokenEndpointDeps['sessions'] & Pick<Sessions, 'requireLive' | 'endClient'>
  readonly revocations: Pick<Revocations, 'announce' | 'onEnded'>
  readonly liveSessions: Pick<LiveSessions, 'require' | 'forget'>
  readonly accessTokens: AccessTokens
  readonly signer: TokenSigner
  readonly throttle: Pick<
    Throttle,
    'limitFailures' | 'limitLookups' | 'countRefusedClient' | 'takeIssue'
  >
  readonly authenticateRequest: AuthenticateRequest
  readonly signedIn: SignedIn
  /** How surely users can be known here. */
  readonly acrValues: readonly Acr[]
  /** Languages of the pages on which users sign in. */
  readonly locales: readonly string[]
  readonly sayOnce: SayOnce
}

/** What of the token endpoint the server itself says. */
type Decided = 'clients' | 'consents' | 'ownResource' | 'requireFitSigner' | 'userClaims'

/** Makes the endpoints for apps, and the documents by which they are found. */
export function createOAuth(deps: OAuthDeps): OAuth {
  const { server, throttle, clock, audit } = deps
  const { clients, once, issuer, base } = server
  const codes = createOAuthCodes({
    store: deps.codes,
    takeIssue: throttle.takeIssue,
    clock,
    audit,
  })
  const authenticateClient = createAuthenticateClient({
    clients,
    once,
    issuer,
    tokenEndpoint: `${base}/oauth/token`,
    throttle,
    clock,
    audit,
  })
  const { handler, routes } = discovery(deps)
  return {
    routes: [...tokens(deps, codes, authenticateClient), ...consents(deps), ...routes],
    close: null,
    clients: clientsForHost(deps),
    wellKnown: handler,
  }
}

/** For hosts without the option `oauth`: there is nothing. */
export function withoutOAuth(): OAuth {
  return {
    routes: [],
    close: null,
    clients: withoutRegister,
    wellKnown: (_request, _response, next) => next(),
  }
}

function tokens(
  deps: OAuthDeps,
  codes: OAuthCodes,
  authenticateClient: AuthenticateClient,
): Routes {
  const { server, sessions, accessTokens, clock, audit } = deps
  const { clients, userClaims, ownResource } = server
  const token = tokenEndpoint({
    authenticateClient,
    codes,
    clients,
    consents: server.consents,
    users: deps.users,
    decideSignIn: deps.decideSignIn,
    factorStands: deps.factorStands,
    passwordStands: deps.passwordStands,
    passwordWatch: deps.passwordWatch,
    sessions,
    throttle: deps.throttle,
    refreshGrace: deps.refreshGrace,
    accessTokens,
    accessTokenLifetime: deps.accessTokenLifetime,
    signer: deps.signer,
    requireFitSigner: server.requireFitSigner,
    userClaims,
    hasShownFactor: deps.hasShownFactor,
    ownResource,
    call: deps.call,
    clock,
    audit,
  })
  return [
    ['/oauth/token', { POST: noticing(deps, token) }, 'oauth-endpoint', 'every-origin'],
    ...tokensThatAreThere(deps, authenticateClient),
  ]
}

function tokensThatAreThere(deps: OAuthDeps, authenticateClient: AuthenticateClient): Routes {
  const { server, sessions, accessTokens, clock, audit } = deps
  const { clients, userClaims, ownResource, introspection } = server
  const revoke = revokeEndpoint({ authenticateClient, sessions, accessTokens, ownResource, clock })
  const introspect = introspectEndpoint({
    authenticateClient,
    sessions,
    liveSessions: deps.liveSessions,
    accessTokens,
    issuer: server.issuer,
    ownResource,
    refreshGrace: deps.refreshGrace,
    throttle: deps.throttle,
    clock,
    audit,
  })
  const { authenticateRequest } = deps
  const userinfo = userinfoEndpoint({ authenticateRequest, clients, userClaims, audit })
  const forIntrospectors = introspection ? { POST: introspect } : null
  const forUsers = hasOpenId(server) ? { GET: userinfo, POST: userinfo } : null
  return [
    ['/oauth/revoke', { POST: revoke }, 'oauth-endpoint', 'every-origin'],
    ['/oauth/introspect', forIntrospectors, 'oauth-endpoint', 'own-origin'],
    ['/oauth/userinfo', forUsers, 'oauth-endpoint', 'every-origin'],
  ]
}

function noticing({ server, sayOnce }: OAuthDeps, endpoint: Endpoint): Endpoint {
  return noticingMount(endpoint, server.baseUrl, sayOnce)
}

function consents({ server, signedIn, sessions, audit }: OAuthDeps): Routes {
  const { consents: store, clients } = server
  const revoke = revokeConsentEndpoint(signedIn, store, sessions, audit)
  return [
    ['/auth/consents', { GET: listConsentsEndpoint(signedIn, store, clients) }],
    ['/auth/consents/:clientId', { DELETE: revoke }],
  ]
}

function clientsForHost(deps: OAuthDeps): ClientsForHost {
  const { server, revocations, sessions, clock, audit } = deps
  const { clients, managedClients: store, scopes } = server
  if (store === null) return withoutRegister
  const forgetClient = createForgetClient({ clients, revocations, clock })
  return createClientsForHost({
    store,
    forgetClient,
    disableClient: createDisableClient({ store, forgetClient, sessions, clock, audit }),
    idTokenAlgorithms: server.idTokenAlgorithms,
    ownResource: server.ownResource,
    webOnLoopback: server.webOnLoopback,
    knownScopes: scopes.known,
    clock,
    audit,
  })
}

function discovery({ server, acrValues, locales }: OAuthDeps): WellKnown {
  const { issuer, baseUrl, base, scopes, idTokenAlgorithms, ownResource, introspection } = server
  const settings = {
    issuer,
    baseUrl: base,
    scopes: scopes.published,
    claims: ['name', 'preferred_username'],
    idTokenAlgorithms,
    acrValues,
    locales,
    introspection,
  }
  return createWellKnown({
    issuer: new URL(issuer),
    baseUrl,
    server: serverMetadata(settings),
    resource: resourceMetadata(ownResource, settings),
  })
}

// Without ID Tokens there is no OpenID Connect, and nobody can be granted its scope.
function hasOpenId({ idTokenAlgorithms }: OAuthServer): boolean {
  return idTokenAlgorithms.length > 0
}
