import { AuthConfigError } from '../errors.js'
import type { MetadataUrls } from '../guard/guard-kit.js'
import type { GroundKit } from '../kits/ground-kit.js'
import { ownMembers } from '../lib/check-options.js'
import type { HostCall } from '../lib/host-call.js'
import type { TokenSigner } from '../signers/contract.js'
import type {
  ClientStore,
  ConsentStore,
  ManagedClientStore,
  OAuthClient,
} from '../stores/client-contract.js'
import {
  failClosedConsents,
  failClosedManagedClients,
  failClosedOnce,
} from '../stores/fail-closed-stores.js'
import type { OnceStore } from '../stores/one-time-contract.js'
import { probeSignerAudience } from '../tokens/check-signer.js'
import { addressAt, checkBaseUrl, checkIssuer } from './base-url.js'
import { type ClientDocuments, createClientDocuments } from './client-documents/client-documents.js'
import {
  type ClientRegistration,
  createClientRegistration,
  type RegisteredRights,
} from './client-registration/client-registration.js'
import { checkWrittenClient, type IdTokenAlgorithm, type SignerFacts } from './client-rules.js'
import { isServed } from './client-schema.js'
import { type Clients, createClients } from './clients.js'
import type {
  ApiOptions,
  ClientDocumentsOptions,
  DeviceFlowOptions,
  OAuthOptions,
} from './oauth-options.js'
import { type ResourceMetadata, resourceMetadata } from './resource-metadata.js'
import {
  createNameResource,
  createScopes,
  furtherApisOf,
  type NameResource,
  type Scopes,
} from './scopes.js'
import { createUserClaims, type UserClaims } from './user-claims.js'

/**
 * The checked option `oauth` and facts of the signer, with the host's parts behind their contracts.
 */
export interface OAuthServer extends Apis {
  /** As in tokens, byte for byte. */
  readonly issuer: string
  readonly baseUrl: URL
  /** The host's own API: the `aud` of its access tokens. */
  readonly ownResource: string
  readonly webOnLoopback: boolean
  readonly idTokenAlgorithms: readonly IdTokenAlgorithm[]
  readonly scopes: Scopes
  readonly clients: Clients
  /** Undefined if the clients are a list or a read-only store. */
  readonly managedClients: ManagedClientStore | undefined
  /** Whether any client may introspect, now or later. */
  readonly introspection: boolean
  /** Whether any client may get tokens for a user of its own, now or later. */
  readonly hasServices: boolean
  /** Names of APIs for users. */
  readonly nameResource: NameResource
  readonly consents: ConsentStore
  readonly once: OnceStore
  readonly userClaims: UserClaims
  readonly requireFitSigner: RequireFitSigner
  /** Undefined without the option `oauth.deviceFlow`. */
  readonly deviceRules: Required<DeviceFlowOptions> | undefined
  /** Whether apps and this server tell each other that a user has signed out. */
  readonly offersLogout: boolean
  /** Hosts of apps that may have private addresses. */
  readonly privateHosts: ReadonlySet<string>
  /** Whether an app may be known by its document alone. */
  readonly acceptsClientDocuments: boolean
  /** Undefined without the option `oauth.registration`. */
  readonly registration: ClientRegistration | undefined
}

