import type { NoticeTime } from '../audit/audit.js'
import { AuthError, notSignedIn } from '../errors.js'
import { boundedCache } from '../lib/bounded-cache.js'
import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'
import { randomId, sha256 } from '../lib/secrets.js'
import type { AccessTokenClaims, TokenSigner } from '../signers/contract.js'
import type { SessionRecord } from '../stores/contract.js'
import { pairNameOf } from './refresh-token.js'

/** An access token and its lifetime. */
export interface IssuedAccessToken {
  readonly token: string
  /** Seconds, RFC 6749 §5.1. */
  readonly expiresIn: number
  readonly expiresAt: Date
}

/** Issues and verifies access tokens with the host's signer. */
export interface AccessTokens {
  /**
   * Issues a token of the session, bound to its current refresh token. It lives at most `lifetime`
   * seconds, and no longer than the session. `audience`: the API, if not the signer's own; `use`
   * makes the result.
   */
  issue<Result = IssuedAccessToken>(
    session: SessionRecord,
    lifetime: number,
    now: Date,
    audience?: string,
    use?: (issued: IssuedAccessToken) => Result,
  ): Promise<Result>
  /**
   * The claims of a valid token of ours for our own API, or for `audience`. Throws 401 for any
   * other, 503 if the signer fails.
   */
  verify(token: string, now: Date, audience?: string): Promise<AccessTokenClaims>
  /**
   * The claims of a token of ours, expired or not if the signer supports that; null for any other.
   * This is no authentication: it only proves that the caller has held the token. With `audiences`,
   * for a token of one of these APIs instead of our own. Throws 503.
   */
  readWhenever(
    token: string,
    now: Date,
    audiences?: readonly string[],
  ): Promise<AccessTokenClaims | null>
  /**
   * The claims of a valid token of ours for one of these APIs; null for any other. Does not cache
   * it, since it may be for another API. Throws 503.
   */
  readFor(audiences: readonly string[], token: string, now: Date): Promise<AccessTokenClaims | null>
  /**
   * The claims of a token that was verified for this API a moment ago, without a promise; undefined
   * if it is not in the cache.
   */
  remembered(token: string, now: Date, audience?: string): AccessTokenClaims | undefined
}

/** Maximum skew that a signer may tolerate; its own setting is usually smaller. */
const maxSkewSeconds = 60
/** A removed key takes effect within this time. */
const maxVerifiedAgeSeconds = 30
const maxVerified = 20_000
/** Characters. A socket may send a megabyte, and a host's own signer might parse all of it. */
const maxTokenCharacters = 8192

/** `noticeTime` gets the time of issue of each verified token. */
export function createAccessTokens(
  signer: TokenSigner,
  call: HostCall,
  noticeTime: NoticeTime,
): AccessTokens {
  const { own, cacheOf } = createVerifiedTokens()

  function remembered(token: string, now: Date, audience?: string): AccessTokenClaims | undefined {
    if (token.length > maxTokenCharacters) return undefined
    const known = (audience === undefined ? own : cacheOf(audience)).get(sha256(token), now)
    // After its expiry, the signer decides how much skew to tolerate.
    return known !== undefined && now.getTime() < known.exp * 1000 ? known : undefined
  }

  async function verifiedClaims(
    token: string,
    now: Date,
    audience: string | undefined,
  ): Promise<AccessTokenClaims> {
    const known = remembered(token, now, audience)
    if (known !== undefined) return known
    const audiences = audience === undefined ? undefined : [audience]
    const work = () => signer.verify(token, ...(audiences === undefined ? [] : [{ audiences }]))
    const claims = await call('signer.verify', () => claimsOrRefusal(work))
    if (claims instanceof AuthError) throw claims
    if (!isMeantFor(audiences, claims, signer)) throw notSignedIn('token for another API')
    cacheOf(audience).set(sha256(token), claims, now)
    return claims
  }

  async function verify(token: string, now: Date, audience?: string): Promise<AccessTokenClaims> {
    if (token.length > maxTokenCharacters)
      throw notSignedIn(`token longer than ${maxTokenCharacters} characters`)
    const claims = await verifiedClaims(token, now, audience)
    noticeTime(new Date(claims.iat * 1000), now)
    const problem = problemOfTimes(claims, now)
    if (problem !== null) throw notSignedIn(problem)
    return claims
  }

  return {
    issue<Result>(
      session: SessionRecord,
      lifetime: number,
      now: Date,
      audience?: string,
      use?: (issued: IssuedAccessToken) => Result,
    ) {
      const claims = claimsOf(session, lifetime, now, audience)
      const { iat, exp } = claims
      const from = (token: string) => {
        const expiresAt = new Date(exp * 1000)
        const issued = { token: textFrom(token), expiresIn: exp - iat, expiresAt }
        return (use === undefined ? issued : use(issued)) as Result
      }
      return call('signer.sign', () => signer.sign(claims), from)
    },

    verify,

    ...createReadingForApis(signer, call, verify),

    remembered,
  }
}

