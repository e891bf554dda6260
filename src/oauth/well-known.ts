import { createDocuments, type DocumentHandler, publicDocument } from '../http/documents.js'
import type { Routes } from '../http/endpoint.js'
import type { ResourceMetadata } from './metadata.js'
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

/** Without the option `oauth` there are no documents. */
export const withoutDocuments: DocumentHandler = (_request, _response, next) => next()

const openId = '/.well-known/openid-configuration'

/**
 * If the issuer has a path, RFC 8414 puts it after the document's name
 * ([§3.1](https://www.rfc-editor.org/rfc/rfc8414#section-3.1)), and OpenID Connect [Discovery
 * §4](https://openid.net/specs/openid-connect-discovery-1_0.html) before it. Clients request
 * either.
 *
 * @param apiDocuments - the metadata of the APIs, by their paths
 */
export function createWellKnown(
  issuer: URL,
  baseUrl: URL,
  server: object,
  apiDocuments: ReadonlyMap<string, ResourceMetadata>,
): WellKnown {
  const path = pathOf(issuer)
  const documents = new Map<string, object>([
    [`/.well-known/oauth-authorization-server${path}`, server],
    [`${openId}${path}`, server],
    [`${path}${openId}`, server],
    ...apiDocuments,
  ])
  const isOwnPath = path === pathOf(baseUrl)
  const answer = publicDocument(server)
  return {
    handler: createDocuments(documents),
    routes: isOwnPath ? [[openId, { GET: async () => answer }, 'plain', 'every-origin']] : [],
  }
}

// RFC 8414 §3.1: a lone slash is not a path.
function pathOf({ pathname }: URL): string {
  return pathname === '/' ? '' : pathname
}
