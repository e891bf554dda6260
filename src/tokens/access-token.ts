import type { NoticeTime } from '../clock-watch.js'
import { AuthError, notSignedIn } from '../errors.js'
import { boundedCache } from '../lib/bounded-cache.js'
import { sha256 } from '../lib/digest.js'
import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'
import { randomId } from '../lib/random.js'
import type { AccessTokenClaims, TokenSigner } from '../signers/contract.js'
import type { SessionRecord } from '../stores/contract.js'

/** An access token and how long it is good for. */
export interface IssuedAccessToken {
  readonly token: string
  /** Seconds, RFC 6749 §5.1. */
  readonly expiresIn: number
}

/** Makes and checks access tokens through the host's signer. */
export interface AccessTokens {
  /** A token of the session that lives at most `lifetime` seconds, and never longer than the session. */
  issue(session: SessionRecord, lifetime: number, now: Date): Promise<IssuedAccessToken>
  /** The claims of a token that is ours, whole and of this moment. Throws 401 for any other, 503 when the signer failed. */
  verify(token: string, now: Date): Promise<AccessTokenClaims>
  /** The same, at once, for a token that was verified a moment ago; undefined for any other, of which nothing is known. */
  remembered(token: string, now: Date): AccessTokenClaims | undefined
}

/** The most skew a signer may forgive; its own setting is usually less. */
const skewInSeconds = 60
/** A signature does not change, but a key may be withdrawn: that takes effect within this time. */
const oldestVerifiedSeconds = 30
const mostVerified = 20_000

/** Binds access tokens to a signer. `noticeTime` is told when each was issued. */
export function createAccessTokens(signer: TokenSigner, call: HostCall, noticeTime: NoticeTime): AccessTokens {
  // By digest, so that no memory dump holds a list of tokens.
  const verified = boundedCache<AccessTokenClaims>(mostVerified, oldestVerifiedSeconds)

  function remembered(token: string, now: Date): AccessTokenClaims | undefined {
    const known = verified.get(sha256(token), now)
    // Once it is over by our clock, how much skew to forgive is for the signer to say.
    return known !== undefined && now.getTime() < known.exp * 1000 ? known : undefined
  }

  async function verifiedClaims(token: string, now: Date): Promise<AccessTokenClaims> {
    const known = remembered(token, now)
    if (known !== undefined) return known
    const claims = await call('signer.verify', () => claimsOrRefusal(signer, token))
    if (claims instanceof AuthError) throw claims
    verified.set(sha256(token), claims, now)
    return claims
  }

  return {
    async issue(session, lifetime, now) {
      const iat = seconds(now)
      const exp = Math.min(iat + lifetime, seconds(session.expiresAt))
      const claims: AccessTokenClaims = {
        sub: session.userId,
        sid: session.id,
        iat,
        exp,
        jti: randomId(),
        auth_time: seconds(session.authenticatedAt),
        amr: session.methods,
        scope: session.scope,
      }
      const token = await call('signer.sign', async () => textFrom(await signer.sign(claims)))
      return { token, expiresIn: exp - iat }
    },

    async verify(token, now) {
      const claims = await verifiedClaims(token, now)
      noticeTime(new Date(claims.iat * 1000))
      // Again by the router's own clock: a signer in a KMS or a host's own may forget the times.
      if (claims.exp + skewInSeconds <= seconds(now)) throw notSignedIn('token expired')
      if (claims.iat - skewInSeconds > seconds(now)) throw notSignedIn('token issued in the future')
      return claims
    },

    remembered,
  }
}

// A refusal is an answer, not a failure: only what is not the signer's verdict may become a 503.
async function claimsOrRefusal(signer: TokenSigner, token: string): Promise<AccessTokenClaims | AuthError> {
  try {
    const claims = await signer.verify(token)
    if (isClaims(claims)) return claims
    throw new UnexpectedAnswer('the signer answered something that is not a set of claims')
  } catch (error) {
    if (error instanceof AuthError && error.code === 'Unauthorized') return error
    throw error
  }
}

function isClaims(claims: Partial<AccessTokenClaims> | null | undefined): boolean {
  const { sub, sid, scope, exp, iat } = claims ?? {}
  return [sub, sid, scope].every((text) => typeof text === 'string') && [exp, iat].every((time) => Number.isSafeInteger(time))
}

function textFrom(token: unknown): string {
  if (typeof token === 'string' && token !== '') return token
  throw new UnexpectedAnswer('the signer answered something that is not a token')
}

function seconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1000)
}
