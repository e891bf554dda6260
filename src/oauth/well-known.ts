import { createDocuments, type DocumentHandler, publicDocument } from '../http/documents.js'
import type { Routes } from '../http/endpoint.js'
import type { ResourceMetadata } from './metadata.js'

/** The documents by which clients find the server. */
export interface WellKnown {
  /**
   * For the root of the site: `app.use(handler)`. Answers the paths of the documents, and hands on
   * everything else.
   */
  readonly handler: DocumentHandler
  /** Of the router itself, where the issuer is what it is mounted at. */
  readonly routes: Routes
}

export interface WellKnownDeps {
  readonly issuer: URL
  readonly baseUrl: URL
  readonly server: object
  /** Of the API. It is published where its name is a URL of the issuer's origin. */
  readonly resource: ResourceMetadata
}

/** Where no app signs its users in here, there is no document. */
export const withoutDocuments: DocumentHandler = (_request, _response, next) => next()

const openId = '/.well-known/openid-configuration'

/**
 * Makes the documents. Where the issuer has a path, RFC 8414 puts it behind the name of the
 * document ([§3.1](https://www.rfc-editor.org/rfc/rfc8414#section-3.1)), and OpenID Connect
 * [Discovery §4](https://openid.net/specs/openid-connect-discovery-1_0.html) before it: clients ask
 * for either.
 */
export function createWellKnown({ issuer, baseUrl, server, resource }: WellKnownDeps): WellKnown {
  const path = pathOf(issuer)
  const documents = new Map<string, object>([
    [`/.well-known/oauth-authorization-server${path}`, server],
    [`${openId}${path}`, server],
    [`${path}${openId}`, server],
  ])
  const resourcePath = pathOfResource(resource.resource, issuer.origin)
  if (resourcePath !== null)
    documents.set(`/.well-known/oauth-protected-resource${resourcePath}`, resource)
  const isOwnPath = path === pathOf(baseUrl)
  const answer = publicDocument(server)
  return {
    handler: createDocuments(documents),
    routes: isOwnPath ? [[openId, { GET: async () => answer }, 'plain', 'every-origin']] : [],
  }
}

// RFC 8414 §3.1 and RFC 9728 §3.1: a slash alone is no path.
function pathOf({ pathname }: URL): string {
  return pathname === '/' ? '' : pathname
}

// What is asked for at another origin is answered there.
function pathOfResource(resource: string, origin: string): string | null {
  if (!URL.canParse(resource)) return null
  const url = new URL(resource)
  return url.origin === origin && url.search === '' && url.hash === '' ? pathOf(url) : null
}
