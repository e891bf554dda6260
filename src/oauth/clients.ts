import { AuthConfigError } from '../errors.js'
import type { SayOnce } from '../http/say-once.js'
import { type BoundedCache, boundedCache } from '../lib/bounded-cache.js'
import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'
import type { ClientStore, OAuthClient } from '../stores/client-contract.js'
import { checkClient, type IdTokenAlgorithm } from './client-rules.js'
import { clientIdPattern, clientRemedies } from './client-schema.js'

/** The apps that may sign their users in here. */
export interface Clients {
  /**
   * The client with this id, also one that is disabled; null when there is none, or when what the
   * host's store knows of it will not do. At most 30 seconds old. Rejects with 503 where the store
   * fails.
   */
  find(clientId: string): Promise<OAuthClient | null>
  /** The next `find` asks the store anew: something of the client has changed. */
  forget(clientId: string): void
}

/** What {@link createClients} needs. */
export interface ClientsDeps {
  /** The option `oauth.clients`. */
  readonly clients: readonly OAuthClient[] | ClientStore
  /** Every scope that there is: those of the standards and those of the host. */
  readonly knownScopes: ReadonlySet<string>
  /** Those that the signer has; none where it signs no ID Tokens. */
  readonly idTokenAlgorithms: readonly IdTokenAlgorithm[]
  readonly call: HostCall
  readonly sayOnce: SayOnce
  readonly clock: () => Date
}

/** How long a change in the host's store may go unnoticed. */
const maxAgeSeconds = 30
const maxClients = 10_000
/** A room of their own: ids that somebody invents do not push clients out. */
const maxUnknown = 1000

/**
 * Makes the register of clients. A list is checked here and now; of a store each client is, when it
 * is read.
 *
 * @throws AuthConfigError for the first client of a list that will not do, as in
 * `oauth.clients[2].redirectUris[0]`
 */
export function createClients(deps: ClientsDeps): Clients {
  const { clients } = deps
  if (isList(clients)) {
    const listed = checkList(clients, deps)
    return { find: async (clientId) => listed.get(clientId) ?? null, forget() {} }
  }
  if (typeof clients?.find !== 'function')
    throw new AuthConfigError(
      'oauth.clients',
      'is neither a list nor an object with find.',
      'list the clients, or pass { find: async (clientId) => client or null }.',
    )
  return rememberFor30Seconds(createRead(clients, deps), deps.clock)
}

function isList(clients: ClientsDeps['clients']): clients is readonly OAuthClient[] {
  return Array.isArray(clients)
}

function checkList(
  clients: readonly OAuthClient[],
  { knownScopes, idTokenAlgorithms }: Pick<ClientsDeps, 'knownScopes' | 'idTokenAlgorithms'>,
): ReadonlyMap<string, OAuthClient> {
  const listed = new Map<string, OAuthClient>()
  for (const [index, given] of clients.entries()) {
    const name = `oauth.clients[${index}]`
    const client = checkClient(name, given, idTokenAlgorithms)
    if (listed.has(client.id))
      throw new AuthConfigError(`${name}.id`, 'is that of another client.', clientRemedies.id)
    const unknown = client.scopes.findIndex((scope) => !knownScopes.has(scope))
    if (unknown >= 0)
      throw new AuthConfigError(
        `${name}.scopes[${unknown}]`,
        'is a scope that there is not.',
        'check the spelling, or describe it in oauth.scopes.',
      )
    listed.set(client.id, client)
  }
  return listed
}

type Find = Clients['find']

function createRead(
  store: ClientStore,
  { idTokenAlgorithms, call, sayOnce }: Omit<ClientsDeps, 'clients' | 'knownScopes' | 'clock'>,
): Find {
  return async function read(clientId) {
    const answer = await call('clients.find', async (): Promise<object | null> => {
      const found: unknown = (await store.find(clientId)) ?? null
      if (typeof found !== 'object') throw new UnexpectedAnswer('the answer is not an object')
      return found
    })
    if (answer === null) return null
    // The id that was asked for may be one that a stranger has invented: it stands in a notice only
    // where the store has it too.
    if (!Object.hasOwn(answer, 'id') || Reflect.get(answer, 'id') !== clientId) {
      sayOnce(otherClient)
      return null
    }
    try {
      return checkClient(`clients.find('${clientId}')`, answer, idTokenAlgorithms)
    } catch (error) {
      if (!(error instanceof AuthConfigError)) throw error
      sayOnce({ code: 'MAR_CLIENT_REFUSED', level: 'error', message: error.message })
      return null
    }
  }
}

// Of a database that takes small letters for capitals, perhaps.
const otherClient = {
  code: 'MAR_CLIENT_REFUSED',
  level: 'error',
  message: 'clients.find answers another client than the one whose id it is asked for.',
} as const

/**
 * Asks the store once in 30 seconds for each id, also for one that it does not know. A failure is
 * not remembered.
 */
function rememberFor30Seconds(read: Find, clock: () => Date): Clients {
  const known: BoundedCache<OAuthClient> = boundedCache(maxClients, maxAgeSeconds)
  const unknown: BoundedCache<null> = boundedCache(maxUnknown, maxAgeSeconds)
  const reading = new Map<string, Promise<OAuthClient | null>>()

  function readOnce(clientId: string): Promise<OAuthClient | null> {
    const underWay = reading.get(clientId)
    if (underWay !== undefined) return underWay
    // The age counts from before the read: a slow store must not make old news look fresh.
    const asked = clock()
    const mine = read(clientId)
      .then((client) => {
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

  return {
    async find(clientId) {
      if (!clientIdPattern.test(clientId)) return null
      const now = clock()
      const remembered = known.get(clientId, now) ?? unknown.get(clientId, now)
      return remembered === undefined ? readOnce(clientId) : remembered
    },
    forget(clientId) {
      known.delete(clientId)
      unknown.delete(clientId)
      reading.delete(clientId)
    },
  }
}
