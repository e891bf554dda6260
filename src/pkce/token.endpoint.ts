import { z } from 'zod'
import { AuthError } from '../errors.js'
import type { Audit, CodeRefusal, RequestContext } from '../events.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { Sessions } from '../sessions/sessions.js'
import type { DecideSignIn } from '../sign-in.js'
import type { AuthorizationCodeRecord, SessionRecord } from '../stores/contract.js'
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
  /** Whether the second factor is still the one that the decision knew. */
  readonly factorStands: (approved: ApprovedSignIn) => Promise<boolean>
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
    const code = await findUnused(deps, authorizationCode, context) //                  400
    const approved = await approveOrBurn(deps, code, codeVerifier, context) //          400
    return ok(await openSession(deps, code, approved, context)) //                      400, 503
  }
}

// Only a first look: what it saw never changes but for `consumedAt`, and about that the one conditional write of redemption decides.
async function findUnused(deps: TokenDeps, presented: string, context: RequestContext): Promise<AuthorizationCodeRecord> {
  const code = await deps.codes.find(presented)
  if (code === null) throw refusal(deps, 'unknown', null, context)
  if (code.consumedAt !== null) throw await replay(deps, code, context)
  return code
}

// RFC 7636 §7.1: whatever is wrong uses the code up, so that nobody can try again, and before the answer tells that it was wrong. Right
// and wrong verifiers race for the same write, and a wrong one that comes first leaves nothing to redeem.
async function approveOrBurn(
  deps: TokenDeps,
  code: AuthorizationCodeRecord,
  verifier: string,
  context: RequestContext,
): Promise<ApprovedSignIn> {
  const judged = await judge(deps, code, verifier, context)
  if (typeof judged !== 'string') return judged
  const burnt = await deps.codes.burn(code)
  throw burnt.outcome === 'replayed' ? await replay(deps, burnt.code, context) : refusal(deps, judged, code.userId, context)
}

async function judge(
  deps: TokenDeps,
  code: AuthorizationCodeRecord,
  verifier: string,
  context: RequestContext,
): Promise<ApprovedSignIn | CodeRefusal> {
  if (!verifierMatches(verifier, code.codeChallenge)) return 'wrong-verifier'
  if (await isOrphan(deps, code)) return 'issuing-session-ended'
  const user = await deps.users.findById(code.userId)
  const decision = await deps.decideSignIn({
    door: 'code-exchange',
    user,
    methods: code.methods,
    shownAt: code.createdAt,
    code: undefined,
    context,
  })
  return decision.allowed ? decision.approved : decision.reason
}

async function isOrphan({ sessions }: TokenDeps, { issuedBySessionId }: AuthorizationCodeRecord): Promise<boolean> {
  return issuedBySessionId !== null && (await sessions.findLive(issuedBySessionId)) === null
}

// The session that asked may have ended while this one was made, and "sign out everywhere" has then passed this one by. Asked once more
// now that it is stored, one of the two sees the other.
async function refuseOutdated(
  deps: TokenDeps,
  code: AuthorizationCodeRecord,
  approved: ApprovedSignIn,
  opened: SessionRecord,
  context: RequestContext,
): Promise<void> {
  if (await isOrphan(deps, code)) {
    await deps.sessions.end(opened, 'revoked', context)
    throw refusal(deps, 'issuing-session-ended', code.userId, context)
  }
  if (await deps.factorStands(approved)) return
  await deps.sessions.end(opened, 'factor-changed', context)
  throw refusal(deps, 'second-factor-required', code.userId, context)
}

async function replay(deps: TokenDeps, code: AuthorizationCodeRecord, context: RequestContext): Promise<AuthError> {
  await endStolenSession(deps, code, context)
  return refusal(deps, 'replayed', code.userId, context)
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

// Signed before it is stored: a signer that fails leaves no session behind, and a token without a session opens nothing.
async function openSession(deps: TokenDeps, code: AuthorizationCodeRecord, approved: ApprovedSignIn, context: RequestContext) {
  const { opensSessionId: id, scope, authenticatedAt, userId } = code
  const { token: refreshToken, refresh } = newRefreshToken(id)
  const session = deps.sessions.draft({ id, approved, kind: 'pkce', scope, authenticatedAt, refresh }, context)
  const access = await deps.accessTokens.issue(session, deps.accessTokenLifetime, session.createdAt)
  const redeemed = await deps.sessions.startByCode(code.codeHash, session, context)
  if (redeemed.outcome === 'replayed') throw await replay(deps, redeemed.code, context)
  if (redeemed.outcome === 'unknown') throw refusal(deps, 'unknown', userId, context)
  await refuseOutdated(deps, code, approved, session, context)
  await deps.sessions.makeRoom(session, context)
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
