import { z } from 'zod'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import type { SignedIn } from '../principal/principal.js'
import type { RequireRecentSignIn } from '../sessions/recent-sign-in.js'
import type { Throttle } from '../throttle/throttle.js'
import { approverOf } from './approver.js'
import { type OpenLink, tellDevice } from './open-link.js'

/** The body of `POST /auth/device-links/open`. */
export const openRequest: z.ZodObject<{ link: z.ZodString }> = z.object({
  link: z.string().min(1).max(64),
})

export interface OpenDeps {
  readonly signedIn: SignedIn
  readonly requireRecentSignIn: RequireRecentSignIn
  readonly openLink: OpenLink
  readonly throttle: Pick<Throttle, 'limitFailures'>
}

/**
 * `POST /auth/device-links/open`: a signed-in user has scanned the picture, and is told which
 * device it is.
 */
export function openEndpoint(deps: OpenDeps): Endpoint {
  const { signedIn, requireRecentSignIn, openLink, throttle } = deps
  return throttle.limitFailures('device-link', async function openScanned(request) {
    const { context } = request
    // 400, 401, 403, 503
    const { session } = await approverOf(signedIn, request)
    // 400, 413, 415
    const { link } = parseInput(openRequest, await request.readJson())
    // 403
    await requireRecentSignIn(session)
    // 400, 429, 503
    const data = await tellDevice(await openLink(session, link, context), context)
    return ok({ status: 'success', data })
  })
}
