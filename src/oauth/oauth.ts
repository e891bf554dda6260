import { createDocuments, type DocumentHandler, publicDocument } from '../http/documents.js'
import type { Capability, Routes } from '../http/endpoint.js'
import type { AppsKit } from './apps-kit.js'
import { noticingMount } from './base-url.js'
import {
  corsOfRegistration,
  registerClientEndpoint,
} from './client-registration/register-client.endpoint.js'
import {
  type ClientsForHost,
  createClientsForHost,
  createForgetClient,
} from './clients-for-host.js'
import { deviceAuthorizationEndpoint } from './device/device-authorization.endpoint.js'
import { openIdDocument, pathOf, serverDocumentPaths } from './document-paths.js'
import { serverMetadata } from './metadata.js'
import type { OAuthServer } from './oauth-server.js'
import { listConsentsEndpoint, revokeConsentEndpoint } from './own-consents.js'
import type { ResourceMetadata } from './resource-metadata.js'
import { introspectEndpoint, revokeEndpoint } from './shown-tokens.js'
import { grantsOn, tokenEndpoint } from './token.endpoint.js'
import { userinfoEndpoint } from './userinfo.endpoint.js'

/** OAuth and OpenID Connect for apps that sign their users in here. */
export interface OAuth extends Capability {
  /** For the root of the site: the documents by which apps discover the server. */
  readonly wellKnown: DocumentHandler
  /** The register of apps, for the host's own code; undefined if the apps are no such store. */
  readonly clients: ClientsForHost | undefined
}

/** The endpoints for apps, and the discovery documents. */
export function createOAuth(kit: AppsKit): OAuth {
  const { baseUrl, introspection } = kit
  const token = noticingMount(tokenEndpoint(kit), baseUrl, kit.warnOnce)
  const introspect = introspection ? { POST: introspectEndpoint(kit) } : null
  const { deviceFlow } = kit
  const device = deviceFlow && { POST: deviceAuthorizationEndpoint({ ...kit, deviceFlow }) }
  const userinfo = userinfoEndpoint(kit)
  const forUsers = hasOpenId(kit) ? { GET: userinfo, POST: userinfo } : null
  const { handler, routes } = discovery(kit)
  return {
    routes: [
      ['/oauth/token', { POST: token }, 'oauth-endpoint', 'every-origin'],
      ['/oauth/revoke', { POST: revokeEndpoint(kit) }, 'oauth-endpoint', 'every-origin'],
      ['/oauth/introspect', introspect, 'oauth-endpoint', 'own-origin'],
      ['/oauth/device_authorization', device ?? null, 'oauth-endpoint', 'own-origin'],
      ...registrationRoutes(kit),
      ['/oauth/userinfo', forUsers, 'oauth-endpoint', 'every-origin'],
      ['/auth/consents', { GET: listConsentsEndpoint(kit) }],
      ['/auth/consents/:clientId', { DELETE: revokeConsentEndpoint(kit) }],
      ...routes,
    ],
    clients: clientsForHost(kit),
    wellKnown: handler,
  }
}

function registrationRoutes(kit: AppsKit): Routes {
  const { registration } = kit
  if (registration === undefined) return []
  const register = registerClientEndpoint({ ...kit, registration })
  const cors = corsOfRegistration(registration)
  return [['/oauth/register', { POST: register }, 'oauth-endpoint', cors]]
}

function clientsForHost(kit: AppsKit): ClientsForHost | undefined {
  const { managedClients, scopes } = kit
  if (managedClients === undefined) return undefined
  const forgetClient = createForgetClient(kit.clients, kit.revocations)
  return createClientsForHost({ ...kit, managedClients, forgetClient, knownScopes: scopes.known })
}

function discovery(kit: AppsKit): WellKnown {
  const { issuer, baseUrl, scopes, apiDocuments, deviceFlow } = kit
  const { idTokenAlgorithms, acrValues, locales, introspection } = kit
  const { isRegistrationOpen, offersLogout, acceptsClientDocuments } = kit
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
    grants: grantsOn(kit),
    hasDeviceFlow: deviceFlow !== undefined,
    offersLogout,
    acceptsClientDocuments,
    acceptsRegistrations: kit.registration !== undefined,
  }
  return createWellKnown(new URL(issuer), baseUrl, serverMetadata(settings), apiDocuments)
}

// Without ID Tokens there is no OpenID Connect, and its scope cannot be granted.
function hasOpenId({ idTokenAlgorithms }: OAuthServer): boolean {
  return idTokenAlgorithms.length > 0
}

/** The discovery documents. */
export interface WellKnown {
  /**
   * For the root of the site: `app.use(handler)`. Answers the paths of the documents, and passes
   * other requests on.
   */
  readonly handler: DocumentHandler
  /** Routes of the router itself, if it is mounted at the issuer. */
  readonly routes: Routes
}

/**
 * @param apiDocuments - the metadata of the APIs, by their paths
 *
 * @internal
 */
export function createWellKnown(
  issuer: URL,
  baseUrl: URL,
  server: object,
  apiDocuments: ReadonlyMap<string, ResourceMetadata>,
): WellKnown {
  const ofServer = serverDocumentPaths(issuer).map((path) => [path, server] as const)
  const documents = new Map<string, object>([...ofServer, ...apiDocuments])
  const isOwnPath = pathOf(issuer) === pathOf(baseUrl)
  const answer = publicDocument(server)
  return {
    handler: createDocuments(documents),
    routes: isOwnPath
      ? [[openIdDocument, { GET: async () => answer }, 'plain', 'every-origin']]
      : [],
  }
}
