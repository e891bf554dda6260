import type { RequestContext } from '../audit/events.js'
import { AuthConfigError } from '../errors.js'
import type { GroundKit } from '../kits/ground-kit.js'
import { type BoundedCache, boundedCache } from '../lib/bounded-cache.js'
import { ownMembers } from '../lib/check-options.js'
import { UnexpectedAnswer } from '../lib/host-call.js'
import { doAll } from '../lib/mistakes.js'
import type { ClientStore, OAuthClient } from '../stores/client-contract.js'
import { documentHost } from './client-documents/client-document.js'
import type { ClientDocuments } from './client-documents/client-documents.js'
import { isSelfRegistered } from './client-registration/client-metadata.js'
import type { ClientRegistration } from './client-registration/client-registration.js'
import { checkClient, checkWrittenClient, type SignerFacts } from './client-rules.js'
import { audiencesOf, clientIdPattern, clientRemedies, type OwnNames } from './client-schema.js'

/** The registered apps. */
export interface Clients {
  /**
   * The client with this id, even if disabled; null if there is none or the host's store returns an
   * invalid one. At most 30 seconds old. Rejects with 503 if the store fails.
   */
  find(clientId: string): Promise<OAuthClient | null>
  /** Like `find`, but read from the store now. */
  findFresh(clientId: string): Promise<OAuthClient | null>
  /**
   * Whether `find` for this id needs no limit on invented ids: it answers from the cache, or the
   * client existed within the last day.
   */
  isFamiliar(clientId: string): boolean
  /** Drops a client from the cache, because it has changed. */
  forget(clientId: string): void
  /**
   * The client with its redirect URIs. The redirect URIs of a client that nobody registered are in
   * its document alone: null if there is no fit document. Rejects with 503.
   */
  withRedirects(client: OAuthClient, context: RequestContext): Promise<OAuthClient | null>
}

/** The facts that clients are checked against. */
export interface ClientFacts extends SignerFacts, OwnNames {
  /** Every known scope: the standard ones and the host's. */
  readonly knownScopes: ReadonlySet<string>
}

/** The option `oauth.clients`. */
export type ClientSource = readonly OAuthClient[] | ClientStore

/** How long a change in the host's store may go unnoticed. */
const maxAgeSeconds = 30
const maxClients = 10_000
/** Unknown ids are kept apart from the known clients, so that invented ids evict no clients. */
const maxUnknown = 1000
const daySeconds = 24 * 60 * 60

/**
 * A list is checked at once; the clients of a store are checked when they are read.
 *
 * @throws AuthConfigError for all invalid clients of a list, as in
 * `oauth.clients[2].redirectUris[0]`
 */
export function createClients(
  kit: GroundKit,
  facts: ClientFacts,
  source: ClientSource,
  { documents, registration }: Strangers = noStrangers,
): Clients {
  const listed = createRegistered(kit, facts, source)
  const registered =
    registration === undefined
      ? listed
      : withRegistration(listed, createOfStore(kit, facts, registration.store, registration.asUsed))
  return documents === undefined ? registered : withDocuments(registered, documents, facts)
}

/** Clients that the host has not registered. */
interface Strangers {
  readonly documents: ClientDocuments | undefined
  readonly registration: ClientRegistration | undefined
}

const noStrangers: Strangers = { documents: undefined, registration: undefined }

// Each kind of id is looked up in one place.
function withRegistration(listed: Clients, registering: Clients): Clients {
  const of = (clientId: string) => (isSelfRegistered(clientId) ? registering : listed)
  return {
    ...listed,
    find: (clientId) => of(clientId).find(clientId),
    findFresh: (clientId) => of(clientId).findFresh(clientId),
    isFamiliar: (clientId) => of(clientId).isFamiliar(clientId),
    forget: (clientId) => of(clientId).forget(clientId),
  }
}

// An id that is an address is never looked up in the host's register.
function withDocuments(registered: Clients, documents: ClientDocuments, own: OwnNames): Clients {
  const isAddress = (clientId: string) => documentHost(clientId) !== null
  const find = async (clientId: string) => {
    if (!isAddress(clientId)) return registered.find(clientId)
    const found = documents.find(clientId)
    return found && byAudiences(found, own)
  }
  return {
    ...registered,
    find,
    findFresh: (clientId) =>
      isAddress(clientId) ? find(clientId) : registered.findFresh(clientId),
    isFamiliar: (clientId) =>
      isAddress(clientId) ? documents.isRead(clientId) : registered.isFamiliar(clientId),
    withRedirects: async (client, context) =>
      isAddress(client.id) ? documents.read(client, context) : client,
  }
}

function createRegistered(kit: GroundKit, facts: ClientFacts, source: ClientSource): Clients {
  if (isList(source)) {
    const listed = checkList(source, facts)
    const find: Find = async (clientId) => listed.get(clientId) ?? null
    const withRedirects: Clients['withRedirects'] = async (client) => client
    return { find, findFresh: find, isFamiliar: () => true, forget() {}, withRedirects }
  }
  if (typeof source?.find !== 'function')
    throw new AuthConfigError(
      'oauth.clients',
      'is neither a list nor an object with find.',
      'list the clients, or pass { find: async (clientId) => client or null }.',
    )
  return createOfStore(kit, facts, source, () => null)
}

