import type { Audit, RequestContext } from '../audit/events.js'
import { isOneNetwork, networkOf } from '../http/client-address.js'
import type { SessionRecord } from '../stores/contract.js'
import type { DeviceCodeRecord, DeviceCodeStore } from '../stores/device-code-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import { linkRefusal } from './approver.js'
import type { LinkSecrets } from './link-secrets.js'
import { nameDevice } from './name-device.js'

/**
 * Opens what a signed-in user has scanned or typed. The first one who opens a link is the only one
 * who may approve it. Rejects with 400 `proof-refused`, 429 and 503.
 */
export type OpenLink = (
  session: SessionRecord,
  link: string,
  context: RequestContext,
) => Promise<DeviceCodeRecord>

export interface OpenLinkDeps {
  readonly deviceCodes: Pick<DeviceCodeStore, 'claim'>
  readonly linkSecrets: Pick<LinkSecrets, 'linkIdOf'>
  readonly throttle: Pick<Throttle, 'limitUserCodes'>
  readonly shortCode: boolean
  readonly clock: () => Date
  readonly audit: Audit
}

export function createOpenLink(deps: OpenLinkDeps): OpenLink {
  const { deviceCodes, linkSecrets, throttle, audit } = deps

  async function claim(link: string, userId: string): Promise<DeviceCodeRecord | null> {
    const linkId = linkSecrets.linkIdOf(link)
    if (linkId === null) return null
    const result = await deviceCodes.claim(linkId, userId, deps.clock())
    // A stranger's link looks like none at all.
    return result.outcome === 'claimed' && result.code.purpose === 'link' ? result.code : null
  }

  return async function openLink({ id: sessionId, userId }, link, context) {
    const find = () => claim(link, userId)
    // 429, 503. Nobody guesses 256 bits.
    const claimed = deps.shortCode
      ? await throttle.limitUserCodes(sessionId, context, find)
      : await find()
    if (claimed === null) throw linkRefusal(deps, 'unknown', userId, context)
    audit({ type: 'device-link.opened', userId, sessionId }, context)
    return claimed
  }
}

/** What the user is told of a new device. */
export interface ToldDevice {
  readonly linkId: string
  /** What the device calls itself. */
  readonly name: string | null
  readonly network: string | null
  readonly sameNetwork: boolean
  readonly agent: string | null
  readonly at: Date
}

/** What the user of this request is told of the device that shows a link. */
export async function tellDevice(
  { userCodeHash: linkId, name, requestedIp, requestedAgent, createdAt: at }: DeviceCodeRecord,
  { ip }: RequestContext,
): Promise<ToldDevice> {
  const network = requestedIp === null ? null : networkOf(requestedIp)
  const sameNetwork = isOneNetwork(requestedIp, ip)
  return { linkId, name, network, sameNetwork, agent: await nameDevice(requestedAgent), at }
}
