import type { TokenEndpointResponse } from 'openid-client'
import { ownMembers } from '../lib/check-options.js'
import { UnexpectedAnswer } from '../lib/host-call.js'
import type { FlowToFinish, ProviderLogout } from './contract.js'
import {
  isKeyText,
  isPast,
  type TokenSettings,
  type VerifiedToken,
  type VerifyToken,
} from './open-id-identity.js'
import type { ProviderTokens } from './open-id-options.js'
import { errorReason, type OpenIdServer, type OpenIdServers, outageOf } from './open-id-server.js'

type Claims = Readonly<Record<string, unknown>>

/** The exchanged and verified answer that a browser has brought back. */
export type OpenIdAnswer =
  | {
      readonly outcome: 'read'
      readonly subject: string
      readonly idToken: Claims
      readonly userinfo: Claims
      readonly tokens: ProviderTokens
    }
  | Refusal

interface Refusal {
  readonly outcome: 'refused'
  readonly reason: string
}

/** Which claims of UserInfo are asked, and how tokens are verified. */
interface AnswerRules {
  readonly issuer: string
  readonly clientId: string
  readonly clockToleranceSeconds: number
  readonly asksUserinfo: boolean
  readonly verifyToken: VerifyToken
}

/** The values that `start` has kept for the answer. */
interface Kept {
  readonly nonce: string
  readonly verifier: string
  readonly maxAge?: number | undefined
}

/** Characters of a code, as of everything else in an answer. */
const maxCharacters = 4096

/** A refusal with a word for the log. */
export function refused(reason: string): Refusal {
  return { outcome: 'refused', reason }
}

/** Exchanges the code of an answer, and verifies the tokens. */
export async function readAnswer(
  rules: AnswerRules,
  server: OpenIdServer,
  flow: FlowToFinish,
): Promise<OpenIdAnswer> {
  const kept = keptOf(flow)
  const fault = faultOf(flow, server, rules.issuer)
  if (fault !== null) return refused(fault)
  try {
    const tokens = await exchange(server, flow, kept)
    return await verified(rules, server, kept, tokens)
  } catch (error) {
    const reason = reasonOf(error)
    if (reason !== null) return refused(reason)
    throw outageOf(error)
  }
}

// Without a nonce of ours, one that is missing in the token would fit.
function keptOf({ keep }: FlowToFinish): Kept {
  const { nonce, verifier, maxAge } = ownMembers(keep) as Partial<Record<keyof Kept, unknown>>
  const isAge = maxAge === undefined || typeof maxAge === 'number'
  if (isSecret(nonce) && isSecret(verifier) && isAge) return { nonce, verifier, maxAge }
  throw new UnexpectedAnswer('what was kept for the answer is not as start() returned it.')
}

function isSecret(value: unknown): value is string {
  return typeof value === 'string' && value.length === 43
}

/** The fault of the answer itself; null if the answer can be exchanged. */
function faultOf(
  { state, parameters }: FlowToFinish,
  { sendsIssuer }: OpenIdServer,
  issuer: string,
): string | null {
  const given = ownMembers(parameters)
  if (Object.values(given).some((value) => value.length > maxCharacters)) return 'too-long'
  if (given['state'] !== state) return 'wrong-state'
  // RFC 9207 §2.4: before anything else of the answer counts, an error too.
  const { iss } = given
  if (iss === undefined ? sendsIssuer : iss !== issuer) return 'wrong-issuer'
  const { error } = given
  if (error !== undefined) return errorReason(error)
  return given['code'] ? null : 'no-code'
}

function exchange(
  { library, config }: OpenIdServer,
  { state, callbackUrl, parameters }: FlowToFinish,
  { nonce, verifier, maxAge }: Kept,
): Promise<TokenEndpointResponse> {
  const given = ownMembers(parameters)
  const answer = new URL(callbackUrl)
  for (const name of ['code', 'state', 'iss']) {
    const value = given[name]
    if (value !== undefined) answer.searchParams.set(name, value)
  }
  return library.authorizationCodeGrant(config, answer, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
    ...(maxAge !== undefined && { maxAge }),
  })
}

// OpenID Connect Core §3.1.3.7. The library leaves out the signature of a token that comes from the
// provider itself, times in the future, and the one party of a token with one audience.
async function verified(
  { clientId, clockToleranceSeconds, asksUserinfo, verifyToken }: AnswerRules,
  server: OpenIdServer,
  { nonce }: Kept,
  tokens: TokenEndpointResponse,
): Promise<OpenIdAnswer> {
  const token = await verifyToken(tokens.id_token ?? '', server)
  if (token === null) return refused('id-token')
  const { sub, azp, iat } = token.claims
  if (!isPast(iat, clockToleranceSeconds) || token.claims['nonce'] !== nonce)
    return refused('id-token')
  if (azp !== undefined && azp !== clientId) return refused('id-token')
  if (!isKeyText(sub)) return refused('subject')
  const { library, config } = server
  const userinfo = asksUserinfo ? await library.fetchUserInfo(config, tokens.access_token, sub) : {}
  return {
    outcome: 'read',
    subject: sub,
    idToken: token.claims,
    userinfo: ownMembers(userinfo),
    tokens: tokensOf(tokens),
  }
}

function tokensOf(tokens: TokenEndpointResponse): ProviderTokens {
  const { access_token, refresh_token, id_token, scope, expires_in } = ownMembers(tokens)
  return {
    accessToken: access_token,
    ...(refresh_token !== undefined && { refreshToken: refresh_token }),
    ...(id_token !== undefined && { idToken: id_token }),
    ...(scope !== undefined && { scope }),
    ...(expires_in !== undefined && { expiresIn: expires_in }),
  }
}

/** Codes of openid-client for tokens and answers that are not good. */
const refusing: Readonly<Record<string, string>> = {
  OAUTH_INVALID_RESPONSE: 'id-token',
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: 'userinfo',
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: 'id-token',
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: 'id-token',
  OAUTH_PARSE_ERROR: 'id-token',
  OAUTH_UNSUPPORTED_OPERATION: 'id-token',
}

/** Why nobody is signed in; null for an outage. */
function reasonOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const { code = '', error: answered } = error as Error & { code?: string; error?: string }
  // RFC 6749 §5.2: the code is used, too old, or of another client.
  if (code === 'OAUTH_RESPONSE_BODY_ERROR') return answered === 'invalid_grant' ? 'code' : null
  return Object.hasOwn(refusing, code) ? (refusing[code] ?? null) : null
}

/** The limit before anything is read. */
const maxLogoutCharacters = 8192
const maxAgeSeconds = 600
const event = 'http://schemas.openid.net/event/backchannel-logout'

/** Reads logout tokens of one provider; null for anything else. */
export function createReadLogoutToken(
  settings: Omit<TokenSettings, 'clientId'>,
  servers: OpenIdServers,
  verifyToken: VerifyToken,
): (token: string) => Promise<ProviderLogout | null> {
  return async function readLogoutToken(token) {
    // A text that is no JWT must not make a request to the provider.
    if (typeof token !== 'string' || token.length > maxLogoutCharacters || !looksSigned(token))
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
