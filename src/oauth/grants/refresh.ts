import type { RequestContext } from '../../audit/events.js'
import { AuthError } from '../../errors.js'
import type { RequestParameters } from '../../http/parameters.js'
import { type Refreshing, refreshSession } from '../../refresh/refresh.js'
import type { OAuthClient } from '../../stores/client-contract.js'
import type { AppsKit } from '../apps-kit.js'
import { wordsOf } from '../authorization-request.js'
import { audiencesOf, getsRefreshToken, isConfidential } from '../client-defaults.js'
import { issueTokens } from '../issue-tokens.js'
import { type GrantedTokens, required } from './code.js'
import { remainingGrant, requireConsent, targetOf } from './remaining-grant.js'

/** The parameters of the grant, for the description of the API. */
export const refreshParameters = {
  refresh_token: 'of the second',
  scope: 'of the second: less than was granted; of the fourth: those that the service needs',
} as const

/**
 * `refresh_token`: new tokens for a session of this client. A confidential client keeps its refresh
 * token: only it can use the token, and its processes may share it ([RFC 9700
 * §4.14.2](https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2)).
 */
export async function refreshByToken(
  kit: AppsKit,
  client: OAuthClient,
  parameters: RequestParameters,
  context: RequestContext,
): Promise<GrantedTokens> {
  const presented = required(parameters, 'refresh_token')
  const askedScope = parameters.one('scope')
  const resources = audiencesOf(parameters.all('resource'), kit)
  const refreshing: Refreshing<GrantedTokens> = {
    presented,
    admits: ({ kind, clientId }) => kind === 'oauth' && clientId === client.id,
    rotates: !isConfidential(client),
    open(session) {
      // 400
      const left = remainingGrant(session, client, kit.ownResource)
      // The client has lost `offline_access`, on which the refresh token was based.
      if (!getsRefreshToken(client, left.scopes)) throw new AuthError('invalid_grant')
      const scopes = scopesOf(askedScope, left.scopes)
      const resource = targetOf(resources, left.resources)
      return async ({ refreshToken, session: refreshed, user }) => {
        // 400
        await requireConsent(kit, client, refreshed, context)
        const grant = { client, user, scopes, resource, acr: null, nonce: null }
        const tokens = await issueTokens(kit, refreshed, grant)
        return { ...tokens, refresh_token: refreshToken }
      }
    },
  }
  return refreshSession(kit, refreshing, context)
}

// RFC 6749 §6: the granted scopes or fewer; the refresh token stays valid for all of them.
function scopesOf(asked: string | null, granted: readonly string[]): readonly string[] {
  if (asked === null) return granted
  const words = wordsOf(asked)
  if (words.length > 0 && words.every((word) => granted.includes(word))) return words
  throw new AuthError('invalid_scope')
}
