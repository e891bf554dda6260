import type { RequestContext } from '../../audit/events.js'
import { AuthError } from '../../errors.js'
import { isOneNetwork } from '../../http/client-address.js'
import type { RequestParameters } from '../../http/parameters.js'
import type { OAuthClient } from '../../stores/client-contract.js'
import type { DeviceCodeRecord, PollDeviceCodeResult } from '../../stores/device-code-contract.js'
import type { AppsKit } from '../apps-kit.js'
import { audiencesOf } from '../client-defaults.js'
import { type GrantedTokens, redeem, required } from './code.js'

/** The parameters of the grant, for the description of the API. */
export const deviceParameters = { device_code: 'of the third' } as const

/**
 * `urn:ietf:params:oauth:grant-type:device_code`: a device asks whether its user has decided ([RFC
 * 8628 §3.4](https://www.rfc-editor.org/rfc/rfc8628#section-3.4)). An approval is an authorization
 * code that nobody has seen; only here it is exchanged.
 */
export async function exchangeDeviceCode(
  kit: AppsKit,
  client: OAuthClient,
  parameters: RequestParameters,
  context: RequestContext,
): Promise<GrantedTokens> {
  const { deviceFlow, codeStore, clock } = kit
  if (deviceFlow === undefined) throw new AuthError('unsupported_grant_type')
  // 400
  const presented = required(parameters, 'device_code')
  const resources = audiencesOf(parameters.all('resource'), kit)
  // 400, 503
  const codeHash = approvalIn(
    await deviceFlow.poll(client, presented),
    clock(),
    (asked) => deviceFlow.sameNetwork !== 'require' || isOneNetwork(asked.requestedIp, context.ip),
  )
  const code = await codeStore.find(codeHash)
  if (code?.consumedAt === null && clock() >= code.expiresAt) throw new AuthError('expired_token')
  const refusal = ({ clientId }: { readonly clientId?: string }) =>
    clientId === client.id ? null : 'wrong-client'
  return redeem(kit, { door: 'device', code, refusal, client, resources }, context)
}

// The hash of the authorization code of an approved device. Throws what the device is told
// otherwise: RFC 8628 §3.5.
function approvalIn(
  polled: PollDeviceCodeResult,
  now: Date,
  isWhereItBegan: (code: DeviceCodeRecord) => boolean,
): string {
  if (polled.outcome === 'unknown') throw new AuthError('invalid_grant')
  if (polled.outcome === 'too-soon') throw new AuthError('slow_down')
  const { state, authorizationCodeHash, expiresAt } = polled.code
  if (state === 'approved' && authorizationCodeHash !== null) {
    // Whoever collects elsewhere has made another device ask.
    if (!isWhereItBegan(polled.code)) throw new AuthError('access_denied')
    return authorizationCodeHash
  }
  if (state === 'denied') throw new AuthError('access_denied')
  throw new AuthError(now >= expiresAt ? 'expired_token' : 'authorization_pending')
}
