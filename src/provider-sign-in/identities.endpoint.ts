import { z } from 'zod'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { codeVerifierPattern } from '../pkce/code-challenge.js'
import { ownerOf } from '../principal/account-owner.js'
import type { SignedIn } from '../principal/principal.js'
import { proofRequest, type RequireFresh } from '../sign-in-again.js'
import type { Throttle } from '../throttle/throttle.js'
import { noIdentity, type OwnIdentities } from './own-identities.js'
import { type AddressFor, type ProviderIn, startRequest } from './start.endpoint.js'
import type { Tickets } from './tickets.js'

/** The body of `POST /auth/identities/:provider`: as for a sign-in, and a proof. */
export const linkRequest: z.ZodObject<
  (typeof startRequest)['shape'] & (typeof proofRequest)['shape']
> = startRequest.extend(proofRequest.shape)

/** The body of `POST /auth/identities`. */
export const connectRequest: z.ZodObject<{ ticket: z.ZodString; codeVerifier: z.ZodString }> =
  z.object({
    ticket: z.string().min(1).max(100),
    codeVerifier: z.string().regex(codeVerifierPattern),
  })

export interface IdentitiesDeps {
  readonly signedIn: SignedIn
  readonly requireFresh: RequireFresh
  readonly ownIdentities: OwnIdentities
  readonly tickets: Pick<Tickets, 'find'>
  readonly throttle: Pick<Throttle, 'limitFailures'>
  readonly providerIn: ProviderIn
  readonly addressFor: AddressFor
}

/** `GET /auth/identities`: the accounts elsewhere that the user is connected with. */
export function listIdentitiesEndpoint({
  signedIn,
  ownIdentities,
}: Pick<IdentitiesDeps, 'signedIn' | 'ownIdentities'>): Endpoint {
  return async function listIdentities(request) {
    // 401, 403
    const { user } = await ownerOf(signedIn, request)
    const identities = await ownIdentities.list(user.id)
    return ok({ status: 'success', data: { identities } })
  }
}

/** `POST /auth/identities/:provider`: the address to open, which connects an account. */
export function linkIdentityEndpoint(deps: IdentitiesDeps): Endpoint {
  const { signedIn, requireFresh, providerIn, addressFor } = deps
  return async function linkIdentity(request) {
    // 401, 403
    const asking = await ownerOf(signedIn, request)
    // 404
    const provider = providerIn(request)
    // 400, 413, 415
    const given = parseInput(linkRequest, await request.readJson())
    const { password, code, passkey } = given
    // 401, 403, 429, 503
    await requireFresh(asking, { password, code, passkey }, request)
    const linkTo = { userId: asking.user.id, sessionId: asking.session.id }
    return ok({ status: 'success', data: { url: addressFor(provider, given, linkTo) } })
  }
}

/** `POST /auth/identities`: connects the account of a ticket. */
export function connectIdentityEndpoint(deps: IdentitiesDeps): Endpoint {
  const { signedIn, tickets, ownIdentities, throttle } = deps
  return throttle.limitFailures('provider-connect', async function connectIdentity(request) {
    const { context } = request
    // 401, 403
    const { user, session } = await ownerOf(signedIn, request)
    // 400, 413, 415
    const { ticket, codeVerifier } = parseInput(connectRequest, await request.readJson())
    const linkTo = { userId: user.id, sessionId: session.id }
    // 400, 503
    const found = await tickets.find(ticket, { codeVerifier, linkTo }, context)
    // 401, 409, 503
    const identity = await ownIdentities.linkByTicket(found, linkTo, context)
    return ok({ status: 'success', data: { identity } })
  })
}

/** `DELETE /auth/identities/:id`: removes one. */
export function unlinkIdentityEndpoint(deps: IdentitiesDeps): Endpoint {
  const { signedIn, requireFresh, ownIdentities } = deps
  return async function unlinkIdentity(request) {
    const asking = await ownerOf(signedIn, request)
    const { id } = request.parameters
    if (typeof id !== 'string' || !/^[\w-]{1,100}$/.test(id)) throw noIdentity()
    const given = parseInput(proofRequest, await request.readJson())
    const { password, code, passkey } = given
    await requireFresh(asking, { password, code, passkey }, request)
    await ownIdentities.unlink(asking, id, request.context)
    return ok({ status: 'success' })
  }
}
