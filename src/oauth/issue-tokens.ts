import { hash } from 'node:crypto'
import { UnexpectedAnswer } from '../lib/host-call.js'
import { sha256 } from '../lib/secrets.js'
import type { IdTokenClaims } from '../signers/contract.js'
import type { OAuthClient } from '../stores/client-contract.js'
import type { SessionRecord, StoredMethod } from '../stores/contract.js'
import { acrOf } from '../two-factor/acr.js'
import type { AuthUser } from '../users/contract.js'
import type { AppsKit } from './apps-kit.js'

/** The grant that tokens are issued for. */
export interface TokenGrant {
  readonly client: OAuthClient
  readonly user: AuthUser
  /** At least one. */
  readonly scopes: readonly string[]
  /** The API that the access token is for. */
  readonly resource: string
  /** The `acr` at the time the code was issued; null: derived from the session. */
  readonly acr: string | null
  readonly nonce: string | null
}

/** The token response, RFC 6749 §5.1. */
export interface IssuedTokens {
  readonly access_token: string
  readonly token_type: 'Bearer'
  /** Seconds. */
  readonly expires_in: number
  /** Always present, since a client may have got less than it asked for. */
  readonly scope: string
  /** With the scope `openid`. */
  readonly id_token?: string
}

/** Signs the tokens of a session, which need not be stored yet. Throws 503. */
export async function issueTokens(
  kit: AppsKit,
  session: SessionRecord,
  grant: TokenGrant,
): Promise<IssuedTokens> {
  const { accessTokens, accessTokenLifetime, ownResource } = kit
  const isOwn = grant.resource === ownResource
  if (!isOwn) await kit.requireFitSigner()
  const scope = grant.scopes.join(' ')
  const now = kit.clock()
  const { token, expiresIn } = await accessTokens.issue(
    { ...session, scope },
    accessTokenLifetime,
    now,
    isOwn ? undefined : grant.resource,
  )
  const idToken = grant.scopes.includes('openid')
    ? { id_token: await signIdToken(kit, session, grant, token, now) }
    : {}
  return { access_token: token, token_type: 'Bearer', expires_in: expiresIn, scope, ...idToken }
}

// Clients with the scope `openid` are refused unless the signer can do this, so a missing method is
// a failure.
async function signIdToken(
  { signer, userClaims, meetsFactorPolicy, call }: AppsKit,
  session: SessionRecord,
  { client, user, scopes, acr, nonce }: TokenGrant,
  accessToken: string,
  now: Date,
): Promise<string> {
  const claims = idTokenClaims({
    session,
    clientId: client.id,
    accessToken,
    acr: acr ?? acrOf(session.methods, meetsFactorPolicy),
    nonce,
    claims: await userClaims(user, { scope: scopes, client }),
    now,
  })
  const { idTokenAlgorithm: algorithm = 'ES256' } = client
  return call('signer.signIdToken', async () => {
    const token: unknown = await signer.signIdToken?.(claims, { algorithm })
    if (typeof token === 'string' && token !== '') return token
    throw new UnexpectedAnswer('the signer did not return a token')
  })
}

/** The content of an ID token. */
export interface IdTokenFacts {
  readonly session: SessionRecord
  /** The client it is for. */
  readonly clientId: string
  /** The access token issued with it. */
  readonly accessToken: string
  /** The `acr` of the sign-in. */
  readonly acr: string
  /** From the authorization request; null without one, and with a refresh. */
  readonly nonce: string | null
  /** Further claims that the client may know about the user. */
  readonly claims: Readonly<Record<string, unknown>>
  readonly now: Date
}

/** Seconds. A client reads the token once, when it gets it. */
const lifetimeSeconds = 600

/**
 * The claims of an ID token, without `iss`, which the signer adds: [OpenID Connect Core
 * §2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken). Claims about the user never
 * replace claims about the token.
 *
 * @internal
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
    // Undefined also overrides a claim of this name from the host.
    nonce: facts.nonce ?? undefined,
    amr: amr.length === 0 ? undefined : amr,
  }
}

/** The `amr` values of each method; other methods have none. */
const names: ReadonlyMap<StoredMethod, readonly string[]> = new Map([
  ['pwd', ['pwd']],
  // A code is always a second factor.
  ['otp', ['otp', 'mfa']],
  ['recovery', ['otp', 'mfa']],
  ['sms', ['sms']],
  // A key, whatever stores it, and a user's touch, together with a password or user verification.
  ['passkey', ['pop', 'user', 'mfa']],
  ['mfa', ['mfa']],
  ['hwk', ['pop', 'hwk']],
  ['swk', ['pop', 'swk']],
])

/**
 * The methods in the terms of [RFC 8176 §2](https://www.rfc-editor.org/rfc/rfc8176#section-2). The
 * methods `host` and `email` have none there.
 */
function amrOf(methods: readonly StoredMethod[]): readonly string[] {
  return [...new Set(methods.flatMap((method) => names.get(method) ?? []))]
}

/** The `sid` of a session at its client, in ID tokens and logout tokens. */
export function sidOf(
  { id, parentId }: Pick<SessionRecord, 'id' | 'parentId'>,
  clientId: string,
): string {
  return parentId === undefined ? id : sidInBrowser(parentId, clientId)
}

/**
 * The `sid` of a client's sessions that end with a browser's session. They are opened anew at each
 * sign-in; for the client all of them are one.
 */
export function sidInBrowser(browserSessionId: string, clientId: string): string {
  return sha256(JSON.stringify(['sid', browserSessionId, clientId]))
}

// OpenID Connect Core §3.1.3.6: the left half of the hash that the signature algorithm uses,
// SHA-256 for both.
function accessTokenHash(accessToken: string): string {
  return hash('sha256', accessToken, 'buffer').subarray(0, 16).toString('base64url')
}

function seconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1000)
}
