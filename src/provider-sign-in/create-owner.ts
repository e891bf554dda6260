import type { BeforeRegister } from '../accounts/accounts-options.js'
import { objectionToNewcomer, shownNameText, userNameText } from '../accounts/newcomer.js'
import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { HostCall } from '../lib/host-call.js'
import type { IdentityStore } from '../stores/identity-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AuthUser, NewUser, UserStore } from '../users/contract.js'
import type { ConnectedProvider } from './fail-closed-provider.js'
import type { LinkedHow } from './own-identities.js'
import { provenEmailOf, refusedIdentity } from './refused-identity.js'
import type { FoundTicket, Vouched } from './tickets.js'

/** Whose identity it is. */
export interface FoundOwner {
  readonly user: AuthUser
  /** How it is to be connected with the user; null if it is. */
  readonly how: Exclude<LinkedHow, 'asked'> | null
  /** Of one that was found by the address: whether both still have it. Rejects with 503. */
  readonly isStill?: () => Promise<boolean>
  /** Deletes a user who was made just now, and what belongs to them; otherwise left out. */
  readonly takeBack?: () => Promise<void>
}

/**
 * Makes a user of somebody whom a provider has identified, and connects nothing. `username`:
 * instead of the one that is taken. Throws 401 `provider-refused`, 403, 409 `username-taken`, 429,
 * 503.
 */
export type CreateOwner = (
  ticket: FoundTicket,
  username: string | undefined,
  request: Pick<EndpointRequest, 'context' | 'incoming'>,
) => Promise<FoundOwner>

export interface CreateOwnerDeps {
  readonly create: NonNullable<UserStore['create']>
  readonly nameIsFree: NonNullable<UserStore['nameIsFree']>
  /** Takes back a user who was not signed in. */
  readonly deleteUser: NonNullable<UserStore['delete']>
  readonly beforeRegister: BeforeRegister | undefined
  /** Whether an address is kept for a user who can go back to it. */
  readonly isKept: (email: string) => Promise<boolean>
  readonly throttle: Pick<Throttle, 'limitNames'>
  readonly providerOf: (id: string) => ConnectedProvider | undefined
  readonly identities: Pick<IdentityStore, 'unlinkAllForUser'>
  readonly unknown: 'create'
  readonly call: HostCall
  readonly audit: Audit
}

export function createCreateOwner(deps: CreateOwnerDeps): CreateOwner {
  const { create, deleteUser, identities, isKept } = deps
  return async function createOwner(ticket, username, request) {
    const { context } = request
    const newUser = await newUserOf(deps, ticket, username, context)
    await askHost(deps, newUser, request)
    // Whoever can still undo a change of the address gets it back.
    if (newUser.email !== null && (await isKept(newUser.email)))
      throw refusedIdentity(deps, ticket, 'address-taken', context)
    // The host's write decides: of two with the same address one wins.
    const made = await create(newUser)
    if (made.outcome === 'taken') {
      if (made.field === 'username') throw nameTaken(newUser.username)
      throw refusedIdentity(deps, ticket, 'address-taken', context)
    }
    const { user } = made
    const takeBack = async () => {
      // If only the answer was lost, the identity is there: left behind, it would belong to nobody
      // for ever.
      await identities.unlinkAllForUser(user.id).catch(() => {})
      await deleteUser(user.id)
    }
    return { user, how: 'created', takeBack }
  }
}

async function newUserOf(
  deps: CreateOwnerDeps,
  ticket: FoundTicket,
  chosen: string | undefined,
  context: RequestContext,
): Promise<NewUser> {
  const { provider: vouchedBy, accounts: provider, identity } = ticket
  const claimed = provenEmailOf(identity)
  // Not even as an unproven one: a mailed code would make its owner sign in to this account.
  const email = deps.providerOf(vouchedBy)?.trustEmail === true ? claimed : null
  const username = chosen ?? suggestedName(identity, claimed)
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
