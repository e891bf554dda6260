import type { RequestContext } from '../../audit/events.js'
import type { DeviceRefusal } from '../../audit/refusals.js'
import { isOneNetwork } from '../../http/client-address.js'
import { randomId, randomSecret, sha256 } from '../../lib/secrets.js'
import { usedCodeRetention } from '../../pkce/authorization-code.js'
import type { OAuthClient } from '../../stores/client-contract.js'
import type { DeviceKit } from '../apps-kit.js'
import type { BrowserUser } from '../browser-sign-in.js'
import { deviceGrant, grantsOf, resourcesOf } from '../client-schema.js'
import { fitsWith, wordsOfGrant } from '../consent-words.js'
import type { OpenedDevice } from './device-flow.js'

/** A device that a user is asked about. */
export interface AskedDevice extends OpenedDevice {
  readonly client: OAuthClient
  /** The requested scopes that its client may still have. */
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
  readonly isSameNetwork: boolean
  /** Whether the user must sign in before the device can be approved. */
  readonly mustSignIn: boolean
}

/** The result of an approval. */
export type DeviceApproval =
  | { readonly outcome: 'approved' }
  /** The code is not valid; or the device is in another network. */
  | { readonly outcome: 'unknown-code' | 'other-network' | 'sign-in-again' }
  /** The host refuses, perhaps with its own text. */
  | { readonly outcome: 'refused'; readonly message: string | null }

/** How a signed-in user decides about a device. Every method rejects with 429 and 503. */
export interface DeviceApprovals {
  /**
   * The device with a typed code, which from now on no other user can open; null for every reason
   * alike.
   */
  look(found: BrowserUser, typed: string, context: RequestContext): Promise<AskedDevice | null>
  approve(found: BrowserUser, typed: string, context: RequestContext): Promise<DeviceApproval>
  /** False if there was nothing to deny. */
  deny(found: BrowserUser, typed: string, context: RequestContext): Promise<boolean>
}

export function createDeviceApprovals(kit: DeviceKit): DeviceApprovals {
  const { deviceFlow, audit } = kit

  // A right code is no guess; everything else counts before it is looked up.
  function open(found: BrowserUser, typed: string, context: RequestContext) {
    const { id, userId } = found.session
    const find = () => deviceFlow.open(typed, userId)
    return kit.throttle.limitUserCodes(id, context, find)
  }

  async function look(found: BrowserUser, typed: string, context: RequestContext) {
    const { userId } = found.session
    const opened = await open(found, typed, context)
    const client = opened && (await kit.clients.find(opened.code.clientId))
    const asked = opened && client && askedDevice(kit, opened, client, context)
    const asking = { session: found.session, user: found.approved.user }
    if (asked !== null)
      return { ...asked, mustSignIn: await kit.mustSignInForDevice(asking, asked.code.createdAt) }
    const clientId = opened?.code.clientId ?? null
    const reason = opened === null ? 'unknown-code' : 'client'
    audit({ type: 'device.refused', reason, userId, clientId }, context)
    return null
  }

  return {
    look,

    async approve(found, typed, context) {
      const device = await look(found, typed, context)
      if (device === null) return { outcome: 'unknown-code' }
      if (device.mustSignIn) return { outcome: 'sign-in-again' }
      const approval = await approveAsked(kit, found, device, context)
      if (approval.reason === null) return { outcome: 'approved' }
      const { reason, ...told } = approval
      const { userId } = found.session
      audit({ type: 'device.refused', reason, userId, clientId: device.client.id }, context)
      return told
    },

    async deny(found, typed, context) {
      const { userId } = found.session
      const opened = await open(found, typed, context)
      if (opened === null || !(await deviceFlow.decide(opened, { state: 'denied' }))) return false
      audit({ type: 'device.denied', userId, clientId: opened.code.clientId }, context)
      return true
    },
  }
}

/** With the reason for the audit stream; null if the device is approved. */
type JudgedApproval =
  | { readonly reason: null }
  | (Exclude<DeviceApproval, { outcome: 'approved' }> & { readonly reason: DeviceRefusal })

