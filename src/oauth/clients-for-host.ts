import { z } from 'zod'
import type { Audit, RequestContext } from '../audit/events.js'
import type { ClientChange } from '../audit/refusals.js'
import { AuthConfigError, AuthError } from '../errors.js'
import { contextOfAction, type HostAction, readAction, requireOptions } from '../http/host-input.js'
import type {
  ManagedClientStore,
  OAuthClient,
  OAuthClientMetadata,
} from '../stores/client-contract.js'
import { isConfidential } from './client-defaults.js'
import { checkWrittenClient, type SignerFacts } from './client-rules.js'
import { clientIdPattern } from './client-schema.js'
import { generateClientSecret } from './client-secret.js'
import type { DisableClient, ForgetClient } from './disable-client.js'

/** A registered client, with the number of its secrets. */
export interface RegisteredClient extends OAuthClientMetadata {
  readonly disabled: boolean
  /** Two while one replaces the other. */
  readonly secrets: number
}

/** A newly registered client. */
export interface CreatedClient {
  readonly client: RegisteredClient
  /**
   * For the client's operator, this once: only its hash is stored. Absent if no secret was made.
   */
  readonly secret?: string
}

/**
 * The client registry, for the host's own code, such as an operator page.
 *
 * Rejects with `AuthError`: `invalid-request`, with a remedy, if a client breaks the rules;
 * `not-found`; `temporarily-unavailable`.
 */
export interface ClientsForHost {
  /**
   * Registers a client. It gets a secret unless it is native or comes with `jwks` or
   * `secretHashes`. For a page that cannot keep a secret, pass `withSecret: false`.
   */
  create(client: OAuthClient, options?: CreateClientOptions): Promise<CreatedClient>
  /**
   * Replaces the registration of a client: members left out get their defaults. Its secrets and
   * whether it is disabled do not change, even if given. A client that authenticates with `jwks`
   * alone is refused without them.
   */
  update(client: OAuthClientMetadata, options?: HostAction): Promise<RegisteredClient>
  /**
   * Makes one more secret of a client, and returns it this once. The previous secret stays valid,
   * the one before that does not. After `temporarily-unavailable` read `secrets`: if there is one
   * more now, nobody knows it, and `removeSecret(clientId, 'newer')` removes it.
   */
  rotateSecret(clientId: string, options?: HostAction): Promise<{ readonly secret: string }>
  /** Removes one of two secrets. False if there are not two. */
  removeSecret(clientId: string, which: 'older' | 'newer', options?: HostAction): Promise<boolean>
  /**
   * Disables a client and ends all its sessions with their sockets. False if it was already
   * disabled or does not exist. After a rejection, call it again.
   */
  disable(clientId: string, options?: HostAction): Promise<boolean>
  /** Enables a client. False if it was not disabled or does not exist. */
  enable(clientId: string, options?: HostAction): Promise<boolean>
  /** The client, disabled or not; null if there is none. */
  find(clientId: string): Promise<RegisteredClient | null>
  /** All clients, ordered by id. */
  list(): Promise<RegisteredClient[]>
}

/** Options of a registration. */
export interface CreateClientOptions extends HostAction {
  /** Whether it gets a secret. Default: see {@link ClientsForHost.create}. */
  readonly withSecret?: boolean
}

export interface ClientsForHostDeps extends SignerFacts {
  readonly managedClients: ManagedClientStore
  readonly forgetClient: ForgetClient
  readonly disableClient: DisableClient
  /** Every known scope: the standard ones and the host's. */
  readonly knownScopes: ReadonlySet<string>
  readonly clock: () => Date
  readonly audit: Audit
}

export function createClientsForHost(deps: ClientsForHostDeps): ClientsForHost {
  const { managedClients, disableClient } = deps
  return {
    create: (client, options) => create(deps, client, options),
    update: async (client, options) => update(deps, client, contextOfAction(options)),
    rotateSecret: async (clientId, options) =>
      rotateSecret(deps, clientId, contextOfAction(options)),
    removeSecret: async (clientId, which, options) =>
      removeSecret(deps, clientId, which, contextOfAction(options)),
    disable: async (clientId, options) =>
      disableClient(requireId(clientId), contextOfAction(options)),
    enable: async (clientId, options) => enable(deps, clientId, contextOfAction(options)),
    async find(clientId) {
      const client = await managedClients.find(requireId(clientId))
      return client === null ? null : registered(client)
    },
    list: async () => (await managedClients.list()).map(registered),
  }
}

const creation = z.strictObject({ withSecret: z.boolean().optional(), by: z.string().optional() })

async function create(
  deps: ClientsForHostDeps,
  given: OAuthClient,
  how: CreateClientOptions | undefined,
): Promise<CreatedClient> {
  const asked = membersOf(given)
  const { options, context } = readAction(how)
  const parsed = creation.safeParse(options)
  if (!parsed.success) throw refused('options', 'may have withSecret, true or false, and by.')
  const keepsNone =
    asked.type === 'native' || asked.jwks !== undefined || asked.secretHashes !== undefined
  const { withSecret = !keepsNone } = parsed.data
  const made = withSecret ? generateClientSecret() : null
  const secretHashes = [asked.secretHashes ?? [], made?.hash ?? []].flat()
  // 400
  const client = checked(deps, made === null ? asked : { ...asked, secretHashes })
  const { outcome } = await written(deps, client.id, () =>
    deps.managedClients.create(client, deps.clock()),
  )
  if (outcome === 'exists') throw refused('id', 'is that of another client.')
  tell(deps, client.id, 'created', context)
  const created = { client: registered(client) }
  return made === null ? created : { ...created, secret: made.secret }
}

