import type { RequestContext } from '../../audit/events.js'
import type { GroundKit } from '../../kits/ground-kit.js'
import { deriveKey, hmacSha256, randomSecret, sha256 } from '../../lib/secrets.js'
import { newUserCode, readUserCode } from '../../lib/typed-codes.js'
import type { OAuthClient } from '../../stores/client-contract.js'
import type {
  DeviceCodeRecord,
  DeviceCodeStore,
  DeviceCodeVerdict,
  PollDeviceCodeResult,
} from '../../stores/one-time-contract.js'
import type { OAuthServer } from '../oauth-server.js'

/** The request of a device. */
export interface AskedByDevice {
  readonly client: OAuthClient
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
}

/** The answer to a device: a secret to ask with, and a code for its user. */
export interface IssuedDeviceCode {
  /** `mar_dc_…` */
  readonly deviceCode: string
  /** Eight letters. */
  readonly userCode: string
}

/** A device that waits for this user, who was the first to open it. */
export interface OpenedDevice {
  readonly code: DeviceCodeRecord & { readonly clientId: string }
  /** The code as people read it. */
  readonly userCode: string
}

/**
 * The devices that wait for a user, by the device grant. Neither the secrets of the devices nor the
 * codes of their users are stored. Every method rejects with 503.
 */
export interface DeviceFlow extends NonNullable<OAuthServer['deviceRules']> {
  begin(asked: AskedByDevice, context: RequestContext): Promise<IssuedDeviceCode>
  /**
   * Binds the device with a typed code to the user, if nobody was earlier. Null for every reason
   * alike: unknown, expired, decided, another user's.
   */
  open(typed: string, userId: string): Promise<OpenedDevice | null>
  /** Whether this call has decided. */
  decide(device: OpenedDevice, verdict: DeviceCodeVerdict): Promise<boolean>
  /** One statement of the store. */
  poll(client: OAuthClient, deviceCode: string): Promise<PollDeviceCodeResult>
}

/** Seconds in which a user must decide. */
export const deviceCodeLifetime = 600
/** Seconds between two questions of a device, as it is told. */
export const pollInterval = 5
/** Seconds less, as it is judged: two requests of the same pace may arrive closer together. */
const graceOfNetwork = 1

export function createDeviceFlow(
  { encryptionKeys, clock }: GroundKit,
  deviceRules: NonNullable<OAuthServer['deviceRules']>,
  deviceCodes: DeviceCodeStore,
): DeviceFlow {
  // Keyed: eight letters could be guessed from a plain digest. The first key makes digests, and all
  // of them find a code, so that a new key voids none.
  const keys = encryptionKeys.map((key) => deriveKey('device-user-code', key))
  const [making] = keys as [Buffer, ...Buffer[]]

  async function claim(userCode: string, userId: string): Promise<DeviceCodeRecord | null> {
    for (const key of keys) {
      const claimed = await deviceCodes.claim(hmacSha256(key, userCode), userId, clock())
      if (claimed.outcome === 'claimed') return claimed.code
    }
    return null
  }

  return {
    ...deviceRules,

    async begin({ client, scopes, resources }, { ip, userAgent }) {
      const userCode = newUserCode()
      const userCodeHash = hmacSha256(making, userCode)
      const secret = randomSecret()
      const now = clock()
      await deviceCodes.save({
        userCodeHash,
        deviceCodeHash: digestOf(client, secret),
        purpose: 'device',
        clientId: client.id,
        scope: scopes.join(' '),
        resources,
        name: null,
        requestedIp: ip,
        requestedAgent: userAgent,
        interval: pollInterval - graceOfNetwork,
        nextPollAt: now,
        userId: null,
        claimedAt: null,
        triesLeft: 0,
        state: 'pending',
        authorizationCodeHash: null,
        createdAt: now,
        expiresAt: new Date(now.getTime() + deviceCodeLifetime * 1000),
      })
      // Only the first part finds the row: so a question is one statement.
      return { deviceCode: `mar_dc_${userCodeHash}${secret}`, userCode }
    },

    async open(typed, userId) {
      const userCode = readUserCode(typed)
      const code = userCode === null ? null : await claim(userCode, userId)
      if (userCode === null || code === null || !isOfClient(code)) return null
      return { code, userCode }
    },

    async decide({ code: { userCodeHash, userId } }, verdict) {
      if (userId === null) return false
      const { outcome } = await deviceCodes.decide(userCodeHash, userId, verdict, clock())
      return outcome === 'decided'
    },

    async poll(client, deviceCode) {
      const [, userCodeHash, secret] = pattern.exec(deviceCode) ?? []
      if (userCodeHash === undefined || secret === undefined) return { outcome: 'unknown' }
      return deviceCodes.poll(userCodeHash, digestOf(client, secret), clock())
    },
  }
}

const pattern = /^mar_dc_([A-Za-z0-9_-]{43})([A-Za-z0-9_-]{43})$/

// The digest includes the client: the question of another client finds nothing, and changes
// nothing.
function digestOf({ id }: OAuthClient, secret: string): string {
  return sha256(JSON.stringify(['device', id, secret]))
}

function isOfClient(code: DeviceCodeRecord): code is OpenedDevice['code'] {
  return code.purpose === 'device' && code.clientId !== null
}
