import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import { goodMarks, type PasswordWatch } from '../sessions/password-watch.js'
import type { Sessions } from '../sessions/sessions.js'
import type { SessionRecord } from '../stores/contract.js'
import type { AuthUser, UserStore } from '../users/contract.js'
import type { LoginProof } from './login-proof.js'

export interface RecheckDeps {
  /** Whether the second factor has not changed since the decision. */
  readonly factorStands: (approved: ApprovedSignIn) => Promise<boolean>
  readonly users: Pick<UserStore, 'findById'>
  readonly sessions: Pick<Sessions, 'end' | 'addPasswordMark'>
  /** Marks sessions with their password hash, if they must end with it. */
  readonly passwordWatch: Pick<PasswordWatch, 'computeMark'>
  readonly audit: Audit
}

/** A right proof, and the stored hash. */
export interface VerifiedProof {
  readonly proof: Pick<LoginProof, 'isRightFor'>
  readonly passwordHash: string | null
}

/**
 * Checks again that the login would still succeed; otherwise ends the new session and throws 401.
 * Checking a password takes a second, or many in a queue. If the user was disabled or the password
 * reset meanwhile, all sessions ended except this one, which did not exist yet.
 */
export async function refuseOutdated(
  deps: RecheckDeps,
  approved: ApprovedSignIn,
  verified: VerifiedProof,
  session: SessionRecord,
  context: RequestContext,
): Promise<void> {
  const end = (reason: 'revoked' | 'factor-changed') => deps.sessions.end(session, reason, context)
  const changed = await whatChanged(deps, approved, verified, session, context).catch(
    async (error: unknown) => {
      // The client will try again; otherwise a session would stay whose token nobody has.
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
  deps: RecheckDeps,
  approved: ApprovedSignIn,
  { proof, passwordHash }: VerifiedProof,
  session: SessionRecord,
  context: RequestContext,
): Promise<'revoked' | 'factor-changed' | null> {
  const user = await deps.users.findById(session.userId)
  if (user === null || user.disabled === true) return 'revoked'
  if (user.passwordHash !== passwordHash) {
    // Another login may have rehashed the same password just now. The row found by id is checked:
    // a lookup by name may come from a cache.
    if (!(await proof.isRightFor(user, context))) return 'revoked'
    await keepUnder(deps, session, user)
  }
  return (await deps.factorStands(approved)) ? null : 'factor-changed'
}

// For sessions that end with their hash, when another hash of the same password has been stored.
async function keepUnder(
  { sessions, passwordWatch }: RecheckDeps,
  session: SessionRecord,
  user: AuthUser,
): Promise<void> {
  const { passwordMark: from } = session
  const to = passwordWatch.computeMark(user.id, user.passwordHash)
  if (from === undefined || to === undefined || goodMarks(session).includes(to)) return
  await sessions.addPasswordMark(user.id, from, to)
}
