import { z } from 'zod'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { codeVerifierPattern } from '../pkce/code-challenge.js'
import { ownerOf } from '../principal/account-owner.js'
import { proofRequest } from '../sign-in-again.js'
import { linkByTicket, listIdentities, noIdentity, unlinkIdentity } from './own-identities.js'
import { type ProvidersKit, providerIn } from './provider-kit.js'
import { addressFor, startRequest } from './start.endpoint.js'
import { findTicket } from './tickets.js'

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

/** `GET /auth/identities`: the accounts elsewhere that the user is connected with. */
export function listIdentitiesEndpoint(kit: ProvidersKit): Endpoint {
  return async function list(request) {
    // 401, 403
    const { user } = await ownerOf(kit.signedIn, request)
    return ok({ status: 'success', data: { identities: await listIdentities(kit, user.id) } })
  }
}

/** `POST /auth/identities/:provider`: the address to open, which connects an account. */
export function linkIdentityEndpoint(kit: ProvidersKit): Endpoint {
  return async function link(request) {
    // 401, 403
    const asking = await ownerOf(kit.signedIn, request)
    // 404
    const provider = providerIn(kit, request)
    // 400, 413, 415
    const given = parseInput(linkRequest, await request.readJson())
    const { password, code, passkey } = given
    // 401, 403, 429, 503
    await kit.requireFresh(asking, { password, code, passkey }, request)
    const linkTo = { userId: asking.user.id, sessionId: asking.session.id }
    return ok({ status: 'success', data: { url: addressFor(kit, provider, given, linkTo) } })
  }
}

/** `POST /auth/identities`: connects the account of a ticket. */
export function connectIdentityEndpoint(kit: ProvidersKit): Endpoint {
  return kit.throttle.limitFailures('provider-connect', async function connect(request) {
    const { context } = request
    // 401, 403
    const { user, session } = await ownerOf(kit.signedIn, request)
    // 400, 413, 415
    const { ticket, codeVerifier } = parseInput(connectRequest, await request.readJson())
    const linkTo = { userId: user.id, sessionId: session.id }
    // 400, 503
    const found = await findTicket(kit, ticket, { codeVerifier, linkTo }, context)
    // 401, 409, 503
    const identity = await linkByTicket(kit, found, linkTo, context)
    return ok({ status: 'success', data: { identity } })
  })
}

/** `DELETE /auth/identities/:id`: removes one. */
export function unlinkIdentityEndpoint(kit: ProvidersKit): Endpoint {
  return async function unlink(request) {
    const asking = await ownerOf(kit.signedIn, request)
    const { id } = request.parameters
    if (typeof id !== 'string' || !/^[\w-]{1,100}$/.test(id)) throw noIdentity()
    const given = parseInput(proofRequest, await request.readJson())
    const { password, code, passkey } = given
    await kit.requireFresh(asking, { password, code, passkey }, request)
    await unlinkIdentity(kit, asking, id, request.context)
    return ok({ status: 'success' })
  }
}
