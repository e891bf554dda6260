import type { Audit } from '../audit/events.js'
import type { EndpointRequest } from '../http/endpoint.js'
import { parseMailAddress } from '../mail/mail-address.js'
import type { IdentityStore } from '../stores/identity-contract.js'
import type { AuthUser, LoginIdentifier, UserStore } from '../users/contract.js'
import type { CreateOwner } from './create-owner.js'
import type { ConnectedProvider } from './fail-closed-provider.js'
import type { OwnIdentities } from './own-identities.js'
import type { UnknownIdentity } from './providers-options.js'
import { provenEmailOf, refusedIdentity } from './refused-identity.js'
import type { FoundTicket, Vouched } from './tickets.js'

/** Whose identity it is, and whether it was connected just now. */
export type FindOwner = (
  ticket: FoundTicket,
  username: string | undefined,
  request: Pick<EndpointRequest, 'context' | 'incoming'>,
) => Promise<AuthUser>

export interface FindOwnerDeps {
  readonly identities: Pick<IdentityStore, 'find'>
  readonly users: Pick<UserStore, 'findById' | 'findByIdentifier' | 'findContact'>
  readonly canonical: (identifier: LoginIdentifier) => Promise<LoginIdentifier>
  /** Whether the user has a second factor, or must have one. */
  readonly hasSecondFactor: (user: AuthUser) => Promise<boolean>
  readonly providerOf: (id: string) => ConnectedProvider | undefined
  readonly unknown: UnknownIdentity
  readonly ownIdentities: Pick<OwnIdentities, 'link'>
  /** Undefined unless strangers become users. */
  readonly createOwner: CreateOwner | undefined
  readonly audit: Audit
}

/**
 * The user whom an identity belongs to: the one it is connected with; else the one with the same
 * proven address, if the provider is trusted with that; else a new one, if strangers become users.
 * Never by a name, nor by an address that one side has not proven.
 *
 * Throws 401 `provider-refused`, with `details.reason` `not-connected` for an unknown one; 403, 409
 * `identity-in-use` and `username-taken`, 503.
 */
export function createFindOwner(deps: FindOwnerDeps): FindOwner {
  const { identities, users, ownIdentities, createOwner } = deps
  return async function findOwner(ticket, username, request) {
    const { identity } = ticket
    const { context } = request
    const known = await identities.find(identity.issuer, identity.subject)
    const user = known && (await users.findById(known.userId))
    if (user !== null) return user
    if (known !== null) throw refusedIdentity(deps, ticket, 'no-user', context)
    const sameAddress = await findByProvenAddress(deps, ticket)
    if (sameAddress !== null) {
      await ownIdentities.link(sameAddress.id, ticket, 'email', context)
      return sameAddress
    }
    if (createOwner !== undefined) return createOwner(ticket, username, request)
    throw refusedIdentity(deps, ticket, 'not-connected', context)
  }
}

// Both sides must have proven the address, byte for byte: some providers give an address away with
// another case, or with a + in it.
async function findByProvenAddress(
  { users, canonical, hasSecondFactor, providerOf }: FindOwnerDeps,
  { provider, identity, hasMfa }: Vouched,
): Promise<AuthUser | null> {
  const isTrusted = providerOf(provider)?.trustEmail === true
  const email = isTrusted ? provenEmailOf(identity) : null
  if (email === null) return null
  const named = await canonical({ kind: 'email', value: email.toLowerCase() })
  const user = await users.findByIdentifier(named)
  if (user === null || user.disabled === true) return null
  const contact = (await users.findContact?.(user.id)) ?? null
  if (contact?.emailVerified !== true || contact.email === null) return null
  if (parseMailAddress(contact.email) !== email) return null
  // Whoever has only the mailbox must not get around the factor.
  return hasMfa || !(await hasSecondFactor(user)) ? user : null
}
