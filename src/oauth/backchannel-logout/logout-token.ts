import { randomId } from '../../lib/random.js'
import type { LogoutTokenClaims } from '../../signers/contract.js'
import type { SessionRecord } from '../../stores/contract.js'
import { sidOf } from '../issue-tokens.js'

/** Seconds. An app reads the token once, when it gets it. */
const lifetimeSeconds = 120

/**
 * The claims of a logout token, without `iss`, which the signer adds: [OpenID Connect Back-Channel
 * Logout 1.0 §2.4](https://openid.net/specs/openid-connect-backchannel-1_0.html#LogoutToken).
 */
export function logoutTokenClaims(
  session: SessionRecord,
  clientId: string,
  now: Date,
): LogoutTokenClaims {
  const iat = Math.floor(now.getTime() / 1000)
  return {
    sub: session.userId,
    aud: clientId,
    sid: sidOf(session, clientId),
    iat,
    exp: iat + lifetimeSeconds,
    jti: randomId(),
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  }
}
