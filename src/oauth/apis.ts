import { AuthConfigError } from '../errors.js'
import type { MetadataUrls } from '../guard/challenge.js'
import { ownMembers } from '../lib/check-options.js'
import { addressAt } from './base-url.js'
import { type ResourceMetadata, resourceMetadata } from './metadata.js'
import type { ApiOptions, OAuthOptions } from './oauth-options.js'
import { furtherApisOf, type Scopes } from './scopes.js'

/** The APIs of this server, and the documents by which clients find its tokens. */
export interface Apis {
  /**
   * The URL of the host's own API: its name in tokens, or `oauth.baseUrl` if that name is not a URL
   * of this server. Clients may ask for it by either.
   */
  readonly ownAddress: string
  /** The documents, by their paths. */
  readonly apiDocuments: ReadonlyMap<string, ResourceMetadata>
  /** Where guards send clients without a token. */
  readonly metadataUrls: MetadataUrls
}

interface ApiFacts {
  /** As in tokens, byte for byte. */
  readonly issuer: string
  readonly baseUrl: URL
  readonly ownResource: string
  readonly scopes: Scopes
}

const place = '/.well-known/oauth-protected-resource'

/** @throws AuthConfigError for an API of this server that its clients could not find */
export function createApis(resources: OAuthOptions['resources'], facts: ApiFacts): Apis {
  const { baseUrl, ownResource, issuer, scopes } = facts
  const isAddress = urlProblem(ownResource, baseUrl) === null
  const ownAddress = isAddress ? ownResource : addressAt(baseUrl, '')
  const own = resourceMetadata(ownAddress, { issuer, scopes: scopes.published })
  const apiDocuments = new Map([[pathOfDocument(ownAddress), own]])
  const further = new Map<string, string>()
  for (const [resource, api] of furtherApisOf(resources)) {
    const path = pathOfApi(resource, api, facts)
    if (apiDocuments.has(path))
      throw atFault(
        resource,
        'has its document where another API has its own.',
        `leave it out if it is your own API, ${ownAddress}; else give it a path of its own.`,
      )
    apiDocuments.set(path, resourceMetadata(resource, { issuer, ...ownMembers(api) }))
    further.set(resource, `${baseUrl.origin}${path}`)
  }
  const metadataUrls = { own: `${baseUrl.origin}${pathOfDocument(ownAddress)}`, further }
  return { ownAddress, apiDocuments, metadataUrls }
}

// RFC 9728 §3.1: the well-known part stands between host and path. A lone slash is not a path.
function pathOfDocument(resource: string): string {
  const { pathname } = new URL(resource)
  return `${place}${pathname === '/' ? '' : pathname}`
}

function pathOfApi(resource: string, api: ApiOptions, { baseUrl, scopes }: ApiFacts): string {
  const problem = urlProblem(resource, baseUrl) ?? spellingProblem(resource)
  if (problem !== null)
    throw atFault(
      resource,
      problem,
      `name an API of this server by its URL, such as ${baseUrl.origin}/mcp; of any other API ` +
        'give only the name.',
    )
  const unknown = api.scopes.find((scope) => scope === '*' || !scopes.known.has(scope))
  if (unknown === undefined) return pathOfDocument(resource)
  throw atFault(
    resource,
    `has the scope ${unknown}, which there is not.`,
    'check the spelling, or describe it in oauth.scopes.',
  )
}

// Of another origin the document would have to be served there.
function urlProblem(resource: string, { origin }: URL): string | null {
  if (!URL.canParse(resource)) return 'is not a URL.'
  const url = new URL(resource)
  if (url.origin !== origin) return 'is of another origin than oauth.baseUrl.'
  const isPlain = url.username === '' && url.password === '' && !/[?#]/.test(resource)
  return isPlain ? null : 'has a user, a query or a fragment.'
}

// Names are compared as texts, and clients send what their URL parser makes of one.
function spellingProblem(resource: string): string | null {
  const { href } = new URL(resource)
  return resource === href ? null : `is not written as clients write it, which is ${href}.`
}

function atFault(resource: string, problem: string, remedy: string): AuthConfigError {
  return new AuthConfigError(`oauth.resources['${resource}']`, problem, remedy)
}
