import { AuthError } from '../../errors.js'
import { ok } from '../../http/answer.js'
import type { Endpoint } from '../../http/endpoint.js'
import { type RequestParameters, readParameters } from '../../http/input.js'
import { isForeignPage } from '../../http/page-origin.js'
import { shownUserCode } from '../../lib/typed-codes.js'
import type { OAuthClient } from '../../stores/client-contract.js'
import type { DeviceKit } from '../apps-kit.js'
import { grantFault, type RequestInput, scopesOf, targetsOf } from '../authorization-request.js'
import { addressAt } from '../base-url.js'
import { authenticateClient } from '../client-auth.js'
import { audiencesOf, deviceGrant, grantsOf } from '../client-schema.js'
import { type AskedByDevice, deviceCodeLifetime, pollInterval } from './device-flow.js'
/**
 * `POST /oauth/device_authorization`, [RFC 8628
 * §3.1](https://www.rfc-editor.org/rfc/rfc8628#section-3.1): a device asks for a code that its user
 * types into a browser.
 */
export function deviceAuthorizationEndpoint(kit: DeviceKit): Endpoint {
  const { deviceFlow, throttle, baseUrl, audit } = kit
  const page = addressAt(baseUrl, '/oauth/device')
  return async function authorizeDevice(request) {
    const { context } = request
    // 403: a page would get a code from its visitor's own network, and the warning of another
    // network would stay out (RFC 8628 §5.4).
    if (isForeignPage(request.incoming, baseUrl.origin)) throw new AuthError('forbidden')
    // 400, 413, 415
    const parameters = await readParameters(request.incoming)
    // 400, 401, 429, 503
    const { client } = await authenticateClient(kit, request, parameters)
    if (!grantsOf(client).includes(deviceGrant)) throw new AuthError('unauthorized_client')
    // 400
    const asked = askedBy(kit, client, parameters)
    // 429, 503
    await throttle.takeDeviceCode(client.id, context)
    // 503
    const { deviceCode, userCode } = await deviceFlow.begin(asked, context)
    audit({ type: 'device.requested', clientId: client.id }, context)
    const shown = shownUserCode(userCode)
    return ok({
      device_code: deviceCode,
      user_code: shown,
      verification_uri: page,
      ...(deviceFlow.completeUri && { verification_uri_complete: `${page}?user_code=${shown}` }),
      expires_in: deviceCodeLifetime,
      interval: pollInterval,
    })
  }
}

// As at the authorization endpoint.
function askedBy(
  { scopes, ownResource, ownAddress }: DeviceKit,
  client: OAuthClient,
  parameters: RequestParameters,
): AskedByDevice {
  const scope = parameters.one('scope')
  const input: RequestInput = {
    client,
    values: new Map(scope === null ? [] : [['scope', scope]]),
    resources: audiencesOf(parameters.all('resource'), { ownResource, ownAddress }),
    settings: { knownScopes: scopes.known, ownResource, ownAddress },
  }
  const fault = grantFault(input)
  if (fault !== null) throw new AuthError(fault.error, { clientMessage: fault.description })
  return { client, scopes: scopesOf(input), resources: targetsOf(input) }
}
