import { hash } from 'node:crypto'
import { sha256 } from '../lib/digest.js'
import type { IdTokenClaims } from '../signers/contract.js'
import type { SessionRecord, StoredMethod } from '../stores/contract.js'

/** What an ID token is about. */
export interface IdTokenFacts {
  readonly session: SessionRecord
  /** Whom it is for. */
  readonly clientId: string
  /** The access token that it is handed out with. */
  readonly accessToken: string
  /** How surely the user is known. */
  readonly acr: string
  /** As it was sent with the request; null with a refresh, or where none was. */
  readonly nonce: string | null
  /** What else the client may know of the user. */
  readonly claims: Readonly<Record<string, unknown>>
  readonly now: Date
}

/** Seconds. A client reads it once, when it gets it. */
const lifetimeSeconds = 600

/**
 * The claims of an ID token, but for `iss`, which the signer adds:
 * [OpenID Connect Core §2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken). What is
 * said of the user never stands in the place of what the token says of itself.
 */
export function idTokenClaims(facts: IdTokenFacts): IdTokenClaims {
  const { session, clientId, acr, claims } = facts
  const iat = seconds(facts.now)
  const amr = amrOf(session.methods)
  return {
    ...claims,
    sub: session.userId,
    aud: clientId,
    iat,
    exp: iat + lifetimeSeconds,
    auth_time: seconds(session.authenticatedAt),
    acr,
    sid: sidOf(session, clientId),
    at_hash: accessTokenHash(facts.accessToken),
    // Where there is none, a claim of this name is left out all the same.
    nonce: facts.nonce ?? undefined,
    amr: amr.length === 0 ? undefined : amr,
  }
}

/** What each method is called in `amr`; what is not here has no name there. */
const names: ReadonlyMap<StoredMethod, readonly string[]> = new Map([
  ['pwd', ['pwd']],
  // A code of an app is only ever asked for besides something else.
  ['otp', ['otp', 'mfa']],
  ['recovery', ['otp', 'mfa']],
  // The key, in whatever it is kept, and somebody's touch; with a password or by a PIN besides.
  ['passkey', ['pop', 'user', 'mfa']],
  ['mfa', ['mfa']],
  ['hwk', ['pop', 'hwk']],
  ['swk', ['pop', 'swk']],
])

/**
 * How a user has signed in, in the words of
 * [RFC 8176 §2](https://www.rfc-editor.org/rfc/rfc8176#section-2). A host that vouches for a user
 * without saying how has no word there.
 */
function amrOf(methods: readonly StoredMethod[]): readonly string[] {
  return [...new Set(methods.flatMap((method) => names.get(method) ?? []))]
}

// A session that depends on a browser's is opened anew with each sign-in. To the client they are
// one, which ends with the browser's.
function sidOf({ id, parentId }: SessionRecord, clientId: string): string {
  return parentId === undefined ? id : sha256(JSON.stringify(['sid', parentId, clientId]))
}

// OpenID Connect Core §3.1.3.6: the left half of the hash whose size is that of the algorithm's,
// which is SHA-256 for both.
function accessTokenHash(accessToken: string): string {
  return hash('sha256', accessToken, 'buffer').subarray(0, 16).toString('base64url')
}

function seconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1000)
}
