import { JOSEError } from 'jose/errors'
import { type JWTVerifyOptions, jwtVerify } from 'jose/jwt/verify'
import { ownMembers } from '../lib/check-options.js'
import { UnexpectedAnswer } from '../lib/host-call.js'
import { isOneLine } from '../lib/texts.js'
import type { Identity } from './contract.js'
import type { CheckedOpenIdOptions, ClaimedIdentity } from './open-id-options.js'
import { type OpenIdServer, type OpenIdServers, outageOf } from './open-id-server.js'

type Claims = Readonly<Record<string, unknown>>

/** Whether this can be an issuer, a subject or the id of a session: 1 to 255 bytes of text. */
export function isKeyText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && isBounded(value, 255)
}

/** A text of one line and of so many bytes; undefined for anything else. */
export function boundedText(value: unknown, bytes: number): string | undefined {
  return typeof value === 'string' && value !== '' && isBounded(value, bytes) ? value : undefined
}

// The length first: a stranger has chosen it.
function isBounded(value: string, bytes: number): boolean {
  return value.length <= bytes && Buffer.byteLength(value) <= bytes && isOneLine(value)
}

/**
 * The identity that the claims describe. A claim that is not a text, or too long, is left out. A
 * claim of UserInfo comes before that claim of the ID Token.
 */
export function identityOf(
  issuer: string,
  subject: string,
  idToken: Claims,
  userinfo: Claims,
): Identity {
  const profile: Claims = ownMembers({ ...idToken, ...userinfo })
  // Both claims come from one source: the address of one source with the proof of the other would
  // be no proof.
  const { email, email_verified } = ownMembers(
    Object.hasOwn(userinfo, 'email') ? userinfo : idToken,
  )
  const address = boundedText(email, 254)
  const own = ownMembers(idToken)
  return present({
    issuer,
    subject,
    email: address,
    emailVerified: address === undefined ? undefined : isTrue(email_verified),
    name: boundedText(profile['name'], 255),
    username: boundedText(profile['preferred_username'], 255),
    locale: boundedText(profile['locale'], 35),
    amr: methodsOf(own['amr']),
    acr: boundedText(own['acr'], 255),
    authenticatedAt: momentOf(own['auth_time']),
    sid: boundedText(own['sid'], 255),
  })
}

// As text from Amazon Cognito and JumpCloud, though OpenID Connect Core §5.1 says a boolean.
function isTrue(claim: unknown): boolean {
  return claim === true || claim === 'true'
}

function momentOf(seconds: unknown): Date | undefined {
  const isTime = typeof seconds === 'number' && seconds > 0 && seconds < 1e11
  return isTime ? new Date(seconds * 1000) : undefined
}

/**
 * The claims that a hook of the host reads: claims of UserInfo come before claims of the ID Token.
 * The proof of an address comes from the same source as the address, or not at all.
 */
export function claimsOf(idToken: Claims, userinfo: Claims): Claims {
  if (!Object.hasOwn(userinfo, 'email')) return { ...idToken, ...userinfo }
  const { email_verified: _ofAnother, ...others } = idToken
  return { ...others, ...userinfo }
}

/**
 * The name in the field `user` of an answer by a form, with which Apple sends it: once, and in no
 * token. The name is not proven, but no name that users give themselves is proven.
 */
export function nameInForm(user: string | undefined): string | undefined {
  const { name } = ownMembers(asObject(user ?? '') as { readonly name?: unknown })
  const { firstName, lastName } = ownMembers(
    (typeof name === 'object' ? { ...name } : {}) as Record<string, unknown>,
  )
  const parts = [firstName, lastName].filter((part) => typeof part === 'string')
  return boundedText(parts.join(' ').trim(), 255)
}

function asObject(json: string): object {
  try {
    return { ...JSON.parse(json) }
  } catch {
    return {}
  }
}

