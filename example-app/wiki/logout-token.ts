import { createRemoteJWKSet, jwtVerify } from 'jose'
import type { Configuration } from 'openid-client'

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'

/**
 * Reads what the chat sends when it has ended a session: the session's name, as in ID Tokens. Null
 * for anything else. OpenID Connect Back-Channel Logout 1.0 §2.6.
 */
export function createReadLogoutToken(
  chat: Configuration,
): (token: unknown) => Promise<string | null> {
  const { issuer, jwks_uri } = chat.serverMetadata()
  const keys = createRemoteJWKSet(new URL(String(jwks_uri)))
  const audience = chat.clientMetadata().client_id
  const algorithms = ['ES256', 'RS256']
  const expected = { issuer, audience, algorithms, typ: 'logout+jwt', requiredClaims: ['jti'] }
  return async function readLogoutToken(token) {
    const checks = { ...expected, maxTokenAge: 180 }
    const verified = await jwtVerify(String(token), keys, checks).catch(() => null)
    const { sid, events, nonce } = verified?.payload ?? {}
    const isLogout = typeof events === 'object' && events !== null && logoutEvent in events
    return isLogout && nonce === undefined && typeof sid === 'string' ? sid : null
  }
}
