import type { BeforeRegister } from '../accounts/accounts-options.js'
import { objectionToNewcomer } from '../accounts/objection-to-newcomer.js'
import { shownNameText, userNameText } from '../accounts/user-name.js'
import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { HostCall } from '../lib/host-call.js'
import type { IdentityStore } from '../stores/identity-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AuthUser, NewUser, UserStore } from '../users/contract.js'
import type { OwnIdentities } from './own-identities.js'
import { provenEmailOf, refusedIdentity } from './refused-identity.js'
import type { FoundTicket, Vouched } from './tickets.js'

/**
 * Makes a user of somebody whom a provider has identified. `username`: instead of the one that is
 * taken. Throws 401 `provider-refused`, 403, 409 `username-taken`, 429, 503.
 */
export type CreateOwner = (
  ticket: FoundTicket,
  username: string | undefined,
  request: Pick<EndpointRequest, 'context' | 'incoming'>,
) => Promise<AuthUser>

export interface CreateOwnerDeps {
  readonly create: NonNullable<UserStore['create']>
  readonly nameIsFree: NonNullable<UserStore['nameIsFree']>
  /** Takes back a user whose identity was connected with another one meanwhile. */
  readonly deleteUser: NonNullable<UserStore['delete']>
  readonly beforeRegister: BeforeRegister | undefined
  readonly throttle: Pick<Throttle, 'limitNames'>
  readonly ownIdentities: Pick<OwnIdentities, 'link'>
  readonly identities: Pick<IdentityStore, 'unlinkAllForUser'>
  readonly unknown: 'create'
  readonly call: HostCall
  readonly audit: Audit
}

export function createCreateOwner(deps: CreateOwnerDeps): CreateOwner {
  const { create, deleteUser, identities, ownIdentities, audit } = deps
  return async function createOwner(ticket, username, request) {
    const { context } = request
    const newUser = await newUserOf(deps, ticket, username, context)
    await askHost(deps, newUser, request)
    // The host's write decides: of two with the same address one wins.
    const made = await create(newUser)
    if (made.outcome === 'taken') {
      if (made.field === 'username') throw nameTaken(newUser.username)
      throw refusedIdentity(deps, ticket, 'address-taken', context)
    }
    const { id: userId } = made.user
    try {
      await ownIdentities.link(userId, ticket, 'created', context)
    } catch (error) {
      // Nobody could ever sign in to it. If only the answer was lost, the identity is there: left
      // behind, it would belong to nobody for ever.
      await identities.unlinkAllForUser(userId).catch(() => {})
      await deleteUser(userId)
      throw error
    }
    audit({ type: 'account.registered', userId, invitationId: null }, context)
    return made.user
  }
}

async function newUserOf(
  deps: CreateOwnerDeps,
  ticket: FoundTicket,
  chosen: string | undefined,
  context: RequestContext,
): Promise<NewUser> {
  const { provider, identity } = ticket
  const email = provenEmailOf(identity)
  // Otherwise `findContact` could never be trusted.
  if (email === null) throw refusedIdentity(deps, ticket, 'unproven-address', context)
  const username = chosen ?? suggestedName(identity, email)
  const isFree =
    username !== null && (await deps.throttle.limitNames(() => deps.nameIsFree(username), context))
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

/** What the user may be called: the name there, or the local part of the address. */
export function suggestedName({ username }: Vouched['identity'], email: string): string | null {
  const candidates = [username, email.slice(0, email.lastIndexOf('@'))]
  return candidates.find((one) => userNameText.safeParse(one).success) ?? null
}

function nameTaken(suggestion: string | null): AuthError {
  return new AuthError('username-taken', { details: { suggestion } })
}

async function askHost(
  deps: CreateOwnerDeps,
  { email, username, name }: NewUser,
  { incoming: request, context }: Pick<EndpointRequest, 'context' | 'incoming'>,
): Promise<void> {
  const attempt = { email, username, name, invitation: null, request }
  const clientMessage = await objectionToNewcomer(deps, attempt)
  if (clientMessage === undefined) return
  deps.audit({ type: 'account.register-refused', reason: 'vetoed' }, context)
  throw new AuthError('forbidden', { clientMessage })
}
