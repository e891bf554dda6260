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

/** What a named token is to be. */
export interface NewNamedToken {
  readonly userId: string
  readonly name: string
  readonly scope: string
  /** Seconds. */
  readonly expiresIn: number
  /** By what the user last proved who they are, and when. */
  readonly methods: readonly StoredMethod[]
  readonly authenticatedAt: Date
  /** The session that asks; null for the host. */
  readonly maker: SessionRecord | null
}

/** A named token as its maker is shown it, once. */
export interface IssuedNamedToken {
  readonly id: string
  readonly token: string
  readonly expiresAt: Date
}

/** Makes a named token. Throws 401, 403, 409, 429 or 503, and then there is none. */
export type MakeNamedToken = (
  asked: NewNamedToken,
  context: RequestContext,
) => Promise<IssuedNamedToken>

export interface MakeNamedTokenDeps {
  readonly users: Pick<UserStore, 'findById'>
  readonly decideSignIn: DecideSignIn
  /** Whether the second factor is still the one that the decision knew. */
  readonly factorStands: (approved: ApprovedSignIn) => Promise<boolean>
  readonly sessions: Pick<
    Sessions,
    'draftNamed' | 'startNamed' | 'hasRoomForNamed' | 'findLive' | 'end' | 'addPasswordMark'
  >
  /** Whether sessions end with the hash they were opened by. */
  readonly passwordWatch: Pick<PasswordWatch, 'marksOf' | 'inherited' | 'fits'>
  /** Whether a token stays when its user's password is another. */
  readonly namedSurvivePassword: boolean
  readonly takeIssue: TakeIssue
  readonly audit: Audit
}

/** Makes {@link MakeNamedToken}. It asks the decision that every other way in asks. */
export function createMakeNamedToken(deps: MakeNamedTokenDeps): MakeNamedToken {
  const { sessions, takeIssue, audit } = deps
  return async function makeNamedToken({ userId, maker, methods, ...asked }, context) {
    const approved = await approve(deps, { userId, maker, methods }, context)
    await takeIssue('named-token', { userId, sessionId: maker?.id ?? null }, context)
    // Before anything is stored: who has 20 already must not fill the store by asking again.
    if (!(await sessions.hasRoomForNamed(userId))) throw new AuthError('too-many-named-tokens')
    const id = randomId()
    const { secret: token, secretHash } = newSessionSecret('token', id)
    const marks = marksOf(deps, approved, maker)
    const session = sessions.draftNamed({ id, approved, secretHash, marks, ...asked }, context)
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

// Whoever signed out everywhere, was disabled or changed the factor while this one was made had all
// sessions ended but this one, which did not exist yet. Looked at once more, one of the two sees
// the other.
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
  // Another password, or another hash of the same one: it may be asked for again.
  throw new AuthError('temporarily-unavailable', {
    retryAfter: 1,
    message: 'the password hash changed while the token was made',
  })
}

// False where the session that asks stands by no password. Throws 401 where it has ended.
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

// A token stands by the password of whoever asks for it, so that a thief's goes with the password.
function marksOf(
  { passwordWatch, namedSurvivePassword }: MakeNamedTokenDeps,
  { user }: ApprovedSignIn,
  maker: SessionRecord | null,
): PasswordMarks {
  if (namedSurvivePassword) return {}
  const inherited = maker === null ? undefined : passwordWatch.inherited(maker)
  return inherited ?? passwordWatch.marksOf(user)
}
