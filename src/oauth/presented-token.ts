import { AuthError } from '../errors.js'
import type { RequestParameters } from '../http/parameters.js'
import { lazily } from '../lib/lazily.js'
import { randomId } from '../lib/random.js'
import type { OAuthClient } from '../stores/client-contract.js'
import type { RefreshState, SessionRecord } from '../stores/contract.js'
import { nobodysRefresh } from '../tokens/refresh-token.js'

/**
 * The parameter `token`. `token_type_hint` is not read: each token shows its own type. Throws 400
 * if it is missing.
 */
export function presentedToken(parameters: RequestParameters): string {
  const token = parameters.one('token')
  if (token === null) throw new AuthError('invalid-request', { clientMessage: 'token is missing.' })
  return token
}

/**
 * An id without a session, looked up in place of one, so that the time does not tell whether the
 * token of another client is valid.
 */
export const nobodysSession: () => string = lazily(randomId)

/**
 * The state to compare a refresh token with: that of the client's own session, or a dummy state for
 * any other. A current token is recognised faster than others, and the time must not tell that
 * about the session of another client.
 */
export function ownRefresh(client: OAuthClient, session: SessionRecord | null): RefreshState {
  return (session?.clientId === client.id ? session.refresh : null) ?? nobodysRefresh()
}
