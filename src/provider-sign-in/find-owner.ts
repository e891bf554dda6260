import type { Audit } from '../audit/events.js'
import type { AuthError } from '../errors.js'
import type { EndpointRequest } from '../http/endpoint.js'
import { parseMailAddress } from '../mail/mail-address.js'
import type { IdentityRecord, IdentityStore } from '../stores/identity-contract.js'
import type { AuthUser, LoginIdentifier, UserStore } from '../users/contract.js'
import type { CreateOwner, FoundOwner } from './create-owner.js'
import type { ConnectedProvider } from './fail-closed-provider.js'
import type { UnknownIdentity } from './providers-options.js'
import { type IdentityRefusal, provenEmailOf, refusedIdentity } from './refused-identity.js'
import type { FoundTicket, Vouched } from './tickets.js'

/** Finds the owner of an identity, and connects nothing. */
export type FindOwner = (
  ticket: FoundTicket,
  username: string | undefined,
  request: Pick<EndpointRequest, 'context' | 'incoming'>,
) => Promise<FoundOwner>

export interface FindOwnerDeps {
  readonly identities: Pick<IdentityStore, 'find' | 'wasUnlinked'>
  readonly users: Pick<UserStore, 'findById' | 'findByIdentifier' | 'findContact'>
  readonly canonical: (identifier: LoginIdentifier) => Promise<LoginIdentifier>
  /** Whether the user has a second factor, or must have one. */
  readonly hasSecondFactor: (user: AuthUser) => Promise<boolean>
  readonly providerOf: (id: string) => ConnectedProvider | undefined
  readonly unknown: UnknownIdentity
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
 * `username-taken`, 503.
 */
export function createFindOwner(deps: FindOwnerDeps): FindOwner {
  const { identities, createOwner } = deps
  return async function findOwner(ticket, username, request) {
    const { accounts, identity } = ticket
    const refused: Refuse = (reason) => refusedIdentity(deps, ticket, reason, request.context)
    const known = await identities.find(accounts, identity.subject)
    if (known !== null) return { user: await userOf(deps, known, ticket, refused), how: null }
    const namesake = await findByAddress(deps, identity)
    if (namesake !== null && (await isSame(deps, ticket, namesake)))
      return { user: namesake, how: 'email', isStill: () => isSame(deps, ticket, namesake) }
    if (createOwner === undefined) throw refused('not-connected')
    // The owner of an account would not look for it in a second one.
    if (namesake !== null) throw refused('address-taken')
    return createOwner(ticket, username, request)
  }
}

type Refuse = (reason: IdentityRefusal) => AuthError

async function userOf(
  { users }: FindOwnerDeps,
  known: IdentityRecord,
  { identity }: Vouched,
  refused: Refuse,
): Promise<AuthUser> {
  // Another issuer may have given the subject to somebody else.
  if (known.issuer !== identity.issuer) throw refused('wrong-issuer')
  const user = await users.findById(known.userId)
  if (user === null) throw refused('no-user')
  return user
}

/** Whoever has the address that the provider says it has proven. */
async function findByAddress(
  { users, canonical }: FindOwnerDeps,
  identity: Vouched['identity'],
): Promise<AuthUser | null> {
  const email = provenEmailOf(identity)
  if (email === null) return null
  return users.findByIdentifier(await canonical({ kind: 'email', value: email.toLowerCase() }))
}

// Both sides must have proven the address, byte for byte: some providers give an address away with
// another case, or with a + in it.
async function isSame(
  { users, identities, hasSecondFactor, providerOf }: FindOwnerDeps,
  { provider, accounts, identity, hasMfa }: Vouched,
  user: AuthUser,
): Promise<boolean> {
  if (providerOf(provider)?.trustEmail !== true || user.disabled === true) return false
  const contact = (await users.findContact?.(user.id)) ?? null
  if (contact?.emailVerified !== true || contact.email === null) return false
  if (parseMailAddress(contact.email) !== provenEmailOf(identity)) return false
  if (await identities.wasUnlinked(accounts, identity.subject)) return false
  // Whoever has only the mailbox must not get around the factor.
  return hasMfa || !(await hasSecondFactor(user))
}
