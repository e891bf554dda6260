import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import { goodMarks, type PasswordWatch } from '../sessions/password-watch.js'
import type { Sessions } from '../sessions/sessions.js'
import type { SessionRecord } from '../stores/contract.js'
import type { AuthUser, UserStore } from '../users/contract.js'
import type { LoginProof } from './login-proof.js'

export interface StillRightDeps {
  /** Whether the second factor is still the one that the decision knew. */
  readonly factorStands: (approved: ApprovedSignIn) => Promise<boolean>
  readonly users: Pick<UserStore, 'findById'>
  readonly sessions: Pick<Sessions, 'end' | 'addPasswordMark'>
  /** Whether sessions end with the hash they were opened by. */
  readonly passwordWatch: Pick<PasswordWatch, 'markOf'>
  readonly audit: Audit
}

/** A proof that was right, and the hash that is stored now. */
export interface VerifiedProof {
  readonly proof: Pick<LoginProof, 'isRightFor'>
  readonly passwordHash: string | null
}

/**
 * Ends a session that has just been opened, and throws 401, if it would not be opened now: checking
 * a password takes a second, or many behind a queue. If the user was disabled meanwhile or the
 * password reset, all sessions were ended but this one, which did not exist yet.
 */
export async function refuseOutdated(
  deps: StillRightDeps,
  approved: ApprovedSignIn,
  verified: VerifiedProof,
  session: SessionRecord,
  context: RequestContext,
): Promise<void> {
  const end = (reason: 'revoked' | 'factor-changed') => deps.sessions.end(session, reason, context)
  const changed = await whatChanged(deps, approved, verified, session, context).catch(
    async (error: unknown) => {
      // The client will try again; without this a session whose token nobody has would stay.
      await end('revoked')
      throw error
    },
  )
  if (changed === null) return
  await end(changed)
  deps.audit(
    {
      type: 'request.refused',
      reason: 'the user, the password or the factor changed during the login',
    },
    context,
  )
  throw new AuthError('Unauthorized')
}

async function whatChanged(
  deps: StillRightDeps,
  approved: ApprovedSignIn,
  verified: VerifiedProof,
  session: SessionRecord,
  context: RequestContext,
) {
  if (!(await isStillRight(deps, session, verified, context))) return 'revoked'
  return (await deps.factorStands(approved)) ? null : 'factor-changed'
}

async function isStillRight(
  deps: StillRightDeps,
  session: SessionRecord,
  { proof, passwordHash }: VerifiedProof,
  context: RequestContext,
): Promise<boolean> {
  const user = await deps.users.findById(session.userId)
  if (user === null || user.disabled === true) return false
  if (user.passwordHash === passwordHash) return true
  // Another login may have rehashed the same password just now. The row found by id is checked: the
  // look-up by name may come from a cache.
  if (!(await proof.isRightFor(user, context))) return false
  await keepUnder(deps, session, user)
  return true
}

// A session that ends with its hash, where another of the same password is stored by now.
async function keepUnder(
  { sessions, passwordWatch }: StillRightDeps,
  session: SessionRecord,
  user: AuthUser,
): Promise<void> {
  const { passwordMark: from } = session
  const to = passwordWatch.markOf(user.id, user.passwordHash)
  if (from === undefined || to === undefined || goodMarks(session).includes(to)) return
  await sessions.addPasswordMark(user.id, from, to)
}
