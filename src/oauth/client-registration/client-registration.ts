import type { RequestContext } from '../../audit/events.js'
import { AuthError } from '../../errors.js'
import type { GroundKit } from '../../kits/ground-kit.js'
import { ownMembers } from '../../lib/check-options.js'
import { randomId } from '../../lib/secrets.js'
import type { ConsentStore, OAuthClient, OpenClientStore } from '../../stores/client-contract.js'
import { failClosedOpenClients } from '../../stores/fail-closed-stores.js'
import {
  type ClientMetadata,
  hostsOf,
  idOfSelfRegistered,
  isAcceptedRedirect,
  isSelfRegistered,
  type SelfRegisteredClient,
} from './client-metadata.js'

/** The option `oauth.registration`: clients that register themselves. */
export interface ClientRegistration {
  /** The hosts to which users may return, besides the device itself. */
  readonly hosts: ReadonlySet<string>
  /** The scopes of every such client. */
  readonly scopes: readonly string[]
  /** As the host has passed it, for those who read clients. */
  readonly store: OpenClientStore
  /** Deletes the clients that nobody has used for a day. */
  readonly purge: OpenClientStore['purge']
  /** Stores a new client. Rejects with 503, also while too many are unused. */
  add(metadata: ClientMetadata, context: RequestContext): Promise<OAuthClient>
  /**
   * The client as it is used: its rights and hosts are those of the option now. Null if it has
   * nowhere to return to any more.
   */
  asUsed(stored: OAuthClient): SelfRegisteredClient | null
  /** Consents that keep such a client: without one, it is purged. */
  keptBy(consents: ConsentStore): ConsentStore
}

/** Unused clients at a time, and the time for which each may be unused. */
const mostUnused = 1000
const unusedMs = 24 * 60 * 60 * 1000

/** The rights of every client that registered itself. */
export type RegisteredRights = Pick<OAuthClient, 'scopes' | 'resources' | 'idTokenAlgorithm'>

export function createClientRegistration(
  { call, clock, audit }: GroundKit,
  store: OpenClientStore,
  hosts: ReadonlySet<string>,
  rights: RegisteredRights,
): ClientRegistration {
  const { register, use, purge } = failClosedOpenClients(store, call)
  return {
    hosts,
    scopes: rights.scopes,
    store,
    purge,

    async add({ claimedName, redirectUris }, context) {
      const now = clock()
      const unusedUntil = new Date(now.getTime() + unusedMs)
      const client: OAuthClient = {
        id: idOfSelfRegistered(randomId()),
        name: claimedName ?? hostsOf(redirectUris),
        type: 'native',
        redirectUris,
        scopes: [],
        selfRegistered: true,
      }
      const { outcome } = await register(client, { most: mostUnused, unusedUntil }, now)
      if (outcome === 'full') {
        audit({ type: 'client-registration.refused', reason: 'full', problem: null }, context)
        throw new AuthError('temporarily-unavailable', {
          clientMessage: 'Too many clients have registered and are not used yet. Try again later.',
          message: `${mostUnused} clients that registered themselves are unused`,
          retryAfter: 600,
        })
      }
      audit({ type: 'client.registered', clientId: client.id }, context)
      return client
    },

    asUsed({ id, name, redirectUris, disabled = false }) {
      const still = redirectUris.filter((uri) => isAcceptedRedirect(uri, hosts))
      if (still.length === 0) return null
      const claimedName = name === hostsOf(redirectUris) ? null : name
      const own = { id, name: hostsOf(still), claimedName, type: 'native', disabled } as const
      return ownMembers({ ...rights, ...own, redirectUris: still, refreshTokens: 'always' })
    },

    keptBy: (consents) => ({
      ...consents,
      async grant(consent) {
        const { clientId } = consent
        // First, so that no client is purged that somebody has a consent to.
        const isThere =
          !isSelfRegistered(clientId) || (await use(clientId, clock())).outcome === 'used'
        if (!isThere)
          throw new AuthError('temporarily-unavailable', {
            message: 'the client was purged while a user decided',
            retryAfter: 30,
          })
        await consents.grant(consent)
      },
    }),
  }
}