function claimsOf(
  session: SessionRecord,
  lifetime: number,
  now: Date,
  audience: string | undefined,
): AccessTokenClaims {
  const { refresh, actorId } = session
  const iat = seconds(now)
  return {
    sub: session.userId,
    sid: session.id,
    iat,
    // At least a second: otherwise clients would refresh in a loop just before the session ends.
    exp: Math.max(iat + 1, Math.min(iat + lifetime, seconds(session.expiresAt))),
    jti: refresh === null ? randomId() : `${randomId()}.${pairNameOf(refresh.hash)}`,
    auth_time: seconds(session.authenticatedAt),
    amr: session.methods,
    scope: session.scope,
    ...(session.clientId === undefined ? {} : { client_id: session.clientId }),
    ...(actorId === undefined ? {} : { act: { sub: actorId } }),
    ...(audience === undefined ? {} : { aud: audience }),
  }
}

// The cache is keyed by digest, so that a memory dump contains no tokens. Each API has a cache of
// its own: a token that was verified for one API must not be found at another. The guards name the
// APIs, so they are few.
function createVerifiedTokens() {
  const newCache = () => boundedCache<AccessTokenClaims>(maxVerified, maxVerifiedAgeSeconds)
  const own = newCache()
  const further = new Map<string, typeof own>()
  return {
    own,
    cacheOf(audience: string | undefined): typeof own {
      if (audience === undefined) return own
      const cache = further.get(audience) ?? newCache()
      further.set(audience, cache)
      return cache
    },
  }
}

function createReadingForApis(
  signer: TokenSigner,
  call: HostCall,
  verify: AccessTokens['verify'],
): Pick<AccessTokens, 'readWhenever' | 'readFor'> {
  const verifyExpired = signer.verifyExpired?.bind(signer)

  async function ask(
    operation: string,
    audiences: readonly string[] | undefined,
    work: () => Promise<AccessTokenClaims>,
  ): Promise<AccessTokenClaims | null> {
    const claims = await call(operation, () => claimsOrRefusal(work))
    if (claims instanceof AuthError) return null
    return isMeantFor(audiences, claims, signer) ? claims : null
  }

  async function readFor(
    audiences: readonly string[],
    token: string,
    now: Date,
  ): Promise<AccessTokenClaims | null> {
    if (token.length > maxTokenCharacters) return null
    const work = () => signer.verify(token, { audiences })
    const claims = await ask('signer.verify', audiences, work)
    return claims !== null && problemOfTimes(claims, now) === null ? claims : null
  }

  return {
    readFor,

    async readWhenever(token, now, audiences) {
      if (token.length > maxTokenCharacters) return null
      if (verifyExpired !== undefined) {
        const options = audiences === undefined ? [] : [{ audiences }]
        const work = () => verifyExpired(token, ...options)
        return ask('signer.verifyExpired', audiences, work)
      }
      if (audiences !== undefined) return readFor(audiences, token, now)
      return verify(token, now).catch((error: unknown) => {
        if (error instanceof AuthError && error.status === 401) return null
        throw error
      })
    },
  }
}

function isMeantFor(
  audiences: readonly string[] | undefined,
  claims: AccessTokenClaims,
  signer: TokenSigner,
): boolean {
  return audiences === undefined ? isForUs(claims, signer) : isForOneOf(audiences, claims, signer)
}

// A signer that ignores the audience would accept an app's token for another API here (RFC 8725
// §3.9). A signer without `audience` issues no tokens for other APIs.
function isForUs({ aud }: AccessTokenClaims, { audience }: TokenSigner): boolean {
  return aud === undefined || audience === undefined || aud === audience
}

// A signer that ignores `audiences` returns the claims of a token for its own audience.
function isForOneOf(
  audiences: readonly string[],
  { aud }: AccessTokenClaims,
  { audience }: TokenSigner,
): boolean {
  const isFor = aud ?? audience
  return isFor !== undefined && audiences.includes(isFor)
}

// The times are checked again with the router's clock: a host's own signer may not check the times.
function problemOfTimes({ exp, iat }: AccessTokenClaims, now: Date): string | null {
  if (exp + maxSkewSeconds <= seconds(now)) return 'token expired'
  return iat - maxSkewSeconds > seconds(now) ? 'token issued in the future' : null
}

/** The name of the pair that a token belongs to; null for a token without a refresh token. */
export function pairOf({ jti }: AccessTokenClaims): string | null {
  // A host's own signer may return none.
  if (typeof jti !== 'string') return null
  const dot = jti.indexOf('.')
  return dot < 0 ? null : jti.slice(dot + 1)
}

// A refusal is a result, not a failure: only other errors of the signer become a 503.
async function claimsOrRefusal(
  verify: () => Promise<AccessTokenClaims>,
): Promise<AccessTokenClaims | AuthError> {
  try {
    const claims = await verify()
    if (isClaims(claims)) return claims
    throw new UnexpectedAnswer('the signer answered something that is not a set of claims')
  } catch (error) {
    if (error instanceof AuthError && error.code === 'Unauthorized') return error
    throw error
  }
}

function isClaims(claims: Partial<AccessTokenClaims> | null | undefined): boolean {
  const { sub, sid, scope, exp, iat } = claims ?? {}
  return (
    [sub, sid, scope].every((text) => typeof text === 'string') &&
    [exp, iat].every((time) => Number.isSafeInteger(time))
  )
}

function textFrom(token: unknown): string {
  if (typeof token === 'string' && token !== '') return token
  throw new UnexpectedAnswer('the signer answered something that is not a token')
}

function seconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1000)
}
