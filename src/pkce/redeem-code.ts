import type { Audit, RequestContext } from '../audit/events.js'
import type { CodeRefusal } from '../audit/refusals.js'
import { AuthError } from '../errors.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import { catchUpMarks } from '../sessions/catch-up-marks.js'
import type { NewSession } from '../sessions/opening.js'
import type { PasswordStands } from '../sessions/password-stands.js'
import type { PasswordWatch } from '../sessions/password-watch.js'
import type { Sessions } from '../sessions/sessions.js'
import type { DecideSignIn } from '../sign-in.js'
import type { AuthorizationCodeRecord } from '../stores/code-contract.js'
import type { SessionRecord } from '../stores/contract.js'
import type { UserStore } from '../users/contract.js'
import type { AuthorizationCodes } from './authorization-code.js'

/** What is to become of a code. */
export interface CodeExchange<Tokens> {
  /** As it was found, used or not; null: there is none. */
  readonly code: AuthorizationCodeRecord | null
  /** What is wrong with what came with the code, which uses it up; null: nothing. */
  readonly refusalOf: (code: AuthorizationCodeRecord) => CodeRefusal | null
  /** What a code opens that nothing speaks against. What this throws leaves the code as it is. */
  readonly open: (code: AuthorizationCodeRecord) => OpenedByCode<Tokens>
}

/** A session to be, and the tokens that it is shown by. */
export interface OpenedByCode<Tokens> {
  readonly session: Pick<
    NewSession,
    'kind' | 'refresh' | 'name' | 'clientId' | 'parentId' | 'resources'
  > &
    // Left out: that of the code.
    Partial<Pick<NewSession, 'scope'>>
  readonly sign: (session: SessionRecord, approved: ApprovedSignIn) => Promise<Tokens>
}

/** Exchanges a code for tokens, once. Throws 400 `invalid_grant` for every reason alike; 503. */
export type RedeemCode = <Tokens>(
  exchange: CodeExchange<Tokens>,
  context: RequestContext,
) => Promise<Tokens>

export interface RedeemCodeDeps {
  readonly codes: Pick<AuthorizationCodes, 'burn'>
  readonly users: Pick<UserStore, 'findById'>
  readonly decideSignIn: DecideSignIn
  /** Whether the second factor is still the one that the decision knew. */
  readonly factorStands: (approved: ApprovedSignIn) => Promise<boolean>
  readonly passwordStands: PasswordStands
  /** Whether sessions end with the hash they were opened by. */
  readonly passwordWatch: Pick<PasswordWatch, 'inherited'>
  readonly sessions: Pick<
    Sessions,
    'draft' | 'startByCode' | 'makeRoom' | 'findLive' | 'end' | 'addPasswordMark'
  >
  readonly clock: () => Date
  readonly audit: Audit
}

/** A client that lost the answer asks again within this time; a later replay is a thief's. */
const innocentReplayMs = 20_000

/** Makes the one way in which codes are exchanged. */
export function createRedeemCode(deps: RedeemCodeDeps): RedeemCode {
  return async function redeemCode(exchange, context) {
    // 400
    const code = await requireUnused(deps, exchange, context)
    const admitted = await approveOrBurn(deps, code, exchange.refusalOf(code), context)
    return openSession(deps, code, admitted, exchange.open(code), context)
  }
}

// Only a first look. Of what it reads only `consumedAt` can change, and about that the conditional
// write in `startByCode` decides.
async function requireUnused(
  deps: RedeemCodeDeps,
  { code, refusalOf }: Pick<CodeExchange<unknown>, 'code' | 'refusalOf'>,
  context: RequestContext,
): Promise<AuthorizationCodeRecord> {
  if (code === null) throw refusal(deps, 'unknown', null, context)
  if (code.consumedAt !== null) return refuseReplay(deps, code, refusalOf(code), context)
  return code
}

// A failed attempt uses the code up, and before it is answered, so that nobody can guess verifiers
// (RFC 7636 §7.1). Right and wrong verifiers race for the same write; a wrong one that comes first
// leaves nothing to redeem.
async function approveOrBurn(
  deps: RedeemCodeDeps,
  code: AuthorizationCodeRecord,
  fault: CodeRefusal | null,
  context: RequestContext,
): Promise<Admitted> {
  const decision = await decide(deps, code, fault, context)
  if (decision.allowed) return decision
  const burnt = await deps.codes.burn(code)
  if (burnt.outcome === 'replayed') return refuseReplay(deps, burnt.code, fault, context)
  throw refusal(deps, decision.reason, code.userId, context)
}

/** What a code may open: `issuer` is the session that asked for it. */
interface Admitted {
  readonly approved: ApprovedSignIn
  readonly issuer: SessionRecord
}

/** Whether a code may open its session. */
type Decision =
  | ({ readonly allowed: true } & Admitted)
  | { readonly allowed: false; readonly reason: CodeRefusal }

