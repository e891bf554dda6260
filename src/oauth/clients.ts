import { AuthConfigError } from '../errors.js'
import type { WarnOnce } from '../http/warn-once.js'
import { type BoundedCache, boundedCache } from '../lib/bounded-cache.js'
import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'
import { doAll } from '../lib/mistakes.js'
import type { ClientStore, OAuthClient } from '../stores/client-contract.js'
import { checkClient, checkWrittenClient, type SignerFacts } from './client-rules.js'
import { clientIdPattern, clientRemedies } from './client-schema.js'

/** The apps that may sign their users in here. */
export interface Clients {
  /**
   * The client with this id, also one that is disabled; null when there is none, or when what the
   * host's store knows of it will not do. At most 30 seconds old. Rejects with 503 where the store
   * fails.
   */
  find(clientId: string): Promise<OAuthClient | null>
  /** The same as the store has it now. */
  findFresh(clientId: string): Promise<OAuthClient | null>
  /**
   * Whether `find` asks the store for nothing that a stranger may have invented: it answers from
   * memory, or there was such a client within a day.
   */
  isFamiliar(clientId: string): boolean
  /** The next `find` asks the store anew: something of the client has changed. */
  forget(clientId: string): void
}

export interface ClientsDeps extends SignerFacts {
  /** The option `oauth.clients`. */
  readonly clientSource: readonly OAuthClient[] | ClientStore
  /** Every scope that there is: those of the standards and those of the host. */
  readonly knownScopes: ReadonlySet<string>
  readonly call: HostCall
  readonly warnOnce: WarnOnce
  readonly clock: () => Date
}

/** How long a change in the host's store may go unnoticed. */
const maxAgeSeconds = 30
const maxClients = 10_000
/** A room of their own: ids that somebody invents do not push clients out. */
const maxUnknown = 1000
const daySeconds = 24 * 60 * 60

/**
 * Makes the register of clients. A list is checked here and now; of a store each client is, when it
 * is read.
 *
 * @throws AuthConfigError with every client of a list that will not do, as in
 * `oauth.clients[2].redirectUris[0]`
 */
export function createClients(deps: ClientsDeps): Clients {
  const { clientSource } = deps
  if (isList(clientSource)) {
    const listed = checkList(clientSource, deps)
    const find: Find = async (clientId) => listed.get(clientId) ?? null
    return { find, findFresh: find, isFamiliar: () => true, forget() {} }
  }
  if (typeof clientSource?.find !== 'function')
    throw new AuthConfigError(
      'oauth.clients',
      'is neither a list nor an object with find.',
      'list the clients, or pass { find: async (clientId) => client or null }.',
    )
  return rememberFor30Seconds(createRead(clientSource, deps), deps.clock)
}

function isList(clients: ClientsDeps['clientSource']): clients is readonly OAuthClient[] {
  return Array.isArray(clients)
}

function checkList(
  clients: readonly OAuthClient[],
  deps: ClientsDeps,
): ReadonlyMap<string, OAuthClient> {
  const listed = new Map<string, OAuthClient>()
  const check = (given: unknown, index: number) => {
    const name = `oauth.clients[${index}]`
    const client = checkWrittenClient(name, given, deps, deps.knownScopes)
    if (listed.has(client.id))
      throw new AuthConfigError(`${name}.id`, 'is that of another client.', clientRemedies.id)
    listed.set(client.id, client)
  }
  // A hole in the list is no client either, and `map` would pass over it.
  doAll(...Array.from(clients, (given, index) => () => check(given, index)))
  return listed
}

type Find = Clients['find']

function createRead(store: ClientStore, deps: ClientsDeps): Find {
  const { call, warnOnce } = deps
  return async function read(clientId) {
    const answer = await call('clients.find', async (): Promise<object | null> => {
      const found: unknown = (await store.find(clientId)) ?? null
      // A function is what an object has under a name such as `constructor`. No outage: strangers
      // could make the host believe in one, by an id.
      if (typeof found === 'object' || typeof found === 'function') return found
      throw new UnexpectedAnswer('the answer is not an object')
    })
    if (answer === null) return null
    // The id that was asked for may be one that a stranger has invented: it stands in a notice only
    // where the store has it too.
    if (!Object.hasOwn(answer, 'id') || Reflect.get(answer, 'id') !== clientId) {
      warnOnce(otherClient)
      return null
    }
    try {
      return checkClient(`clients.find('${clientId}')`, answer, deps)
    } catch (error) {
      if (!(error instanceof AuthConfigError)) throw error
      warnOnce({ code: 'MAR_CLIENT_REFUSED', level: 'error', message: error.message })
      return null
    }
  }
}

// Of a database that takes small letters for capitals, perhaps, or of a table that is an object.
const otherClient = {
  code: 'MAR_CLIENT_REFUSED',
  level: 'error',
  message:
    'clients.find answers something else than the client whose id it is asked for. Remedy: ' +
    'compare ids by their bytes, and keep clients in a Map.',
} as const

/**
 * Asks the store once in 30 seconds for each id, also for one that it does not know. A failure is
 * not remembered.
 */
function rememberFor30Seconds(read: Find, clock: () => Date): Clients {
  const known: BoundedCache<OAuthClient> = boundedCache(maxClients, maxAgeSeconds)
  const unknown: BoundedCache<null> = boundedCache(maxUnknown, maxAgeSeconds)
  const seen: BoundedCache<true> = boundedCache(maxClients, daySeconds)
  const reading = new Map<string, Promise<OAuthClient | null>>()

  function readOnce(clientId: string): Promise<OAuthClient | null> {
    const underWay = reading.get(clientId)
    if (underWay !== undefined) return underWay
    // The age counts from before the read: a slow store must not make old news look fresh.
    const asked = clock()
    const mine = read(clientId)
      .then((client) => {
        if (client !== null) seen.set(clientId, true, asked)
        // Forgotten meanwhile: it may have been read before the change.
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
    // A read that is under way may have been answered before the change: it is not waited for.
    findFresh(clientId) {
      forget(clientId)
      return find(clientId)
    },
    isFamiliar: (clientId) =>
      remembered(clientId) !== undefined ||
      reading.has(clientId) ||
      seen.get(clientId, clock()) === true,
    forget,
  }
}
