import { z } from 'zod'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import type { SignedIn } from '../principal/principal.js'
import { linkIdSchema } from './approve.endpoint.js'
import { approverOf } from './approver.js'
import type { LinkDecisions } from './decide-link.js'

/** The body of `POST /auth/device-links/deny`. */
export const denyRequest: z.ZodObject<{ linkId: z.ZodString }> = z.object({ linkId: linkIdSchema })

export interface DenyDeps {
  readonly signedIn: SignedIn
  readonly linkDecisions: Pick<LinkDecisions, 'deny'>
}

/** `POST /auth/device-links/deny`: whoever has opened a link says no. */
export function denyEndpoint({ signedIn, linkDecisions }: DenyDeps): Endpoint {
  return async function denyLink(request) {
    // 400, 401, 403, 503
    const { session } = await approverOf(signedIn, request)
    // 400, 413, 415
    const { linkId } = parseInput(denyRequest, await request.readJson())
    // 400, 503
    await linkDecisions.deny(session, linkId, request.context)
    return ok({ status: 'success' })
  }
}