/** `asUsed`: of a client that registered itself. Without the option there is no such client. */
type AsUsed = (stored: OAuthClient) => OAuthClient | null

function createOfStore(
  kit: GroundKit,
  facts: ClientFacts,
  store: ClientStore,
  asUsed: AsUsed,
): Clients {
  const read = createRead(kit, facts, store)
  const readAsUsed: Find = async (clientId) => {
    const client = await read(clientId)
    const used = client?.selfRegistered === true ? asUsed(client) : client
    return used && byAudiences(used, facts)
  }
  return rememberFor30Seconds(readAsUsed, kit.clock)
}

function isList(clients: ClientSource): clients is readonly OAuthClient[] {
  return Array.isArray(clients)
}

function checkList(
  clients: readonly OAuthClient[],
  facts: ClientFacts,
): ReadonlyMap<string, OAuthClient> {
  const listed = new Map<string, OAuthClient>()
  const check = (given: unknown, index: number) => {
    const name = `oauth.clients[${index}]`
    const client = checkWrittenClient(name, given, facts, facts.knownScopes)
    if (listed.has(client.id))
      throw new AuthConfigError(`${name}.id`, 'is that of another client.', clientRemedies.id)
    listed.set(client.id, byAudiences(client, facts))
  }
  // A hole in the list is an invalid client, too, and `map` would skip it.
  doAll(...Array.from(clients, (given, index) => () => check(given, index)))
  return listed
}

// A client may list the host's own API by its URL. Tokens and consents have its other name.
function byAudiences(client: OAuthClient, own: OwnNames): OAuthClient {
  if (client.resources === undefined) return client
  return Object.freeze(ownMembers({ ...client, resources: audiencesOf(client.resources, own) }))
}

type Find = Clients['find']

function createRead({ call, warnOnce }: GroundKit, facts: ClientFacts, store: ClientStore): Find {
  return async function read(clientId) {
    const answer = await call('clients.find', async (): Promise<object | null> => {
      const found: unknown = (await store.find(clientId)) ?? null
      // Looking up an id such as `constructor` in an object yields a function. That is not an
      // outage: strangers could cause it with an id.
      if (typeof found === 'object' || typeof found === 'function') return found
      throw new UnexpectedAnswer('the answer is not an object')
    })
    if (answer === null) return null
    // A stranger may have invented the requested id, so it appears in a notice only if the store
    // has it, too.
    if (!Object.hasOwn(answer, 'id') || Reflect.get(answer, 'id') !== clientId) {
      warnOnce(otherClient)
      return null
    }
    try {
      return checkClient(`clients.find('${clientId}')`, answer, facts)
    } catch (error) {
      if (!(error instanceof AuthConfigError)) throw error
      warnOnce({ code: 'MAR_CLIENT_REFUSED', level: 'error', message: error.message })
      return null
    }
  }
}

// The database may compare case-insensitively, or the table may be a plain object.
const otherClient = {
  code: 'MAR_CLIENT_REFUSED',
  level: 'error',
  message:
    'clients.find answers something else than the client whose id it is asked for. Remedy: ' +
    'compare ids by their bytes, and keep clients in a Map.',
} as const

/** Asks the store once in 30 seconds for each id, known or unknown. A failure is not cached. */
function rememberFor30Seconds(read: Find, clock: () => Date): Clients {
  const known: BoundedCache<OAuthClient> = boundedCache(maxClients, maxAgeSeconds)
  const unknown: BoundedCache<null> = boundedCache(maxUnknown, maxAgeSeconds)
  const seen: BoundedCache<true> = boundedCache(maxClients, daySeconds)
  const reading = new Map<string, Promise<OAuthClient | null>>()

  function readOnce(clientId: string): Promise<OAuthClient | null> {
    const underWay = reading.get(clientId)
    if (underWay !== undefined) return underWay
    // The age counts from before the read: a slow store must not make old data look fresh.
    const asked = clock()
    const mine = read(clientId)
      .then((client) => {
        if (client !== null) seen.set(clientId, true, asked)
        // Dropped meanwhile: it may have been read before the change.
        if (reading.get(clientId) !== mine) return client
        if (client === null) unknown.set(clientId, null, asked)
        else known.set(clientId, client, asked)
        return client
      })
      .finally(() => {
        if (reading.get(clientId) === mine) reading.delete(clientId)
      })
    reading.set(clientId, mine)
    return mine
  }

  function remembered(clientId: string): OAuthClient | null | undefined {
    if (!clientIdPattern.test(clientId)) return null
    const now = clock()
    return known.get(clientId, now) ?? unknown.get(clientId, now)
  }

  async function find(clientId: string): Promise<OAuthClient | null> {
    const found = remembered(clientId)
    return found === undefined ? readOnce(clientId) : found
  }

  function forget(clientId: string): void {
    known.delete(clientId)
    unknown.delete(clientId)
    reading.delete(clientId)
  }

  return {
    find,
    // A read under way may have been answered before the change, so it is not awaited.
    findFresh(clientId) {
      forget(clientId)
      return find(clientId)
    },
    isFamiliar: (clientId) =>
      remembered(clientId) !== undefined ||
      reading.has(clientId) ||
      seen.get(clientId, clock()) === true,
    forget,
    withRedirects: async (client) => client,
  }
}
