import { z } from 'zod'
import { type Audit, noRequest, type RequestContext } from '../audit/events.js'
import type { ClientChange } from '../audit/refusals.js'
import { AuthConfigError, AuthError } from '../errors.js'
import { contextOfAction, type HostAction, readAction, requireOptions } from '../http/input.js'
import type { Revocations } from '../sessions/revocations.js'
import type { Sessions } from '../sessions/sessions.js'
import type {
  ManagedClientStore,
  OAuthClient,
  OAuthClientMetadata,
} from '../stores/client-contract.js'
import { checkWrittenClient, type SignerFacts } from './client-rules.js'
import { clientIdPattern, isConfidential } from './client-schema.js'
import { generateClientSecret } from './client-secret.js'
import type { Clients } from './clients.js'

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
   * Makes one more secret of a client, and returns it this once. The previous secret stays valid;
   * the secret before it does not. After `temporarily-unavailable` read `secrets`: if there is one
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

/** The parts that change the register of apps, in a server or from a terminal. */
export interface RegisterKit extends SignerFacts {
  readonly managedClients: ManagedClientStore
  readonly forgetClient: ForgetClient
  readonly sessions: Pick<Sessions, 'endClient'>
  /** Every known scope: the standard ones and the host's. */
  readonly knownScopes: ReadonlySet<string>
  readonly clock: () => Date
  readonly audit: Audit
}

export function createClientsForHost(kit: RegisterKit): ClientsForHost {
  const { managedClients } = kit
  return {
    create: (client, options) => create(kit, client, options),
    update: async (client, options) => update(kit, client, contextOfAction(options)),
    rotateSecret: async (clientId, options) =>
      rotateSecret(kit, clientId, contextOfAction(options)),
    removeSecret: async (clientId, which, options) =>
      removeSecret(kit, clientId, which, contextOfAction(options)),
    disable: async (clientId, options) =>
      disableClient(kit, requireId(clientId), contextOfAction(options)),
    enable: async (clientId, options) => enable(kit, clientId, contextOfAction(options)),
    async find(clientId) {
      const client = await managedClients.find(requireId(clientId))
      return client === null ? null : registered(client)
    },
    list: async () => (await managedClients.list()).map(registered),
  }
}

/**
 * Drops a client from the caches of this process and, with a bus, of all others. Never rejects; a
 * process that misses the message notices within 30 seconds.
 */
export type ForgetClient = (clientId: string) => Promise<void>

/** Also listens for changes announced by other processes. */
export function createForgetClient(
  clients: Pick<Clients, 'forget'>,
  revocations: Pick<Revocations, 'announce' | 'onClientChanged'>,
): ForgetClient {
  // A forged message can only cause one more read of the store.
  revocations.onClientChanged((clientId) => clients.forget(clientId))
  return async function forgetClient(clientId) {
    // This call also informs this process, synchronously.
    await revocations.announce([{ clientId }])
  }
}

/**
 * Disables a client and ends all its sessions with their sockets. Returns whether this call
 * disabled it: false if it was already disabled or does not exist. Sessions end in any case, so a
 * failed call can be repeated. Rejects with 503.
 *
 * @internal
 */
export async function disableClient(
  kit: RegisterKit,
  clientId: string,
  context: RequestContext = noRequest,
): Promise<boolean> {
  const { outcome } = await written(kit, clientId, () =>
    kit.managedClients.setDisabled(clientId, true, kit.clock()),
  )
  const isDisabled = outcome === 'changed'
  if (isDisabled) tell(kit, clientId, 'disabled', context)
  await kit.sessions.endClient(clientId, null, 'client-disabled', context)
  return isDisabled
}

const creation = z.strictObject({ withSecret: z.boolean().optional(), by: z.string().optional() })

async function create(
  kit: RegisterKit,
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
  const client = checked(kit, made === null ? asked : { ...asked, secretHashes })
  const { outcome } = await written(kit, client.id, () =>
    kit.managedClients.create(client, kit.clock()),
  )
  if (outcome === 'exists') throw refused('id', 'is that of another client.')
  tell(kit, client.id, 'created', context)
  const created = { client: registered(client) }
  return made === null ? created : { ...created, secret: made.secret }
}

