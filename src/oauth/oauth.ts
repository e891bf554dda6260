import type { Capability } from '../http/capability.js'
import type { DocumentHandler } from '../http/documents.js'
import type { WarnOnce } from '../http/warn-once.js'
import type { AuthenticateRequest, SignedIn } from '../principal/principal.js'
import type { LiveSessions } from '../sessions/live-sessions.js'
import type { Revocations } from '../sessions/revocations.js'
import type { Sessions } from '../sessions/sessions.js'
import type { TokenSigner } from '../signers/contract.js'
import type { AuthorizationCodeStore } from '../stores/code-contract.js'
import type { TakeIssue } from '../throttle/issue-limits.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AccessTokens } from '../tokens/access-token.js'
import type { Acr } from '../two-factor/acr.js'
import { createOAuthCodes } from './authorization-codes.js'
import { addressAt, noticingMount } from './base-url.js'
import { createAuthenticateClient } from './client-auth.js'
import { type ClientsForHost, createClientsForHost } from './clients-for-host.js'
import { listConsentsEndpoint, revokeConsentEndpoint } from './consents.endpoint.js'
import { deviceAuthorizationEndpoint } from './device/device-authorization.endpoint.js'
import { createDisableClient, createForgetClient } from './disable-client.js'
import { introspectEndpoint } from './introspect.endpoint.js'
import { serverMetadata } from './metadata.js'
import type { OAuthServer } from './oauth-server.js'
import { createOwnConsents } from './own-consents.js'
import { revokeEndpoint } from './revoke.endpoint.js'
import { type TokenEndpointDeps, tokenEndpoint } from './token.endpoint.js'
import { userinfoEndpoint } from './userinfo.endpoint.js'
import { createWellKnown, type WellKnown } from './well-known.js'
import { withoutRegister } from './without-register.js'

/** OAuth and OpenID Connect for apps that sign their users in here. */
export interface OAuth extends Capability {
  /** For the root of the site: the documents by which apps discover the server. */
  readonly wellKnown: DocumentHandler
  /** The register of apps, for the host's own code. */
  readonly clients: ClientsForHost
}

export interface OAuthDeps
  extends OAuthServer,
    Omit<TokenEndpointDeps, 'authenticateClient' | 'codes' | keyof OAuthServer> {
  readonly codeStore: Pick<AuthorizationCodeStore, 'save' | 'find' | 'consume'>
  readonly sessions: Sessions
  readonly revocations: Pick<Revocations, 'announce' | 'onClientChanged'>
  readonly liveSessions: Pick<LiveSessions, 'require' | 'forget'>
  readonly accessTokens: AccessTokens
  readonly signer: TokenSigner
  readonly takeIssue: TakeIssue
  readonly throttle: Pick<
    Throttle,
    'limitFailures' | 'limitLookups' | 'countRefusedClient' | 'takeDeviceCode'
  >
  readonly authenticateRequest: AuthenticateRequest
  readonly signedIn: SignedIn
  /** The `acr` values that sign-ins here can reach. */
  readonly acrValues: readonly Acr[]
  /** Languages of the sign-in pages. */
  readonly locales: readonly string[]
  /** Whether everybody can make an account. */
  readonly isRegistrationOpen: boolean
  readonly warnOnce: WarnOnce
}

/** The endpoints for apps, and the discovery documents. */
export function createOAuth(deps: OAuthDeps): OAuth {
  const { baseUrl, introspection, signedIn } = deps
  const authenticateClient = createAuthenticateClient({
    ...deps,
    tokenEndpoint: addressAt(baseUrl, '/oauth/token'),
  })
  const parts = { ...deps, authenticateClient, codes: createOAuthCodes(deps) }
  const token = noticingMount(tokenEndpoint(parts), baseUrl, deps.warnOnce)
  const introspect = introspection ? { POST: introspectEndpoint(parts) } : null
  const { deviceFlow } = deps
  const device = deviceFlow && { POST: deviceAuthorizationEndpoint({ ...parts, deviceFlow }) }
  const userinfo = userinfoEndpoint(deps)
  const forUsers = hasOpenId(deps) ? { GET: userinfo, POST: userinfo } : null
  const ownConsents = createOwnConsents(deps)
  const listConsents = listConsentsEndpoint(signedIn, ownConsents)
  const revokeConsent = revokeConsentEndpoint(signedIn, ownConsents)
  const { handler, routes } = discovery(deps)
  return {
    routes: [
      ['/oauth/token', { POST: token }, 'oauth-endpoint', 'every-origin'],
      ['/oauth/revoke', { POST: revokeEndpoint(parts) }, 'oauth-endpoint', 'every-origin'],
      ['/oauth/introspect', introspect, 'oauth-endpoint', 'own-origin'],
      ['/oauth/device_authorization', device ?? null, 'oauth-endpoint', 'own-origin'],
      ['/oauth/userinfo', forUsers, 'oauth-endpoint', 'every-origin'],
      ['/auth/consents', { GET: listConsents }],
      ['/auth/consents/:clientId', { DELETE: revokeConsent }],
      ...routes,
    ],
    clients: clientsForHost(deps),
    wellKnown: handler,
  }
}

function clientsForHost(deps: OAuthDeps): ClientsForHost {
  const { managedClients, scopes } = deps
  if (managedClients === undefined) return withoutRegister
  const parts = { ...deps, managedClients, forgetClient: createForgetClient(deps) }
  const disableClient = createDisableClient(parts)
  return createClientsForHost({ ...parts, disableClient, knownScopes: scopes.known })
}

function discovery(deps: OAuthDeps): WellKnown {
  const { issuer, baseUrl, scopes, apiDocuments, deviceFlow } = deps
  const { idTokenAlgorithms, acrValues, locales, introspection } = deps
  const { isRegistrationOpen, offersLogout, acceptsClientDocuments, hasServices } = deps
  const settings = {
    issuer,
    baseUrl,
    scopes: scopes.published,
    claims: ['name', 'preferred_username'],
    idTokenAlgorithms,
    acrValues,
    locales,
    introspection,
    isRegistrationOpen,
    hasDeviceFlow: deviceFlow !== undefined,
    offersLogout,
    acceptsClientDocuments,
    hasServices,
  }
  return createWellKnown({
    issuer: new URL(issuer),
    baseUrl,
    server: serverMetadata(settings),
    apiDocuments,
  })
}

// Without ID Tokens there is no OpenID Connect, and its scope cannot be granted.
function hasOpenId({ idTokenAlgorithms }: OAuthServer): boolean {
  return idTokenAlgorithms.length > 0
}
