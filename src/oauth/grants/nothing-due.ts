import type { RequestContext } from '../../audit/events.js'
import { AuthError } from '../../errors.js'
import type { SessionRecord } from '../../stores/contract.js'
import type { AuthUser } from '../../users/contract.js'
import type { AppsKit } from '../apps-kit.js'

/** An app that asks for tokens of a user. */
export interface AskingForUser {
  readonly door: 'code-exchange' | 'device' | 'refresh'
  /** It need not be stored yet. */
  readonly session: SessionRecord
  readonly user: AuthUser
}

/**
 * An app gets no tokens of a user who must do something first: a server that only checks the
 * signature would accept them. Call it before the code or the refresh token is spent, which then
 * works once the user is done. Not `invalid_grant`, for which an app throws its refresh token away.
 * Throws 400 `interaction_required`, or to a device `authorization_pending`; 503.
 */
export async function requireNothingDue(
  { requiredOf, audit }: AppsKit,
  { door, session, user }: AskingForUser,
  context: RequestContext,
): Promise<void> {
  const required = await requiredOf(user, session.methods)
  if (required.length === 0) return
  // RFC 8628 §3.5: its user has not completed the steps. It asks again until its time is over, so
  // this is no event.
  if (door === 'device') throw new AuthError('authorization_pending')
  const reason = 'action-required'
  const { id: sessionId, userId } = session
  if (door === 'refresh') audit({ type: 'refresh.refused', reason, userId, sessionId }, context)
  else audit({ type: 'code.refused', reason, userId }, context)
  throw new AuthError('interaction_required', { details: { required } })
}
