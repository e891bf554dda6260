import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError, notSignedIn } from '../errors.js'
import { randomId } from '../lib/random.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import { catchUpMarks } from '../sessions/catch-up-marks.js'
import type { PasswordMarks, PasswordWatch } from '../sessions/password-watch.js'
import type { Sessions } from '../sessions/sessions.js'
import type { DecideSignIn } from '../sign-in.js'
import type { SessionRecord, StoredMethod } from '../stores/contract.js'
import type { TakeIssue } from '../throttle/issue-limits.js'
import { newSessionSecret } from '../tokens/session-secret.js'
import type { UserStore } from '../users/contract.js'

/** A named token to make. */
export interface NewNamedToken {
  readonly userId: string
  readonly name: string
  readonly scope: string
  /** Seconds. */
  readonly expiresIn: number
  /** How and when the user last proved who they are. */
  readonly methods: readonly StoredMethod[]
  readonly authenticatedAt: Date
  /** The session that asks; null if the host does. */
  readonly maker: SessionRecord | null
}

/** A new named token. The token itself is shown this once. */
export interface IssuedNamedToken {
  readonly id: string
  readonly token: string
  readonly expiresAt: Date
}

/** Makes a named token. Throws 401, 403, 409, 429 or 503; no token exists then. */
export type MakeNamedToken = (
  asked: NewNamedToken,
  context: RequestContext,
) => Promise<IssuedNamedToken>

export interface MakeNamedTokenDeps {
  readonly users: Pick<UserStore, 'findById'>
  readonly decideSignIn: DecideSignIn
  /** Whether the second factor has not changed since the decision. */
  readonly factorStands: (approved: ApprovedSignIn) => Promise<boolean>
  readonly sessions: Pick<
    Sessions,
    'draftNamed' | 'startNamed' | 'hasRoomForNamed' | 'findLive' | 'end' | 'addPasswordMark'
  >
  /** Checks sessions against the password hash, if they must end with it. */
  readonly passwordWatch: Pick<PasswordWatch, 'marksOf' | 'inherited' | 'fits'>
  /** Whether named tokens survive a change of their user's password. */
  readonly namedSurvivePassword: boolean
  readonly takeIssue: TakeIssue
  readonly audit: Audit
}

/** It makes the same decision as every other sign-in. */
export function createMakeNamedToken(deps: MakeNamedTokenDeps): MakeNamedToken {
  const { sessions, takeIssue, audit } = deps
  return async function makeNamedToken({ userId, maker, methods, ...asked }, context) {
    const approved = await approve(deps, { userId, maker, methods }, context)
    await takeIssue('named-token', { userId, sessionId: maker?.id ?? null }, context)
    // Before anything is stored: a user with 20 tokens must not fill the store by asking again.
    if (!(await sessions.hasRoomForNamed(userId))) throw new AuthError('too-many-named-tokens')
    const id = randomId()
    const { secret: token, secretHash } = newSessionSecret('token', id)
    const marks = marksOf(deps, approved, maker)
    const made = { id, approved, secretHash, marks, upstream: maker?.upstream }
    const session = sessions.draftNamed({ ...made, ...asked }, context)
    const { expiresAt } = session
    if (!(await sessions.startNamed(session, context))) throw new AuthError('too-many-named-tokens')
    await refuseOutdated(deps, approved, maker, session, context)
    const madeBy = maker?.id ?? null
    audit({ type: 'named-token.created', userId, sessionId: id, madeBy }, context)
    return { id, token, expiresAt }
  }
}

async function approve(
  { users, decideSignIn, audit }: MakeNamedTokenDeps,
  { userId, maker, methods }: Pick<NewNamedToken, 'userId' | 'maker' | 'methods'>,
  context: RequestContext,
): Promise<ApprovedSignIn> {
  const decision = await decideSignIn({
    door: 'named-token',
    user: await users.findById(userId),
    methods,
    code: undefined,
    context,
  })
  if (decision.allowed) return decision.approved
  if (maker === null) audit({ type: 'session.refused', reason: decision.reason, userId }, context)
  throw decision.error
}

// If the user signed out everywhere, was disabled or changed the factor while this token was made,
// all sessions ended except this one, which did not exist yet. Checked again after the write, one
// of the two sees the other.
async function refuseOutdated(
  deps: MakeNamedTokenDeps,
  approved: ApprovedSignIn,
  maker: SessionRecord | null,
  session: SessionRecord,
  context: RequestContext,
): Promise<void> {
  try {
    await requireUnchanged(deps, approved, maker, session)
  } catch (error) {
    await deps.sessions.end(session, 'revoked', context)
    throw error
  }
}

async function requireUnchanged(
  deps: MakeNamedTokenDeps,
  approved: ApprovedSignIn,
  maker: SessionRecord | null,
  session: SessionRecord,
): Promise<void> {
  const user = await deps.users.findById(approved.user.id)
  if (user === null || user.disabled === true) throw notSignedIn('user is disabled or gone')
  if (!(await deps.factorStands(approved))) throw notSignedIn('the second factor has changed')
  if (maker !== null && (await standsByMaker(deps, maker, session))) return
  if (deps.passwordWatch.fits(session, user)) return
  // A changed password, or another hash of the same one: the caller may try again.
  throw new AuthError('temporarily-unavailable', {
    retryAfter: 1,
    message: 'the password hash changed while the token was made',
  })
}

// False if the asking session does not depend on a password. Throws 401 if it has ended.
async function standsByMaker(
  deps: MakeNamedTokenDeps,
  maker: SessionRecord,
  session: SessionRecord,
): Promise<boolean> {
  const now = await deps.sessions.findLive(maker.id)
  if (now === null) throw notSignedIn('session ended or unknown')
  await catchUpMarks(deps, now, session)
  return deps.passwordWatch.inherited(now) !== undefined
}

// A token depends on the same password as the session that asks, so that a thief's token ends with
// the password.
function marksOf(
  { passwordWatch, namedSurvivePassword }: MakeNamedTokenDeps,
  { user }: ApprovedSignIn,
  maker: SessionRecord | null,
): PasswordMarks {
  if (namedSurvivePassword) return {}
  const inherited = maker === null ? undefined : passwordWatch.inherited(maker)
  return inherited ?? passwordWatch.marksOf(user)
}
