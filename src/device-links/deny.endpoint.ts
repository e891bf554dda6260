import { z } from 'zod'
import type { Audit } from '../audit/events.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import type { SignedIn } from '../principal/principal.js'
import type { DeviceCodeStore } from '../stores/device-code-contract.js'
import { linkIdSchema } from './approve.endpoint.js'
import { approverOf, linkRefusal } from './approver.js'

/** The body of `POST /auth/device-links/deny`. */
export const denyRequest: z.ZodObject<{ linkId: z.ZodString }> = z.object({ linkId: linkIdSchema })

export interface DenyDeps {
  readonly signedIn: SignedIn
  readonly deviceCodes: Pick<DeviceCodeStore, 'decide'>
  readonly clock: () => Date
  readonly audit: Audit
}

/** `POST /auth/device-links/deny`: whoever has opened a link says no. */
export function denyEndpoint(deps: DenyDeps): Endpoint {
  const { signedIn, deviceCodes, clock, audit } = deps
  return async function denyLink(request) {
    const { context } = request
    // 400, 401, 403, 503
    const { session } = await approverOf(signedIn, request)
    // 400, 413, 415
    const { linkId } = parseInput(denyRequest, await request.readJson())
    const { userId, id: sessionId } = session
    // 503
    const { outcome } = await deviceCodes.decide(linkId, userId, { state: 'denied' }, clock())
    if (outcome === 'unknown') throw linkRefusal(deps, 'unknown', userId, context)
    audit({ type: 'device-link.denied', userId, sessionId }, context)
    return ok({ status: 'success' })
  }
}
