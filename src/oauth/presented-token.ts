import { AuthError } from '../errors.js'
import type { RequestParameters } from '../http/parameters.js'
import { randomId } from '../lib/random.js'
import type { OAuthClient } from '../stores/client-contract.js'
import type { RefreshState, SessionRecord } from '../stores/contract.js'
import { nobodysRefresh } from '../tokens/refresh-token.js'

/**
 * The token that a client asks about. `token_type_hint` is not read: every token says itself what
 * it is. Throws 400 where there is none.
 */
export function presentedToken(parameters: RequestParameters): string {
  const token = parameters.one('token')
  if (token === null) throw new AuthError('invalid-request', { clientMessage: 'token is missing.' })
  return token
}

/**
 * The id of no session, to be looked for in the place of one: the time must not tell whether a
 * token that is somebody else's is good.
 */
export const nobodysSession: string = randomId()

/**
 * What a refresh token is judged against: the state of a session of the client, and nobody's for
 * any other. A token that is current is judged sooner than one that is not; the time must not tell
 * that it is, of somebody else's session.
 */
export function ownRefresh(client: OAuthClient, session: SessionRecord | null): RefreshState {
  return (session?.clientId === client.id ? session.refresh : null) ?? nobodysRefresh
}
