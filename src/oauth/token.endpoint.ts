import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { readParameters } from '../http/parameters.js'
import type { OAuthGrant } from '../stores/client-contract.js'
import type { AppsKit } from './apps-kit.js'
import { authenticateClient } from './client-auth.js'
import { grantsOf } from './client-defaults.js'
import { grants } from './grants/grants.js'

/**
 * `POST /oauth/token`, [RFC 6749 §3.2](https://www.rfc-editor.org/rfc/rfc6749#section-3.2):
 * exchanges a code, a refresh token or the client's own credentials for tokens. The client is
 * authenticated first, so that nobody else learns anything about a code.
 */
export function tokenEndpoint(kit: AppsKit): Endpoint {
  return kit.throttle.limitFailures('oauth-token', async function answerTokens(request) {
    // 400, 413, 415
    const parameters = await readParameters(request.incoming)
    // 400, 401, 429, 503
    const { client } = await authenticateClient(kit, request, parameters)
    const grantType = parameters.one('grant_type')
    if (grantType === null)
      throw new AuthError('invalid-request', { clientMessage: 'grant_type is missing.' })
    if (!isGrant(grantType) || !grants[grantType].isOn(kit))
      throw new AuthError('unsupported_grant_type')
    if (!grantsOf(client).includes(grantType)) throw new AuthError('unauthorized_client')
    return ok(await grants[grantType].grant(kit, client, parameters, request.context))
  })
}

function isGrant(word: string): word is OAuthGrant {
  return Object.hasOwn(grants, word)
}
