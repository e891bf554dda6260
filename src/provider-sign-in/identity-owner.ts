import { objectionToNewcomer, shownNameText, userNameText } from '../accounts/newcomer.js'
import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { EndpointRequest } from '../http/endpoint.js'
import { parseMailAddress } from '../lib/addresses.js'
import type { IdentityRecord } from '../stores/identity-contract.js'
import type { AuthUser, NewUser, UserStore } from '../users/contract.js'
import type { LinkedHow } from './own-identities.js'
import type { ProvidersKit } from './provider-kit.js'
import type { FoundTicket, Vouched } from './tickets.js'

/** Whose identity it is. */
export interface FoundOwner {
  readonly user: AuthUser
  /** The way to connect it with the user; null if it is connected. */
  readonly how: Exclude<LinkedHow, 'asked'> | null
  /**
   * For a user who was found by the address: whether both still have the address. Rejects with 503.
   */
  readonly isStill?: () => Promise<boolean>
  /** Deletes a user who was made just now, and the data of this user; otherwise left out. */
  readonly takeBack?: () => Promise<void>
}

type Refuse = (reason: IdentityRefusal) => AuthError

/**
 * The user whom an identity belongs to: the user it is connected with; else the user with its
 * proven address, if the provider is trusted with that; else a new user, if strangers become users.
 * Never by a name, nor by an address that one side has not proven. Connects nothing. `username`:
 * for a new user, instead of the one that is taken.
 *
 * Throws 401 `provider-refused`, with `details.reason` `not-connected` for an unknown one; 403, 409
 * `username-taken`, 429, 503.
 */
export async function findOwner(
  kit: ProvidersKit,
  ticket: FoundTicket,
  username: string | undefined,
  request: Pick<EndpointRequest, 'context' | 'incoming'>,
): Promise<FoundOwner> {
  const { accounts, identity } = ticket
  const refused: Refuse = (reason) => refusedIdentity(kit, ticket, reason, request.context)
  const known = await kit.identities.find(accounts, identity.subject)
  if (known !== null) return { user: await userOf(kit, known, ticket, refused), how: null }
  const namesake = await findByAddress(kit, identity)
  if (namesake !== null && (await isSame(kit, ticket, namesake)))
    return { user: namesake, how: 'email', isStill: () => isSame(kit, ticket, namesake) }
  const newUsers = newUsersOf(kit)
  if (newUsers === undefined) throw refused('not-connected')
  // The owner of an account would not look for it in a second one.
  if (namesake !== null) throw refused('address-taken')
  return createOwner(kit, newUsers, { ticket, username, refused }, request)
}