async function update(
  kit: RegisterKit,
  given: OAuthClientMetadata,
  context: RequestContext,
): Promise<RegisteredClient> {
  const {
    secretHashes: _hashes,
    disabled: _disabled,
    secrets: _number,
    ...asked
  } = membersOf(given)
  const before = await findOrThrow(kit, asked.id)
  const { secretHashes = [], disabled = false } = before
  // The client is checked with its secrets, on which some rules depend.
  const after = checked(kit, {
    ...asked,
    ...(secretHashes.length === 0 ? {} : { secretHashes }),
  })
  // Forgetting the keys would let anybody in who knows the id. In RFC 7592 §2.2, too, omitted
  // members are removed, but there a client declares itself public by `token_endpoint_auth_method`.
  if (isConfidential(before) && !isConfidential(after))
    throw refused('jwks', 'is missing: without it anybody could be this client. Pass its keys.')
  const { secretHashes: _same, ...metadata } = after
  const write = () => kit.managedClients.update(metadata, kit.clock())
  const { outcome } = await written(kit, metadata.id, write)
  if (outcome === 'unknown') throw notFound()
  tell(kit, metadata.id, 'updated', context)
  return registered({ ...metadata, secretHashes, disabled })
}

async function rotateSecret(
  kit: RegisterKit,
  clientId: string,
  context: RequestContext,
): Promise<{ readonly secret: string }> {
  const client = await findOrThrow(kit, clientId)
  // A first secret would lock out a public client wherever it is used without a secret.
  if (!isConfidential(client))
    throw refused('clientId', 'is a client that has no secret to rotate.')
  const { secretHashes = [] } = client
  const { secret, hash } = generateClientSecret()
  await replace(kit, clientId, secretHashes, [...secretHashes.slice(-1), hash])
  tell(kit, clientId, 'secret-rotated', context)
  return { secret }
}

async function removeSecret(
  kit: RegisterKit,
  clientId: string,
  which: 'older' | 'newer',
  context: RequestContext,
): Promise<boolean> {
  if (which !== 'older' && which !== 'newer') throw refused('which', 'is neither older nor newer.')
  const { secretHashes = [] } = await findOrThrow(kit, clientId)
  if (secretHashes.length < 2) return false
  const left = which === 'older' ? secretHashes.slice(-1) : secretHashes.slice(0, 1)
  await replace(kit, clientId, secretHashes, left)
  tell(kit, clientId, 'secret-removed', context)
  return true
}

// Of two concurrent rotations the second must not build on the first: the secret that the client
// still uses would stop working.
async function replace(
  kit: RegisterKit,
  clientId: string,
  from: readonly string[],
  to: readonly string[],
): Promise<void> {
  const write = () => kit.managedClients.replaceSecrets(clientId, from, to, kit.clock())
  const { outcome } = await written(kit, clientId, write)
  if (outcome === 'replaced') return
  const message = 'the secrets of the client have changed meanwhile'
  throw new AuthError('temporarily-unavailable', { retryAfter: 1, message })
}

async function enable(
  kit: RegisterKit,
  clientId: string,
  context: RequestContext,
): Promise<boolean> {
  const id = requireId(clientId)
  const write = () => kit.managedClients.setDisabled(id, false, kit.clock())
  const { outcome } = await written(kit, id, write)
  if (outcome === 'changed') tell(kit, id, 'enabled', context)
  return outcome === 'changed'
}

// Dropped from the cache even after a failure: the store may have written before its answer was
// lost.
async function written<Result>(
  { forgetClient }: RegisterKit,
  clientId: string,
  write: () => Promise<Result>,
): Promise<Result> {
  return write().finally(() => forgetClient(clientId))
}

function tell(
  { audit }: RegisterKit,
  clientId: string,
  change: ClientChange,
  context: RequestContext,
): void {
  audit({ type: 'client.changed', clientId, change }, context)
}

async function findOrThrow(
  { managedClients }: RegisterKit,
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

function checked(kit: RegisterKit, given: object): OAuthClient {
  try {
    return checkWrittenClient(named, given, kit, kit.knownScopes)
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
