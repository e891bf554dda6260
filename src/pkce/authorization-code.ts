import type { RequestContext } from '../audit/events.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import { equalInConstantTime, randomId, randomSecret, sha256 } from '../lib/secrets.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { AuthorizationCodeRecord } from '../stores/one-time-contract.js'

/** A request for an authorization code. */
export interface CodeRequest {
  readonly approved: ApprovedSignIn
  readonly codeChallenge: string
  readonly scope: string
  readonly authenticatedAt: Date
  /**
   * The session that asks; the code ends with it. Null if the host asks; the code then ends with
   * all sessions of the user.
   */
  readonly issuedBySessionId: string | null
}

/** An issued code. */
export interface IssuedAuthorizationCode {
  /** `mar_ac_…`, valid once. */
  readonly authorizationCode: string
  /** Seconds. */
  readonly expiresIn: number
}

// The prefix distinguishes codes from refresh tokens.
const pattern = /^mar_ac_[A-Za-z0-9_-]{43}$/
/**
 * Seconds for which a used code is remembered, so that a replay is recognised and the stolen
 * session ended.
 */
export const usedCodeRetention: number = 60 * 60
/** More than an exchange takes that begins in the code's last second. */
const maxExchangeSeconds = 120

/**
 * Issues a code, of which only the SHA-256 is stored. Rejects with 429 and 503.
 */
export async function issueCode(
  kit: SignInKit,
  { approved, codeChallenge, scope, authenticatedAt, issuedBySessionId: sessionId }: CodeRequest,
  context: RequestContext,
): Promise<IssuedAuthorizationCode> {
  const { codeLifetime, sessions } = kit
  const userId = approved.user.id
  // 429, 503
  await kit.takeIssue('code', { userId, sessionId }, context)
  const authorizationCode = `mar_ac_${randomSecret()}`
  const now = kit.clock()
  const expiresAt = after(now, codeLifetime)
  await kit.codeStore.save({
    codeHash: sha256(authorizationCode),
    userId,
    issuedBySessionId:
      sessionId ??
      (await sessions.startPlaceholder(approved, scope, after(expiresAt, maxExchangeSeconds))),
    opensSessionId: randomId(),
    codeChallenge,
    scope,
    methods: approved.methods,
    authenticatedAt,
    createdAt: now,
    expiresAt,
    retainUntil: after(now, usedCodeRetention),
    consumedAt: null,
  })
  kit.audit({ type: 'code.issued', userId, sessionId }, context)
  return { authorizationCode, expiresIn: codeLifetime }
}

/**
 * The record of a code, used or not; null for a code that was never issued or has expired unused.
 */
export function findCode(
  { codeStore, clock }: SignInKit,
  presented: string,
): Promise<AuthorizationCodeRecord | null> {
  if (!pattern.test(presented)) return Promise.resolve(null)
  return codeStore.find(sha256(presented)).then((code) => {
    // A code issued to an OAuth client is exchanged by that client, at the OAuth token endpoint.
    if (code === null || code.clientId !== undefined) return null
    return code.consumedAt === null && clock() >= code.expiresAt ? null : code
  })
}

function after(moment: Date, seconds: number): Date {
  return new Date(moment.getTime() + seconds * 1000)
}

/**
 * `S256` of [RFC 7636 §4.2](https://www.rfc-editor.org/rfc/rfc7636#section-4.2): a SHA-256 in
 * base64url, 43 characters. `plain` is not supported (ASVS V10.4.6).
 */
export const codeChallengePattern: RegExp = /^[A-Za-z0-9_-]{43}$/

/**
 * [RFC 7636 §4.1](https://www.rfc-editor.org/rfc/rfc7636#section-4.1): 43 to 128 unreserved
 * characters.
 */
export const codeVerifierPattern: RegExp = /^[A-Za-z0-9._~-]{43,128}$/

/** Whether the challenge was made from the verifier. */
export function verifierMatches(verifier: string, challenge: string): boolean {
  return equalInConstantTime(sha256(verifier), challenge)
}
