import { z } from 'zod'
import { AuthError } from '../errors.js'
import type { Audit, CodeRefusal, RequestContext } from '../events.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { Sessions } from '../sessions/sessions.js'
import type { DecideSignIn } from '../sign-in.js'
import type { AuthorizationCodeRecord } from '../stores/contract.js'
import type { AccessTokens } from '../tokens/access-token.js'
import { newRefreshToken } from '../tokens/refresh-token.js'
import type { UserStore } from '../users/contract.js'
import type { AuthorizationCodes } from './authorization-code.js'
import { codeVerifierPattern, verifierMatches } from './code-challenge.js'

/** What `POST /auth/pkce/token` needs. */
export interface TokenDeps {
  readonly codes: AuthorizationCodes
  readonly users: UserStore
  readonly decideSignIn: DecideSignIn
  readonly sessions: Sessions
  readonly accessTokens: AccessTokens
  /** Seconds. */
  readonly accessTokenLifetime: number
  readonly clock: () => Date
  readonly audit: Audit
}

const schema = z.object({
  authorizationCode: z.string().min(1),
  codeVerifier: z.string().regex(codeVerifierPattern, 'Invalid input: expected 43 to 128 characters of A-Z a-z 0-9 - . _ ~'),
})

/** A client that lost the answer asks again at once; who asks later than this has found the code somewhere. */
const innocentReplayMilliseconds = 20_000

/** `POST /auth/pkce/token`, wire §2: a code and its verifier for a session of its own. */
export function tokenEndpoint(deps: TokenDeps): Endpoint {
  return async ({ context, readJson }) => {
    const { authorizationCode, codeVerifier } = parseInput(schema, await readJson()) // 400, 413, 415
    // Used up first, judged second: a wrong verifier must not be free to try again (RFC 7636 §7.1).
    const code = await consumeOnce(deps, authorizationCode, context) //                 400
    refuseWrongVerifier(deps, code, codeVerifier, context) //                           400
    await refuseOrphan(deps, code, context) //                                          400
    const approved = await decide(deps, code, context) //                               400
    return ok(await openSession(deps, code, approved, context)) //                      503
  }
}

async function consumeOnce(deps: TokenDeps, presented: string, context: RequestContext): Promise<AuthorizationCodeRecord> {
  const result = await deps.codes.consume(presented)
  if (result.outcome === 'consumed') return result.code
  if (result.outcome === 'unknown') throw refusal(deps, 'unknown', null, context)
  await endStolenSession(deps, result.code, context)
  throw refusal(deps, 'replayed', result.code.userId, context)
}

// RFC 6749 §4.1.2: what a replayed code opened SHOULD be revoked, since one of its two users is a thief.
async function endStolenSession(
  { sessions, clock }: TokenDeps,
  code: AuthorizationCodeRecord,
  context: RequestContext,
): Promise<void> {
  const firstUse = code.consumedAt ?? code.createdAt
  // Either way: a clock that was set back makes a late replay look like an early one.
  if (Math.abs(clock().getTime() - firstUse.getTime()) <= innocentReplayMilliseconds) return
  await sessions.end({ id: code.opensSessionId, userId: code.userId }, 'code-replayed', context)
}

function refuseWrongVerifier(deps: TokenDeps, code: AuthorizationCodeRecord, verifier: string, context: RequestContext): void {
  if (!verifierMatches(verifier, code.codeChallenge)) throw refusal(deps, 'wrong-verifier', code.userId, context)
}

async function refuseOrphan(deps: TokenDeps, code: AuthorizationCodeRecord, context: RequestContext): Promise<void> {
  if (code.issuedBySessionId === null) return
  if ((await deps.sessions.findLive(code.issuedBySessionId)) !== null) return
  throw refusal(deps, 'issuing-session-ended', code.userId, context)
}

async function decide(deps: TokenDeps, code: AuthorizationCodeRecord, context: RequestContext): Promise<ApprovedSignIn> {
  const user = await deps.users.findById(code.userId)
  const decision = await deps.decideSignIn({ door: 'code-exchange', user, methods: code.methods, code: null, context })
  if (decision.allowed) return decision.approved
  throw refusal(deps, decision.reason, code.userId, context)
}

// Signed before it is stored: a signer that fails leaves no session behind, and a token without a session opens nothing.
async function openSession(deps: TokenDeps, code: AuthorizationCodeRecord, approved: ApprovedSignIn, context: RequestContext) {
  const { opensSessionId: id, scope, authenticatedAt, userId } = code
  const { token: refreshToken, refresh } = newRefreshToken(id)
  const session = deps.sessions.draft({ id, approved, kind: 'pkce', scope, authenticatedAt, refresh }, context)
  const access = await deps.accessTokens.issue(session, deps.accessTokenLifetime, session.createdAt)
  await deps.sessions.start(session, context)
  deps.audit({ type: 'code.redeemed', userId, sessionId: id }, context)
  return {
    access_token: access.token,
    token_type: 'Bearer',
    expires_in: access.expiresIn,
    refresh_token: refreshToken,
  }
}

// One answer for every reason (RFC 6749 §5.2): a thief must not learn whether it was the code or the verifier.
function refusal({ audit }: TokenDeps, reason: CodeRefusal, userId: string | null, context: RequestContext): AuthError {
  audit({ type: 'code.refused', reason, userId }, context)
  return new AuthError('invalid_grant', { message: `code refused: ${reason}` })
}