async function userOf(
  { users }: ProvidersKit,
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

/** The user who has the address that the provider says it has proven. */
async function findByAddress(
  { users, canonical }: ProvidersKit,
  identity: Vouched['identity'],
): Promise<AuthUser | null> {
  const email = provenEmailOf(identity)
  if (email === null) return null
  return users.findByIdentifier(await canonical({ kind: 'email', value: email.toLowerCase() }))
}

// Both sides must have proven the address, byte for byte: some providers give an address away with
// another case, or with a + in it.
async function isSame(
  { users, identities, hasSecondFactor, providerOf }: ProvidersKit,
  { provider, accounts, identity, hasMfa }: Vouched,
  user: AuthUser,
): Promise<boolean> {
  if (providerOf(provider)?.trustEmail !== true || user.disabled === true) return false
  const contact = (await users.findContact?.(user.id)) ?? null
  if (contact?.emailVerified !== true || contact.email === null) return false
  if (parseMailAddress(contact.email) !== provenEmailOf(identity)) return false
  if (await identities.wasUnlinked(accounts, identity.subject)) return false
  // The owner of nothing but the mailbox must not get around the factor.
  return hasMfa || !(await hasSecondFactor(user))
}

/** The host's users, where strangers become users. */
type NewUsers = Required<Pick<UserStore, 'create' | 'nameIsFree' | 'delete'>>

function newUsersOf({ users, providersOptions }: ProvidersKit): NewUsers | undefined {
  const { create, nameIsFree, delete: deleteUser } = users
  // This is checked at the start: with `create`, the users have all three.
  if (providersOptions.unknown !== 'create' || !create || !nameIsFree || !deleteUser)
    return undefined
  return { create, nameIsFree, delete: deleteUser }
}

async function createOwner(
  kit: ProvidersKit,
  newUsers: NewUsers,
  given: {
    readonly ticket: FoundTicket
    readonly username: string | undefined
    readonly refused: Refuse
  },
  request: Pick<EndpointRequest, 'context' | 'incoming'>,
): Promise<FoundOwner> {
  const { ticket, username, refused } = given
  const newUser = await newUserOf(kit, newUsers, { ticket, username }, request.context)
  await askHost(kit, newUser, request)
  // A user who can still undo a change of the address gets it back.
  if (newUser.email !== null && (await kit.isKept(newUser.email))) throw refused('address-taken')
  // The host's write decides: of two new users with one address, one wins.
  const made = await newUsers.create(newUser)
  if (made.outcome === 'taken')
    throw made.field === 'username' ? nameTaken(newUser.username) : refused('address-taken')
  const { user } = made
  const takeBack = async () => {
    // If only the answer was lost, the identity is there: left behind, it would belong to nobody
    // for ever.
    await kit.identities.unlinkAllForUser(user.id).catch(() => {})
    await newUsers.delete(user.id)
  }
  return { user, how: 'created', takeBack }
}

async function newUserOf(
  kit: ProvidersKit,
  { nameIsFree }: NewUsers,
  { ticket, username: chosen }: { ticket: FoundTicket; username: string | undefined },
  context: RequestContext,
): Promise<NewUser> {
  const { provider: vouchedBy, accounts: provider, identity } = ticket
  const claimed = provenEmailOf(identity)
  // The address is not stored even as an unproven one: a mailed code would make its owner sign in
  // to this account.
  const email = kit.providerOf(vouchedBy)?.trustEmail === true ? claimed : null
  const username = chosen ?? suggestedName(identity, claimed)
  const isFree =
    username !== null && (await kit.throttle.limitNames(() => nameIsFree(username), context))
  if (username === null || !isFree) throw nameTaken(username)
  const { issuer, subject, locale } = identity
  return {
    email,
    username,
    name: shownNameText.safeParse(identity.name).data ?? username,
    passwordHash: null,
    ...(locale === undefined ? {} : { locale }),
    identity: { provider, issuer, subject },
  }
}

/** The suggested name of the user: the name there, or the local part of the address. */
export function suggestedName(
  { username }: Vouched['identity'],
  email: string | null,
): string | null {
  const candidates = [username, email?.slice(0, email.lastIndexOf('@'))]
  return candidates.find((one) => userNameText.safeParse(one).success) ?? null
}

function nameTaken(suggestion: string | null): AuthError {
  return new AuthError('username-taken', { details: { suggestion } })
}

async function askHost(
  kit: ProvidersKit,
  { email, username, name }: NewUser,
  { incoming: request, context }: Pick<EndpointRequest, 'context' | 'incoming'>,
): Promise<void> {
  const attempt = { email, username, name, invitation: null, request }
  const clientMessage = await objectionToNewcomer(kit, attempt)
  if (clientMessage === undefined) return
  kit.audit({ type: 'account.register-refused', reason: 'vetoed' }, context)
  throw new AuthError('forbidden', { clientMessage })
}

/** Why nobody was signed in by an identity. */
type IdentityRefusal = 'not-connected' | 'no-user' | 'wrong-issuer' | 'address-taken'

/** Reports it, and returns the one answer for the client. */
function refusedIdentity(
  { audit, providersOptions: { unknown } }: ProvidersKit,
  { provider }: Pick<Vouched, 'provider'>,
  reason: IdentityRefusal,
  context: RequestContext,
): AuthError {
  audit({ type: 'provider.refused', provider, reason }, context)
  const details = { reason: 'not-connected', canConnect: unknown === 'connect' }
  return new AuthError('provider-refused', {
    clientMessage: 'This account is not connected here.',
    message: `identity refused: ${reason}`,
    details,
  })
}

/** The address, if the provider has proven it; null otherwise. */
export function provenEmailOf({ email, emailVerified }: Vouched['identity']): string | null {
  return emailVerified === true && email !== undefined ? parseMailAddress(email) : null
}
