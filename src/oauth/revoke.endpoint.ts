import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { readParameters } from '../http/parameters.js'
import type { SessionName } from '../sessions/ending.js'
import type { Sessions } from '../sessions/sessions.js'
import type { OAuthClient } from '../stores/client-contract.js'
import type { AccessTokens } from '../tokens/access-token.js'
import { classifyRefreshToken, sessionIdOf } from '../tokens/refresh-token.js'
import type { AuthenticateClient } from './client-auth.js'
import { resourcesOf } from './client-defaults.js'
import { nobodysSession, ownRefresh, presentedToken } from './presented-token.js'

export interface RevokeDeps {
  readonly authenticateClient: AuthenticateClient
  readonly sessions: Pick<Sessions, 'findLive' | 'end'>
  readonly accessTokens: Pick<AccessTokens, 'readWhenever'>
  /** The host's own API: the signer's audience. */
  readonly ownResource: string
  readonly clock: () => Date
}

/**
 * `POST /oauth/revoke` ([RFC 7009](https://www.rfc-editor.org/rfc/rfc7009)): a client ends the
 * session of its token, a refresh token or an access token; a single access token cannot be
 * revoked. A token of another client, or one already ended, gets the same answer, and nothing
 * happens.
 */
export function revokeEndpoint(deps: RevokeDeps): Endpoint {
  return async function revoke(request) {
    // 400, 413, 415
    const parameters = await readParameters(request.incoming)
    // 400, 401, 429, 503
    const { client } = await deps.authenticateClient(request, parameters)
    const session = await sessionOf(deps, client, presentedToken(parameters))
    if (session !== null) await deps.sessions.end(session, 'revoked', request.context)
    // Clients expect JSON, although RFC 7009 §2.2 needs no body.
    return ok({})
  }
}

function sessionOf(
  deps: RevokeDeps,
  client: OAuthClient,
  token: string,
): Promise<SessionName | null> {
  const id = sessionIdOf(token)
  return id === null ? ofAccessToken(deps, client, token) : ofRefreshToken(deps, client, token, id)
}

// A used token ends the session as well: the answer with its successor may have been lost.
async function ofRefreshToken(
  { sessions, clock }: RevokeDeps,
  client: OAuthClient,
  token: string,
  id: string,
): Promise<SessionName | null> {
  const session = await sessions.findLive(id)
  const { is } = classifyRefreshToken(id, token, ownRefresh(client, session), clock(), 0)
  return is === 'foreign' ? null : session
}

async function ofAccessToken(
  { sessions, accessTokens, ownResource, clock }: RevokeDeps,
  client: OAuthClient,
  token: string,
): Promise<SessionName | null> {
  const audiences = [ownResource, ...resourcesOf(client, ownResource)]
  const claims = await accessTokens.readWhenever(token, clock(), audiences)
  const session = await sessions.findLive(claims?.sid ?? nobodysSession())
  return session?.clientId === client.id && session.userId === claims?.sub ? session : null
}
