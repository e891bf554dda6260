import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { readParameters } from '../http/parameters.js'
import type { AuthorizationCodes } from '../pkce/authorization-code.js'
import { createRedeemCode, type RedeemCodeDeps } from '../pkce/redeem-code.js'
import { createRefreshSession, type RefreshSessionDeps } from '../refresh/refresh-session.js'
import type { OAuthGrant } from '../stores/client-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AuthenticateClient } from './client-auth.js'
import { grantsOf } from './client-defaults.js'
import type { Clients } from './clients.js'
import type { Grant } from './grants/code.js'
import type { DeviceGrantDeps } from './grants/device.js'
import { type GrantDeps, grants } from './grants/grants.js'
import type { ServiceGrantDeps } from './grants/service.js'
import { createIssueTokens, type IssueTokensDeps } from './issue-tokens.js'
import { createStillAllowed, type StillAllowedDeps } from './still-allowed.js'

export interface TokenEndpointDeps
  extends RedeemCodeDeps,
    RefreshSessionDeps,
    StillAllowedDeps,
    IssueTokensDeps,
    Pick<DeviceGrantDeps, 'deviceFlow' | 'codeStore' | 'ownAddress'>,
    Pick<ServiceGrantDeps, 'clients' | 'hasServices' | 'takeIssue'> {
  readonly authenticateClient: AuthenticateClient
  readonly clients: Pick<Clients, 'findFresh' | 'withRedirects'>
  /** The codes of the authorization endpoint. */
  readonly codes: Pick<AuthorizationCodes, 'find' | 'burn'>
  readonly sessions: RedeemCodeDeps['sessions'] &
    RefreshSessionDeps['sessions'] &
    ServiceGrantDeps['sessions']
  readonly throttle: Pick<Throttle, 'limitFailures'>
}

/**
 * `POST /oauth/token`, [RFC 6749 §3.2](https://www.rfc-editor.org/rfc/rfc6749#section-3.2):
 * exchanges a code, a refresh token or the client's own credentials for tokens. The client is
 * authenticated first, so that nobody else learns anything about a code.
 */
export function tokenEndpoint(deps: TokenEndpointDeps): Endpoint {
  const granting = createGrants(deps)
  const { authenticateClient, throttle } = deps

  return throttle.limitFailures('oauth-token', async function answerTokens(request) {
    // 400, 413, 415
    const parameters = await readParameters(request.incoming)
    // 400, 401, 429, 503
    const { client } = await authenticateClient(request, parameters)
    const grantType = parameters.one('grant_type')
    if (grantType === null)
      throw new AuthError('invalid-request', { clientMessage: 'grant_type is missing.' })
    const grant = isGrant(grantType) ? granting[grantType] : null
    if (!isGrant(grantType) || grant === null) throw new AuthError('unsupported_grant_type')
    if (!grantsOf(client).includes(grantType)) throw new AuthError('unauthorized_client')
    return ok(await grant(client, parameters, request.context))
  })
}

function isGrant(word: string): word is OAuthGrant {
  return Object.hasOwn(grants, word)
}

function createGrants(deps: TokenEndpointDeps): Readonly<Record<OAuthGrant, Grant | null>> {
  const parts: GrantDeps = {
    ...deps,
    issueTokens: createIssueTokens(deps),
    redeemCode: createRedeemCode(deps),
    refreshSession: createRefreshSession(deps),
    stillAllowed: createStillAllowed(deps),
  }
  const made = Object.entries(grants).map(([name, { create }]) => [name, create(parts)])
  return Object.fromEntries(made)
}
