import type { RequestContext } from '../audit/events.js'
import type { CodeRefusal } from '../audit/refusals.js'
import { AuthError } from '../errors.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import { type Soon, soon } from '../lib/async.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import { type NewSession, startOf } from '../sessions/opening.js'
import { catchUpMarks } from '../sessions/password-stands.js'
import type { SignInDoor } from '../sign-in.js'
import type { EndReason, SessionRecord } from '../stores/contract.js'
import type { AuthorizationCodeRecord } from '../stores/one-time-contract.js'

/** How to exchange a code. */
export interface CodeExchange<Tokens> {
  readonly door: Extract<SignInDoor, 'code-exchange' | 'device' | 'device-link'>
  /** The record, used or not; null if no such code was issued. */
  readonly code: AuthorizationCodeRecord | null
  /** The fault of the request, which uses the code up; null without a fault. */
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

/** A client that lost the answer retries within this time; a later replay is treated as theft. */
const innocentReplayMs = 20_000

/**
 * Exchanges a code for tokens, once: the only way in which codes are exchanged. Throws 400
 * `invalid_grant` for every reason alike, or 503.
 */
export async function redeemCode<Tokens>(
  kit: SignInKit,
  exchange: CodeExchange<Tokens>,
  context: RequestContext,
): Promise<Tokens> {
  const { code, door, refusalOf, open } = exchange
  // 400
  if (code === null) throw refusal(kit, 'unknown', null, context)
  const fault = refusalOf(code)
  // Early check only. Single use is decided by the conditional write in `startByCode`.
  if (code.consumedAt !== null) return refuseReplay(kit, code, fault, context)
  if (fault !== null) return burn(kit, code, { fault, reason: fault }, context)
  const decision = await decide(kit, code, door, context)
  if (!decision.allowed) return burn(kit, code, { fault, reason: decision.reason }, context)

  const { approved, issuer } = decision
  const { session: given, sign } = open(code)
  const asking = lifetimeOf(kit, issuer)
  const lifetime = asking instanceof Promise ? await asking : asking
  const session = draft(kit, code, { approved, issuer, lifetime }, given, context)
  // Tokens are signed before the session is stored: a failing signer leaves no session behind, and
  // a token without a session is useless.
  const tokens = await sign(session, approved)
  const { userId } = code
  const redeemed = await kit.sessions.startByCode(code.codeHash, session)
  if (redeemed.outcome === 'replayed') return refuseReplay(kit, redeemed.code, null, context)
  if (redeemed.outcome === 'unknown') throw refusal(kit, 'unknown', userId, context)
  kit.audit(startOf(session), context)
  await refuseOutdated(kit, code, approved, session, context)
  kit.audit({ type: 'code.redeemed', userId, sessionId: session.id }, context)
  return tokens
}

// A failed attempt uses the code up before it is answered, so that nobody can guess verifiers (RFC
// 7636 §7.1). Right and wrong verifiers race for the same write; a wrong verifier that wins leaves
// nothing to redeem.
async function burn(
  kit: SignInKit,
  code: AuthorizationCodeRecord,
  { fault, reason }: { readonly fault: CodeRefusal | null; readonly reason: CodeRefusal },
  context: RequestContext,
): Promise<never> {
  const burnt = await kit.codeStore.consume(code.codeHash, kit.clock())
  if (burnt.outcome === 'replayed') return refuseReplay(kit, burnt.code, fault, context)
  throw refusal(kit, reason, code.userId, context)
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

function decide(
  kit: SignInKit,
  code: AuthorizationCodeRecord,
  door: SignInDoor,
  context: RequestContext,
): Promise<Decision> {
  const { sessions, users, secondFactors, passwordStands } = kit
  const { userId, methods, createdAt: shownAt } = code
  // Beside each other: none needs what another says.
  return Promise.all([
    sessions.findLive(code.issuedBySessionId),
    users.findById(userId),
    secondFactors.totpOf(userId),
  ]).then(([issuer, user, totp]) => {
    if (issuer === null) return issuerEnded
    return soon(user === null || passwordStands(issuer, user), (stands) => {
      if (!stands) return issuerEnded
      const asked = { door, user, methods, shownAt, code: undefined, totp, context }
      return soon(kit.decideSignIn(asked), (decision) =>
        decision.allowed ? { allowed: true, issuer, approved: decision.approved } : decision,
      )
    })
  })
}

const issuerEnded = { allowed: false, reason: 'issuing-session-ended' } as const

// The issuing session may have ended while this one was opened; "sign out everywhere" did not see
// this one then. This is checked again after the write: one of the two sees the other.
function refuseOutdated(
  kit: SignInKit,
  code: AuthorizationCodeRecord,
  approved: ApprovedSignIn,
  opened: SessionRecord,
  context: RequestContext,
): Promise<void> {
  async function endAndRefuse(why: EndReason, reason: CodeRefusal): Promise<never> {
    await kit.sessions.end(opened, why, context)
    throw refusal(kit, reason, code.userId, context)
  }
  return Promise.all([
    kit.sessions.findLive(code.issuedBySessionId),
    kit.factorStands(approved),
    kit.sessions.makeRoom(opened, context),
  ]).then(([issuer, stands]) => {
    if (issuer === null) return endAndRefuse('revoked', 'issuing-session-ended')
    return soon(catchUpMarks(kit, issuer, opened), () =>
      stands ? undefined : endAndRefuse('factor-changed', 'second-factor-required'),
    )
  })
}

// A client cannot end a session by replaying a code that was issued to another client, as with
// refresh tokens (RFC 6749 §5.2): the code may come from a log, and a used code opens nothing.
async function refuseReplay(
  kit: SignInKit,
  code: AuthorizationCodeRecord,
  fault: CodeRefusal | null,
  context: RequestContext,
): Promise<never> {
  if (fault === 'wrong-client') throw refusal(kit, fault, code.userId, context)
  await endStolenSession(kit, code, context)
  throw refusal(kit, 'replayed', code.userId, context)
}

// RFC 6749 §4.1.2: the session that a replayed code opened SHOULD be revoked, since one of its two
// users is a thief.
async function endStolenSession(
  { sessions, clock }: SignInKit,
  code: AuthorizationCodeRecord,
  context: RequestContext,
): Promise<void> {
  const firstUse = code.consumedAt ?? code.createdAt
  // The absolute value: after a clock was set back, a late replay would look early.
  if (Math.abs(clock().getTime() - firstUse.getTime()) <= innocentReplayMs) return
  await sessions.end({ id: code.opensSessionId, userId: code.userId }, 'code-replayed', context)
}

/** What the session of a code has from the session that asked for it. */
interface Inherited extends Admitted {
  readonly lifetime: SessionRecord['lifetime']
}

function draft(
  kit: SignInKit,
  { opensSessionId: id, scope, authenticatedAt }: AuthorizationCodeRecord,
  { approved, issuer, lifetime }: Inherited,
  given: OpenedByCode<unknown>['session'],
  context: RequestContext,
): SessionRecord {
  const marks = kit.passwordWatch.inherited(issuer)
  const until = issuer.id === given.parentId ? issuer.expiresAt : undefined
  // A session that a provider has opened ends with the provider's session. Sessions that this
  // session has opened end, too.
  const { id: openedBySessionId, upstream } = issuer
  const inherited = { openedBySessionId, upstream, marks, until, lifetime }
  const session = { ...inherited, id, approved, authenticatedAt, scope, ...given }
  return kit.sessions.draft(session, context)
}

// A short sign-in must not open a longer session. A browser session's own times only say when the
// browser counts as closed, so the lifetime of the sign-in by token above it counts, if there is
// one.
function lifetimeOf(
  { sessions }: SignInKit,
  { kind, parentId, lifetime }: SessionRecord,
): Soon<SessionRecord['lifetime']> {
  if (kind !== 'browser') return lifetime
  if (parentId === undefined) return undefined
  return sessions.findLive(parentId).then((parent) => parent?.lifetime)
}

// One answer for every reason (RFC 6749 §5.2): a thief must not learn whether the code or the
// verifier was wrong.
function refusal(
  { audit }: SignInKit,
  reason: CodeRefusal,
  userId: string | null,
  context: RequestContext,
): AuthError {
  audit({ type: 'code.refused', reason, userId }, context)
  return new AuthError('invalid_grant', { message: `code refused: ${reason}` })
}
