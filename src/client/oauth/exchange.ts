import { noAnswer } from '../errors.js'
import type { ClientParts } from '../parts.js'
import { fromBase64Url } from '../platform.js'
import { keepInPlace, meOf } from '../sign-in.js'
import { ofLogin } from '../stored-session.js'
import type { Me } from '../wire.js'
import type { Begun } from './begun.js'
import { OAuthError } from './query.js'

/** The app as registered at the server. */
export interface OAuthApp {
  readonly clientId: string
  readonly redirectUri: string
  readonly scope: string
  readonly issuer: string
}

/** The answer of the token endpoint, RFC 6749 §5.1. */
interface Tokens {
  readonly access_token: string
  readonly expires_in: number
  readonly scope: string
  readonly refresh_token?: string
  readonly id_token?: string
}

/** The user, and the permissions of the app. */
export interface Exchanged {
  readonly me: Me
  readonly scope: readonly string[]
  readonly claims: Claims | null
}

/** Exchanges a code for tokens and stores them. Throws OAuthError and AuthClientError. */
export async function exchange(
  parts: ClientParts,
  app: OAuthApp,
  begun: Begun,
  code: string,
): Promise<Exchanged> {
  const { transport, withRetry, keeper, clock } = parts
  const { clientId: client_id, redirectUri: redirect_uri } = app
  const proof = { code, redirect_uri, code_verifier: begun.codeVerifier, client_id }
  const body = { grant_type: 'authorization_code', ...proof }
  const request = { method: 'POST', path: '/oauth/token', body } as const
  const tokens = requireTokens(await withRetry(() => transport.ask(request)))
  const now = clock().getTime()
  const { id_token: idToken, access_token: authToken, expires_in: expiresIn } = tokens
  const { refresh_token: refreshToken } = tokens
  const judge = async () => {
    const claims = begun.nonce === null ? null : readIdToken(idToken, begun, client_id, now)
    return { claims, me: await whoIs(parts, tokens, claims) }
  }
  const { claims, me } = await judge().catch(async (error: unknown) => {
    // Nobody holds these tokens, so their session is ended.
    const token = refreshToken ?? authToken
    const revoked = { method: 'POST', path: '/oauth/revoke', body: { token, client_id } } as const
    await transport.ask(revoked).catch(() => {})
    throw error
  })
  const refreshable = refreshToken === undefined ? {} : { refreshToken }
  const login = { userId: me._id, me, authToken, expiresIn, ...refreshable }
  const session = { ...ofLogin(login, now), clientId: client_id }
  await (await keepInPlace({ keeper, transport }, session))()
  return { me, scope: tokens.scope.split(' '), claims }
}

/** The tokens in an answer. Throws AuthClientError for anything else. */
export function requireTokens(answer: unknown): Tokens {
  const { access_token, expires_in, scope, refresh_token = '' } = answer as Partial<Tokens>
  if (
    typeof access_token === 'string' &&
    typeof expires_in === 'number' &&
    typeof scope === 'string' &&
    typeof refresh_token === 'string'
  )
    return answer as Tokens
  throw noAnswer()
}

/** The user of the tokens. */
export async function whoIs(
  { transport, withRetry }: ClientParts,
  { access_token: token, scope }: Tokens,
  claims: Claims | null,
): Promise<Me> {
  const isFull = scope.split(' ').includes('*')
  const path = isFull ? '/me' : '/oauth/userinfo'
  const answer = await withRetry(() => transport.ask({ method: 'GET', path, token }))
  const me = isFull ? meOf(answer) : meOfClaims(answer as Claims)
  // OpenID Connect Core §5.3.2: both must be of the same user.
  if (claims !== null && claims.sub !== me._id)
    throw new OAuthError('wrong-id-token', 'The tokens are of two users.')
  return me
}

function meOfClaims(claims: Claims): Me {
  const { sub, name, preferred_username: username } = claims
  if (typeof sub !== 'string') throw noAnswer()
  return { ...claims, _id: sub, name: name ?? sub, username: username ?? sub, status: 'offline' }
}

/** Claims about the user. */
export interface Claims {
  /** The user's id. */
  readonly sub: string
  readonly name?: string
  readonly preferred_username?: string
  readonly [claim: string]: unknown
}

/** Allowed difference between clocks, in seconds. */
const skew = 60

/**
 * Reads an ID token from the token endpoint. The TLS connection to it replaces the check of the
 * signature ([OpenID Connect Core §3.1.3.7](https://openid.net/specs/openid-connect-core-1_0.html),
 * 6). Throws OAuthError.
 */
function readIdToken(
  idToken: unknown,
  { issuer, nonce, maxAge }: Begun,
  clientId: string,
  now: number,
): Claims {
  const claims = claimsOf(idToken)
  const { iss, aud, exp, sub, auth_time: at } = claims
  const seconds = now / 1000
  const isRight =
    iss === issuer &&
    aud === clientId &&
    claims['nonce'] === nonce &&
    typeof sub === 'string' &&
    typeof exp === 'number' &&
    exp > seconds - skew &&
    (maxAge === null || (typeof at === 'number' && at > seconds - maxAge - skew))
  if (isRight) return claims as Claims
  throw new OAuthError('wrong-id-token', 'The ID token does not answer what was asked.')
}

function claimsOf(idToken: unknown): Readonly<Record<string, unknown>> {
  try {
    const [, payload = ''] = String(idToken).split('.')
    // The payload is UTF-8, which decodeURIComponent decodes.
    const bytes = Array.from(fromBase64Url(payload), (byte) => byte.toString(16).padStart(2, '0'))
    return Object(JSON.parse(decodeURIComponent(bytes.map((byte) => `%${byte}`).join(''))))
  } catch {
    return {}
  }
}
