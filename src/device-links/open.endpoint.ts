import { z } from 'zod'
import type { Audit } from '../audit/events.js'
import { ok } from '../http/answer.js'
import { networkOf } from '../http/client-address.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import type { SignedIn } from '../principal/principal.js'
import type { RequireRecentSignIn } from '../sessions/recent-sign-in.js'
import type { ClaimDeviceCodeResult, DeviceCodeStore } from '../stores/device-code-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import { approverOf, linkRefusal } from './approver.js'
import type { LinkSecrets } from './link-secrets.js'
import { nameDevice } from './name-device.js'

/** The body of `POST /auth/device-links/open`. */
export const openRequest: z.ZodObject<{ link: z.ZodString }> = z.object({
  link: z.string().min(1).max(64),
})

export interface OpenDeps {
  readonly signedIn: SignedIn
  readonly requireRecentSignIn: RequireRecentSignIn
  readonly deviceCodes: Pick<DeviceCodeStore, 'claim'>
  readonly linkSecrets: Pick<LinkSecrets, 'linkIdOf'>
  readonly throttle: Pick<Throttle, 'limitUserCodes' | 'limitFailures'>
  readonly shortCode: boolean
  readonly clock: () => Date
  readonly audit: Audit
}

/**
 * `POST /auth/device-links/open`: a signed-in user has scanned the picture, and is told which
 * device it is. The first one who opens a link is the only one who may approve it.
 */
export function openEndpoint(deps: OpenDeps): Endpoint {
  const { signedIn, requireRecentSignIn, throttle, clock, audit } = deps
  return throttle.limitFailures('device-link', async function openLink(request) {
    const { context } = request
    // 400, 401, 403, 503
    const { session } = await approverOf(signedIn, request)
    // 400, 413, 415
    const { link } = parseInput(openRequest, await request.readJson())
    // 403
    await requireRecentSignIn(session)
    const { userId } = session
    const claim = () => claimLink(deps, link, userId, clock())
    // 429, 503. Nobody guesses 256 bits.
    const claimed = deps.shortCode
      ? await throttle.limitUserCodes(session.id, context, async () => found(await claim()))
      : found(await claim())
    if (claimed === null) throw linkRefusal(deps, 'unknown', userId, context)
    audit({ type: 'device-link.opened', userId, sessionId: session.id }, context)
    const { userCodeHash: linkId, name, requestedIp, requestedAgent, createdAt: at } = claimed.code
    const network = requestedIp === null ? null : networkOf(requestedIp)
    const sameNetwork = network !== null && network === networkOf(context.ip)
    const agent = await nameDevice(requestedAgent)
    return ok({ status: 'success', data: { linkId, name, network, sameNetwork, agent, at } })
  })
}

async function claimLink(
  { deviceCodes, linkSecrets }: OpenDeps,
  link: string,
  userId: string,
  now: Date,
): Promise<ClaimDeviceCodeResult> {
  const linkId = linkSecrets.linkIdOf(link)
  return linkId === null ? { outcome: 'unknown' } : deviceCodes.claim(linkId, userId, now)
}

// A stranger's link looks like none at all.
function found(result: ClaimDeviceCodeResult) {
  return result.outcome === 'claimed' && result.code.purpose === 'link' ? result : null
}
