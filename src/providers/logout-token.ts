import { ownMembers } from '../lib/check-options.js'
import type { ProviderLogout } from './contract.js'
import { isKeyText } from './open-id-identity.js'
import type { OpenIdServers } from './open-id-server.js'
import {
  isPast,
  type TokenSettings,
  type VerifiedToken,
  type VerifyToken,
} from './open-id-tokens.js'

/** Before anything is read. */
const maxCharacters = 8192
const maxAgeSeconds = 600
const event = 'http://schemas.openid.net/event/backchannel-logout'

/** Reads logout tokens of one provider; null for anything else. */
export function createReadLogoutToken(
  settings: Omit<TokenSettings, 'clientId'>,
  servers: OpenIdServers,
  verifyToken: VerifyToken,
): (token: string) => Promise<ProviderLogout | null> {
  return async function readLogoutToken(token) {
    // What is no JWT must not make a request to the provider.
    if (typeof token !== 'string' || token.length > maxCharacters || !looksSigned(token))
      return null
    const verified = await verifyToken(token, await servers.current(), {
      maxTokenAge: maxAgeSeconds,
      requiredClaims: ['iat', 'jti', 'events'],
    })
    return verified === null ? null : logoutOf(settings, verified)
  }
}

function looksSigned(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)
}

// OpenID Connect Back-Channel Logout 1.0 §2.6. The issuer, the audience and the times are checked
// with the signature.
function logoutOf(
  { issuer, clockToleranceSeconds }: Omit<TokenSettings, 'clientId'>,
  { header, claims }: VerifiedToken,
): ProviderLogout | null {
  const { iat, jti, sub, sid } = claims
  if (!isLogoutType(header['typ']) || !hasLogoutEvent(claims['events'])) return null
  // An ID token must never end a session: with its signature it would be easy to come by.
  if (Object.hasOwn(claims, 'nonce')) return null
  if (!isPast(iat, clockToleranceSeconds) || !isKeyText(jti)) return null
  const names = [sub, sid].filter((one) => one !== undefined)
  if (names.length === 0 || !names.every(isKeyText)) return null
  return {
    issuer,
    jti,
    expiresAt: new Date(((iat as number) + maxAgeSeconds + 2 * clockToleranceSeconds) * 1000),
    ...(sub !== undefined && { subject: sub as string }),
    ...(sid !== undefined && { sid: sid as string }),
  }
}

function isLogoutType(typ: unknown): boolean {
  return (
    typ === undefined || (typeof typ === 'string' && /^(application\/)?logout\+jwt$/i.test(typ))
  )
}

function hasLogoutEvent(events: unknown): boolean {
  const happened = (ownMembers(events) as Readonly<Record<string, unknown>> | null)?.[event]
  return typeof happened === 'object' && happened !== null && !Array.isArray(happened)
}