async function update(
  deps: ClientsForHostDeps,
  given: OAuthClientMetadata,
  context: RequestContext,
): Promise<RegisteredClient> {
  const {
    secretHashes: _hashes,
    disabled: _disabled,
    secrets: _number,
    ...asked
  } = membersOf(given)
  const before = await findOrThrow(deps, asked.id)
  const { secretHashes = [], disabled = false } = before
  // Checked with its secrets, on which some rules depend.
  const after = checked(deps, {
    ...asked,
    ...(secretHashes.length === 0 ? {} : { secretHashes }),
  })
  // Forgetting the keys would let anybody in who knows the id. In RFC 7592 §2.2, too, omitted
  // members are removed, but there a client declares itself public by `token_endpoint_auth_method`.
  if (isConfidential(before) && !isConfidential(after))
    throw refused('jwks', 'is missing: without it anybody could be this client. Pass its keys.')
  const { secretHashes: _same, ...metadata } = after
  const write = () => deps.managedClients.update(metadata, deps.clock())
  const { outcome } = await written(deps, metadata.id, write)
  if (outcome === 'unknown') throw notFound()
  tell(deps, metadata.id, 'updated', context)
  return registered({ ...metadata, secretHashes, disabled })
}

async function rotateSecret(
  deps: ClientsForHostDeps,
  clientId: string,
  context: RequestContext,
): Promise<{ readonly secret: string }> {
  const client = await findOrThrow(deps, clientId)
  // Its first secret would lock out a public client wherever it is used without one.
  if (!isConfidential(client))
    throw refused('clientId', 'is a client that has no secret to rotate.')
  const { secretHashes = [] } = client
  const { secret, hash } = generateClientSecret()
  await replace(deps, clientId, secretHashes, [...secretHashes.slice(-1), hash])
  tell(deps, clientId, 'secret-rotated', context)
  return { secret }
}

async function removeSecret(
  deps: ClientsForHostDeps,
  clientId: string,
  which: 'older' | 'newer',
  context: RequestContext,
): Promise<boolean> {
  if (which !== 'older' && which !== 'newer') throw refused('which', 'is neither older nor newer.')
  const { secretHashes = [] } = await findOrThrow(deps, clientId)
  if (secretHashes.length < 2) return false
  const left = which === 'older' ? secretHashes.slice(-1) : secretHashes.slice(0, 1)
  await replace(deps, clientId, secretHashes, left)
  tell(deps, clientId, 'secret-removed', context)
  return true
}

// Of two concurrent rotations the second must not build on the first: the secret that the client
// still uses would stop working.
async function replace(
  deps: ClientsForHostDeps,
  clientId: string,
  from: readonly string[],
  to: readonly string[],
): Promise<void> {
  const write = () => deps.managedClients.replaceSecrets(clientId, from, to, deps.clock())
  const { outcome } = await written(deps, clientId, write)
  if (outcome === 'replaced') return
  const message = 'the secrets of the client have changed meanwhile'
  throw new AuthError('temporarily-unavailable', { retryAfter: 1, message })
}

async function enable(
  deps: ClientsForHostDeps,
  clientId: string,
  context: RequestContext,
): Promise<boolean> {
  const id = requireId(clientId)
  const write = () => deps.managedClients.setDisabled(id, false, deps.clock())
  const { outcome } = await written(deps, id, write)
  if (outcome === 'changed') tell(deps, id, 'enabled', context)
  return outcome === 'changed'
}

// Dropped from the cache even after a failure: the store may have written before its answer was
// lost.
async function written<Result>(
  { forgetClient }: ClientsForHostDeps,
  clientId: string,
  write: () => Promise<Result>,
): Promise<Result> {
  return write().finally(() => forgetClient(clientId))
}

function tell(
  { audit }: ClientsForHostDeps,
  clientId: string,
  change: ClientChange,
  context: RequestContext,
): void {
  audit({ type: 'client.changed', clientId, change }, context)
}

async function findOrThrow(
  { managedClients }: ClientsForHostDeps,
  clientId: unknown,
): Promise<OAuthClient> {
  const client = await managedClients.find(requireId(clientId))
  if (client === null) throw notFound()
  return client
}

function requireId(clientId: unknown): string {
  if (typeof clientId === 'string' && clientIdPattern.test(clientId)) return clientId
  throw refused('clientId', 'is not 1 to 100 of A-Z a-z 0-9 . _ ~ -.')
}

// The host may pass anything; the members are checked as a whole.
function membersOf(given: unknown): Partial<OAuthClient & RegisteredClient> {
  if (typeof given === 'object' && given !== null) return requireOptions(given)
  throw refused('client', 'is not an object.')
}

const named = 'client'

function checked(deps: ClientsForHostDeps, given: object): OAuthClient {
  try {
    return checkWrittenClient(named, given, deps, deps.knownScopes)
  } catch (error) {
    if (!(error instanceof AuthConfigError)) throw error
    // The mistake is in an operator's input, not in the server's options.
    const { option, problem, remedy } = error
    throw refused(option.replace(`${named}.`, ''), `${problem} ${remedy}`)
  }
}

function refused(path: string, message: string): AuthError {
  const issues = [{ path, message }]
  return new AuthError('invalid-request', {
    clientMessage: `${path} ${message}`,
    details: { issues },
  })
}

function notFound(): AuthError {
  return new AuthError('not-found', { clientMessage: 'There is no such client.' })
}

function registered({
  secretHashes = [],
  disabled = false,
  ...metadata
}: OAuthClient): RegisteredClient {
  return { ...metadata, disabled, secrets: secretHashes.length }
}