/** Methods of a sign-in there; undefined for anything but a list. */
export function methodsOf(amr: unknown): string[] | undefined {
  if (!Array.isArray(amr)) return undefined
  return amr.slice(0, 20).filter((one) => boundedText(one, 64) !== undefined)
}

/** The identity with what the host's hook has returned. */
export function withClaimed(identity: Identity, claimed: ClaimedIdentity): Identity {
  if (typeof claimed !== 'object' || claimed === null)
    throw new UnexpectedAnswer('claims() returned no object.')
  const { issuer, subject } = identity
  const given = ownMembers(claimed)
  // An address of the host's choice has not the proof of the one that it replaces.
  const proof = Object.hasOwn(given, 'email') ? { emailVerified: given.emailVerified === true } : {}
  return present({ ...identity, ...given, ...proof, issuer, subject })
}

/** Without the members that are undefined. */
export function present(
  members: {
    readonly [Name in keyof Identity]: Identity[Name] | undefined
  },
): Identity {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as unknown as Identity
}

/** The content of a token that has passed every check. */
export interface VerifiedToken {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
}

/** A token with a right signature and of this issuer and audience; null for anything else. */
export type VerifyToken = (
  token: string,
  server: OpenIdServer,
  checks?: Pick<JWTVerifyOptions, 'maxTokenAge' | 'requiredClaims'>,
) => Promise<VerifiedToken | null>

/** Whose tokens, for whom, and how far the clocks of the two servers may be apart. */
export type TokenSettings = Pick<
  CheckedOpenIdOptions,
  'issuer' | 'clientId' | 'clockToleranceSeconds'
>

/**
 * With these errors, the token is at fault. With all other errors, the provider or the connection
 * to it is at fault.
 */
const faults = new Set([
  'ERR_JOSE_ALG_NOT_ALLOWED',
  'ERR_JOSE_NOT_SUPPORTED',
  'ERR_JWKS_MULTIPLE_MATCHING_KEYS',
  'ERR_JWKS_NO_MATCHING_KEY',
  'ERR_JWS_INVALID',
  'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
  'ERR_JWT_CLAIM_VALIDATION_FAILED',
  'ERR_JWT_EXPIRED',
  'ERR_JWT_INVALID',
])

/** Verifies the tokens of a provider, with keys that are read anew for an unknown one. */
export function createVerifyToken(
  { issuer, clientId, clockToleranceSeconds }: TokenSettings,
  servers: OpenIdServers,
): VerifyToken {
  async function verify(
    token: string,
    server: OpenIdServer,
    checks: Parameters<VerifyToken>[2],
  ): Promise<VerifiedToken> {
    const { payload, protectedHeader } = await jwtVerify(
      token,
      server.keys,
      // The options have no prototype: jose would read missing members from a prototype.
      ownMembers({
        ...checks,
        algorithms: server.algorithms,
        issuer,
        audience: clientId,
        clockTolerance: clockToleranceSeconds,
      }),
    )
    return { header: ownMembers(protectedHeader), claims: ownMembers(payload) }
  }

  return async function verifyToken(token, server, checks) {
    try {
      return await verify(token, server, checks)
    } catch (error) {
      if (!isFault(error)) throw outageOf(error)
      if (codeOf(error) !== 'ERR_JWKS_NO_MATCHING_KEY') return null
    }
    const newer = await servers.newer(server)
    if (newer === server) return null
    return verify(token, newer, checks).catch((error: unknown) => {
      if (isFault(error)) return null
      throw outageOf(error)
    })
  }
}

function isFault(error: unknown): boolean {
  return faults.has(codeOf(error))
}

function codeOf(error: unknown): string {
  return error instanceof JOSEError ? error.code : ''
}

/** Whether a time in a token is not in the future. */
export function isPast(seconds: unknown, toleranceSeconds: number): boolean {
  return typeof seconds === 'number' && seconds <= Date.now() / 1000 + toleranceSeconds
}
