import type { IncomingMessage } from 'node:http'
import { AuthError } from '../errors.js'
import { reportRefusal } from '../guard/authenticate.js'
import { ok } from '../http/answer.js'
import { type ReadCredentials, readCredentials } from '../http/credentials.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import type { SignedInRequest } from '../principal/principal.js'
import type { OAuthClient } from '../stores/client-contract.js'
import type { AppsKit } from './apps-kit.js'

/**
 * `GET /oauth/userinfo` and `POST` ([OpenID Connect Core
 * §5.3](https://openid.net/specs/openid-connect-core-1_0.html#UserInfo)): the user of an app's
 * access token with the scope `openid`. The token is read only from the header `Authorization`,
 * never from a body.
 */
export function userinfoEndpoint(kit: AppsKit): Endpoint {
  return async function userinfo(request) {
    // 400, 401, 403, 503
    const asking = await authenticate(kit, request)
    const { principal, user } = asking
    const client = await reportRefusal(kit.audit, request.context, () => clientOf(kit, asking))
    const claims = await kit.userClaims(user, { scope: principal.scope, client })
    return ok({ ...claims, sub: user.id })
  }
}

async function authenticate(
  { authenticateRequest }: AppsKit,
  { incoming, context }: EndpointRequest,
): Promise<SignedInRequest> {
  try {
    return await authenticateRequest(incoming, context, 'complete', readBearer)
  } catch (error) {
    if (!(error instanceof AuthError) || error.status !== 401) throw error
    throw invalidToken(incoming, error.message)
  }
}

// `X-Auth-Token` is for the host's own clients.
const readBearer: ReadCredentials = (request) => {
  const credentials = readCredentials(request)
  return credentials?.userId === null ? credentials : null
}

async function clientOf(
  { clients }: AppsKit,
  { principal, session }: SignedInRequest,
): Promise<OAuthClient> {
  // `*` is not enough: it covers actions at this server, not knowledge about the user.
  if (session.clientId === undefined || !principal.scope.includes('openid'))
    throw insufficientScope()
  const client = await clients.find(session.clientId)
  if (client !== null && client.disabled !== true) return client
  throw refusedToken('client is disabled or gone', bearerError)
}

const bearerError = 'Bearer error="invalid_token"'

// RFC 6750 §3.1: without a token, the challenge contains no error.
function invalidToken({ headers }: IncomingMessage, message: string): AuthError {
  const hasShown = /^bearer\b/i.test(headers.authorization ?? '')
  return refusedToken(message, hasShown ? bearerError : 'Bearer')
}

function refusedToken(message: string, challenge: string): AuthError {
  return new AuthError('Unauthorized', {
    clientMessage: 'The access token is missing or not valid.',
    message,
    headers: { 'WWW-Authenticate': challenge },
  })
}

function insufficientScope(): AuthError {
  return new AuthError('forbidden', {
    clientMessage: 'The access token does not have the scope openid.',
    message: 'scope missing',
    headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope", scope="openid"' },
  })
}