async function decide(
  deps: RedeemCodeDeps,
  code: AuthorizationCodeRecord,
  fault: CodeRefusal | null,
  context: RequestContext,
): Promise<Decision> {
  if (fault !== null) return { allowed: false, reason: fault }
  const [issuer, user] = await Promise.all([
    findIssuer(deps, code),
    deps.users.findById(code.userId),
  ])
  if (issuer === 'ended') return { allowed: false, reason: 'issuing-session-ended' }
  if (user !== null && !(await deps.passwordStands(issuer, user)))
    return { allowed: false, reason: 'issuing-session-ended' }
  const decision = await deps.decideSignIn({
    door: 'code-exchange',
    user,
    methods: code.methods,
    shownAt: code.createdAt,
    code: undefined,
    context,
  })
  return decision.allowed ? { ...decision, issuer } : decision
}

// The session that asked for the code.
async function findIssuer(
  { sessions }: RedeemCodeDeps,
  { issuedBySessionId }: AuthorizationCodeRecord,
): Promise<SessionRecord | 'ended'> {
  return (await sessions.findLive(issuedBySessionId)) ?? 'ended'
}

// The session that asked for the code may have ended while this one was made; "sign out everywhere"
// did not see this one then. Checked once more now that it is stored, one of the two sees the
// other.
async function refuseOutdated(
  deps: RedeemCodeDeps,
  code: AuthorizationCodeRecord,
  approved: ApprovedSignIn,
  opened: SessionRecord,
  context: RequestContext,
): Promise<void> {
  const [issuer, stands] = await Promise.all([findIssuer(deps, code), deps.factorStands(approved)])
  if (issuer === 'ended') {
    await deps.sessions.end(opened, 'revoked', context)
    throw refusal(deps, 'issuing-session-ended', code.userId, context)
  }
  await catchUpMarks(deps, issuer, opened)
  if (stands) return
  await deps.sessions.end(opened, 'factor-changed', context)
  throw refusal(deps, 'second-factor-required', code.userId, context)
}

// A client that a code was not issued to has no say over another's session, as with a refresh token
// (RFC 6749 §5.2): what it shows may be from a log, and a spent code opens nothing.
async function refuseReplay(
  deps: RedeemCodeDeps,
  code: AuthorizationCodeRecord,
  fault: CodeRefusal | null,
  context: RequestContext,
): Promise<never> {
  if (fault === 'wrong-client') throw refusal(deps, fault, code.userId, context)
  await endStolenSession(deps, code, context)
  throw refusal(deps, 'replayed', code.userId, context)
}

// RFC 6749 §4.1.2: what a replayed code opened SHOULD be revoked: one of its two users is a thief.
async function endStolenSession(
  { sessions, clock }: RedeemCodeDeps,
  code: AuthorizationCodeRecord,
  context: RequestContext,
): Promise<void> {
  const firstUse = code.consumedAt ?? code.createdAt
  // The absolute value: a clock that was set back makes a late replay look like an early one.
  if (Math.abs(clock().getTime() - firstUse.getTime()) <= innocentReplayMs) return
  await sessions.end({ id: code.opensSessionId, userId: code.userId }, 'code-replayed', context)
}

// Signed before it is stored: a signer that fails leaves no session behind, and a token without a
// session is worth nothing.
async function openSession<Tokens>(
  deps: RedeemCodeDeps,
  code: AuthorizationCodeRecord,
  { approved, issuer }: Admitted,
  { session: given, sign }: OpenedByCode<Tokens>,
  context: RequestContext,
): Promise<Tokens> {
  const { opensSessionId: id, scope, authenticatedAt, userId } = code
  const marks = deps.passwordWatch.inherited(issuer)
  const until = issuer.id === given.parentId ? issuer.expiresAt : undefined
  const lifetime = await lifetimeOf(deps, issuer)
  const from = { openedBySessionId: issuer.id, marks, until, lifetime }
  const session = deps.sessions.draft(
    { scope, ...given, ...from, id, approved, authenticatedAt },
    context,
  )
  const tokens = await sign(session, approved)
  const redeemed = await deps.sessions.startByCode(code.codeHash, session, context)
  if (redeemed.outcome === 'replayed') return refuseReplay(deps, redeemed.code, null, context)
  if (redeemed.outcome === 'unknown') throw refusal(deps, 'unknown', userId, context)
  await refuseOutdated(deps, code, approved, session, context)
  await deps.sessions.makeRoom(session, context)
  deps.audit({ type: 'code.redeemed', userId, sessionId: id }, context)
  return tokens
}

// A sign-in that was to be short opens nothing that lasts longer. The times of a browser say when
// that is taken for closed, so it is the sign-in by a token, where there was one, that counts.
async function lifetimeOf(
  { sessions }: RedeemCodeDeps,
  { kind, parentId, lifetime }: SessionRecord,
): Promise<SessionRecord['lifetime']> {
  if (kind !== 'browser') return lifetime
  return parentId === undefined ? undefined : (await sessions.findLive(parentId))?.lifetime
}

// One answer for every reason (RFC 6749 §5.2): a thief must not learn which of code and verifier
// was wrong.
function refusal(
  { audit }: RedeemCodeDeps,
  reason: CodeRefusal,
  userId: string | null,
  context: RequestContext,
): AuthError {
  audit({ type: 'code.refused', reason, userId }, context)
  return new AuthError('invalid_grant', { message: `code refused: ${reason}` })
}