async function approveAsked(
  kit: DeviceKit,
  found: BrowserUser,
  device: AskedDevice,
  context: RequestContext,
): Promise<JudgedApproval> {
  if (!device.isSameNetwork && kit.deviceFlow.sameNetwork === 'require')
    return { outcome: 'other-network', reason: 'other-network' }
  const {
    approved: { user },
    session: { methods },
  } = found
  const asked = { door: 'device', user, methods, code: undefined, context } as const
  const decision = await kit.decideSignIn(asked)
  if (!decision.allowed) {
    const { reason, error } = decision
    return { outcome: 'refused', message: reason === 'vetoed' ? error.clientMessage : null, reason }
  }
  if (!(await consent(kit, found, device, context)))
    return { outcome: 'refused', message: null, reason: 'too-many-consents' }
  const isDecided = await sayYes(kit, { ...found, approved: decision.approved }, device, context)
  return isDecided ? { reason: null } : { outcome: 'unknown-code', reason: 'decided-meanwhile' }
}

// Null if the client may not have the device signed in any more.
function askedDevice(
  { ownResource }: DeviceKit,
  { code, userCode }: OpenedDevice,
  client: OAuthClient,
  { ip }: RequestContext,
): Omit<AskedDevice, 'mustSignIn'> | null {
  if (client.disabled === true || !grantsOf(client).includes(deviceGrant)) return null
  const allowed = resourcesOf(client, ownResource)
  const scopes = code.scope.split(' ').filter((scope) => client.scopes.includes(scope))
  const resources = code.resources.filter((resource) => allowed.includes(resource))
  if (scopes.length === 0 || resources.length === 0) return null
  const isSameNetwork = isOneNetwork(code.requestedIp, ip)
  return { code, userCode, client, scopes, resources, isSameNetwork }
}

// The consent is stored before the approval: it is read when the device collects its session. False
// if there is no room for it.
async function consent(
  { consents, ownResource, clock, audit }: DeviceKit,
  { session: { userId } }: BrowserUser,
  device: AskedDevice,
  context: RequestContext,
): Promise<boolean> {
  const { id: clientId, firstParty } = device.client
  if (firstParty === true) return true
  const scopes = wordsOfGrant(device, ownResource)
  const granted = (await consents.find(userId, clientId))?.scopes ?? []
  if (!fitsWith(granted, scopes)) return false
  const now = clock()
  await consents.grant({ userId, clientId, scopes, grantedAt: now, updatedAt: now })
  audit({ type: 'consent.granted', userId, clientId }, context)
  return true
}

// An authorization code that nobody has seen: only the device's own question leads to it. Of many
// approvals at once, the deciding approval names its code; the codes of the others open nothing.
async function sayYes(
  { deviceFlow, codeStore, takeIssue, clock, audit }: DeviceKit,
  { session, approved, signIn }: BrowserUser,
  device: AskedDevice,
  context: RequestContext,
): Promise<boolean> {
  const { id: sessionId, userId } = session
  const { client, code, isSameNetwork } = device
  await takeIssue('code', { userId, sessionId, clientId: client.id }, context)
  const authorizationCodeHash = sha256(randomSecret())
  const opensSessionId = randomId()
  const now = clock()
  await codeStore.save({
    codeHash: authorizationCodeHash,
    userId,
    issuedBySessionId: sessionId,
    opensSessionId,
    codeChallenge: '',
    scope: device.scopes.join(' '),
    methods: approved.methods,
    authenticatedAt: session.authenticatedAt,
    createdAt: now,
    expiresAt: code.expiresAt,
    retainUntil: new Date(now.getTime() + usedCodeRetention * 1000),
    consumedAt: null,
    clientId: client.id,
    resources: device.resources,
    acr: signIn.acr,
  })
  if (!(await deviceFlow.decide(device, { state: 'approved', authorizationCodeHash }))) return false
  const clientId = client.id
  const event = { userId, clientId, sessionId: opensSessionId, isSameNetwork }
  audit({ type: 'device.approved', ...event }, context)
  return true
}