/** @throws AuthConfigError for an unusable signer, address or client */
export function createOAuthServer(kit: GroundKit, options: OAuthOptions): OAuthServer {
  const { signer, call, clock } = kit
  const issuer = requiredOf(signer, 'issuer')
  const baseUrl = checkBaseUrl(options.baseUrl, checkIssuer(issuer))
  const idTokenAlgorithms = signer.signIdToken === undefined ? [] : (signer.idTokenAlgorithms ?? [])
  refuseUnfitLogout(options, signer, idTokenAlgorithms)
  const scopes = createScopes(options, idTokenAlgorithms.length > 0)
  const ownResource = requiredOf(signer, 'audience')
  const { clients, resources } = options
  // During experiments apps have no certificates, either.
  const webOnLoopback = baseUrl.protocol === 'http:'
  const facts = { idTokenAlgorithms, ownResource, webOnLoopback }
  const apis = createApis(resources, { issuer, baseUrl, ownResource, scopes })
  const strangers = { ...facts, baseUrl, knownScopes: scopes.known }
  const registration = registrationOf(kit, options, strangers)
  const consents = failClosedConsents(options.consents, call)
  return {
    issuer,
    baseUrl,
    ...facts,
    scopes,
    ...apis,
    managedClients: isManaged(clients) ? failClosedManagedClients(clients, call) : undefined,
    clients: createClients(
      kit,
      { ...facts, ownAddress: apis.ownAddress, knownScopes: scopes.known },
      clients,
      { documents: documentsOf(kit, options, strangers), registration },
    ),
    introspection: isStore(clients) || clients.some(mayIntrospect),
    hasServices: isStore(clients) || clients.some(isServed),
    nameResource: createNameResource(resources),
    consents: registration?.keptBy(consents) ?? consents,
    once: failClosedOnce(options.once, call),
    userClaims: createUserClaims(options.claims, call),
    requireFitSigner: createRequireFitSigner(signer, call, clock),
    deviceRules: deviceRulesOf(options),
    offersLogout: isOn(options.logout),
    privateHosts: new Set(privateHostsOf(options)),
    acceptsClientDocuments: hasDocumentHosts(options),
    registration,
  }
}

// The router has made `{}` of true; a caller without the router may pass either.
function isOn(option: OAuthOptions['logout']): boolean {
  return option !== undefined && option !== false
}

function privateHostsOf({ logout }: OAuthOptions): readonly string[] {
  return typeof logout === 'object' ? (logout.privateHosts ?? []) : []
}

function hasDocumentHosts({ clientDocuments }: OAuthOptions): boolean {
  return clientDocuments !== undefined && clientDocuments.hosts.length > 0
}

/** The facts that the rights of clients which the host has not registered are checked against. */
interface StrangersFacts extends SignerFacts {
  readonly baseUrl: URL
  readonly knownScopes: ReadonlySet<string>
}

function documentsOf(
  kit: GroundKit,
  options: OAuthOptions,
  facts: StrangersFacts,
): ClientDocuments | undefined {
  const { clientDocuments } = options
  if (clientDocuments === undefined || !hasDocumentHosts(options)) return undefined
  const { hosts, except } = clientDocuments
  const documentClient = rightsOf('oauth.clientDocuments', { ...clientDocuments, hosts }, facts)
  const [documentHosts, exceptDocuments] = [new Set(hosts), new Set(except)]
  const listed = { documentHosts, exceptDocuments, documentClient }
  return createClientDocuments(kit, listed, { allowsLoopback: facts.webOnLoopback })
}

function registrationOf(
  kit: GroundKit,
  { registration }: OAuthOptions,
  facts: StrangersFacts,
): ClientRegistration | undefined {
  if (registration === undefined) return undefined
  const { clients, hosts = [] } = registration
  const rights = rightsOf('oauth.registration', { ...registration, hosts }, facts)
  return createClientRegistration(kit, clients, new Set(hosts), rights)
}

/** The rights of all clients that the host has not registered, of one kind. */
function rightsOf(
  option: string,
  { hosts, scopes, resources }: Pick<ClientDocumentsOptions, 'hosts' | 'scopes' | 'resources'>,
  { baseUrl, knownScopes, ...facts }: StrangersFacts,
): RegisteredRights {
  // Users would read that they return to this server. The id of a client that is known by its
  // document could equal the id of an API here, so that its ID tokens had the audience of the API.
  if (hosts.includes(baseUrl.hostname))
    throw new AuthConfigError(
      `${option}.hosts`,
      'has the host of this server itself.',
      'register its own apps in oauth.clients.',
    )
  const rights = {
    scopes,
    ...(resources === undefined ? {} : { resources }),
    ...(facts.idTokenAlgorithms[0] === 'RS256' ? { idTokenAlgorithm: 'RS256' as const } : {}),
  }
  // An example of such a client is checked for its rights.
  const example = { id: 'x', name: 'x', type: 'native', redirectUris: ['http://[::1]/'] }
  checkWrittenClient(option, { ...rights, ...example }, facts, knownScopes)
  return rights
}

