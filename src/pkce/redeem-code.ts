import type { Audit, RequestContext } from '../audit/events.js'
import type { CodeRefusal } from '../audit/refusals.js'
import { AuthError } from '../errors.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import { catchUpMarks } from '../sessions/catch-up-marks.js'
import type { NewSession } from '../sessions/opening.js'
import type { PasswordStands } from '../sessions/password-stands.js'
import type { PasswordWatch } from '../sessions/password-watch.js'
import type { Sessions } from '../sessions/sessions.js'
import type { DecideSignIn, SignInDoor } from '../sign-in.js'
import type { AuthorizationCodeRecord } from '../stores/code-contract.js'
import type { SessionRecord } from '../stores/contract.js'
import type { UserStore } from '../users/contract.js'
import type { AuthorizationCodes } from './authorization-code.js'

/** How to exchange a code. */
export interface CodeExchange<Tokens> {
  readonly door: Extract<SignInDoor, 'code-exchange' | 'device' | 'device-link'>
  /** The record, used or not; null if no such code was issued. */
  readonly code: AuthorizationCodeRecord | null
  /** What is wrong with the request, which uses the code up; null if nothing is. */
  readonly refusalOf: (code: AuthorizationCodeRecord) => CodeRefusal | null
  /** The session and tokens of a valid code. If this throws, the code stays valid. */
  readonly open: (code: AuthorizationCodeRecord) => OpenedByCode<Tokens>
}

/** The session that a code opens, and how to sign its tokens. */
export interface OpenedByCode<Tokens> {
  readonly session: Pick<
    NewSession,
    'kind' | 'refresh' | 'name' | 'clientId' | 'parentId' | 'resources'
  > &
    // Default: the scope of the code.
    Partial<Pick<NewSession, 'scope'>>
  readonly sign: (session: SessionRecord, approved: ApprovedSignIn) => Promise<Tokens>
}

/** Exchanges a code for tokens, once. Throws 400 `invalid_grant` for every reason alike, or 503. */
export type RedeemCode = <Tokens>(
  exchange: CodeExchange<Tokens>,
  context: RequestContext,
) => Promise<Tokens>

export interface RedeemCodeDeps {
  readonly codes: Pick<AuthorizationCodes, 'burn'>
  readonly users: Pick<UserStore, 'findById'>
  readonly decideSignIn: DecideSignIn
  /** Whether the second factor has not changed since the decision. */
  readonly factorStands: (approved: ApprovedSignIn) => Promise<boolean>
  readonly passwordStands: PasswordStands
  /** Marks sessions with their password hash, if they must end with it. */
  readonly passwordWatch: Pick<PasswordWatch, 'inherited'>
  readonly sessions: Pick<
    Sessions,
    'draft' | 'startByCode' | 'makeRoom' | 'findLive' | 'end' | 'addPasswordMark'
  >
  readonly clock: () => Date
  readonly audit: Audit
}

/** A client that lost the answer retries within this time; a later replay is treated as theft. */
const innocentReplayMs = 20_000

/** The only way in which codes are exchanged. */
export function createRedeemCode(deps: RedeemCodeDeps): RedeemCode {
  return async function redeemCode(exchange, context) {
    // 400
    const code = await requireUnused(deps, exchange, context)
    const admitted = await approveOrBurn(deps, code, exchange, context)
    return openSession(deps, code, admitted, exchange.open(code), context)
  }
}

// Early check only. Single use is decided by the conditional write in `startByCode`.
async function requireUnused(
  deps: RedeemCodeDeps,
  { code, refusalOf }: Pick<CodeExchange<unknown>, 'code' | 'refusalOf'>,
  context: RequestContext,
): Promise<AuthorizationCodeRecord> {
  if (code === null) throw refusal(deps, 'unknown', null, context)
  if (code.consumedAt !== null) return refuseReplay(deps, code, refusalOf(code), context)
  return code
}

// A failed attempt uses the code up before it is answered, so that nobody can guess verifiers (RFC
// 7636 §7.1). Right and wrong verifiers race for the same write; a wrong one that wins leaves
// nothing to redeem.
async function approveOrBurn(
  deps: RedeemCodeDeps,
  code: AuthorizationCodeRecord,
  { door, refusalOf }: Pick<CodeExchange<unknown>, 'door' | 'refusalOf'>,
  context: RequestContext,
): Promise<Admitted> {
  const fault = refusalOf(code)
  const decision = await decide(deps, code, { door, fault }, context)
  if (decision.allowed) return decision
  const burnt = await deps.codes.burn(code)
  if (burnt.outcome === 'replayed') return refuseReplay(deps, burnt.code, fault, context)
  throw refusal(deps, decision.reason, code.userId, context)
}

/** An approved exchange. `issuer` is the session that asked for the code. */
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
  { door, fault }: { readonly door: SignInDoor; readonly fault: CodeRefusal | null },
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
    door,
    user,
    methods: code.methods,
    shownAt: code.createdAt,
    code: undefined,
    context,
  })
  return decision.allowed ? { issuer, ...decision } : decision
}

async function findIssuer(
  { sessions }: RedeemCodeDeps,
  { issuedBySessionId }: AuthorizationCodeRecord,
): Promise<SessionRecord | 'ended'> {
  return (await sessions.findLive(issuedBySessionId)) ?? 'ended'
}

// The issuing session may have ended while this one was opened; "sign out everywhere" did not see
// this one then. Checked again after the write, one of the two sees the other.
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

// A client cannot end a session by replaying a code that was issued to another client, as with
// refresh tokens (RFC 6749 §5.2): the code may come from a log, and a used code opens nothing.
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

// RFC 6749 §4.1.2: what a replayed code opened SHOULD be revoked, since one of its two users is a
// thief.
async function endStolenSession(
  { sessions, clock }: RedeemCodeDeps,
  code: AuthorizationCodeRecord,
  context: RequestContext,
): Promise<void> {
  const firstUse = code.consumedAt ?? code.createdAt
  // The absolute value: after a clock was set back, a late replay would look early.
  if (Math.abs(clock().getTime() - firstUse.getTime()) <= innocentReplayMs) return
  await sessions.end({ id: code.opensSessionId, userId: code.userId }, 'code-replayed', context)
}

// Tokens are signed before the session is stored: a failing signer leaves no session behind, and a
// token without a session is useless.
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
  // What a provider has opened ends with it, and so does all that this has opened.
  const { id: openedBySessionId, upstream } = issuer
  const from = { openedBySessionId, upstream, marks, until, lifetime }
  const session = deps.sessions.draft(
    { id, approved, authenticatedAt, scope, ...given, ...from },
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

// A short sign-in must not open a longer session. A browser session's own times only say when the
// browser counts as closed, so the lifetime of the sign-in by token above it counts, if there is
// one.
async function lifetimeOf(
  { sessions }: RedeemCodeDeps,
  { kind, parentId, lifetime }: SessionRecord,
): Promise<SessionRecord['lifetime']> {
  if (kind !== 'browser') return lifetime
  return parentId === undefined ? undefined : (await sessions.findLive(parentId))?.lifetime
}

// One answer for every reason (RFC 6749 §5.2): a thief must not learn whether the code or the
// verifier was wrong.
function refusal(
  { audit }: RedeemCodeDeps,
  reason: CodeRefusal,
  userId: string | null,
  context: RequestContext,
): AuthError {
  audit({ type: 'code.refused', reason, userId }, context)
  return new AuthError('invalid_grant', { message: `code refused: ${reason}` })
}
