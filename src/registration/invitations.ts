import type { FoundProof, Proofs } from '../accounts/proofs.js'
import type { RequestContext } from '../audit/events.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import type { Throttle } from '../throttle/throttle.js'

/** An invitation that can be used. */
export interface Invitation {
  readonly id: string
  /** The only address that it registers; null: any. */
  readonly email: string | null
  /** What the host has noted. */
  readonly note: string | null
  readonly expiresAt: Date
}

/** Looks an invitation up; takes no use. Throws 400 `proof-refused`, 503. */
export type FindInvitation = (token: string, context: RequestContext) => Promise<Invitation>

export function createFindInvitation({
  proofs,
}: {
  readonly proofs: Pick<Proofs, 'findLink'>
}): FindInvitation {
  return async function findInvitation(token, context) {
    return invitationIn(await proofs.findLink('invitation', token, context))
  }
}

/** What a stored invitation says. */
export function invitationIn({ record, sealed }: FoundProof): Invitation {
  const { email = null, note = null } = sealed
  return { id: record.idHash, email, note, expiresAt: record.expiresAt }
}

/** `GET /auth/invitations/:token`: what a form for an invited user must know. */
export function invitationEndpoint(
  findInvitation: FindInvitation,
  { limitFailures }: Pick<Throttle, 'limitFailures'>,
): Endpoint {
  return limitFailures('invitation', async function showInvitation({ parameters, context }) {
    // 400, 429, 503
    const found = await findInvitation(String(parameters['token']), context)
    const { email, note, expiresAt } = found
    const named = { ...(email !== null && { email }), ...(note !== null && { note }) }
    return ok({ status: 'success', data: { ...named, expiresAt } })
  })
}