// An app shows an ID token to sign a user out, and is told of the end of a session by another.
function refuseUnfitLogout(
  { logout }: OAuthOptions,
  signer: TokenSigner,
  idTokenAlgorithms: readonly IdTokenAlgorithm[],
): void {
  if (!isOn(logout)) return
  if (idTokenAlgorithms.length === 0)
    throw new AuthConfigError(
      'oauth.logout',
      'needs ID tokens, and the signer signs none.',
      'use joseSigner() with a key for ES256, or rs256; or leave it out.',
    )
  const methods = ['verifyIdToken', 'signLogoutToken'] as const
  const missing = methods.find((method) => typeof signer[method] !== 'function')
  if (missing !== undefined)
    throw new AuthConfigError(
      'oauth.logout',
      `needs a signer with ${missing}, and it has none.`,
      `use joseSigner(), or give your signer the method ${missing}; or leave it out.`,
    )
}

function deviceRulesOf({ deviceFlow = false }: OAuthOptions): OAuthServer['deviceRules'] {
  if (deviceFlow === false) return undefined
  const given: DeviceFlowOptions = deviceFlow === true ? {} : deviceFlow
  const { sameNetwork = 'warn', completeUri = false } = ownMembers(given)
  return { sameNetwork, completeUri }
}

type GivenClients = OAuthOptions['clients']

function isStore(clients: GivenClients): clients is ClientStore {
  return !Array.isArray(clients)
}

// The table must list every method of the contract, or it does not compile.
const managing: Readonly<Record<keyof ManagedClientStore, true>> = {
  find: true,
  create: true,
  update: true,
  replaceSecrets: true,
  setDisabled: true,
  list: true,
}

function isManaged(clients: GivenClients | null): clients is ManagedClientStore {
  const methods = (clients ?? {}) as Readonly<Record<string, unknown>>
  return Object.keys(managing).every((name) => typeof methods[name] === 'function')
}

function mayIntrospect(client: OAuthClient): boolean {
  return client.mayIntrospect === true
}

function requiredOf(signer: TokenSigner, member: 'issuer' | 'audience'): string {
  const value: unknown = signer[member]
  if (typeof value === 'string' && value !== '') return value
  throw new AuthConfigError(
    'signer',
    `has no ${member}, which apps are told.`,
    `use joseSigner(), or give your signer the member ${member}.`,
  )
}

/**
 * Checks that this server does not accept a token for another API. Rejects with 503 if the signer
 * accepts it as its own, or fails.
 */
export type RequireFitSigner = () => Promise<void>

/**
 * The signer is tested once; until it has passed, at each call. It is also tested at the start, as
 * soon as it is ready, so that the host learns of it before the first app does.
 *
 * @internal
 */
export function createRequireFitSigner(
  signer: TokenSigner,
  call: HostCall,
  clock: () => Date,
): RequireFitSigner {
  let hasPassed = false

  async function requireFitSigner(): Promise<void> {
    if (hasPassed) return
    await call('signer.audience', () => probeSignerAudience(signer, clock()))
    hasPassed = true
  }

  // A failure here has been reported, and the test is repeated when it matters.
  Promise.resolve()
    .then(() => signer.ready?.())
    .then(requireFitSigner)
    .catch(() => {})
  return requireFitSigner
}

/** The APIs of this server, and the documents by which clients find its tokens. */
export interface Apis {
  /**
   * The URL of the host's own API: its name in tokens, or `oauth.baseUrl` if that name is not a URL
   * of this server. Clients may ask for it by either.
   */
  readonly ownAddress: string
  /** The documents, by their paths. */
  readonly apiDocuments: ReadonlyMap<string, ResourceMetadata>
  /** The addresses that guards give to clients without a token. */
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

/**
 * @throws AuthConfigError for an API of this server that its clients could not find
 *
 * @internal
 */
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

// Names are compared as texts, and clients send the form that their URL parser makes of a name.
function spellingProblem(resource: string): string | null {
  const { href } = new URL(resource)
  return resource === href ? null : `is not written as clients write it, which is ${href}.`
}

function atFault(resource: string, problem: string, remedy: string): AuthConfigError {
  return new AuthConfigError(`oauth.resources['${resource}']`, problem, remedy)
}
